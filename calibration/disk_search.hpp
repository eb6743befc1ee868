// What decides between two turns, or between buffer and surface, searched for on the replay.
//
// Method: the error of a replay is a staircase in these parameters, so derivatives are of no use.
// The buffer's are tried value by value; those of positioning by a pattern search, 0.8 ms steps
// halved down to 0.025 ms; both twice. The error is taken with the head up to 0.2 ms early and late
// as well: what stands at the edge of a turn would be decided by luck otherwise.
//
// Scope and limits: a local minimum near the start. Deterministic.
// References: R. Hooke, T. Jeeves, Direct search solution of numerical and statistical problems,
// JACM 8 (1961).
// Validation: tests/calibration/disk_fit_test.cpp.
#pragma once

#include <memory>
#include <span>

#include "calibration/disk_replay.hpp"

namespace storcast {

// The start's parameters with seek, settling, head switch, margin, write overhead and the buffer's
// changed so that the requests are predicted better.
[[nodiscard]] DiskParameters search_disk(std::span<const MeasuredRequest> requests,
                                         std::span<const double> issued,
                                         std::shared_ptr<const DiskLayout> layout,
                                         const DiskParameters& start);

}  // namespace storcast
