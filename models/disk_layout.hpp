// Where the blocks of a hard disk lie: cylinder, head, and angle on the track.
//
// Model: blocks run along a track, then to the next head of the cylinder, then to the next
// cylinder. A zone is a range of cylinders whose tracks hold the same number of blocks n. The first
// block of a track lies a skew further round than that of the track before it: `head_skew` behind a
// head switch; `cylinder_skew` from one cylinder to the next, both in revolutions modulo 1. So the
// block at sector s of head h, c cylinders into its zone, lies at the angle
//   origin + s / n + h head_skew + c cylinder_skew.
// Worked number: 254 blocks a track, head skew 0.134: after block 253 of head 0 block 254 comes
// under head 1 0.134 of a turn later than without the skew, 34 blocks' time. Defective blocks are
// slipped: the addresses go on behind them. Spare blocks lie at the end of each zone or of each
// cylinder.
//
// Parameters: DiskZone; surfaces, 1 to 64; where the spares are. Scope and limits: no remapped
// blocks; the direction in which the heads of a cylinder are used plays no part.
// References: G. Ganger, B. Worthington, Y. Patt, The DiskSim simulation environment 4.0, reference
// manual (layout G1); J. Schindler, G. Ganger, Automated disk drive characterization,
// CMU-CS-99-176. Validation: tests/models/disk_layout_test.cpp;
// tests/validation/real_disks_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"

namespace storcast {

struct DiskZone {
  std::uint32_t first_cylinder = 0, last_cylinder = 0;  // both belong to it
  std::uint32_t blocks_per_track = 1;                   // above 0
  std::uint32_t spare_blocks = 0;                       // of the zone, or of each cylinder
  std::uint32_t front_blocks = 0;                       // in front of the first address
  double origin = 0;                                    // angle of its first block, revolutions
  double head_skew = 0, cylinder_skew = 0;              // revolutions
  std::vector<std::uint32_t> slips{};  // rising; physical blocks from the front of the zone
};

struct DiskPlace {
  std::uint32_t zone = 0, zone_cylinder = 0;  // cylinders into the zone
  std::uint32_t cylinder = 0, head = 0, sector = 0, blocks_per_track = 1;
  double angle = 0;  // revolutions, [0, 1)
};

class DiskLayout {
 public:
  enum class Spares : std::uint8_t { at_end_of_zone, at_end_of_cylinder };

  // Zones in the order of cylinders, not empty. A layout that holds no block is refused.
  DiskLayout(std::uint32_t surfaces, Spares spares, std::vector<DiskZone> zones)
      : surfaces_(surfaces), spares_(spares), zones_(std::move(zones)) {
    INVARIANT(surfaces > 0 && !zones_.empty(), "a disk has surfaces and zones");
    for (const DiskZone& z : zones_) {
      first_.push_back(blocks_);
      blocks_ += blocks_of(z);
    }
    INVARIANT(blocks_ > 0, "a layout holds blocks");
  }

  // Whether the zone has addresses: its cylinders in order, not all of its blocks spare or unused.
  [[nodiscard]] static bool is_sound(const DiskZone& z, std::uint32_t surfaces, Spares spares) {
    if (z.last_cylinder < z.first_cylinder || z.blocks_per_track == 0) return false;
    const auto cylinders = std::uint64_t{z.last_cylinder} - z.first_cylinder + 1;
    const auto each = std::uint64_t{surfaces} * z.blocks_per_track;
    return spares == Spares::at_end_of_cylinder
               ? z.spare_blocks < each && z.front_blocks == 0
               : std::uint64_t{z.spare_blocks} + z.front_blocks < cylinders * each;
  }

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint32_t surfaces() const noexcept { return surfaces_; }
  [[nodiscard]] std::uint32_t cylinders() const noexcept { return zones_.back().last_cylinder + 1; }
  [[nodiscard]] Spares spares() const noexcept { return spares_; }
  [[nodiscard]] const std::vector<DiskZone>& zones() const noexcept { return zones_; }

  // Where a block lies; one behind the last: where it would lie.
  [[nodiscard]] DiskPlace place(std::uint64_t block) const noexcept {
    const auto next = std::upper_bound(first_.begin() + 1, first_.end(), block);
    const auto zone = static_cast<std::uint32_t>(next - first_.begin() - 1);
    const DiskZone& z = zones_[zone];
    const std::uint64_t track = z.blocks_per_track, cylinder = track * surfaces_;
    std::uint64_t slipped_before = 0;
    const std::uint64_t at = physical(z, block - first_[zone], slipped_before);
    const std::uint64_t into = at / cylinder, rest = at % cylinder;
    DiskPlace p{zone,
                static_cast<std::uint32_t>(into),
                static_cast<std::uint32_t>(z.first_cylinder + into),
                static_cast<std::uint32_t>(rest / track),
                static_cast<std::uint32_t>(rest % track),
                z.blocks_per_track,
                0};
    const double along = static_cast<double>(p.sector + slipped_before) / p.blocks_per_track;
    p.angle = wrap(z.origin + along + p.head * z.head_skew + p.zone_cylinder * z.cylinder_skew);
    return p;
  }

  // Revolutions that pass from the front of the first of these blocks to the end of the last.
  [[nodiscard]] double turns(std::uint64_t block, std::uint32_t blocks) const noexcept {
    DiskPlace p = place(block);
    double turns = 0;
    for (;;) {
      const std::uint32_t here = std::min(blocks, p.blocks_per_track - p.sector);
      const double length = static_cast<double>(here) / p.blocks_per_track;
      turns += length;
      blocks -= here;
      if (blocks == 0) return turns;
      const double left_at = p.angle + length;
      p = place(block += here);
      turns += wrap(p.angle - left_at + close) - close;
    }
  }

 private:
  static constexpr double close = 1e-9;  // rounding must not cost a revolution
  static double wrap(double turns) noexcept { return turns - std::floor(turns); }

  [[nodiscard]] std::uint64_t blocks_of(const DiskZone& z) const {
    INVARIANT(is_sound(z, surfaces_, spares_), "a zone has addresses");
    const auto cylinders = std::uint64_t{z.last_cylinder} - z.first_cylinder + 1;
    const auto each = std::uint64_t{surfaces_} * z.blocks_per_track;
    return spares_ == Spares::at_end_of_cylinder
               ? cylinders * (each - z.spare_blocks)
               : cylinders * each - z.spare_blocks - z.front_blocks;
  }

  // The block's place in its zone, spares and slipped blocks counted. With spares in each cylinder
  // the slips of earlier cylinders shift the tracks behind them by `slipped_before` blocks.
  [[nodiscard]] std::uint64_t physical(const DiskZone& z, std::uint64_t block,
                                       std::uint64_t& slipped_before) const noexcept {
    if (spares_ == Spares::at_end_of_zone) {
      std::uint64_t at = block + z.front_blocks;
      for (const std::uint32_t slip : z.slips) {
        if (slip > at) break;
        ++at;
      }
      return at;
    }
    const std::uint64_t each = std::uint64_t{surfaces_} * z.blocks_per_track;
    const std::uint64_t front = block / (each - z.spare_blocks) * each;
    std::uint64_t at = front + block % (each - z.spare_blocks);
    for (const std::uint32_t slip : z.slips) {
      if (slip < front) ++slipped_before;
      if (slip >= front && slip <= at) ++at;
    }
    return at;
  }

  std::uint32_t surfaces_;
  Spares spares_;
  std::vector<DiskZone> zones_;
  std::vector<std::uint64_t> first_{};  // address of each zone
  std::uint64_t blocks_ = 0;
};

}  // namespace storcast
