#include "sim/run/analytic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sim/run/sorting.hpp"

namespace storcast {
namespace {

constexpr int samples_per_stream = 4096;

// One sample I/O on its way through a compiled path, without queueing.
class Walker {
 public:
  Walker(Assembly& assembly, double commands, std::vector<double> speeds)
      : system_(assembly.system()),
        commands_(commands),
        speeds_(std::move(speeds)),
        plan_(system_.most_members),
        single_s_(system_.stations.size()),
        background_s_(system_.stations.size()),
        servers_s_(system_.server_stations.size()),
        priority_s_(system_.priority_stations.size()),
        forks_(system_.stations.size()),
        members_(system_.stations.size()),
        scheduled_(system_.scheduled_stations.size()),
        rng_(1, "analytic walk") {}

  void walk(const Stream& stream, std::uint32_t connection, double weight) {
    sequential_ = stream.law == AddressLaw::sequential;
    Io io{};
    io.connection = static_cast<std::uint16_t>(connection);
    for (const Direction direction : {Direction::read, Direction::write}) {
      const bool read = direction == Direction::read;
      const double share = read ? stream.read_fraction : 1 - stream.read_fraction;
      if (share <= 0) continue;
      double before = 0;
      for (std::uint32_t i = 0; i < stream.read_sizes.size(); ++i) {
        const SizeChoice& size = stream.read_sizes[i];
        io.direction = direction;
        io.blocks = size.blocks;
        io.lba = rng_.below((stream.span_blocks - size.blocks) / stream.alignment_blocks + 1) *
                 stream.alignment_blocks;
        const std::uint32_t variant = system_.connections[connection].variant;
        weight_ = weight * share * (size.up_to - before);
        before = size.up_to;
        bytes_ += weight_ * static_cast<double>(size.blocks * block_bytes);
        run(io, stream.paths[(variant * 2 + (read ? 0u : 1u)) * stream.sizes_stride + i]);
      }
    }
    reads_ += weight * stream.read_fraction;
  }

  [[nodiscard]] Demands demands() const {
    Demands d;
    d.delay_s = delay_s_;
    d.bytes = bytes_;
    d.read_fraction = reads_;
    for (std::size_t g = 0; g < system_.groups.size(); ++g) {
      const StationGroup& group = system_.groups[static_cast<GroupId>(g)];
      d.groups.push_back(group_demand(group));
    }
    return d;
  }

 private:
  [[nodiscard]] GroupDemand group_demand(const StationGroup& group) const {
    GroupDemand d;
    if (group.kind == GroupKind::servers || group.kind == GroupKind::priority) {
      d.foreground_s =
          group.kind == GroupKind::servers ? servers_s_[group.first] : priority_s_[group.first];
      d.highest_queue_s = d.foreground_s / group.servers_each;
      return d;
    }
    double forks = 0;
    double members = 0;
    if (group.kind == GroupKind::scheduled) return scheduled_demand(group);
    for (std::uint32_t i = group.first; i < group.first + group.queues; ++i) {
      d.foreground_s += single_s_[i];
      d.background_s += background_s_[i];
      d.highest_queue_s = std::max(d.highest_queue_s, single_s_[i] + background_s_[i]);
      forks += forks_[i];
      members += members_[i];
    }
    // Hashed and striped queues are equally loaded in the long run; a sample's maximum is noise.
    if (group.kind == GroupKind::address || group.kind == GroupKind::drive) {
      d.highest_queue_s = (d.foreground_s + d.background_s) / group.queues;
    }
    if (forks > 0) d.parallel = std::max(1.0, members / forks);
    return d;
  }

  [[nodiscard]] GroupDemand scheduled_demand(const StationGroup& group) const {
    GroupDemand d;
    double forks = 0;
    double members = 0;
    for (std::uint32_t i = group.first; i < group.first + group.queues; ++i) {
      d.foreground_s += scheduled_[i].foreground_s;
      d.background_s += scheduled_[i].background_s;
      forks += scheduled_[i].forks;
      members += scheduled_[i].members;
    }
    d.highest_queue_s = (d.foreground_s + d.background_s) / group.queues;
    if (forks > 0) d.parallel = std::max(1.0, members / forks);
    return d;
  }

