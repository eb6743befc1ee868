#include "sim/run/analytic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sim/run/sorting.hpp"

namespace storcast {
namespace {

// Groups of one role are alternatives (controller a or b): one network station with as many queues
// as would carry the demand if all were as busy as the busiest.
struct Role {
  double foreground_s = 0, background_s = 0, highest_s = 0, parallel = 1;
  int servers = 1;
  bool bound = false;  // statically, by connection
  std::vector<std::size_t> groups;
};

std::vector<Role> roles_of(const System& system, const Demands& demands) {
  std::map<std::string, std::size_t> index;
  std::vector<Role> roles;
  for (std::size_t g = 0; g < demands.groups.size(); ++g) {
    const GroupDemand& d = demands.groups[g];
    if (d.highest_queue_s <= 0) continue;
    const StationGroup& group = system.groups[static_cast<GroupId>(g)];
    const std::string role = group.role.empty() ? group.name : group.role;
    const auto [it, fresh] = index.emplace(role, roles.size());
    if (fresh) roles.emplace_back();
    Role& r = roles[it->second];
    r.foreground_s += d.foreground_s;
    r.background_s += d.background_s;
    r.highest_s = std::max(r.highest_s, d.highest_queue_s);
    r.parallel = std::max(r.parallel, d.parallel);
    r.servers = group.servers_each;
    r.bound = group.kind == GroupKind::connection;
    r.groups.push_back(g);
  }
  return roles;
}

// Queues of a role if all were as busy as the busiest.
double effective_queues(const Role& r) {
  return std::max(1.0, (r.foreground_s + r.background_s) / (r.highest_s * r.servers));
}

std::vector<NetworkStation> network_of(const std::vector<Role>& roles, double delay_s,
                                       double parts) {
  std::vector<NetworkStation> stations;
  for (const Role& r : roles) {
    const double share = effective_queues(r) / parts;
    NetworkStation s;
    s.queues = std::max(1, static_cast<int>(std::lround(share)));
    const double slower = s.queues / share;  // keeps the limit exact
    s.demand_s = r.foreground_s * (share < 1 ? slower : 1);
    s.background_s = r.background_s * (share < 1 ? slower : 1);
    s.servers = r.servers;
    s.parallel = r.parallel;
    stations.push_back(s);
  }
  NetworkStation delay;
  delay.demand_s = delay_s;
  delay.delay = true;
  stations.push_back(delay);
  return stations;
}

struct Load {
  double outstanding = 0, think_s = 0, rate = 0;
  bool closed = false;
  std::vector<double> weights;
};

Load load_of(const Scenario& scenario) {
  Load load;
  double total = 0;
  for (const WorkloadConfig& w : scenario.workloads) {
    const bool closed = w.arrival == Arrival::closed;
    const double weight = closed ? static_cast<double>(w.outstanding()) : w.rate_iops;
    load.closed = load.closed || closed;
    if (closed) load.outstanding += static_cast<double>(w.outstanding());
    if (!closed) load.rate += w.rate_iops;
    load.think_s += closed ? weight * to_seconds(w.thinktime) : 0;
    load.weights.push_back(weight);
    total += weight;
  }
  if (load.outstanding > 0) load.think_s /= load.outstanding;
  for (double& w : load.weights) w /= total;
  return load;
}

// Share of an I/O's time during which it is a command at a controller.
double share_at_controller(const System& system, const AnalyticAnswer& a) {
  double outside = a.demands.delay_s;
  for (std::size_t g = 0; g < a.residence_s.size(); ++g) {
    const std::string& role = system.groups[static_cast<GroupId>(g)].role;
    if (role == "host cores" || role.starts_with("ports")) outside += a.residence_s[g];
  }
  return a.response_s > 0 ? std::max(0.0, 1 - outside / a.response_s) : 0;
}

void solve_closed_load(const System& system, const Load& load, AnalyticAnswer& a) {
  const auto roles = roles_of(system, a.demands);
  double parts = 1;
  double highest = 0;
  for (const Role& r : roles) {
    if (r.highest_s <= highest) continue;
    highest = r.highest_s;
    parts = r.bound ? std::min(effective_queues(r), load.outstanding) : 1;
  }
  parts = std::max(1.0, std::round(parts));
  const auto stations = network_of(roles, a.demands.delay_s, parts);
  const ClosedSolution s = solve_closed(stations, load.think_s, load.outstanding / parts);
  a.throughput = s.throughput * parts;
  a.response_s = s.response_s;
  a.bounds.method = s.method;
  a.residence_s.assign(a.demands.groups.size(), 0);
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (const std::size_t g : roles[r].groups) {
      a.residence_s[g] = s.residence_s[r] * a.demands.groups[g].foreground_s /
                         std::max(roles[r].foreground_s, 1e-30);
    }
  }
  a.bounds.knee_outstanding =
      knee_population(network_of(roles, a.demands.delay_s, 1), load.think_s);
}

void solve_open_load(const System& system, const Load& load, AnalyticAnswer& a) {
  const auto roles = roles_of(system, a.demands);
  const auto stations = network_of(roles, a.demands.delay_s, 1);
  const OpenSolution s = solve_open(stations, load.rate);
  a.offered_iops = load.rate;
  a.stable = s.stable;
  a.throughput = load.rate;
  a.response_s = s.response_s;
  a.bounds.method = "open network, exponential service";
  a.residence_s.assign(a.demands.groups.size(), 0);
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (const std::size_t g : roles[r].groups) {
      a.residence_s[g] = s.residence_s[r] * a.demands.groups[g].foreground_s /
                         std::max(roles[r].foreground_s, 1e-30);
    }
  }
  a.bounds.knee_outstanding = knee_population(stations, 0);
}

