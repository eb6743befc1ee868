#include "calibration/disk_fit.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "calibration/disk_rotation.hpp"
#include "calibration/disk_search.hpp"

namespace storcast {

namespace {

using Requests = std::span<const MeasuredRequest>;
constexpr double ps_per_ms = 1e9;
constexpr std::size_t first_window = 100;  // passings that the scan of the rotation takes

// A robust least-squares problem whose residuals see all parameters.
template <std::size_t N>
class Fitter {
 public:
  explicit Fitter(std::array<double, N> start) : x_(start) {
    problem_.AddParameterBlock(x_.data(), N);
  }
  // `residual` gives a scale-free difference; the loss turns from square to logarithm at 1.
  template <class Residual>
  void add(Residual residual) {
    problem_.AddResidualBlock(
        new ceres::AutoDiffCostFunction<Residual, 1, N>(new Residual(std::move(residual))),
        new ceres::CauchyLoss(1), x_.data());
  }
  void at_least(int index, double bound) {
    problem_.SetParameterLowerBound(x_.data(), index, bound);
  }
  void hold(std::vector<int> indices) {
    problem_.SetManifold(x_.data(), new ceres::SubsetManifold(N, indices));
  }
  std::array<double, N> solve() {
    ceres::Solver::Options options;
    options.max_num_iterations = 200;
    options.num_threads = 1;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem_, &summary);
    return x_;
  }

 private:
  std::array<double, N> x_;
  ceres::Problem problem_{};
};

// Service time = x0 + x1 blocks, in ms.
struct LineResidual {
  double blocks, service_ms, scale_ms;
  template <class T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = (x[0] + x[1] * blocks - service_ms) / scale_ms;
    return true;
  }
};

// Positioning without command = x0 + x1 sqrt(stroke) + x2 stroke + half a turn, in ms.
struct SeekResidual {
  double stroke, positioning_ms;
  template <class T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = (x[0] + x[1] * std::sqrt(stroke) + x[2] * stroke - positioning_ms) / 3.0;
    return true;
  }
};

// What small changes do to a passing off the phase; x0: millionths of the frequency, x1, x2: skews,
// x3: phase.
struct PhaseResidual {
  double off, turns, head, cylinder;
  template <class T>
  bool operator()(const T* x, T* residual) const {
    constexpr double scale = 0.03;  // of a turn
    residual[0] = (off + x[0] * (1e-6 * turns) - x[1] * head - x[2] * cylinder + x[3]) / scale;
    return true;
  }
};

// The fit of one trace: all that its stages share.
class Fit {
 public:
  Fit(Requests all, const MeasuredLayout& layout, double rpm)
      : all_(all),
        half_(all.first(all.size() / 2)),
        measured_(layout),
        expected_ps_(60 * picoseconds_per_second / rpm) {
    p_.revolution_ps = expected_ps_;
    for (const MeasuredRequest& m : all) {
      if (m.lba + m.blocks > layout.layout.blocks()) {
        throw std::runtime_error("block " + std::to_string(m.lba) +
                                 " of the trace lies behind the " +
                                 std::to_string(layout.layout.blocks()) + " of the layout");
      }
      places_.push_back(layout.layout.place(m.lba));
    }
  }

  DiskFit run() {
    fit_lines();
    fit_rotation();
    fit_seek();
    issued_ = issue_times(all_, p_.interval_before);
    p_ = search_disk(half_, std::span(issued_).first(half_.size()), layout_, p_);
    DiskFit fit{p_, rotation_.coherence, spread_, {}, {}};
    const std::vector<double> predicted = replay(all_, issued_, layout_, p_);
    const std::span<const double> view(predicted);
    fit.fitted = compare(half_, view.first(half_.size()));
    fit.predicted = compare(all_.subspan(half_.size()), view.subspan(half_.size()));
    return fit;
  }

 private:
  // Whether request i begins at or a little behind the end of the one before.
  [[nodiscard]] bool continues(std::size_t i) const {
    const std::uint64_t end = all_[i - 1].lba + all_[i - 1].blocks;
    return all_[i].lba >= end && all_[i].lba <= end + 100;
  }
  // Whether it certainly moves the arm: it lies far from the one before.
  [[nodiscard]] bool moves(std::size_t i) const {
    if (all_[i].write && p_.write_cache) return false;
    const auto a = static_cast<double>(all_[i - 1].lba), b = static_cast<double>(all_[i].lba);
    return std::fabs(a - b) > 1e-3 * static_cast<double>(measured_.layout.blocks());
  }