  void run(const Io& io, std::uint32_t first) {
    background_ = false;
    previous_ = last_;
    for (std::uint32_t pc = first;;) {
      const Step& step = system_.steps[pc];
      switch (step.kind) {
        case StepKind::fork:
          pc = run_fork(io, pc);
          continue;
        case StepKind::skip_if:
          pc = system_.decisions[step.function](io, {}, rng_) ? step.aux : pc + 1;
          continue;
        case StepKind::acknowledge:
          background_ = true;
          break;
        case StepKind::complete:
        case StepKind::retire:
          return;
        default:
          visit(step, io, 1);
      }
      ++pc;
    }
  }

  std::uint32_t run_fork(const Io& io, std::uint32_t pc) {
    const Step& fork = system_.steps[pc];
    plan_.clear();
    system_.plans[fork.function](io, static_cast<int>(fork.after_ps), plan_);
    const auto n = static_cast<double>(plan_.size());
    for (const MemberIo& member : plan_.ios()) {
      Io m = io;
      m.drive = member.drive;
      m.lba = member.lba;
      m.blocks = member.blocks;
      run_member(m, pc + 1, fork.aux, n);
    }
    return fork.aux + 1;
  }

  // Steps [first, end) of one of `members`; behind a detach its parent does not wait for it.
  void run_member(const Io& io, std::uint32_t first, std::uint32_t end, double members) {
    const bool before = background_;
    for (std::uint32_t i = first; i < end; ++i) {
      const Step& step = system_.steps[i];
      if (step.kind == StepKind::detach) background_ = true;
      if (step.kind == StepKind::skip_if) {
        if (system_.decisions[step.function](io, {}, rng_)) i = step.aux - 1;
      } else {
        visit(step, io, members);
      }
    }
    background_ = before;
  }

  void visit_scheduled(const Step& step, const Io& io, double members) {
    const std::uint64_t before = sequential_ ? io.lba : previous_;
    last_ = io.lba;
    double s = system_.expectations[step.function](io, before, step.aux != 0);
    if (!sequential_ && !speeds_.empty()) s /= speeds_[step.function];
    Scheduled& station = scheduled_[step.target + static_cast<std::size_t>(index_of(io.drive))];
    // What is read ahead is there when it is asked for.
    const bool later = background_ || (sequential_ && step.aux == 0);
    (later ? station.background_s : station.foreground_s) += weight_ * s;
    if (later) return;
    station.forks += weight_ / members;
    station.members += weight_;
  }

  [[nodiscard]] double mean_s(const Step& step, const Io& io) const {
    const double count = step.kind == StepKind::visit_gated
                             ? commands_
                             : static_cast<double>(io.blocks) * block_bytes;
    const double fixed = step.kind == StepKind::post_drive ? 0 : step.fixed_ps;
    return (fixed + static_cast<double>(step.slope) * count) / picoseconds_per_second;
  }

