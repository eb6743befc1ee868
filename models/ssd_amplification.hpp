// Write amplification of flash: what garbage collection adds to what the host writes.
//
// Model: a page-mapped log over raw = (1 + r) usable capacity that cleans its oldest block, uniform
// random writes. Steady state, in closed form: WA = (1+r) / (1+r + W0(-(1+r) e^-(1+r))). Before it:
// x counts the random writes in capacities, p(x) the place of the log's head. A page written at
// place q is still valid with probability exp(-(x - x(q))); the head reuses the place 1 + r behind
// it, so WA = dp/dx = 1 / (1 - exp(-(x - x(p - 1 - r)))), and 1 while that place is free.
// fresh: everything is free, WA = 1 until x = 1 + r. sequential_fill: one capacity was written in
// order just before x = 0, so only the spare is free: WA = 1 until x = r, then 1 / (1 - e^-r),
// which is above the steady value, and settles within about two capacities.
//
// Parameters: r, the ratio of spare to usable capacity; the condition at the start.
// Scope and limits: uniform random writes over the whole drive, no trim, no separation of hot and
// cold data. Greedy choice of blocks is up to 4 % better in the steady state.
// References: L. Xiang, B. Kurkoski, arXiv 1110.4245; P. Desnoyers, SYSTOR 2012 (FIFO, LRU).
// Validation: tests/models/ssd_amplification_test.cpp, against a page-level simulator.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace storcast {

// Of uniform random writes in the steady state. Precondition: spare_ratio > 0.
inline double write_amplification(double spare_ratio) {
  // x = (1+r) + W0(-(1+r) e^-(1+r)) solves x = (1+r) (1 - e^(-x)); bisection on (0, 1+r).
  const double a = 1 + spare_ratio;
  double low = 1e-12;
  double high = a;
  for (int i = 0; i < 200; ++i) {
    const double x = 0.5 * (low + high);
    (a * (1 - std::exp(-x)) > x ? low : high) = x;
  }
  return a / (0.5 * (low + high));
}

enum class SsdCondition : std::uint8_t { steady, sequential_fill, fresh };

// Amplification by random writes since the condition: points `step` capacities apart; the last one
// is the steady state.
struct AmplificationCourse {
  double step = 1;
  std::vector<float> points;
};

// Precondition: spare_ratio > 0.
inline AmplificationCourse amplification_course(SsdCondition condition, double spare_ratio) {
  const double settled = write_amplification(spare_ratio);
  if (condition == SsdCondition::steady) return {1, {static_cast<float>(settled)}};
  constexpr double step = 1.0 / 512;
  constexpr int finer = 4;  // steps of the integration between two points
  const double dx = step / finer;
  const double raw = 1 + spare_ratio;
  const bool fresh = condition == SsdCondition::fresh;
  // A fresh drive approaches the steady state as slowly as its last untouched pages are written.
  const auto steps = static_cast<std::size_t>((fresh ? 12 + raw : 4 + spare_ratio) / dx);
  std::vector<double> head{0};  // place of the log's head after each step
  AmplificationCourse course{step, {}};
  std::size_t behind = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double x = static_cast<double>(i) * dx;
    const double reused = head.back() - raw;
    double written_at = 0;
    if (reused > 0) {
      while (head[behind + 1] < reused) ++behind;
      const double share = (reused - head[behind]) / (head[behind + 1] - head[behind]);
      written_at = (static_cast<double>(behind) + share) * dx;
    }
    const bool is_free = reused < (fresh ? 0 : -1);
    const double amplification = is_free ? 1 : 1 / (1 - std::exp(-(x - written_at)));
    if (i % finer == 0) course.points.push_back(static_cast<float>(amplification));
    head.push_back(head.back() + amplification * dx);
  }
  course.points.push_back(static_cast<float>(settled));
  return course;
}

}  // namespace storcast
