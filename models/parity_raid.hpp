// RAID with parity: RAID 5, 6, 50, 60, with woven spares (5EE, 6EE, 50EE, 60EE), and data+parity
// declustered over any number of drives.
//
// Model: chunk = block / strip, dealt to the g groups in turn; chunk / g of a group is data strip
// k = mod d of stripe = div d. RaidStripeMap says where the strips lie. A write that covers a whole
// stripe reads nothing and writes d + p strips (full stripe). A smaller one touches k of d strips
// and takes the cheaper of read-modify-write (reads k + p) and reconstruct-write (reads d - k); a
// 4 KiB write on RAID 6 is three reads and three writes. A read of a lost strip reads d others of
// its stripe, and none of them twice. A write over a lost strip must reconstruct, one beside it
// must modify, one that does both reads all d that give the old stripe back; one whose parity is
// all lost reads nothing. Sequential writes that the cache has joined: no reads; each I/O writes
// its data, the one that ends a stripe also writes the parity. What is rebuilt into a woven spare,
// or onto a new drive, is read and written there.
//
// Parameters: RaidLayout, strip in blocks, write policy. Scope and limits: locks are only named
// (lock_key, for_each_lock); all strips read for one parity range are read over the whole of it.
// Parity arithmetic is the controller's. References: Linux md raid5.c; modelling brief 4.1 and 4.2.
// Validation: tests/models/parity_raid_test.cpp (each block once, parity on the right member, equal
// load, the cost table), parity_raid_loss_test.cpp (losses, rebuilds),
// tests/validation/raid_cost_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/raid.hpp"
#include "models/raid_layout.hpp"
#include "models/raid_members.hpp"
#include "models/raid_stripe_map.hpp"

namespace storcast {

class ParityRaid {
 public:
  // INVARIANT: a layout with parity.
  ParityRaid(const RaidLayout& layout, std::uint32_t strip_blocks,
             WritePolicy policy = WritePolicy::min_reads);
  // RAID 5 (parity 1) or RAID 6 (2) in one group.
  ParityRaid(int drives, int parity, std::uint32_t strip_blocks);

  void plan(Extent extent, RaidPhase phase, MemberPlan& out) const noexcept {
    const std::uint64_t end = extent.first + extent.blocks;
    if (phase == RaidPhase::read && !members_.any_lost()) {
      for (std::uint64_t at = extent.first; at < end;) at += read_piece(at, end, out);
      return;
    }
    for (std::uint64_t at = extent.first; at < end;) {
      const std::uint64_t chunk = by_strip_.quotient(at);
      const std::uint64_t in_group = by_groups_.quotient(chunk);
      const std::uint64_t stripe = by_data_.quotient(in_group);
      const std::uint64_t start = stripe * row_blocks_;
      const std::uint64_t to = std::min(end, start + row_blocks_);
      const std::uint64_t touched =
          std::min<std::uint64_t>(by_strip_.quotient(to - 1) - chunk + 1, map_.groups());
      auto group = static_cast<std::uint32_t>(chunk - in_group * map_.groups());
      for (std::uint64_t i = 0; i < touched; ++i) {
        plan_part(part_of(group, stripe, at - start, to - start), phase, out);
        if (++group == map_.groups()) group = 0;
      }
      at = to;
    }
  }
  [[nodiscard]] std::size_t most_members(std::uint32_t blocks) const;

  // One row of the rebuild of a lost member: d reads (one, if a woven spare still holds the strip
  // and a new drive stands in its place), one write.
  void rebuild(DriveId drive, std::uint64_t row, RebuildPhase phase,
               MemberPlan& out) const noexcept;
  // The stripe that a block belongs to, unique in the set: one writer at a time. An extent has the
  // keys of its blocks; they grow from stripe to stripe, so that taking them in order is safe.
  [[nodiscard]] std::uint64_t lock_key(std::uint64_t block) const noexcept {
    const std::uint64_t chunk = by_strip_.quotient(block);
    const std::uint64_t in_group = by_groups_.quotient(chunk);
    return by_data_.quotient(in_group) * map_.groups() + (chunk - in_group * map_.groups());
  }