// An open load on a system whose demands grow with the commands outstanding: the commands that the
// demands cause are found by rising from none, which ends at the lowest fixed point. Above some
// rate there is none: that rate is the system's limit, the same whatever is offered.
class GrowingDemands {
 public:
  GrowingDemands(Assembly& assembly, const Load& load)
      : system_(assembly.system()),
        load_(load),
        controllers_(static_cast<double>(assembly.command_pools.size())),
        none_(measure_demands(assembly, load.weights, 0)),
        many_(measure_demands(assembly, load.weights, reference)) {}

  // False: the demands outgrow the rate.
  bool settle(double rate, AnalyticAnswer& a) const {
    Load load = load_;
    load.rate = rate;
    double commands = 0;
    for (int round = 0; round < most_rounds; ++round) {
      a.demands = at(commands);
      solve_open_load(system_, load, a);
      if (!a.stable) return false;
      const double now = rate * a.response_s * share_at_controller(system_, a) / controllers_;
      if (std::fabs(now - commands) < 1e-3 * (1 + commands)) return true;
      commands = now;
    }
    return false;
  }
  [[nodiscard]] double limit() const {
    double low = 0;
    double high = 0;
    for (const GroupDemand& d : none_.groups) high = std::max(high, d.highest_queue_s);
    if (!(high > 0)) return std::numeric_limits<double>::infinity();
    high = 1 / high;
    AnalyticAnswer probe;
    for (int i = 0; i < 20; ++i) {
      const double middle = 0.5 * (low + high);
      (settle(middle, probe) ? low : high) = middle;
    }
    return low;
  }

 private:
  static constexpr double reference = 1000;
  static constexpr int most_rounds = 100;

  // Demands are linear in the commands.
  [[nodiscard]] Demands at(double commands) const {
    Demands d = none_;
    const double share = commands / reference;
    const auto grow = [share](double& value, double reached) {
      value += share * (reached - value);
    };
    for (std::size_t g = 0; g < d.groups.size(); ++g) {
      grow(d.groups[g].foreground_s, many_.groups[g].foreground_s);
      grow(d.groups[g].background_s, many_.groups[g].background_s);
      grow(d.groups[g].highest_queue_s, many_.groups[g].highest_queue_s);
    }
    return d;
  }

  const System& system_;
  const Load& load_;
  double controllers_;
  Demands none_, many_;
};

// The limit of the system, by the way; infinite if no demand grows.
double solve_growing_load(Assembly& assembly, const Load& load, AnalyticAnswer& a) {
  const GrowingDemands growing(assembly, load);
  const double limit = growing.limit();
  if (load.rate <= limit && growing.settle(load.rate, a)) return limit;
  growing.settle(limit, a);
  a.offered_iops = a.throughput = load.rate;
  a.stable = false;
  return limit;
}

}  // namespace

