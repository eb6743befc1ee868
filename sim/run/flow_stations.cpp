#include "sim/run/flow_stations.hpp"

#include <algorithm>

namespace storcast {
namespace {

const std::vector<double>& table_of(const StationTables& tables, GroupKind kind) {
  if (kind == GroupKind::servers) return tables.servers;
  if (kind == GroupKind::priority) return tables.priority;
  if (kind == GroupKind::scheduled) return tables.scheduled;
  return tables.fcfs;
}

}  // namespace

FlowStations::FlowStations(const Assembly& assembly) : system_(assembly.system()) {
  for (std::size_t g = 0; g < system_.groups.size(); ++g) {
    const StationGroup& group = system_.groups[static_cast<GroupId>(g)];
    if (group.share_only) continue;
    const std::uint32_t each =
        group.kind == GroupKind::address ? std::max(1u, group.queues_per_drive) : 1;
    Group row{static_cast<GroupId>(g), static_cast<std::uint32_t>(servers_.size()),
              group.queues / each, each, -1};
    for (const Assembly::DriveGroup& d : assembly.drive_groups) {
      if (group.name.starts_with(d.name)) row.pool = static_cast<int>(d.pool);
    }
    servers_.resize(servers_.size() + row.count, static_cast<double>(each) * group.servers_each);
    groups_.push_back(row);
  }
  for (const Assembly::DriveGroup& d : assembly.drive_groups) {
    lost_.resize(std::max(lost_.size(), d.pool + 1));
    lost_[d.pool].assign(d.count, false);
  }
}

std::vector<double> FlowStations::collect(const StationTables& tables) const {
  std::vector<double> all(servers_.size());
  for (const Group& group : groups_) {
    const StationGroup& of = system_.groups[group.id];
    const std::vector<double>& table = table_of(tables, of.kind);
    for (std::uint32_t q = 0; q < group.count * group.queues_each; ++q) {
      all[group.first + q / group.queues_each] += table[of.first + q];
    }
  }
  return all;
}

void FlowStations::spread(std::vector<double>& values) const {
  for (const Group& group : groups_) {
    if (group.pool < 0) continue;
    const std::vector<bool>& lost = lost_[static_cast<std::size_t>(group.pool)];
    double sum = 0;
    double left = 0;
    for (std::uint32_t d = 0; d < group.count; ++d) {
      if (lost[d]) continue;
      sum += values[group.first + d];
      left += 1;
    }
    for (std::uint32_t d = 0; d < group.count; ++d) {
      if (!lost[d]) values[group.first + d] = sum / left;
    }
  }
}

FlowDemands FlowStations::of(const StationDemands& demands) const {
  return {collect(demands.seconds), collect(demands.visits)};
}

FlowDemands FlowStations::of_clients(const StationDemands& demands) const {
  FlowDemands all = of(demands);
  spread(all.seconds);
  spread(all.visits);
  return all;
}

void FlowStations::lose(std::size_t pool, int drive) {
  lost_[pool][static_cast<std::size_t>(drive)] = true;
}
void FlowStations::regain(std::size_t pool, int drive) {
  lost_[pool][static_cast<std::size_t>(drive)] = false;
}

}  // namespace storcast
