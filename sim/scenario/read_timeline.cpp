// The reader of `timeline`: what changes during the run, and when.
//   - {at: 10s, fail: system.arrays.array.pools.a.drives.3}
//   - {at: 10s, fail: system.arrays.array.controllers.a}
//   - {at: 5s, set: {workloads.main.iodepth: 32}}
#include <algorithm>
#include <charconv>

#include "sim/base/text.hpp"
#include "sim/scenario/reading.hpp"

namespace storcast::reading {
namespace {

constexpr std::size_t most_entries = 1000;

template <class Part>
std::optional<std::size_t> index_of_name(const std::vector<Part>& parts, const std::string& name) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == name; });
  if (found == parts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parts.begin());
}

void read_fail(const ConfigNode& target, TimelineEntry entry, Scenario& scenario,
               Problems& problems) {
  const ArrayConfig& array = scenario.array;
  const auto parts = split(target.text(), '.');
  const std::string stem = "system.arrays." + array.name + ".";
  const bool known_stem =
      parts.size() > 4 && parts[0] == "system" && parts[1] == "arrays" && parts[2] == array.name;
  if (known_stem && parts[3] == "pools" && parts.size() == 7 && parts[5] == "drives") {
    const auto pool = index_of_name(array.pools, parts[4]);
    int drive = -1;
    const auto [end, error] =
        std::from_chars(parts[6].data(), parts[6].data() + parts[6].size(), drive);
    const bool number = error == std::errc{} && end == parts[6].data() + parts[6].size();
    if (pool && number && drive >= 0 && drive < array.pools[*pool].drives) {
      entry.kind = TimelineEntry::Kind::fail_drive;
      entry.pool = *pool;
      entry.drive = drive;
      entry.what = "drive " + parts[6] + " of pool " + parts[4] + " fails";
      scenario.timeline.push_back(std::move(entry));
      return;
    }
    complain(target,
             !pool ? "there is no pool '" + parts[4] + "'"
                   : "pool " + parts[4] + " has drives 0 to " +
                         std::to_string(array.pools[*pool].drives - 1),
             problems, {stem + "pools." + array.pools[pool.value_or(0)].name + ".drives.0"});
    return;
  }
  if (known_stem && parts[3] == "controllers" && parts.size() == 5) {
    if (const auto controller = index_of_name(array.controllers, parts[4])) {
      entry.kind = TimelineEntry::Kind::fail_controller;
      entry.controller = *controller;
      entry.what = "controller " + parts[4] + " fails";
      scenario.timeline.push_back(std::move(entry));
      return;
    }
  }
  std::vector<std::string> accepted;
  for (const auto& c : array.controllers) accepted.push_back(stem + "controllers." + c.name);
  for (const auto& p : array.pools) accepted.push_back(stem + "pools." + p.name + ".drives.0");
  complain(target, "'" + target.text() + "' cannot fail; drives and controllers can", problems,
           nearest(target.text(), accepted));
}

// True for the same drive or controller.
bool fails_the_same(const TimelineEntry& a, const TimelineEntry& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == TimelineEntry::Kind::fail_drive) return a.pool == b.pool && a.drive == b.drive;
  return a.kind == TimelineEntry::Kind::fail_controller && a.controller == b.controller;
}