Bottleneck find_bottleneck(const System& system, const std::vector<double>& highest_queue_s,
                           const std::vector<double>& utilisation) {
  Bottleneck b;
  std::size_t worst = highest_queue_s.size();
  for (std::size_t g = 0; g < highest_queue_s.size(); ++g) {
    if (highest_queue_s[g] <= 0) continue;
    if (worst == highest_queue_s.size() || highest_queue_s[g] > highest_queue_s[worst]) worst = g;
  }
  if (worst == highest_queue_s.size()) return b;
  const auto role = [&](std::size_t g) {
    const StationGroup& group = system.groups[static_cast<GroupId>(g)];
    return group.role.empty() ? group.name : group.role;
  };
  std::size_t next = highest_queue_s.size();
  for (std::size_t g = 0; g < highest_queue_s.size(); ++g) {
    if (highest_queue_s[g] <= 0 || role(g) == role(worst)) continue;
    if (next == highest_queue_s.size() || highest_queue_s[g] > highest_queue_s[next]) next = g;
  }
  b.station = system.groups[static_cast<GroupId>(worst)].name;
  b.utilisation = utilisation[worst];
  b.limit_iops = 1 / highest_queue_s[worst];
  if (next != highest_queue_s.size()) {
    b.next_station = system.groups[static_cast<GroupId>(next)].name;
    b.next_limit_iops = 1 / highest_queue_s[next];
    b.headroom = b.next_limit_iops / b.limit_iops - 1;
  }
  return b;
}

AnalyticAnswer solve_analytic(const Scenario& scenario, Assembly& assembly) {
  const System& system = assembly.system();
  const Load load = load_of(scenario);
  const auto controllers = static_cast<double>(assembly.command_pools.size());
  AnalyticAnswer a;
  double commands = 0;
  double limit = std::numeric_limits<double>::infinity();
  Sorting sorting(scenario, system, load.closed ? load.outstanding : 0);
  const bool growing = !load.closed && assembly.outstanding_cost_ps > 0 && !sorting.matters();
  if (growing) limit = solve_growing_load(assembly, load, a);
  for (int round = 0, most = sorting.matters() ? 24 : 12; round < most && !growing; ++round) {
    a.demands = measure_demands(assembly, load.weights, commands, sorting.speeds());
    if (load.closed) {
      solve_closed_load(system, load, a);
    } else {
      solve_open_load(system, load, a);
    }
    if (sorting.goes_on(a)) continue;
    if (assembly.outstanding_cost_ps == 0 || !a.stable) break;
    const double present =
        load.closed ? load.outstanding - a.throughput * load.think_s : a.throughput * a.response_s;
    const double now = std::max(0.0, present) * share_at_controller(system, a) / controllers;
    if (std::fabs(now - commands) < 1e-3 * (1 + commands)) break;
    commands = round == 0 ? now : 0.5 * (commands + now);
  }
  std::vector<double> highest;
  for (const GroupDemand& d : a.demands.groups) {
    highest.push_back(d.highest_queue_s);
    a.utilisation.push_back(std::min(1.0, a.throughput * d.highest_queue_s));
  }
  if (sorting.matters()) {
    const Demands least =
        measure_demands(assembly, load.weights, commands, sorting.highest_speeds());
    for (std::size_t g = 0; g < highest.size(); ++g) highest[g] = least.groups[g].highest_queue_s;
  }
  a.bottleneck = find_bottleneck(system, highest, a.utilisation);
  if (limit < a.bottleneck.limit_iops) {
    a.bottleneck.limit_iops = limit;
    if (a.bottleneck.next_limit_iops > 0) {
      a.bottleneck.headroom = a.bottleneck.next_limit_iops / limit - 1;
    }
  }
  a.bounds.saturation_iops = a.bottleneck.limit_iops;
  a.bounds.mva_iops = a.throughput;
  a.bounds.mva_mean_s = a.response_s;
  return a;
}

}  // namespace storcast