  // `members`: how many I/Os of the fork visit at the same time.
  void visit(const Step& step, const Io& io, double members) {
    const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
    std::uint32_t station = 0;
    switch (step.kind) {
      case StepKind::visit:
        station = step.target;
        break;
      case StepKind::visit_connection:
      case StepKind::visit_gated:
        station = system_.routes[step.target + io.connection];
        break;
      case StepKind::visit_drive:
      case StepKind::pass_drive:
      case StepKind::post_drive:
        station = step.target + drive;
        break;
      case StepKind::visit_address:
        station = step.target + drive * step.aux;  // which die does not matter for the sum
        break;
      case StepKind::visit_dies:
        read_flash(step, io, members);
        delay(step, members);
        return;
      case StepKind::write_flash:
        write_flash(step, io);
        delay(step, members);
        return;
      case StepKind::visit_servers:
        servers_s_[step.routed != 0 ? system_.routes[step.target + io.connection] : step.target] +=
            weight_ * mean_s(step, io);
        delay(step, members);
        return;
      case StepKind::visit_scheduled:
        visit_scheduled(step, io, members);
        return;
      case StepKind::visit_priority:
        priority_s_[step.target] += weight_ * mean_s(step, io);
        return;
      case StepKind::delay:
        if (!background_) delay_s_ += weight_ * step.fixed_ps / picoseconds_per_second / members;
        return;
      default:
        return;
    }
    const bool later = background_ || step.kind == StepKind::post_drive;
    (later ? background_s_ : single_s_)[station] += weight_ * mean_s(step, io);
    if (!later) {
      forks_[station] += weight_ / members;
      members_[station] += weight_;
    }
    delay(step, members);
  }

  // Units at as many dies at once.
  void read_flash(const Step& step, const Io& io, double members) {
    const FlashTraits& traits = system_.flash[step.function].traits();
    const double units = std::ceil(static_cast<double>(io.blocks) / traits.read_blocks);
    const auto bytes = static_cast<double>(io.blocks) * block_bytes;
    const std::size_t station = step.target + index_of(io.drive) * step.aux;
    (background_ ? background_s_ : single_s_)[station] +=
        weight_ * (units * step.fixed_ps + static_cast<double>(step.slope) * bytes) /
        picoseconds_per_second;
    if (background_) return;
    forks_[station] += weight_ / members;
    members_[station] += weight_ * units;
  }

  // Work of the drain and of the dies that no write waits for.
  void write_flash(const Step& step, const Io& io) {
    const Flash& flash = system_.flash[step.function];
    const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
    const auto bytes = static_cast<double>(io.blocks) * block_bytes;
    const Flash::WriteCost cost = flash.write_cost(drive, bytes, step.priority != 0);
    background_s_[step.target + drive] += weight_ * cost.drain_ps / picoseconds_per_second;
    const std::size_t die = flash.traits().first_die + std::size_t{drive} * flash.traits().dies;
    background_s_[die] += weight_ * cost.dies_ps / picoseconds_per_second;
  }

  void delay(const Step& step, double members) {
    if (!background_) delay_s_ += weight_ * step.after_ps / picoseconds_per_second / members;
  }

  System& system_;
  struct Scheduled {
    double foreground_s = 0, background_s = 0, forks = 0, members = 0;
  };
  double commands_;
  std::vector<double> speeds_;
  MemberPlan plan_;
  std::vector<double> single_s_, background_s_, servers_s_, priority_s_, forks_, members_;
  std::vector<Scheduled> scheduled_;
  Rng rng_;
  std::uint64_t previous_ = 0, last_ = 0;  // where the head was left by the I/O before, by this one
  bool sequential_ = false;
  double weight_ = 0, delay_s_ = 0, bytes_ = 0, reads_ = 0;
  bool background_ = false;
};

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

Demands measure_demands(Assembly& assembly, const std::vector<double>& stream_weights,
                        double commands, const std::vector<double>& speeds) {
  Walker walker(assembly, commands, speeds);
  const System& system = assembly.system();
  for (std::size_t i = 0; i < system.streams.size(); ++i) {
    const Stream& stream = system.streams[i];
    // Whole rounds over the connections, so that what is statically bound is exact.
    const std::uint32_t rounds = std::max(1u, samples_per_stream / stream.connections);
    const double weight = stream_weights[i] / (static_cast<double>(rounds) * stream.connections);
    for (std::uint32_t r = 0; r < rounds; ++r) {
      for (std::uint32_t c = 0; c < stream.connections; ++c) {
        walker.walk(stream, stream.first_connection + c, weight);
      }
    }
  }
  return walker.demands();
}

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
