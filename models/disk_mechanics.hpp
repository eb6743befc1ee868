// The mechanics of a hard disk: how long the head takes to an address, and the surface past it.
//
// Model: an address is a fraction z of the capacity, from the outer edge (0) to the inner (1), and
// equally a fraction of the stroke. A seek over x of the stroke takes m + a sqrt(x) + b x, which
// meets the three figures of a data sheet exactly: single track m, average A (distances of uniform
// targets have density 2 (1 - x), so E sqrt(x) = 8/15 and E x = 1/3), full stroke M. Worked number:
// 0.25, 8.2 and 16.5 ms give a = 12.67, b = 3.58 ms. The surface passes at r(z) = r_outer (1 - (1 -
// g) z) bytes a second, g = inner / outer rate; a track at z holds r(z) T bytes, T = 60 / rpm, so
// the angle of an address is the fractional part of the revolutions before it, C / (r_outer T)
// times the integral of dz / (1 - (1 - g) z). The spindle is at the angle (now / T + phase) mod 1.
// A surface that is laid out in tracks (disk_layout.hpp) takes angle, rate and the fraction of the
// stroke (cylinder / last cylinder) from them instead, and data wait at the end of a track for the
// skew.
//
// Parameters: track, average and full seek; rpm; capacity; outer rate; inner / outer ratio.
// Scope and limits: one actuator; without tracks the rate is the sustained one, so that head and
// track switches are in it (tracks are skewed just so) and addresses run on without a gap; heat,
// defects and settling errors are left out.
// References: E. Lee, R. Katz, An analytic performance model of disk arrays, SIGMETRICS 1993 (form
// of the curve); C. Ruemmler, J. Wilkes, An introduction to disk drive modeling, IEEE Computer 27
// (1994) (rotation, zones).
// Validation: tests/models/disk_mechanics_test.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "models/disk_layout.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/kernel/io.hpp"

namespace storcast {

// Seek time in picoseconds over a fraction of the stroke.
class SeekCurve {
 public:
  struct Points {
    Duration track, average, full;
  };
  // The curve that meets the points; it rises over the whole stroke only if can_meet(points).
  explicit SeekCurve(const Points& p)
      : m_(ps(p.track)),
        a_((-10 * ps(p.track) + 15 * ps(p.average) - 5 * ps(p.full)) / 3),
        b_((7 * ps(p.track) - 15 * ps(p.average) + 8 * ps(p.full)) / 3) {}

  // Whether a rising curve of this form exists: its slope a / (2 sqrt(x)) + b is positive near 0
  // and at 1.
  [[nodiscard]] static bool can_meet(const Points& p) {
    const SeekCurve c(p);
    return p.track.count() >= 0 && c.a_ >= 0 && c.a_ / 2 + c.b_ >= 0;
  }
  // 0 for no movement. Precondition: 0 <= stroke <= 1.
  [[nodiscard]] double time_ps(double stroke) const noexcept {
    return stroke <= 0 ? 0 : m_ + a_ * std::sqrt(stroke) + b_ * stroke;
  }
  [[nodiscard]] double square_root_ps() const noexcept { return a_; }
  [[nodiscard]] double linear_ps() const noexcept { return b_; }

 private:
  static double ps(Duration d) { return static_cast<double>(d.count()); }
  double m_, a_, b_;
};

// The surface: zones and rotation.
class DiskSurface {
 public:
  // rpm and outer rate above 0; 0 < inner_ratio <= 1.
  DiskSurface(Bytes capacity, double rpm, Bandwidth outer, double inner_ratio)
      : blocks_(static_cast<double>(capacity.value) / block_bytes),
        revolution_(from_seconds(60 / rpm)),
        outer_ps_per_block_(block_bytes / outer.value * picoseconds_per_second),
        slope_(1 - inner_ratio) {
    INVARIANT(rpm > 0 && outer.value > 0 && inner_ratio > 0 && inner_ratio <= 1,
              "a disk turns and has tracks everywhere");
  }

  // Tracks as they are, instead of the even spiral. They hold at least the capacity.
  void lay_out(std::shared_ptr<const DiskLayout> layout) {
    INVARIANT(static_cast<double>(layout->blocks()) >= blocks_, "the tracks hold the capacity");
    layout_ = std::move(layout);
  }

  // Fraction of the capacity, and of the stroke, at an address in blocks.
  [[nodiscard]] double fraction(double block) const noexcept {
    return layout_ ? fraction(static_cast<std::uint64_t>(block)) : block / blocks_;
  }
  [[nodiscard]] double fraction(std::uint64_t block) const noexcept {
    if (!layout_) return static_cast<double>(block) / blocks_;
    return static_cast<double>(layout_->place(block).cylinder) / layout_->cylinders();
  }
  // Whether two addresses lie under different heads of one cylinder; without tracks never.
  [[nodiscard]] bool other_head(double from, std::uint64_t to) const noexcept {
    if (!layout_) return false;
    const DiskPlace a = layout_->place(static_cast<std::uint64_t>(from)), b = layout_->place(to);
    return a.cylinder == b.cylinder && a.head != b.head;
  }
  // The end of a block's track, and how many blocks lie in front of it there; without tracks the
  // end of the disk and none.
  [[nodiscard]] double end_of_track(std::uint64_t block) const noexcept {
    if (!layout_) return blocks_;
    const DiskPlace p = layout_->place(block);
    return static_cast<double>(block + p.blocks_per_track - p.sector);
  }
  [[nodiscard]] double before_on_track(std::uint64_t block) const noexcept {
    return layout_ ? layout_->place(block).sector : 0;
  }
  // What blocks take to pass the head, switches to further tracks included.
  [[nodiscard]] double passing_ps(std::uint64_t block, std::uint32_t blocks) const noexcept {
    return layout_ ? layout_->turns(block, blocks) * revolution_ps()
                   : blocks * ps_per_block(fraction(block));
  }
  // What one block takes to pass the head, without tracks.
  [[nodiscard]] double ps_per_block(double z) const noexcept {
    return outer_ps_per_block_ / (1 - slope_ * z);
  }
  // Where on its track an address lies, in revolutions, [0, 1).
  [[nodiscard]] double angle(std::uint64_t block) const noexcept {
    if (layout_) return layout_->place(block).angle;
    const double z = fraction(block);
    const double integral = slope_ < 1e-9 ? z : -std::log1p(-slope_ * z) / slope_;
    const double turns = blocks_ * outer_ps_per_block_ / revolution_ps() * integral;
    return turns - std::floor(turns);
  }
  // Where the spindle of a drive is at a time; `phase`: its angle at time 0, [0, 1).
  [[nodiscard]] double spindle(double time_ps, double phase) const noexcept {
    const double turns = time_ps / revolution_ps() + phase;
    return turns - std::floor(turns);
  }
  // What is left to wait, from a time on, until an angle comes round; below one revolution.
  [[nodiscard]] double wait_ps(double time_ps, double phase, double angle) const noexcept {
    const double ahead = angle - spindle(time_ps, phase);
    return (ahead < 0 ? ahead + 1 : ahead) * revolution_ps();
  }
  [[nodiscard]] Duration revolution() const noexcept { return revolution_; }
  [[nodiscard]] double revolution_ps() const noexcept {
    return static_cast<double>(revolution_.count());
  }
  [[nodiscard]] double blocks() const noexcept { return blocks_; }

 private:
  double blocks_;
  Duration revolution_;
  double outer_ps_per_block_;
  double slope_;
  std::shared_ptr<const DiskLayout> layout_{};
};

}  // namespace storcast
