#include "calibration/disk_rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace storcast {

namespace {

using Complex = std::complex<double>;
constexpr int heads = 16;        // bins of the head skew
constexpr int cylinders = 4096;  // and of the cylinder skew

Complex turned(double revolutions) {
  return std::polar(1.0, 2 * std::numbers::pi * (revolutions - std::floor(revolutions)));
}

double angle(const Passing& p, const Rotation& r) {
  return p.in_track + p.head * r.head_skew + p.cylinder * r.cylinder_skew;
}

// All skews at one period: the largest bin of the transform over heads and cylinders.
class SkewScan {
 public:
  void improve(std::span<const Passing> passings, double revolution_ps, Rotation& best) {
    std::fill(grid_.begin(), grid_.end(), Complex{});
    std::array<bool, heads> used{};
    for (const Passing& p : passings) {
      const auto h = static_cast<std::size_t>(p.head) % heads;
      const auto c = static_cast<std::size_t>(p.cylinder) % cylinders;
      used[h] = true;
      grid_[h * cylinders + c] += turned(p.at_ps / revolution_ps - p.in_track);
    }
    for (std::size_t h = 0; h < heads; ++h) {
      if (!used[h]) continue;
      fft_.fwd(&row_[0], &grid_[h * cylinders], cylinders);
      std::copy(row_.begin(), row_.end(), grid_.begin() + static_cast<long>(h * cylinders));
    }
    for (std::size_t c = 0; c < cylinders; ++c) {
      for (std::size_t h = 0; h < heads; ++h) column_[h] = grid_[h * cylinders + c];
      fft_.fwd(&sums_[0], &column_[0], heads);
      for (std::size_t h = 0; h < heads; ++h) {
        const double coherence = std::abs(sums_[h]) / static_cast<double>(passings.size());
        if (coherence <= best.coherence) continue;
        best = {revolution_ps, static_cast<double>(h) / heads, static_cast<double>(c) / cylinders,
                0, coherence};
      }
    }
  }

 private:
  Eigen::FFT<double> fft_{};
  std::vector<Complex> grid_ = std::vector<Complex>(heads * cylinders);
  std::vector<Complex> row_ = std::vector<Complex>(cylinders);
  std::vector<Complex> column_ = std::vector<Complex>(heads), sums_ = column_;
};

}  // namespace

double off_phase(const Passing& p, const Rotation& r) {
  // The spindle is at at / T + phase when the front at this angle passes.
  const double off = p.at_ps / r.revolution_ps + r.phase - angle(p, r);
  return off - std::round(off);
}

Rotation with_phase(std::span<const Passing> passings, Rotation r) {
  Complex sum{};
  for (const Passing& p : passings) sum += turned(p.at_ps / r.revolution_ps - angle(p, r));
  r.phase = -std::arg(sum) / (2 * std::numbers::pi);
  r.phase -= std::floor(r.phase);
  r.coherence = std::abs(sum) / static_cast<double>(passings.size());
  return r;
}

Rotation scan_rotation(std::span<const Passing> passings, double expected_ps, double share,
                       bool skews_known) {
  const double turns = (passings.back().at_ps - passings.front().at_ps) / expected_ps;
  const double step = expected_ps * 0.25 / std::max(turns, 10.0);
  const int steps = static_cast<int>(std::ceil(share * expected_ps / step));
  SkewScan skews;
  Rotation best{expected_ps};
  for (int i = -steps; i <= steps; ++i) {
    const double revolution_ps = expected_ps + i * step;
    if (skews_known) {
      const Rotation here = with_phase(passings, {revolution_ps});
      if (here.coherence > best.coherence) best = here;
    } else {
      skews.improve(passings, revolution_ps, best);
    }
  }
  return with_phase(passings, best);
}

}  // namespace storcast
