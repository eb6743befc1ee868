// A disk's parameters out of a trace of measured service times.
//
// Method, on the first half of the requests only:
//  1. overhead and interface: a robust line through reads that continue their predecessor, in
//     blocks; the same for writes if most are answered before half a turn (a write cache).
//  2. rotation: disk_rotation.hpp on the requests that certainly move the head, from the first of
//     them on; then least squares in windows that double. Both meanings of the trace's interval
//     column are tried; the more coherent one is taken.
//  3. seek curve: least squares with half a turn as the mean wait, robust loss.
//  4. what decides between two turns or between buffer and surface: disk_search.hpp.
// Then the whole trace is replayed and the second half compared.
//
// Scope and limits: the period is looked for within 0.4 % of the rpm given. Deterministic.
// Errors: std::runtime_error if the trace has too few requests that move the head, or a block that
// the layout does not hold.
// References: S. Agarwal, K. Mierle, Ceres Solver (least squares).
// Validation: tests/calibration/disk_fit_test.cpp, tests/validation/real_disks_test.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibration/disk_replay.hpp"

namespace storcast {

struct DiskFit {
  DiskParameters parameters;
  double coherence = 0;     // of the rotation, 0 to 1
  double phase_spread = 0;  // standard deviation off the phase, revolutions
  ReplayError fitted;       // first half
  ReplayError predicted;    // second half
};

[[nodiscard]] DiskFit fit_disk(std::span<const MeasuredRequest> requests,
                               const MeasuredLayout& layout, double rpm);

// One parameter for a table: its meaning, value and unit.
struct DiskFigure {
  std::string meaning;
  double value = 0;
  std::string unit;
};
[[nodiscard]] std::vector<DiskFigure> figures(const DiskFit& fit);

}  // namespace storcast
