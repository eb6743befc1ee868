// RAID 0, RAID 1 and RAID 10: striping over sets of identical copies.
//
// Model: chunk = block / strip; the chunk belongs to set chunk mod (n / c), copies lie on the c
// neighbouring drives of the set. A read takes one copy, chosen by a hash of the row so that the
// load is equal; a write goes to all copies. RAID 0 is c = 1; RAID 1 is one set of two; RAID 10 is
// c = 2.
//
// Parameters: drives (n), copies (c), strip in blocks. Scope and limits: the choice of the copy
// does not look at queues or head positions. References: Linux md raid10.c (near layout).
// Validation: tests/models/mirror_raid_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/raid.hpp"

namespace storcast {

class MirrorRaid {
 public:
  MirrorRaid(int drives, int copies, std::uint32_t strip_blocks)
      : n_(static_cast<std::uint32_t>(drives)),
        copies_(static_cast<std::uint32_t>(copies)),
        sets_(n_ / copies_),
        strip_(strip_blocks),
        by_strip_(strip_blocks),
        by_sets_(sets_),
        failed_(static_cast<std::size_t>(drives), 0) {
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
        push_one(set, at, member, out);
      } else {
        push_all(set, member, out);
      }
      at += high - low;
    }
  }

  [[nodiscard]] std::size_t most_members(std::uint32_t blocks) const {
    return (blocks / strip_ + 2) * static_cast<std::size_t>(copies_);
  }
  [[nodiscard]] int data_drives() const noexcept { return static_cast<int>(sets_); }
  [[nodiscard]] std::uint32_t drives() const noexcept { return n_; }
  [[nodiscard]] bool data_lost() const noexcept {
    for (std::uint32_t set = 0; set < sets_; ++set) {
      std::uint32_t left = 0;
      for (std::uint32_t c = 0; c < copies_; ++c) left += failed_[set * copies_ + c] == 0 ? 1 : 0;
      if (left == 0) return true;
    }
    return false;
  }
  void fail(DriveId drive) {
    INVARIANT(index_of(drive) < failed_.size(), "the drive belongs to the set");
    failed_[index_of(drive)] = 1;
  }

 private:
  void push_one(std::uint32_t set, std::uint64_t at, MemberIo member,
                MemberPlan& out) const noexcept {
    const auto hash = static_cast<std::uint32_t>(((at >> 3) * 0x9e3779b97f4a7c15ull) >> 32);
    const auto start =
        static_cast<std::uint32_t>(multiply_high(static_cast<std::uint64_t>(hash) << 32, copies_));
    for (std::uint32_t i = 0; i < copies_; ++i) {
      const std::uint32_t drive = set * copies_ + (start + i) % copies_;
      if (failed_[drive] != 0) continue;
      member.drive = static_cast<DriveId>(drive);
      out.push(member);
      return;
    }
  }
  void push_all(std::uint32_t set, MemberIo member, MemberPlan& out) const noexcept {
    for (std::uint32_t c = 0; c < copies_; ++c) {
      const std::uint32_t drive = set * copies_ + c;
      if (failed_[drive] != 0) continue;
      member.drive = static_cast<DriveId>(drive);
      out.push(member);
    }
  }

  std::uint32_t n_, copies_, sets_, strip_;
  Divider by_strip_, by_sets_;
  std::vector<std::uint8_t> failed_;
};
static_assert(RaidPlanner<MirrorRaid>);

}  // namespace storcast