  // f(key) for each stripe of an extent, once each, in growing order; at most one for each strip
  // that it touches.
  template <class F>
  void for_each_lock(Extent extent, F&& f) const noexcept {
    const std::uint64_t end = extent.first + extent.blocks;
    for (std::uint64_t at = extent.first; at < end;) {
      const std::uint64_t chunk = by_strip_.quotient(at);
      const std::uint64_t in_group = by_groups_.quotient(chunk);
      const std::uint64_t stripe = by_data_.quotient(in_group);
      const std::uint64_t to = std::min(end, (stripe + 1) * row_blocks_);
      const std::uint64_t groups = map_.groups();
      const std::uint64_t touched =
          std::min<std::uint64_t>(by_strip_.quotient(to - 1) - chunk + 1, groups);
      const std::uint64_t from = chunk - in_group * groups;
      const std::uint64_t over = from + touched > groups ? from + touched - groups : 0;
      for (std::uint64_t g = 0; g < over; ++g) f(stripe * groups + g);
      for (std::uint64_t g = from; g < from + touched - over; ++g) f(stripe * groups + g);
      at = to;
    }
  }

  // Capacity in blocks on members of `member_blocks`, and the rows of the members that the first
  // `blocks` of it reach.
  [[nodiscard]] std::uint64_t data_blocks(std::uint64_t member_blocks) const noexcept {
    return map_.stripes_in(by_strip_.quotient(member_blocks)) * row_blocks_;
  }
  [[nodiscard]] std::uint64_t used_rows(std::uint64_t blocks) const noexcept {
    return map_.rows_of((blocks + row_blocks_ - 1) / row_blocks_);
  }
  [[nodiscard]] int data_strips() const noexcept { return static_cast<int>(d_); }
  [[nodiscard]] std::uint32_t drives() const noexcept {
    return map_.group_drives() * map_.groups();
  }
  [[nodiscard]] std::uint32_t parity() const noexcept { return p_; }
  // The drive that holds strip i of a stripe now; `nobody` if it is lost.
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t serving_drive(std::uint32_t group, std::uint64_t stripe,
                                            std::uint32_t i) const noexcept {
    return server(map_.stripe(group, stripe), i).drive;
  }
  [[nodiscard]] const RaidStripeMap& map() const noexcept { return map_; }

  // Some stripe has lost more strips than it has parity; it stays so.
  [[nodiscard]] bool data_lost() const noexcept { return data_lost_; }
  [[nodiscard]] std::uint32_t lost() const noexcept { return members_.lost(); }
  [[nodiscard]] const RaidMember& member(DriveId drive) const { return members_[index_of(drive)]; }
  // Whether a read of the extent needs recovery.
  [[nodiscard]] bool touches_lost(Extent extent) const noexcept {
    if (!members_.any_lost()) return false;
    const std::uint64_t last = by_strip_.quotient(extent.first + extent.blocks - 1);
    for (std::uint64_t chunk = by_strip_.quotient(extent.first); chunk <= last; ++chunk) {
      const Found at = find(chunk);
      if (server(at.stripe, at.strip).drive == nobody) return true;
    }
    return false;
  }
  // Strips of a stripe that nobody can serve now.
  [[nodiscard]] std::uint32_t lost_strips(std::uint32_t group,
                                          std::uint64_t stripe) const noexcept {
    return lost_strips(map_.stripe(group, stripe));
  }

  void fail(DriveId drive);
  void replace(DriveId drive) { members_.replace(drive); }
  void set_rebuilt_rows(DriveId drive, std::uint64_t rows) {
    members_.set_rebuilt_rows(drive, rows);
  }
  void rebuilt(DriveId drive) { members_.rebuilt(drive); }

