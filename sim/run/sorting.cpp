#include "sim/run/sorting.hpp"

#include <algorithm>
#include <cmath>

namespace storcast {

double speed_of_sorting(const StationGroup& group, double waiting) {
  return std::pow(std::clamp(waiting, 1.0, std::min(32.0, group.most_sorted)), group.gain);
}

double reserve_of_sorting(const StationGroup& group, double waiting) {
  return speed_of_sorting(group, group.most_sorted) / speed_of_sorting(group, waiting);
}

Sorting::Sorting(const Scenario& scenario, const System& system, double outstanding)
    : system_(system) {
  const bool closed = outstanding > 0;
  const bool writes = std::any_of(scenario.workloads.begin(), scenario.workloads.end(),
                                  [](const WorkloadConfig& w) { return w.may_write(); });
  for (const StationGroup& group : system.groups) {
    if (group.kind != GroupKind::scheduled) continue;
    // No more can wait than are outstanding, unless destages join them.
    const double most =
        closed && !writes ? std::min(group.most_sorted, outstanding) : group.most_sorted;
    at_most_.push_back(std::pow(std::max(1.0, most), group.gain_at_most));
    speeds_.push_back(closed ? 1 : at_most_.back());
  }
}

bool Sorting::goes_on(const AnalyticAnswer& a) {
  if (!matters() || settled_) return false;
  if (!a.stable) {
    // An open load that is too much for a guess may still be carried by the deepest queue.
    settled_ = true;
    const bool more = speeds_ != at_most_;
    speeds_ = at_most_;
    return more;
  }
  double change = 0;
  for (std::size_t g = 0; g < a.demands.groups.size(); ++g) {
    const StationGroup& group = system_.groups[static_cast<GroupId>(g)];
    if (group.kind != GroupKind::scheduled) continue;
    const GroupDemand& d = a.demands.groups[g];
    const double busy = a.throughput * d.highest_queue_s;
    const double present = a.throughput * a.residence_s[g] * d.parallel / group.queues;
    double n = busy > 0 ? present / std::min(1.0, busy) : 1;
    // Work that nobody waits for queues like M/M/1, without end if it keeps the drives busy.
    if (d.background_s > 0) n += busy / std::max(1e-3, 1 - busy);
    double& speed = speeds_[static_cast<std::size_t>(group.schedule)];
    const double next = speed_of_sorting(group, n);
    change = std::max(change, std::fabs(next / speed - 1));
    speed = 0.5 * (speed + next);
  }
  return change > 1e-3;
}

}  // namespace storcast
