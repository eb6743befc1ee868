// RAID 5 and RAID 6: rotating parity, left-symmetric.
//
// Model: chunk = block / strip; row = chunk / d, k = chunk mod d; P of a row lies on drive
// (n - 1) - row mod n, Q on the next, data k on (P + p + k) mod n. A write that covers a whole row
// reads nothing and writes d + p strips (full stripe). A smaller one touches k of d strips and
// takes the cheaper of read-modify-write (reads k + p) and reconstruct-write (reads d - k); a 4 KiB
// write on RAID 6 is three reads and three writes. A read of a lost strip reads d others of its
// row. A write next to lost strips takes the variant that needs none of them, or reads what is left
// of the row. Sequential writes that the cache has joined: no reads; each I/O writes its data, the
// one that ends a row also writes the row's parity.
//
// Parameters: drives (n), parity strips p (1 or 2), strip in blocks.
// Scope and limits: no stripe lock; a reconstruct-write reads whole page ranges of partly covered
// strips. Parity arithmetic is the controller's.
// References: Linux md raid5.c; modelling brief section 4.1 and 4.2.
// Validation: tests/models/parity_raid_test.cpp (each block once, parity on the right member, equal
// load, the cost table, degraded rows).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/raid.hpp"

namespace storcast {

class ParityRaid {
 public:
  ParityRaid(int drives, int parity, std::uint32_t strip_blocks)
      : n_(static_cast<std::uint32_t>(drives)),
        p_(static_cast<std::uint32_t>(parity)),
        d_(n_ - p_),
        strip_(strip_blocks),
        by_strip_(strip_blocks),
        by_data_(d_),
        by_drives_(n_),
        failed_(static_cast<std::size_t>(drives), 0) {
    INVARIANT(parity == 1 || parity == 2, "RAID 5 has one parity strip, RAID 6 two");
    INVARIANT(drives >= parity + 2, "a row has at least two data strips");
  }

  void plan(Extent extent, RaidPhase phase, MemberPlan& out) const noexcept {
    const std::uint64_t end = extent.first + extent.blocks;
    if (phase == RaidPhase::read) {
      for (std::uint64_t at = extent.first; at < end;) at += read_piece(at, end, out);
      return;
    }
    const std::uint64_t row_blocks = static_cast<std::uint64_t>(d_) * strip_;
    for (std::uint64_t at = extent.first; at < end;) {
      const std::uint64_t row = by_data_.quotient(by_strip_.quotient(at));
      const std::uint64_t row_end = std::min(end, (row + 1) * row_blocks);
      const RowWrite write{row, at - row * row_blocks, row_end - row * row_blocks};
      if (phase == RaidPhase::write_reads) {
        plan_reads(write, out);
      } else {
        plan_writes(write, phase == RaidPhase::sequential_writes, out);
      }
      at = row_end;
    }
  }

  [[nodiscard]] std::size_t most_members(std::uint32_t blocks) const {
    const std::size_t strips = blocks / strip_ + 2;
    const std::size_t rows = strips / d_ + 2;
    // Degraded: every strip of a lost drive costs a whole row.
    return std::max(strips * d_, rows * n_) + n_;
  }
  [[nodiscard]] int data_drives() const noexcept { return static_cast<int>(d_); }
  [[nodiscard]] std::uint32_t drives() const noexcept { return n_; }
  [[nodiscard]] std::uint32_t parity() const noexcept { return p_; }
  [[nodiscard]] bool data_lost() const noexcept { return lost_ > p_; }
  [[nodiscard]] std::uint32_t lost() const noexcept { return lost_; }
  // Whether a read of the extent needs recovery.
  [[nodiscard]] bool touches_lost(Extent extent) const noexcept {
    if (lost_ == 0) return false;
    const std::uint64_t last = by_strip_.quotient(extent.first + extent.blocks - 1);
    for (std::uint64_t chunk = by_strip_.quotient(extent.first); chunk <= last; ++chunk) {
      const std::uint64_t row = by_data_.quotient(chunk);
      if (!alive(data_drive(row, static_cast<std::uint32_t>(chunk - row * d_)))) return true;
    }
    return false;
  }
  void fail(DriveId drive) {
    INVARIANT(index_of(drive) < failed_.size(), "the drive belongs to the set");
    if (failed_[index_of(drive)] == 0) ++lost_;
    failed_[index_of(drive)] = 1;
  }

  // Where parity i (0: P, 1: Q) and data strip k of a row lie.
  [[nodiscard]] std::uint32_t parity_drive(std::uint64_t row, std::uint32_t i) const noexcept {
    return wrap(n_ - 1 - static_cast<std::uint32_t>(row - by_drives_.quotient(row) * n_) + i);
  }
  [[nodiscard]] std::uint32_t data_drive(std::uint64_t row, std::uint32_t k) const noexcept {
    return wrap(parity_drive(row, 0) + p_ + k);
  }

 private:
  // A part [from, to) of a row's data, in blocks from the row's start.
  struct RowWrite {
    std::uint64_t row, from, to;
  };
  // The same blocks of several strips of a row: [low, high) in each strip.
  struct Range {
    std::uint32_t low, high;
  };