 private:
  using Stripe = RaidStripeMap::Stripe;
  using Place = RaidStripeMap::Place;

  // The same blocks of several strips of a stripe: [low, high) in each strip.
  struct Range {
    std::uint32_t low, high;
  };
  // Data strips [begin, end) of a stripe: the first from its block `from`, the last to its block
  // `to`, those between whole.
  struct StripePart {
    Stripe stripe;
    std::uint32_t begin, end;
    std::uint32_t from, to;
  };
  struct Found {
    Stripe stripe;
    std::uint32_t strip;
  };
  // What a write to a degraded stripe has to do with its lost strips.
  struct Losses {
    bool needs_old;  // their old content: what is not overwritten of them belongs to the parity
    bool overwrites;
    std::uint32_t parities;
  };

  [[nodiscard]] Found find(std::uint64_t chunk) const noexcept {
    const std::uint64_t in_group = by_groups_.quotient(chunk);
    const auto group = static_cast<std::uint32_t>(chunk - in_group * map_.groups());
    const std::uint64_t stripe = by_data_.quotient(in_group);
    return {map_.stripe(group, stripe), p_ + static_cast<std::uint32_t>(in_group - stripe * d_)};
  }
  // Who serves a strip: its drive, a woven spare, a new drive; `nobody` if it is lost.
  [[nodiscard]] Place server(const Stripe& stripe, std::uint32_t strip) const noexcept {
    const Place home = map_.place(stripe, strip);
    return members_.any_lost() ? follow(stripe, home) : home;
  }
  [[nodiscard]] Place follow(const Stripe& stripe, Place at) const noexcept;
  [[nodiscard]] std::uint32_t lost_strips(const Stripe& stripe) const noexcept;
  // The strip that a drive holds or is to hold in a row: its own, or a lost one in its woven spare.
  [[nodiscard]] bool held(std::uint32_t drive, std::uint64_t row, Found& found) const noexcept;
  [[nodiscard]] std::uint32_t rebuild_target(const Stripe& stripe, std::uint32_t drive,
                                             std::uint64_t row) const noexcept;
  [[nodiscard]] bool beyond_parity() const;
  [[nodiscard]] bool beyond_parity(std::uint32_t drive, std::uint64_t from, std::uint64_t to) const;

  // Blocks [from, to) from the start of the row of all groups, as far as they are this group's.
  [[nodiscard]] StripePart part_of(std::uint32_t group, std::uint64_t stripe, std::uint64_t from,
                                   std::uint64_t to) const noexcept {
    const std::uint64_t groups = map_.groups();
    const std::uint64_t first = by_strip_.quotient(from);
    const std::uint64_t last = by_strip_.quotient(to - 1);
    const std::uint64_t begin = by_groups_.quotient(first + groups - 1 - group);
    const std::uint64_t end = by_groups_.quotient(last + groups - group);
    const bool starts = begin * groups + group == first;
    const bool ends = end != 0 && (end - 1) * groups + group == last;
    return {map_.stripe(group, stripe), static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(end),
            starts ? static_cast<std::uint32_t>(from - first * strip_) : 0,
            ends ? static_cast<std::uint32_t>(to - last * strip_) : strip_};
  }
  // The part of data strip k that is written. Precondition: begin <= k < end.
  [[nodiscard]] Range covered(const StripePart& w, std::uint32_t k) const noexcept {
    return {k == w.begin ? w.from : 0, k + 1 == w.end ? w.to : strip_};
  }
  // The blocks of the parity strips that a write changes.
  [[nodiscard]] Range parity_range(const StripePart& w) const noexcept {
    return w.end - w.begin == 1 ? Range{w.from, w.to} : Range{0, strip_};
  }
  [[nodiscard]] bool full(const StripePart& w) const noexcept {
    return w.end - w.begin == d_ && w.from == 0 && w.to == strip_;
  }

