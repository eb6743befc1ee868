// The fluid tier: rebuilds and clients as flows that share the stations, hours in milliseconds.
//
// Model: what an I/O and a row of a rebuild ask of each station is measured on the compiled paths
// (demands.cpp). The clients, together, are a flow that goes at most as fast as mean value analysis
// says for them alone; a rebuild's goes at most at its window over the time of a row without
// queueing, and at its rate limit. What both would use more of than there is, SimGrid shares out
// (simgrid_flow.hpp): at the station that they want most each gets time in proportion to its I/Os
// outstanding x its demand there, which is what first come, first served does to closed loads;
// open loads, and clients of drives that serve them first, get what they want. A rebuild is cut
// into eight parts, because reads of lost strips grow fewer as it goes on. The run ends at
// limit.simulated or with the last rebuild, whichever is later.
//
// Parameters: those of the scenario. Scope and limits: means only, no latencies beyond Little's
// law; queueing between rebuild and clients is not seen before a station is full; a hard disk's
// rebuild counts as one undisturbed stream; controllers do not fail. References: SimGrid's fluid
// models. Validation: tests/sim/run/flow_test.cpp, tests/validation/rebuild_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "sim/run/analytic.hpp"
#include "sim/run/builder.hpp"
#include "sim/run/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast {

struct FlowAnswer {
  std::vector<Phase> phases;
  std::vector<TimelineNote> notes;
  std::vector<RebuildResult> rebuilds;
  std::string stop_reason;
  bool complete = true;  // false: data were lost
  double seconds = 0;
  double ios = 0;  // of the clients
};

// Entries of the timeline that cannot be followed throw a ScenarioError with their place. The
// assembly is used up.
[[nodiscard]] FlowAnswer run_flow(const Scenario& scenario, Assembly& assembly);

}  // namespace storcast
