// What has become of the members of a RAID set.
//
// Model: a member is whole, or lost. A lost member gets back row by row: into woven spares, if its
// group has one left for it, or onto an empty drive that takes its place. Rows below a mark are
// served again. A member whose new drive is full is whole, and its woven spare is free again; one
// that lives in woven spares stays a lost drive whose strips are all there.
//
// Parameters: drives, groups, woven spares of a group. Scope and limits: a drive fails whole.
// References: OpenZFS dRAID (distributed spares). Validation:
// tests/models/parity_raid_loss_test.cpp, tests/models/mirror_raid_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/raid.hpp"

namespace storcast {

struct RaidMember {
  bool lost = false;
  bool replaced = false;         // a new drive stands in its place and is being filled
  int spare = -1;                // the woven spare of each row that takes its strips
  std::uint64_t spare_rows = 0;  // rows below are in the woven spare,
  std::uint64_t new_rows = 0;    // and below this on the new drive
};

class RaidMembers {
 public:
  static constexpr std::uint64_t all_rows = ~std::uint64_t{0};

  RaidMembers(int drives, int groups, int spares)
      : members_(static_cast<std::size_t>(drives)),
        per_group_(static_cast<std::size_t>(drives / groups)),
        spares_(spares) {}

  [[nodiscard]] const RaidMember& operator[](std::size_t drive) const noexcept {
    return members_[drive];
  }
  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] bool any_lost() const noexcept { return gone_ != 0; }  // rebuilt into spares or not

  // Members whose strips are not all there again.
  [[nodiscard]] std::uint32_t lost() const noexcept {
    return static_cast<std::uint32_t>(
        std::count_if(members_.begin(), members_.end(),
                      [](const RaidMember& m) { return m.lost && m.spare_rows != all_rows; }));
  }

  // The member's drive fails, or the one that has taken its place. No effect on one that is gone.
  void fail(DriveId drive) {
    RaidMember& m = member(drive);
    if (!m.lost) {
      ++gone_;
      m = {.lost = true, .spare = free_spare(index_of(drive))};
    } else {
      // What was written since to rows that the new drive had is not in the woven spare.
      if (m.new_rows != 0) m.spare_rows = 0;
      m.replaced = false;
      m.new_rows = 0;
    }
  }
  // An empty drive takes the member's place; what woven spares hold of it they hold on.
  void replace(DriveId drive) {
    RaidMember& m = member(drive);
    INVARIANT(m.lost && !m.replaced, "a drive takes the place of a lost one");
    m.replaced = true;
  }
  void set_rebuilt_rows(DriveId drive, std::uint64_t rows) {
    RaidMember& m = member(drive);
    INVARIANT(m.lost && (m.replaced || m.spare >= 0), "a lost member has a place to be rebuilt to");
    std::uint64_t& mark = m.replaced ? m.new_rows : m.spare_rows;
    INVARIANT(rows >= mark, "a rebuild goes forward");
    mark = rows;
  }
  void rebuilt(DriveId drive) {
    set_rebuilt_rows(drive, all_rows);
    if (!member(drive).replaced) return;
    member(drive) = {};
    --gone_;
  }

 private:
  RaidMember& member(DriveId drive) {
    INVARIANT(index_of(drive) < members_.size(), "the drive belongs to the set");
    return members_[index_of(drive)];
  }
  // The lowest woven spare of the drive's group that no other lost member has; -1 if none is left.
  [[nodiscard]] int free_spare(std::size_t drive) const {
    const std::size_t first = drive - drive % per_group_;
    for (int spare = 0; spare < spares_; ++spare) {
      bool taken = false;
      for (std::size_t d = first; d < first + per_group_; ++d) {
        taken = taken || (members_[d].lost && members_[d].spare == spare);
      }
      if (!taken) return spare;
    }
    return -1;
  }

  std::vector<RaidMember> members_;
  std::size_t per_group_;
  int spares_;
  std::uint32_t gone_ = 0;
};

}  // namespace storcast
