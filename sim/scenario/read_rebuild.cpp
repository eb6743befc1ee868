// The reader of a pool's `rebuild`, and what a timeline makes of it: which losses find a spare.
#include <algorithm>
#include <utility>
#include <vector>

#include "sim/scenario/reading.hpp"

namespace storcast::reading {
namespace {

// What nobody said, as assumptions.
std::vector<std::string> unsaid(const ConfigNode* sheet) {
  const auto said = [&](const char* key) {
    return sheet != nullptr && sheet->is_map() && sheet->find(key) != nullptr;
  };
  std::vector<std::string> lines;
  if (!said("priority") && !said("window")) {
    lines.emplace_back("priority = medium (8 rebuild I/Os outstanding at a drive)");
  }
  if (!said("rate_limit")) lines.emplace_back("rate_limit = none");
  if (!said("blocks")) lines.emplace_back("blocks = all (written or not)");
  if (!said("starts_after")) lines.emplace_back("starts_after = 0s");
  return lines;
}

// The losses of one pool in the order of the timeline, and the spares they take: woven ones of the
// group first.
void judge_pool(const PoolConfig& pool, const std::vector<int>& lost, const std::string& path,
                Scenario& scenario) {
  const auto warn = [&](const std::string& what) {
    scenario.warnings.push_back("pool " + pool.name + ": " + what);
  };
  const bool any_spare = pool.hot_spares > 0 || pool.layout.spares > 0;
  if (!any_spare) return;
  if (!pool.rebuild.enabled) {
    warn("it has spares, but its rebuild is not enabled: it stays degraded");
    return;
  }
  std::vector<int> woven(static_cast<std::size_t>(pool.layout.groups), pool.layout.spares);
  int hot = pool.hot_spares;
  for (const int drive : lost) {
    int& left = woven[static_cast<std::size_t>(drive / pool.layout.group_drives())];
    if (left > 0) {
      --left;
    } else if (hot > 0) {
      --hot;
    } else {
      warn("no spare is left for drive " + std::to_string(drive) + ": it stays degraded");
    }
  }
  if (hot < pool.hot_spares && pool.spare_drive) {
    warn("a hot spare that is being filled is modelled as one of the set's drives");
  }
  for (const std::string& line : pool.rebuild_unsaid) {
    scenario.assumptions.push_back(path + ".rebuild." + line);
  }
}

}  // namespace

void read_rebuild(const ConfigNode& pool, PoolConfig& config, Problems& problems, ReadLog& log) {
  config.rebuild_unsaid = unsaid(pool.find("rebuild"));
  if (pool.find("rebuild") == nullptr) return;
  const ConfigNode* sheet = map_at(pool, "rebuild", problems);
  if (sheet == nullptr) return;
  config.rebuild = rebuild_schema().read(*sheet, problems, &log);
  if (sheet->find("priority") != nullptr && sheet->find("window") != nullptr) {
    complain(*sheet->find("window"), "priority and window say the same: one of them is wanted",
             problems);
  }
  if (config.layout.drives > 0 && config.layout.family == RaidFamily::striped) {
    complain(*sheet, "raid0 has no redundancy: there is nothing to rebuild from", problems);
  }
}

void judge_rebuilds(Scenario& scenario) {
  const ArrayConfig& array = scenario.array;
  for (std::size_t p = 0; p < array.pools.size(); ++p) {
    std::vector<int> lost;
    for (const TimelineEntry& e : scenario.timeline) {
      if (e.kind == TimelineEntry::Kind::fail_drive && e.pool == p) lost.push_back(e.drive);
    }
    if (lost.empty()) continue;
    judge_pool(array.pools[p], lost,
               "system.arrays." + array.name + ".pools." + array.pools[p].name, scenario);
  }
}

}  // namespace storcast::reading