  [[nodiscard]] std::uint32_t wrap(std::uint32_t drive) const noexcept {
    drive = drive >= n_ ? drive - n_ : drive;
    return drive >= n_ ? drive - n_ : drive;
  }
  [[nodiscard]] bool alive(std::uint32_t drive) const noexcept { return failed_[drive] == 0; }

  void push(std::uint32_t drive, std::uint64_t row, Range range, MemberPlan& out) const noexcept {
    out.push({static_cast<DriveId>(drive), row * strip_ + range.low, range.high - range.low});
  }

  // The part of data strip k that a write covers; empty if high <= low.
  [[nodiscard]] Range covered(const RowWrite& w, std::uint32_t k) const noexcept {
    const std::uint64_t start = static_cast<std::uint64_t>(k) * strip_;
    const std::uint64_t low = std::max(w.from, start);
    const std::uint64_t high = std::min(w.to, start + strip_);
    if (high <= low) return {0, 0};
    return {static_cast<std::uint32_t>(low - start), static_cast<std::uint32_t>(high - start)};
  }
  // The blocks of the parity strips that a write changes.
  [[nodiscard]] Range parity_range(const RowWrite& w) const noexcept {
    const std::uint64_t first = by_strip_.quotient(w.from);
    const std::uint64_t last = by_strip_.quotient(w.to - 1);
    if (first != last) return {0, strip_};
    return {static_cast<std::uint32_t>(w.from - first * strip_),
            static_cast<std::uint32_t>(w.to - first * strip_)};
  }
  [[nodiscard]] bool full(const RowWrite& w) const noexcept {
    return w.from == 0 && w.to == static_cast<std::uint64_t>(d_) * strip_;
  }

  // Reads up to the end of the strip; returns how many blocks that was.
  std::uint64_t read_piece(std::uint64_t at, std::uint64_t end, MemberPlan& out) const noexcept {
    const std::uint64_t chunk = by_strip_.quotient(at);
    const std::uint64_t row = by_data_.quotient(chunk);
    const auto k = static_cast<std::uint32_t>(chunk - row * d_);
    const auto low = static_cast<std::uint32_t>(at - chunk * strip_);
    const auto high =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(end - chunk * strip_, strip_));
    const std::uint32_t drive = data_drive(row, k);
    if (alive(drive)) {
      push(drive, row, {low, high}, out);
    } else {
      // d of the strips that are left, parity included, give the lost one back.
      std::uint32_t taken = 0;
      for (std::uint32_t i = 1; i < n_ && taken < d_; ++i) {
        const std::uint32_t other = wrap(drive + i);
        if (!alive(other)) continue;
        push(other, row, {low, high}, out);
        ++taken;
      }
    }
    return high - low;
  }

  void plan_reads(const RowWrite& w, MemberPlan& out) const noexcept {
    if (full(w)) return;
    std::uint32_t touched = 0;
    bool touched_lost = false;
    bool untouched_lost = false;
    for (std::uint32_t k = 0; k < d_; ++k) {
      const Range c = covered(w, k);
      const bool touches = c.high > c.low;
      touched += touches ? 1 : 0;
      if (lost_ != 0 && !alive(data_drive(w.row, k))) {
        (touches ? touched_lost : untouched_lost) = true;
      }
    }
    const Range parity = parity_range(w);
    const bool modify = touched + p_ < d_ - touched;
    if (touched_lost && untouched_lost) {
      for (std::uint32_t drive = 0; drive < n_; ++drive) {
        if (alive(drive)) push(drive, w.row, parity, out);
      }
    } else if ((modify && !touched_lost) || untouched_lost) {
      for (std::uint32_t k = 0; k < d_; ++k) {
        const Range c = covered(w, k);
        if (c.high > c.low) push(data_drive(w.row, k), w.row, c, out);
      }
      for (std::uint32_t i = 0; i < p_; ++i) {
        if (alive(parity_drive(w.row, i))) push(parity_drive(w.row, i), w.row, parity, out);
      }
    } else {
      for (std::uint32_t k = 0; k < d_; ++k) {
        const Range c = covered(w, k);
        const bool whole = c.low <= parity.low && c.high >= parity.high;
        const std::uint32_t drive = data_drive(w.row, k);
        if (!whole && alive(drive)) push(drive, w.row, parity, out);
      }
    }
  }

  void plan_writes(const RowWrite& w, bool sequential, MemberPlan& out) const noexcept {
    for (std::uint32_t k = 0; k < d_; ++k) {
      const Range c = covered(w, k);
      const std::uint32_t drive = data_drive(w.row, k);
      if (c.high > c.low && alive(drive)) push(drive, w.row, c, out);
    }
    const bool ends_row = w.to == static_cast<std::uint64_t>(d_) * strip_;
    if (sequential && !ends_row) return;
    const Range parity = sequential ? Range{0, strip_} : parity_range(w);
    for (std::uint32_t i = 0; i < p_; ++i) {
      if (alive(parity_drive(w.row, i))) push(parity_drive(w.row, i), w.row, parity, out);
    }
  }

  std::uint32_t n_, p_, d_, strip_;
  Divider by_strip_, by_data_, by_drives_;
  std::vector<std::uint8_t> failed_;
  std::uint32_t lost_ = 0;
};
static_assert(RaidPlanner<ParityRaid>);

}  // namespace storcast
