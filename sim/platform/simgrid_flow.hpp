// Fluid activities that share stations, by SimGrid's max-min fairness.
//
// Each station is a SimGrid host whose speed is its number of servers; a flow is a parallel task
// (model ptask_L07) that uses several hosts in proportion to what one unit of it needs of each. Of
// a station that is full every task gets the same share, unless it is stopped elsewhere, so a flow
// with `copies` tasks has so many shares. A bound is a host of the flow's own. Nothing queues:
// hours of a rebuild are a handful of events.
// Source: SimGrid 3.32; fair-bottleneck sharing. Limits: one run per process at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace storcast {

struct Flow {
  std::vector<std::pair<std::uint32_t, double>> demands;  // station, seconds of it for a unit
  double bound = 0;                                       // units a second at the most, above 0
  std::optional<double> units;  // ends after so many, above 0; absent: it lasts
  int copies = 1;               // shares
};

// Until the first flow ends, at most so long.
struct FlowPhase {
  std::vector<Flow> flows;
  double at_most_s = 0;  // above 0
};

struct FlowProgress {
  double took_s = 0;
  std::vector<double> units;  // by flow
};

// Runs phase after phase; `next` is told what came of the last one (nothing at first) and says what
// the next one is, or that there is none. `servers`: of each station. `typical_s`: length of a
// phase by order of magnitude; a phase ends after eight of them, however long it might last.
// What `next` throws reaches the caller.
void run_flows(const std::vector<double>& servers, double typical_s,
               const std::function<std::optional<FlowPhase>(const FlowProgress&)>& next);

}  // namespace storcast
