// A scenario to an answer: analytic bounds, the simulated run under SimGrid's clock, its
// statistics.
//
// A run stops when the wanted precision is reached (batch means of the window after MSER-5's cut,
// half-widths widened by the correlation of neighbouring batches, each batch at least two response
// times long) or at a limit, and says which. A scenario with a timeline runs to its simulated
// limit. An open workload beyond the limit of a station gets that verdict instead of a latency.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/run/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast {

enum class Fidelity : std::uint8_t { io, flow, analytic };

struct Progress {
  double simulated_s = 0;
  double limit_s = 0;
  std::uint64_t ios = 0;
  double done = 0;  // estimated share of the work, 0 to 1
};

struct RunOptions {
  Fidelity fidelity = Fidelity::io;
  bool under_simgrid = true;  // false: the same run without SimGrid's clock, for comparison
  std::function<void(const Progress&)> progress;  // called now and then; may be empty
};

// Throws InvariantError on a bug of ours only: the scenario was checked when it was loaded.
[[nodiscard]] RunResult run_scenario(const Scenario& scenario, const RunOptions& options = {});

// Marks knee and saturation of a finished sweep.
void mark_curve(SweepResult& sweep);

}  // namespace storcast
