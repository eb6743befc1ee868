// The analytic tier: operational bounds and mean value analysis of the same compiled system.
//
// Service demands are not written down a second time: sample I/Os walk the compiled paths without
// queueing, with the real planners and routes, and what they would spend at each station is summed.
// From the demands follow the limits of each station (exact for what is statically bound, by mean
// load for what is hashed) and, by MVA, throughput and response time.
//
// Static affinity: a job stays on its core, so a closed load falls apart into P equal parts, one
// for each queue of the statically bound bottleneck, each with N / P customers; queues beyond P are
// shared out, fewer are slower by P / K. A single network with random routing would predict the
// knee too low. Several workloads are one class with the mean demands (closed ones weighted by what
// they keep outstanding, open ones by rate). Waiting for tokens is not part of it.
// Drives that sort their queue are faster the longer it is (StationGroup::gain): the queue of one
// solution gives the demands of the next. Sequential streams count as undisturbed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/run/builder.hpp"
#include "sim/run/result.hpp"
#include "sim/stats/operational_laws.hpp"

namespace storcast {

// Service demands of one I/O of the whole load, by group of queues.
struct GroupDemand {
  double foreground_s = 0, background_s = 0;
  double highest_queue_s = 0;  // of the busiest queue, both
  double parallel = 1;         // members of a fork that visit at once
};
// The same by station, both kinds together: of a hashed group the first queue of a drive has all.
struct StationTables {
  std::vector<double> fcfs, servers, priority, scheduled;
};
struct StationDemands {
  StationTables seconds, visits;
};
struct Demands {
  std::vector<GroupDemand> groups;  // by GroupId
  StationDemands stations;
  double delay_s = 0;  // latencies without a queue
  double bytes = 0;    // of an I/O
  double read_fraction = 1;
};

// `commands`: outstanding at each controller, for demands that grow with them. `speeds`, by
// ScheduleId: how much faster drives serve random requests than in order of arrival; empty: not.
[[nodiscard]] Demands measure_demands(Assembly& assembly, const std::vector<double>& stream_weights,
                                      double commands, const std::vector<double>& speeds = {});

// Of one row of a rebuild: the mean of the next `rows`, which count as rebuilt afterwards. The
// I/Os that start rows take turns.
[[nodiscard]] Demands measure_row_demands(Assembly& assembly, const std::vector<Io>& starts,
                                          int rows);

struct AnalyticAnswer {
  Bounds bounds;
  bool stable = true;
  double offered_iops = 0;  // open workloads
  double throughput = 0, response_s = 0;
  std::vector<double> utilisation;  // by GroupId, of the busiest queue
  std::vector<double> residence_s;  // by GroupId, of one I/O
  Demands demands;
  Bottleneck bottleneck;
};
[[nodiscard]] AnalyticAnswer solve_analytic(const Scenario& scenario, Assembly& assembly);

// The station that limits, and what would stop the load next, from demands of the busiest queues.
[[nodiscard]] Bottleneck find_bottleneck(const System& system,
                                         const std::vector<double>& highest_queue_s,
                                         const std::vector<double>& utilisation);

}  // namespace storcast
