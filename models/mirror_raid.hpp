// RAID 0, RAID 1 and RAID 10: striping over sets of identical copies.
//
// Model: chunk = block / strip; the chunk belongs to set chunk mod (n / c), copies lie on the c
// neighbouring drives of the set. A read takes one copy, chosen by a hash of the row so that the
// load is equal; a write goes to all copies. RAID 0 is c = 1; RAID 1 is one set of two; RAID 10 is
// c = 2. A lost copy is rebuilt, row by row, from the next one left of its set onto the drive that
// takes its place.
//
// Parameters: drives (n), copies (c), strip in blocks. Scope and limits: the choice of the copy
// does not look at queues or head positions; no woven spares. References: Linux md raid10.c (near
// layout).
// Validation: tests/models/mirror_raid_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/raid.hpp"
#include "models/raid_layout.hpp"
#include "models/raid_members.hpp"

namespace storcast {

class MirrorRaid {
 public:
  MirrorRaid(const RaidLayout& layout, std::uint32_t strip_blocks)
      : MirrorRaid(layout.drives, layout.copies, strip_blocks) {}
  MirrorRaid(int drives, int copies, std::uint32_t strip_blocks)
      : n_(static_cast<std::uint32_t>(drives)),
        copies_(static_cast<std::uint32_t>(copies)),
        sets_(n_ / copies_),
        strip_(strip_blocks),
        by_strip_(strip_blocks),
        by_sets_(sets_),
        members_(drives, 1, 0) {
    INVARIANT(copies >= 1 && drives >= copies && drives % copies == 0,
              "the drives make whole sets of copies");
  }

  void plan(Extent extent, RaidPhase phase, MemberPlan& out) const noexcept {
    if (phase == RaidPhase::write_reads) return;
    const std::uint64_t end = extent.first + extent.blocks;
    for (std::uint64_t at = extent.first; at < end;) {
      const std::uint64_t chunk = by_strip_.quotient(at);
      const std::uint64_t row = by_sets_.quotient(chunk);
      const auto set = static_cast<std::uint32_t>(chunk - row * sets_);
      const std::uint64_t low = at - chunk * strip_;
      const std::uint64_t high = std::min<std::uint64_t>(end - chunk * strip_, strip_);
      const MemberIo member{{}, row * strip_ + low, static_cast<std::uint32_t>(high - low)};
      if (phase == RaidPhase::read) {
        push_one(set, at, row, member, out);
      } else {
        push_all(set, row, member, out);
      }
      at += high - low;
    }
  }

  [[nodiscard]] std::size_t most_members(std::uint32_t blocks) const {
    return (blocks / strip_ + 2) * static_cast<std::size_t>(copies_);
  }
  // The copy of one row of a lost member from the next member of its set that has it.
  void rebuild(DriveId drive, std::uint64_t row, RebuildPhase phase,
               MemberPlan& out) const noexcept {
    const auto lost = static_cast<std::uint32_t>(index_of(drive));
    if (!members_[lost].lost || !members_[lost].replaced) return;
    const std::uint32_t first = lost - lost % copies_;
    for (std::uint32_t i = 1; i < copies_; ++i) {
      const std::uint32_t partner = first + (lost - first + i) % copies_;
      if (!has(partner, row)) continue;
      const std::uint32_t member = phase == RebuildPhase::reads ? partner : lost;
      out.push({static_cast<DriveId>(member), row * strip_, strip_});
      return;
    }
  }
  // A chunk: copies of one block are written together or not at all.
  [[nodiscard]] std::uint64_t lock_key(std::uint64_t block) const noexcept {
    return by_strip_.quotient(block);
  }
  // Capacity in blocks on members of `member_blocks`, and the rows of the members that the first
  // `blocks` of it reach.
  [[nodiscard]] std::uint64_t data_blocks(std::uint64_t member_blocks) const noexcept {
    return by_strip_.quotient(member_blocks) * sets_ * strip_;
  }
  [[nodiscard]] std::uint64_t used_rows(std::uint64_t blocks) const noexcept {
    const std::uint64_t row_blocks = std::uint64_t{sets_} * strip_;
    return (blocks + row_blocks - 1) / row_blocks;
  }
  [[nodiscard]] std::uint32_t drives() const noexcept { return n_; }
  // Some set has no copy left; it stays so.
  [[nodiscard]] bool data_lost() const noexcept { return data_lost_; }
  [[nodiscard]] std::uint32_t lost() const noexcept { return members_.lost(); }

  void fail(DriveId drive) {
    members_.fail(drive);
    // A drive that is still being filled lacks rows, so each set needs a whole member.
    for (std::uint32_t set = 0; set < sets_; ++set) {
      std::uint32_t whole = 0;
      for (std::uint32_t c = 0; c < copies_; ++c) {
        whole += members_[set * copies_ + c].lost ? 0 : 1;
      }
      data_lost_ = data_lost_ || whole == 0;
    }
  }
  void replace(DriveId drive) { members_.replace(drive); }
  void set_rebuilt_rows(DriveId drive, std::uint64_t rows) {
    members_.set_rebuilt_rows(drive, rows);
  }
  void rebuilt(DriveId drive) { members_.rebuilt(drive); }

 private:
  [[nodiscard]] bool has(std::uint32_t drive, std::uint64_t row) const noexcept {
    const RaidMember& m = members_[drive];
    return !m.lost || (m.replaced && row < m.new_rows);
  }
  void push_one(std::uint32_t set, std::uint64_t at, std::uint64_t row, MemberIo member,
                MemberPlan& out) const noexcept {
    const auto hash = static_cast<std::uint32_t>(((at >> 3) * 0x9e3779b97f4a7c15ull) >> 32);
    const auto start =
        static_cast<std::uint32_t>(multiply_high(static_cast<std::uint64_t>(hash) << 32, copies_));
    for (std::uint32_t i = 0; i < copies_; ++i) {
      const std::uint32_t drive = set * copies_ + (start + i) % copies_;
      if (!has(drive, row)) continue;
      member.drive = static_cast<DriveId>(drive);
      out.push(member);
      return;
    }
  }
  void push_all(std::uint32_t set, std::uint64_t row, MemberIo member,
                MemberPlan& out) const noexcept {
    for (std::uint32_t c = 0; c < copies_; ++c) {
      const std::uint32_t drive = set * copies_ + c;
      if (!has(drive, row)) continue;
      member.drive = static_cast<DriveId>(drive);
      out.push(member);
    }
  }

  std::uint32_t n_, copies_, sets_, strip_;
  Divider by_strip_, by_sets_;
  RaidMembers members_;
  bool data_lost_ = false;
};
static_assert(RaidPlanner<MirrorRaid>);

}  // namespace storcast