  // x0 + x1 blocks through the requests chosen.
  template <class Choose>
  [[nodiscard]] std::array<double, 2> line(Choose choose) const {
    Fitter<2> fitter({1, 0.05});
    for (std::size_t i = 1; i < half_.size(); ++i) {
      if (!choose(i)) continue;
      fitter.add(LineResidual{double(half_[i].blocks), half_[i].service_ps / ps_per_ms, 0.05});
    }
    fitter.at_least(0, 0);
    fitter.at_least(1, 0);
    return fitter.solve();
  }

  void fit_lines() {
    std::vector<double> writes;
    for (const MeasuredRequest& m : half_) {
      if (m.write) writes.push_back(m.service_ps);
    }
    std::sort(writes.begin(), writes.end());
    p_.write_cache = !writes.empty() && writes[writes.size() / 2] < expected_ps_ / 2;
    const auto reads = line([&](std::size_t i) { return !half_[i].write && continues(i); });
    p_.overhead_ps = reads[0] * ps_per_ms;
    p_.interface_ps_per_block = reads[1] * ps_per_ms;
    p_.write_overhead_ps = p_.overhead_ps;
    if (p_.write_cache) {
      p_.write_overhead_ps = line([&](std::size_t i) { return half_[i].write; })[0] * ps_per_ms;
    }
  }

  // Transfer of request i, with skews between its tracks as soon as they are known.
  [[nodiscard]] double transfer_ps(std::size_t i, double revolution_ps) const {
    const bool known = layout_ || measured_.skews_known;
    const DiskLayout& tracks = layout_ ? *layout_ : measured_.layout;
    const double turns = known ? tracks.turns(all_[i].lba, all_[i].blocks)
                               : double(all_[i].blocks) / places_[i].blocks_per_track;
    return std::max(turns * revolution_ps, all_[i].blocks * p_.interface_ps_per_block);
  }

  [[nodiscard]] std::vector<Passing> passings(bool interval_before) const {
    const std::vector<double> issued = issue_times(half_, interval_before);
    std::vector<Passing> passings;
    for (std::size_t i = 1; i < half_.size(); ++i) {
      if (!moves(i)) continue;
      const DiskPlace& at = places_[i];
      const bool known = measured_.skews_known;
      passings.push_back({issued[i] + half_[i].service_ps - transfer_ps(i, p_.revolution_ps),
                          at.angle, known ? 0.0 : at.head, known ? 0.0 : at.zone_cylinder});
    }
    return passings;
  }

  void fit_rotation() {
    for (const bool before : {true, false}) {
      const std::vector<Passing> all = passings(before);
      if (all.size() < first_window / 2) {
        throw std::runtime_error("the trace moves the arm too rarely to find the rotation: " +
                                 std::to_string(all.size()) + " times in its first half");
      }
      const std::span<const Passing> seen(all);
      const Rotation scanned = scan_rotation(seen.first(std::min(first_window, seen.size())),
                                             expected_ps_, 0.004, measured_.skews_known);
      const Rotation found = refine(seen, scanned);
      if (found.coherence <= rotation_.coherence) continue;
      rotation_ = found;
      p_.interval_before = before;
    }
    take(rotation_);
    if (measured_.skews_known) return;
    // Once more, now that transfers over the end of a track are known.
    take(refine(passings(p_.interval_before), rotation_));
  }

  void take(const Rotation& found) {
    rotation_ = found;
    spread_ = std::sqrt(std::max(0.0, -2 * std::log(found.coherence))) / (2 * std::numbers::pi);
    p_.revolution_ps = found.revolution_ps;
    p_.phase = found.phase;
    p_.head_skew = found.head_skew;
    p_.cylinder_skew = found.cylinder_skew;
    layout_ = laid_out(measured_, p_);
  }