  void push(Place at, Range range, MemberPlan& out) const noexcept {
    out.push({static_cast<DriveId>(at.drive), at.row * strip_ + range.low, range.high - range.low});
  }
  void push_if_served(const Stripe& stripe, std::uint32_t strip, Range range,
                      MemberPlan& out) const noexcept {
    const Place at = server(stripe, strip);
    if (at.drive != nobody) push(at, range, out);
  }
  // What is asked for of the strips that are left, and of others what gives the lost ones back.
  void read_degraded(const StripePart& r, MemberPlan& out) const noexcept;
  // d of the strips that are left, parity included, give a lost one back.
  void recover(const Stripe& stripe, std::uint32_t strip, Range range,
               MemberPlan& out) const noexcept;
  void read_old_stripe(const StripePart& w, Range range, MemberPlan& out) const noexcept;
  [[nodiscard]] Losses losses(const StripePart& w, Range parity) const noexcept;

  // Reads up to the end of the strip; returns how many blocks that was.
  std::uint64_t read_piece(std::uint64_t at, std::uint64_t end, MemberPlan& out) const noexcept {
    const std::uint64_t chunk = by_strip_.quotient(at);
    const Found found = find(chunk);
    const auto low = static_cast<std::uint32_t>(at - chunk * strip_);
    const auto high =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(end - chunk * strip_, strip_));
    push(map_.place(found.stripe, found.strip), {low, high}, out);
    return high - low;
  }

  void plan_part(const StripePart& part, RaidPhase phase, MemberPlan& out) const noexcept {
    if (phase == RaidPhase::read) {
      read_degraded(part, out);
    } else if (phase == RaidPhase::write_reads) {
      plan_reads(part, out);
    } else {
      plan_writes(part, phase == RaidPhase::sequential_writes, out);
    }
  }

  void plan_reads(const StripePart& w, MemberPlan& out) const noexcept {
    if (full(w)) return;
    const Range parity = parity_range(w);
    const std::uint32_t touched = w.end - w.begin;
    bool modify = policy_ == WritePolicy::min_reads ? touched + p_ < d_ - touched
                                                    : policy_ == WritePolicy::rmw;
    if (members_.any_lost()) {
      const Losses lost = losses(w, parity);
      if (lost.parities == p_) return;
      if (lost.needs_old && lost.overwrites) return read_old_stripe(w, parity, out);
      modify = (modify && !lost.overwrites) || lost.needs_old;
    }
    if (modify) {
      for (std::uint32_t k = w.begin; k < w.end; ++k) {
        push_if_served(w.stripe, p_ + k, covered(w, k), out);
      }
      for (std::uint32_t i = 0; i < p_; ++i) push_if_served(w.stripe, i, parity, out);
      return;
    }
    for (std::uint32_t k = 0; k < d_; ++k) {
      const Range c = k >= w.begin && k < w.end ? covered(w, k) : Range{0, 0};
      const bool whole = c.low <= parity.low && c.high >= parity.high;
      if (!whole) push_if_served(w.stripe, p_ + k, parity, out);
    }
  }

  void plan_writes(const StripePart& w, bool sequential, MemberPlan& out) const noexcept {
    for (std::uint32_t k = w.begin; k < w.end; ++k) {
      push_if_served(w.stripe, p_ + k, covered(w, k), out);
    }
    const bool ends_stripe = w.end == d_ && w.to == strip_;
    if (sequential && !ends_stripe) return;
    const Range parity = sequential ? Range{0, strip_} : parity_range(w);
    for (std::uint32_t i = 0; i < p_; ++i) push_if_served(w.stripe, i, parity, out);
  }

  RaidStripeMap map_;
  RaidMembers members_;
  std::uint32_t p_, d_, strip_;
  std::uint64_t row_blocks_;  // data of a stripe of each group
  Divider by_strip_, by_data_, by_groups_;
  WritePolicy policy_;
  bool data_lost_ = false;
};
static_assert(RaidPlanner<ParityRaid>);

}  // namespace storcast
