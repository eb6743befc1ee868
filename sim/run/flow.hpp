// The fluid tier: rebuilds and clients as flows that share the stations, hours in milliseconds.
//
// Model: what an I/O and a row of a rebuild ask of each station is measured on the compiled paths
// (demands.cpp). How fast clients and rebuilds would go beside each other says mean value analysis
// of one class for all clients and one for each rebuild (flow_sharing.hpp); these are the bounds of
// flows whose course in time, and whose share of a station that is full all the same, SimGrid finds
// (simgrid_flow.hpp). A rebuild is cut into eight parts, because reads of lost strips grow fewer as
// it goes on. The run ends at limit.simulated or with the last rebuild, whichever is later.
//
// Parameters: those of the scenario. Scope and limits: means only, response times by Little's
// law; all services count as exponential, so clients that wait little are too slow by up to a
// tenth or two; a hard disk serves first come, first served, its rebuild as one undisturbed stream,
// so small windows at hard disks want --fidelity io; controllers do not fail.
// References: SimGrid's fluid models. Validation: tests/sim/run/flow_test.cpp,
// tests/validation/rebuild_test.cpp.
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