  // Windows that double, so that no turn is miscounted.
  [[nodiscard]] Rotation refine(std::span<const Passing> all, Rotation r) const {
    for (std::size_t n = first_window;; n *= 2) {
      const std::span<const Passing> window = all.first(std::min(n, all.size()));
      for (int round = 0; round < 3; ++round) {
        Fitter<4> fitter({0, 0, 0, 0});
        for (const Passing& p : window) {
          fitter.add(PhaseResidual{off_phase(p, r), p.at_ps / r.revolution_ps, p.head, p.cylinder});
        }
        if (measured_.skews_known) fitter.hold({1, 2});
        const std::array<double, 4> x = fitter.solve();
        r.revolution_ps /= 1 + x[0] * 1e-6;
        r.head_skew += x[1];
        r.cylinder_skew += x[2];
        r.phase += x[3];
      }
      if (n >= all.size()) break;
    }
    const double phase = r.phase - std::floor(r.phase);
    r = with_phase(all, r);
    r.phase = phase;
    return r;
  }

  void fit_seek() {
    Fitter<3> fitter({1, 5, 2});
    const double last = measured_.layout.cylinders();
    for (std::size_t i = 1; i < half_.size(); ++i) {
      if (!moves(i) || half_[i].write) continue;
      const double from = places_[i - 1].cylinder, to = places_[i].cylinder;
      const double positioning = half_[i].service_ps - transfer_ps(i, p_.revolution_ps) -
                                 p_.overhead_ps - p_.revolution_ps / 2;
      fitter.add(SeekResidual{std::fabs(from - to) / last, positioning / ps_per_ms});
    }
    for (const int i : {0, 1, 2}) fitter.at_least(i, 0);
    const std::array<double, 3> x = fitter.solve();
    p_.seek_ps = x[0] * ps_per_ms;
    p_.seek_root_ps = x[1] * ps_per_ms;
    p_.seek_linear_ps = x[2] * ps_per_ms;
    p_.head_switch_ps = p_.seek_ps;
  }

  Requests all_, half_;
  const MeasuredLayout& measured_;
  double expected_ps_;
  std::vector<DiskPlace> places_{};
  DiskParameters p_{};
  Rotation rotation_{};
  double spread_ = 0;
  std::vector<double> issued_{};
  std::shared_ptr<const DiskLayout> layout_{};
};

}  // namespace

DiskFit fit_disk(Requests requests, const MeasuredLayout& layout, double rpm) {
  return Fit(requests, layout, rpm).run();
}

std::vector<DiskFigure> figures(const DiskFit& fit) {
  const DiskParameters& p = fit.parameters;
  const double us = 1e6, a = p.seek_root_ps, b = p.seek_linear_ps;
  const double shortest = p.seek_ps + p.margin_ps;
  std::vector<DiskFigure> list{
      {"revolutions a minute", 60 * picoseconds_per_second / p.revolution_ps, "1/min"},
      {"skew of a head switch", p.head_skew, "turn"},
      {"skew from cylinder to cylinder", p.cylinder_skew, "turn"},
      {"command overhead, reads", p.overhead_ps / us, "us"},
      {"command overhead, writes", p.write_overhead_ps / us, "us"},
      {"interface, a block", p.interface_ps_per_block / us, "us"},
      {"seek, shortest", shortest / ps_per_ms, "ms"},
      {"seek, average", (shortest + 8 * a / 15 + b / 3) / ps_per_ms, "ms"},
      {"seek, full stroke", (shortest + a + b) / ps_per_ms, "ms"},
      {"settling of a write", p.settle_ps / ps_per_ms, "ms"},
      {"wait on the same track, at least", p.margin_ps / ps_per_ms, "ms"},
      {"head switch", (p.head_switch_ps + p.margin_ps) / ps_per_ms, "ms"},
      {"read ahead", p.read_ahead_blocks, "blocks"},
      {"runs in the buffer", static_cast<double>(p.runs), ""},
      {"kept behind, of read ahead", p.kept, ""},
      {"reads ahead of streams only", p.streams_only ? 1.0 : 0.0, ""},
      {"buffers the track", p.track_buffer ? 1.0 : 0.0, ""},
      {"keeps written data", p.keeps_written ? 1.0 : 0.0, ""},
      {"write cache", p.write_cache ? 1.0 : 0.0, ""},
      {"interval is that before", p.interval_before ? 1.0 : 0.0, ""},
      {"coherence of the rotation", fit.coherence, ""},
      {"spread of the phase", fit.phase_spread, "turn"},
  };
  if (p.head_skew == 0 && p.cylinder_skew == 0) {  // the layout knows them
    std::erase_if(list, [](const DiskFigure& f) { return f.meaning.starts_with("skew "); });
  }
  return list;
}

}  // namespace storcast
