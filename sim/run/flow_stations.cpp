#include "sim/run/flow_stations.hpp"

#include <algorithm>

namespace storcast {
namespace {

const std::vector<double>& table_of(const StationDemands& d, GroupKind kind) {
  if (kind == GroupKind::servers) return d.servers_s;
  if (kind == GroupKind::priority) return d.priority_s;
  if (kind == GroupKind::scheduled) return d.scheduled_s;
  return d.fcfs_s;
}

}  // namespace

FlowStations::FlowStations(const Assembly& assembly) {
  const System& system = assembly.system();
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    const StationGroup& group = system.groups[static_cast<GroupId>(g)];
    if (group.share_only) continue;
    const std::uint32_t each =
        group.kind == GroupKind::address ? std::max(1u, group.queues_per_drive) : 1;
    Row row{&group, static_cast<std::uint32_t>(servers_.size()), group.queues / each, each, -1};
    for (const Assembly::DriveGroup& d : assembly.drive_groups) {
      if (group.name.starts_with(d.name)) row.pool = static_cast<int>(d.pool);
    }
    servers_.resize(servers_.size() + row.count, static_cast<double>(each) * group.servers_each);
    rows_.push_back(row);
  }
  for (const Assembly::DriveGroup& d : assembly.drive_groups) {
    lost_.resize(std::max(lost_.size(), d.pool + 1));
    lost_[d.pool].assign(d.count, false);
  }
}

std::vector<double> FlowStations::of(const StationDemands& demands) const {
  std::vector<double> all(servers_.size());
  for (const Row& row : rows_) {
    const std::vector<double>& table = table_of(demands, row.group->kind);
    for (std::uint32_t q = 0; q < row.count * row.queues_of; ++q) {
      all[row.first + q / row.queues_of] += table[row.group->first + q];
    }
  }
  return all;
}

std::vector<double> FlowStations::of_clients(const StationDemands& demands) const {
  std::vector<double> all = of(demands);
  for (const Row& row : rows_) {
    if (row.pool < 0) continue;
    const std::vector<bool>& lost = lost_[static_cast<std::size_t>(row.pool)];
    double sum = 0;
    double left = 0;
    for (std::uint32_t d = 0; d < row.count; ++d) {
      if (lost[d]) continue;
      sum += all[row.first + d];
      left += 1;
    }
    for (std::uint32_t d = 0; d < row.count; ++d) {
      if (!lost[d]) all[row.first + d] = sum / left;
    }
  }
  return all;
}

void FlowStations::lose(std::size_t pool, int drive) {
  lost_[pool][static_cast<std::size_t>(drive)] = true;
}
void FlowStations::regain(std::size_t pool, int drive) {
  lost_[pool][static_cast<std::size_t>(drive)] = false;
}

}  // namespace storcast