// One "workloads.main.iodepth: 32".
void read_change(const ConfigEntry& change, TimelineEntry entry, Scenario& scenario,
                 Problems& problems) {
  const auto parts = split(change.key, '.');
  const std::vector<std::string> keys{"iodepth", "rate_iops", "rwmixread"};
  const auto workload = parts.size() == 3 && parts[0] == "workloads"
                            ? index_of_name(scenario.workloads, parts[1])
                            : std::nullopt;
  if (!workload || std::find(keys.begin(), keys.end(), parts[2]) == keys.end()) {
    std::vector<std::string> accepted;
    for (const auto& w : scenario.workloads) {
      for (const auto& key : keys) accepted.push_back("workloads." + w.name + "." + key);
    }
    problems.add(change.where, change.key,
                 change.value.path() + ": '" + change.key + "' cannot change during a run",
                 nearest(change.key, accepted));
    return;
  }
  const WorkloadConfig& w = scenario.workloads[*workload];
  const bool open = w.arrival == Arrival::poisson;
  entry.workload = *workload;
  entry.what = change.key + " becomes " + change.value.text();
  try {
    entry.value = parts[2] == "rwmixread" && change.value.text().find('%') != std::string::npos
                      ? parse_fraction(change.value.text()) * 100
                      : parse_count(change.value.text());
  } catch (const QuantityError& error) {
    complain(change.value, error.what(), problems);
    return;
  }
  if (parts[2] == "iodepth") {
    entry.kind = TimelineEntry::Kind::iodepth;
    if (open || entry.value < 1 || entry.value > 65536 ||
        entry.value != static_cast<double>(static_cast<int>(entry.value))) {
      complain(
          change.value,
          open ? "an open workload has no iodepth" : "an iodepth is a whole number from 1 to 65536",
          problems);
      return;
    }
    if (entry.value * static_cast<double>(w.connections()) >
        static_cast<double>(most_outstanding)) {
      complain(change.value, "more than " + std::to_string(most_outstanding) + " I/Os outstanding",
               problems);
      return;
    }
  } else if (parts[2] == "rate_iops") {
    entry.kind = TimelineEntry::Kind::rate;
    if (!open || entry.value < 1e-3 || entry.value > 1e9) {
      complain(change.value,
               open ? "a rate lies between 0.001 and 1G" : "a closed workload has no rate",
               problems);
      return;
    }
  } else {
    entry.kind = TimelineEntry::Kind::mix;
    if (w.rw != "randrw" && w.rw != "rw" && w.rw != "readwrite") {
      complain(change.value, "rwmixread belongs to rw or randrw", problems);
      return;
    }
    if (entry.value < 0 || entry.value > 100) {
      complain(change.value, "per cent of reads, 0 to 100", problems);
      return;
    }
  }
  scenario.timeline.push_back(std::move(entry));
}

void read_entry(const ConfigNode& node, Scenario& scenario, Problems& problems) {
  if (!node.is_map()) {
    complain(node, "an entry is a map such as {at: 10s, fail: ...}", problems);
    return;
  }
  check_keys(node, {"at", "fail", "set"}, problems);
  TimelineEntry entry;
  entry.where = node.where();
  const ConfigNode* at = node.find("at");
  try {
    if (at == nullptr) throw QuantityError("at is missing: when it happens, such as 10s");
    entry.at = parse_duration(at->text());
  } catch (const QuantityError& error) {
    complain(at != nullptr ? *at : node, error.what(), problems);
    return;
  }
  if (entry.at >= scenario.run.simulated) {
    scenario.warnings.push_back("timeline: an entry at " + format_duration(entry.at) +
                                " lies beyond limit.simulated and may never happen");
  }
  const ConfigNode* fail = node.find("fail");
  const ConfigNode* set = node.find("set");
  if ((fail == nullptr) == (set == nullptr)) {
    complain(node, "an entry has either fail or set", problems);
  } else if (fail != nullptr) {
    const std::size_t before = scenario.timeline.size();
    read_fail(*fail, entry, scenario, problems);
    const auto& entries = scenario.timeline;
    if (entries.size() > before &&
        std::any_of(entries.begin(), entries.end() - 1,
                    [&](const TimelineEntry& e) { return fails_the_same(e, entries.back()); })) {
      complain(*fail, "it has failed already", problems);
    }
  } else if (!set->is_map() || set->entries().empty()) {
    complain(*set, "a map of paths and values is wanted", problems);
  } else {
    for (const ConfigEntry& change : set->entries()) read_change(change, entry, scenario, problems);
  }
}

}  // namespace

void read_timeline(const ConfigNode* timeline, Scenario& scenario, Problems& problems) {
  if (timeline == nullptr || timeline->is_null()) return;
  if (!timeline->is_list() || timeline->items().size() > most_entries) {
    complain(*timeline, "a list of at most 1000 entries is wanted", problems);
    return;
  }
  for (const ConfigNode& node : timeline->items()) read_entry(node, scenario, problems);
  std::stable_sort(scenario.timeline.begin(), scenario.timeline.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  judge_rebuilds(scenario);
}

}  // namespace storcast::reading
