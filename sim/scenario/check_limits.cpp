// What only the whole scenario shows: cables to every controller that is used, and bounds on the
// size of the run, so that no accepted text exhausts memory or the 106 days of the simulated clock.
#include <algorithm>

#include "sim/scenario/reading.hpp"

namespace storcast::reading {
namespace {

constexpr double most_in_flight = 32e6;     // commands of drives: about 3 GiB of I/Os and events
constexpr double most_bytes = 1ll << 40;    // outstanding of one load: a day at 10 MB/s
constexpr double most_backlog_s = 1e6;      // at drives of a given service time
constexpr double most_queues = 1e6;         // dies of all drives
constexpr std::size_t most_paths = 20'000;  // workloads x pools x sizes
constexpr double open_in_flight = 100e3;    // an open load beyond this is unstable
constexpr double most_destages = 400e3;

// Commands to drives of one I/O, at the most; `degraded`: a lost strip costs a row of reads.
double members_of(const PoolConfig& pool, Bytes size, bool degraded) {
  const auto strips = static_cast<double>(size.value / pool.strip.value + 2);
  const double parity = pool.layout.parity;
  if (parity == 0) return strips * pool.layout.copies;
  const double data = pool.layout.data;
  return degraded ? strips * data + pool.drives : strips + parity * (strips / data + 2);
}

double outstanding_of(const WorkloadConfig& w, std::size_t index, const Scenario& scenario) {
  if (w.arrival == Arrival::poisson) return open_in_flight;
  double depth = w.iodepth;
  for (const TimelineEntry& e : scenario.timeline) {
    if (e.kind == TimelineEntry::Kind::iodepth && e.workload == index)
      depth = std::max(depth, e.value);
  }
  return depth * static_cast<double>(w.connections());
}

bool has_cable(const HostConfig& host, std::size_t controller, std::size_t controllers) {
  const auto ports = static_cast<std::size_t>(host.ports.count);
  for (std::size_t p = 0; p < ports; ++p) {
    if (p * controllers / ports == controller) return true;
  }
  return false;
}

void check_cables(const ConfigNode& node, const WorkloadConfig& w, const Scenario& scenario,
                  Problems& problems) {
  const HostConfig& host = scenario.hosts[w.host];
  const ArrayConfig& array = scenario.array;
  for (const std::uint16_t volume : w.volumes) {
    const PoolConfig& pool = array.pools[static_cast<std::size_t>(volume / array.volumes_per_pool)];
    if (has_cable(host, pool.controller, array.controllers.size())) continue;
    complain(node,
             "no cable goes from host " + host.name + " to controller " +
                 array.controllers[pool.controller].name + ", which owns pool " + pool.name +
                 ": ports.count must be at least " + std::to_string(array.controllers.size()),
             problems);
    return;
  }
}

void check_load(const ConfigNode& node, std::size_t index, const Scenario& scenario,
                double& in_flight, Problems& problems) {
  const WorkloadConfig& w = scenario.workloads[index];
  const bool degraded =
      std::any_of(scenario.timeline.begin(), scenario.timeline.end(),
                  [](const TimelineEntry& e) { return e.kind == TimelineEntry::Kind::fail_drive; });
  const auto order = [](const SizeShare& a, const SizeShare& b) { return a.size < b.size; };
  const auto [smallest, largest] = std::minmax_element(w.sizes.begin(), w.sizes.end(), order);
  const double load = outstanding_of(w, index, scenario);
  if (w.arrival == Arrival::closed &&
      load * static_cast<double>(largest->size.value) > most_bytes) {
    complain(node, "iodepth x numjobs x bs keeps more than 1 TiB outstanding", problems);
  }
  const double pages = std::max(1.0, static_cast<double>(smallest->size.value / 4096));
  const double dirty = static_cast<double>(dirty_pages(scenario.array.cache)) / pages *
                       static_cast<double>(scenario.array.controllers.size());
  const double destages = w.may_write() ? std::min(dirty, most_destages) : 0;
  double members = 0;
  for (const PoolConfig& pool : scenario.array.pools) {
    const double of_pool = members_of(pool, largest->size, degraded);
    members = std::max(members, of_pool);
    const auto* null_drive = std::get_if<NullDrive::Params>(&pool.drive);
    if (null_drive == nullptr || w.arrival == Arrival::poisson) continue;
    if ((load + destages) * of_pool * to_seconds(null_drive->service_time) > most_backlog_s) {
      complain(node,
               "the drives of pool " + pool.name + " would need more than 1,000,000 s for the " +
                   "I/Os outstanding: a shorter service_time or fewer of them",
               problems);
    }
  }
  in_flight += (load + destages) * (1 + members);
}

// Seconds that a drive needs for each byte of random writes, at its worst.
double seconds_per_byte(const SsdParams& p, double smallest_write) {
  const std::vector<float> course = amplification_course(p.condition, spare_ratio(p)).points;
  const double amplification = static_cast<double>(*std::max_element(course.begin(), course.end()));
  const double rate = std::min(
      p.write_efficiency * p.write_rate.value,
      p.dies * static_cast<double>(p.program_unit.value) / to_seconds(p.program_time + p.die_read));
  const double folding = p.slc_capacity.value > 0 ? p.folding : 1;
  const double padding = std::max(1.0, static_cast<double>(p.mapping_unit.value) / smallest_write);
  return amplification * padding * folding / rate;
}

// What can wait for a drive at once is limited by the dirty pages of the controllers.
void check_backlogs(const ConfigNode& workloads, const Scenario& scenario, Problems& problems) {
  double smallest = most_bytes;
  bool writes = false;
  for (const WorkloadConfig& w : scenario.workloads) {
    writes = writes || w.may_write();
    for (const SizeShare& size : w.sizes) {
      smallest = std::min(smallest, static_cast<double>(size.size.value));
    }
  }
  if (!writes) return;
  const double dirty = static_cast<double>(dirty_pages(scenario.array.cache)) * 4096 *
                       static_cast<double>(scenario.array.controllers.size());
  for (const PoolConfig& pool : scenario.array.pools) {
    const auto* ssd = std::get_if<Ssd::Params>(&pool.drive);
    if (ssd == nullptr || dirty * seconds_per_byte(*ssd, smallest) <= most_backlog_s) continue;
    complain(workloads,
             "a drive of pool " + pool.name +
                 " could need more than 1,000,000 s for the dirty pages of the cache: a higher "
                 "write_rate or a smaller cache",
             problems);
  }
}

}  // namespace

void check_limits(const ConfigNode& tree, const Scenario& scenario, Problems& problems) {
  const ConfigNode& workloads = *tree.find("workloads");
  double in_flight = 0;
  double queues = 0;
  std::size_t paths = 0;
  for (std::size_t i = 0; i < scenario.workloads.size(); ++i) {
    const WorkloadConfig& w = scenario.workloads[i];
    const ConfigNode& node = *workloads.find(w.name);
    if (!scenario.fabric.local) check_cables(node, w, scenario, problems);
    check_load(node, i, scenario, in_flight, problems);
    paths += w.sizes.size() * scenario.array.pools.size();
  }
  check_backlogs(workloads, scenario, problems);
  for (const PoolConfig& pool : scenario.array.pools) {
    const auto* ssd = std::get_if<Ssd::Params>(&pool.drive);
    queues += pool.drives * static_cast<double>(ssd != nullptr ? ssd->dies : 1);
  }
  if (in_flight > most_in_flight) {
    complain(workloads,
             "up to " + format_count(in_flight) + " commands to drives at once; at most " +
                 format_count(most_in_flight) +
                 " are modelled: fewer outstanding, smaller I/Os or a larger strip",
             problems);
  }
  if (queues > most_queues) {
    complain(*tree.find("system"),
             "the drives have " + format_count(queues) + " dies; at most " +
                 format_count(most_queues) + " are modelled",
             problems);
  }
  if (paths > most_paths) {
    complain(workloads,
             "workloads x pools x sizes is " + std::to_string(paths) + "; at most " +
                 std::to_string(most_paths) + " are modelled",
             problems);
  }
}

}  // namespace storcast::reading
