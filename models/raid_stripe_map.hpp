// Where the strips of a stripe lie: one table for RAID 5, 6, 50, 60, their EE forms and data+parity
// declustered over any number of drives.
//
// Model: the drives of a group are cut into rows, one strip on each drive. A slice is the smallest
// number of rows that whole stripes fill, the woven spares left out: one row for RAID 5 and 6 and
// the EE forms, lcm(w, n - s) / (n - s) rows for stripes of w = d + p strips on n drives with s
// spares (w = 10, n = 13, s = 1: 6 stripes in 5 rows). In a slice a permutation of the drives says
// which of them hold strips, in order, and which hold the spares; it is turned by one drive from
// slice to slice, so over n slices each drive has had each place once and the load is equal. RAID 5
// and 6 have one permutation, [P Q S.. D..], and turning it is md's left-symmetric layout; a
// declustered set goes to another, seeded permutation after n slices, so that the partners of a
// drive are spread evenly over all others. A lost strip is rebuilt into the same row of a drive
// that holds a spare there.
//
// Parameters: RaidLayout of a parity, woven or declustered set. Scope and limits: 64 permutations
// (16 above 256 drives); all drives of a group are equally large.
// References: Linux md raid5.c; OpenZFS vdev_draid.c (slices, permutations); modelling brief 4.1.
// Validation: tests/models/raid_stripe_map_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "models/raid.hpp"
#include "models/raid_layout.hpp"

namespace storcast {

class RaidStripeMap {
 public:
  // A stripe, found: what place() needs to know about it.
  struct Stripe {
    const std::uint16_t* order;  // the drives in the order of the slice, spares last
    std::uint64_t row;           // of its first strip, on the drives
    std::uint32_t first;         // place of its first strip in the order
    std::uint32_t turn;          // added to each drive of the order
    std::uint32_t base;          // first drive of the group
  };
  struct Place {
    std::uint32_t drive;
    std::uint64_t row;
  };
  // What a drive has in one row: a strip of a stripe, or its woven spare number `spare`.
  struct Slot {
    std::uint32_t group;
    std::uint64_t stripe;
    std::uint32_t strip;
    int spare = -1;  // at least 0: no strip
  };

  // INVARIANT: the layout has parity and holds a stripe.
  explicit RaidStripeMap(const RaidLayout& layout);

  // Stripe `index` of a group; index x strips of a stripe stays below 2^58.
  [[nodiscard]] Stripe stripe(std::uint32_t group, std::uint64_t index) const noexcept {
    const std::uint64_t slice = by_per_slice_.quotient(index);
    const std::uint64_t cycle = by_drives_.quotient(slice);
    Stripe s{orders_.data() + (cycle & cycle_mask_) * n_, slice, 0,
             n_ - 1 - static_cast<std::uint32_t>(slice - cycle * n_), group * n_};
    if (per_slice_ != 1) {
      const std::uint64_t slot = (index - slice * per_slice_) * width_;
      const std::uint64_t rows = by_active_.quotient(slot);
      s.row = slice * rows_per_slice_ + rows;
      s.first = static_cast<std::uint32_t>(slot - rows * active_);
    }
    return s;
  }
  // Strip i of it: parity first (0: P, 1: Q), then data.
  [[nodiscard]] Place place(const Stripe& s, std::uint32_t i) const noexcept {
    const std::uint32_t at = s.first + i;
    return at < active_ ? Place{turned(s, at), s.row} : Place{turned(s, at - active_), s.row + 1};
  }
  // The drive that holds woven spare e in all rows of the stripe. Precondition: e < spares().
  [[nodiscard]] std::uint32_t spare(const Stripe& s, std::uint32_t e) const noexcept {
    return turned(s, active_ + e);
  }
  // The inverse. Precondition: drive < groups x drives of a group.
  [[nodiscard]] Slot slot(std::uint32_t drive, std::uint64_t row) const noexcept;

  [[nodiscard]] std::uint32_t group_drives() const noexcept { return n_; }
  [[nodiscard]] std::uint32_t groups() const noexcept { return groups_; }
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }  // strips of a stripe
  [[nodiscard]] std::uint32_t spares() const noexcept { return n_ - active_; }
  // After so many rows the layout repeats.
  [[nodiscard]] std::uint64_t period_rows() const noexcept {
    return (cycle_mask_ + 1) * n_ * rows_per_slice_;
  }
  // Whole stripes of a group on drives of so many rows, and the rows that so many stripes reach.
  [[nodiscard]] std::uint64_t stripes_in(std::uint64_t rows) const noexcept {
    return rows * active_ / width_;
  }
  [[nodiscard]] std::uint64_t rows_of(std::uint64_t stripes) const noexcept {
    return (stripes * width_ + active_ - 1) / active_;
  }

 private:
  [[nodiscard]] std::uint32_t turned(const Stripe& s, std::uint32_t at) const noexcept {
    const std::uint32_t drive = s.order[at] + s.turn;
    return s.base + (drive < n_ ? drive : drive - n_);
  }
  void rotate_one(const RaidLayout& layout);
  void permute(const RaidLayout& layout);

  std::uint32_t n_, groups_, width_, active_;  // active: n - s
  std::uint32_t per_slice_, rows_per_slice_;   // stripes, rows
  Divider by_per_slice_, by_drives_, by_active_;
  std::uint64_t cycle_mask_ = 0;                // permutations - 1
  std::vector<std::uint16_t> orders_, places_;  // permutations and their inverses
};

}  // namespace storcast
