#include "sim/run/builder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "models/mirror_raid.hpp"
#include "models/parity_raid.hpp"

namespace storcast {
namespace {

constexpr std::int64_t unlimited_commands = std::int64_t{1} << 40;
constexpr std::uint32_t open_in_flight = 100'000;  // of an open workload, before it is unstable

std::string port_name(const HostConfig& host, int port) {
  return host.name + ".port" + std::to_string(port);
}
std::string controller_name(const Scenario& s, std::size_t c) {
  return s.array.name + ".controller_" + s.array.controllers[c].name;
}
// Cables of a host are dealt to the controllers in blocks: the first half to a, the second to b.
std::size_t controller_of_port(const Scenario& s, const HostConfig& host, int port) {
  return static_cast<std::size_t>(port) * s.array.controllers.size() /
         static_cast<std::size_t>(host.ports.count);
}

// The members of an extent of one pool's volumes.
template <class Raid>
struct PoolPlan {
  Raid raid;
  const System* system;
  std::vector<std::uint64_t> bases;  // first block of each volume in its pool

  void operator()(const Io& io, int phase, MemberPlan& out) const noexcept {
    const std::uint64_t base = bases[system->connections[io.connection].volume];
    raid.plan({base + io.lba, io.blocks}, static_cast<RaidPhase>(phase), out);
  }
};

// True: no drive of the extent is lost, nothing has to be recovered.
struct Intact {
  std::shared_ptr<PoolPlan<ParityRaid>> plan;
  bool operator()(const Io& io, Time, Rng&) const noexcept {
    const std::uint64_t base = plan->bases[plan->system->connections[io.connection].volume];
    return !plan->raid.touches_lost({base + io.lba, io.blocks});
  }
};

struct FlagSet {
  std::shared_ptr<bool> flag;
  bool operator()(const Io&, Time, Rng&) const noexcept { return *flag; }
};

}  // namespace

PlatformConfig platform_of(const Scenario& s) {
  PlatformConfig config;
  for (const HostConfig& host : s.hosts) {
    config.nodes.push_back({host.name, host.params.cores, {}});
    for (int p = 0; p < host.ports.count; ++p) {
      const std::string port = port_name(host, p);
      const std::string controller = controller_name(s, controller_of_port(s, host, p));
      const Duration latency = host.ports.adapter_latency * 2 + host.ports.cable_latency;
      config.links.push_back({port + ".to_array", host.ports.rate, latency});
      config.links.push_back({port + ".from_array", host.ports.rate, latency});
      config.routes.push_back({port, controller, {port + ".to_array"}});
      config.routes.push_back({controller, port, {port + ".from_array"}});
    }
  }
  for (std::size_t c = 0; c < s.array.controllers.size(); ++c) {
    const ControllerParams& p = s.array.controllers[c].params;
    config.nodes.push_back({controller_name(s, c), p.cores, {p.cpu_idle, p.cpu_idle, p.cpu_busy}});
  }
  if (s.array.controllers.size() == 2) {
    for (std::size_t c = 0; c < 2; ++c) {
      const std::string link = controller_name(s, c) + ".mirror";
      config.links.push_back({link, s.array.cache.mirror_rate, s.array.cache.mirror_latency});
      config.routes.push_back({controller_name(s, c), controller_name(s, 1 - c), {link}});
    }
  }
  return config;
}

// Builds one system. The steps of build() are the order in which the parts depend on each other.
class Builder {
 public:
  Builder(const Scenario& scenario, const Platform& platform) : s_(scenario), platform_(platform) {
    out_.system_ = std::make_unique<System>();
    out_.unmirrored_ = std::make_shared<bool>(scenario.array.controllers.size() < 2);
  }

  System& system() { return *out_.system_; }

  // Keeps a function object alive as long as the system; the reference that FunctionRef binds to.
  template <class F>
  auto keep(F target) {
    auto owned = std::make_shared<F>(std::move(target));
    system().models.push_back(owned);
    if constexpr (std::is_invocable_r_v<bool, F&, const Io&, Time, Rng&>) {
      return Decide(*owned);
    } else {
      return Plan(*owned);
    }
  }

  Assembly build() {
    add_connections();
    add_hosts_and_ports();
    add_controllers();
    for (std::size_t p = 0; p < s_.array.pools.size(); ++p) add_pool(p);
    unmirrored_ = system().add_decision(keep(FlagSet{out_.unmirrored_}));
    for (std::size_t w = 0; w < s_.workloads.size(); ++w) add_stream(w);
    size_the_io_pool();
    return std::move(out_);
  }

 private:
  struct PoolPart {
    PlanId plan{};
    std::function<void(PathBuilder&)> read;
    std::function<void(PathBuilder&, bool)> write;
    std::function<std::size_t(std::uint32_t, RaidPhase)> members;  // of an I/O, healthy
    std::size_t controller = 0;
    bool parity = false;
    std::optional<DecideId> intact;  // parity pools that a timeline degrades
    std::int64_t strip_bytes = 0;
    int data_drives = 1;
  };
  // One command of a workload, on one pool.
  struct Command {
    std::size_t workload, pool;
    Direction direction;
    std::int64_t bytes;
    bool sequential;
  };

  GroupId named(GroupId id, std::string role) {
    system().groups[id].role = std::move(role);
    return id;
  }

  // Jobs of all workloads, in order: which volume each connection goes to and who owns that.
  void add_connections() {
    std::vector<std::uint32_t> dealt(s_.array.controllers.size());  // connections of each so far
    for (const WorkloadConfig& w : s_.workloads) {
      const auto volumes = static_cast<std::int64_t>(w.volumes.size());
      for (std::int64_t c = 0; c < w.connections(); ++c) {
        const std::int64_t v = w.jobs_per_volume ? c / w.numjobs : c % volumes;
        const std::uint16_t volume = w.volumes[static_cast<std::size_t>(v)];
        const auto pool = static_cast<std::size_t>(volume / s_.array.volumes_per_pool);
        system().connections.push_back(
            {.volume = volume, .variant = static_cast<std::uint16_t>(pool)});
        const std::size_t owner = s_.array.pools[pool].controller;
        out_.owners_.push_back({static_cast<std::uint16_t>(owner), dealt[owner]++});
      }
    }
  }

  // The how-manieth volume of its controller.
  [[nodiscard]] std::uint32_t local_index(std::uint16_t volume) const {
    const int per_pool = s_.array.volumes_per_pool;
    const auto pool = static_cast<std::size_t>(volume / per_pool);
    std::uint32_t index = 0;
    for (std::size_t p = 0; p < pool; ++p) {
      if (s_.array.pools[p].controller == s_.array.pools[pool].controller) {
        index += static_cast<std::uint32_t>(per_pool);
      }
    }
    return index + static_cast<std::uint32_t>(volume % per_pool);
  }

  void add_hosts_and_ports() {
    host_routes_ = system().add_route_table();
    to_routes_ = system().add_route_table();
    from_routes_ = system().add_route_table();
    struct HostGroups {
      GroupId cores, to, from;
    };
    std::vector<HostGroups> groups;
    for (const HostConfig& host : s_.hosts) {
      const auto ports = static_cast<std::uint32_t>(host.ports.count);
      groups.push_back(
          {named(system().add_per_connection(host.name + ".cores",
                                             static_cast<std::uint32_t>(host.params.cores),
                                             host_routes_),
                 "host cores"),
           named(system().add_per_connection(host.name + ".ports.to_array", ports, to_routes_),
                 "ports to the array"),
           named(system().add_per_connection(host.name + ".ports.from_array", ports, from_routes_),
                 "ports from the array")});
      host_cores_.push_back(groups.back().cores);
      to_array_.push_back(groups.back().to);
      from_array_.push_back(groups.back().from);
    }
    std::uint32_t c = 0;
    for (const WorkloadConfig& w : s_.workloads) {
      const HostConfig& host = s_.hosts[w.host];
      for (std::int64_t i = 0; i < w.connections(); ++i, ++c) {
        const auto cores = static_cast<std::uint32_t>(host.params.cores);
        const std::uint32_t port = port_of(host, c);
        system().routes[host_routes_ + c] =
            system().groups[groups[w.host].cores].first + static_cast<std::uint32_t>(i) % cores;
        system().routes[to_routes_ + c] = system().groups[groups[w.host].to].first + port;
        system().routes[from_routes_ + c] = system().groups[groups[w.host].from].first + port;
      }
    }
  }

  // One volume, one link, as far as links of its controller go round.
  [[nodiscard]] std::uint32_t port_of(const HostConfig& host, std::uint32_t connection) {
    const std::size_t owner = out_.owners_[connection].controller;
    std::vector<std::uint32_t> links;
    for (int p = 0; p < host.ports.count; ++p) {
      if (controller_of_port(s_, host, p) == owner) links.push_back(static_cast<std::uint32_t>(p));
    }
    INVARIANT(!links.empty(), "every controller with volumes has a cable");
    return links[local_index(system().connections[connection].volume) % links.size()];
  }

  void add_controllers() {
    out_.core_routes_ = system().add_route_table();
    out_.peer_routes_ = system().add_route_table();
    command_routes_ = system().add_route_table();
    const std::size_t count = s_.array.controllers.size();
    for (std::size_t c = 0; c < count; ++c) {
      const ControllerParams& p = s_.array.controllers[c].params;
      out_.controller_cores.push_back(
          named(system().add_per_connection(
                    controller_name(s_, c) + ".cores",
                    static_cast<std::uint32_t>(platform_.node(controller_name(s_, c)).cores),
                    out_.core_routes_),
                "controller cores"));
      out_.command_pools.push_back(
          system().add_pool(controller_name(s_, c) + ".commands", unlimited_commands));
      dirty_pools_.push_back(
          system().add_pool(controller_name(s_, c) + ".dirty_pages", dirty_pages(s_.array.cache)));
      out_.pauses_.push_back(p.failover_pause);
      out_.outstanding_cost_ps = static_cast<double>(p.outstanding_cost.count());
      if (count == 2) {
        mirror_links_.push_back(
            named(system().add_single(controller_name(s_, c) + ".mirror_link"), "mirror link"));
        peer_cores_.push_back({});
      }
    }
    // A second name for the peer's cores, under the peer's routes.
    for (std::size_t c = 0; c < mirror_links_.size(); ++c) {
      StationGroup alias = system().groups[out_.controller_cores[1 - c]];
      alias.route_table = out_.peer_routes_;
      peer_cores_[c] = alias;
    }
    out_.controller_failed_.assign(count, false);
    for (std::uint32_t c = 0; c < system().connections.size(); ++c) {
      const Assembly::Owner owner = out_.owners_[c];
      route_to_core(out_.core_routes_, c, owner.controller);
      route_to_core(out_.peer_routes_, c, count - 1 - owner.controller);
      system().routes[command_routes_ + c] =
          static_cast<std::uint32_t>(out_.command_pools[owner.controller]);
    }
  }

  void route_to_core(std::uint32_t table, std::uint32_t connection, std::size_t controller) {
    const StationGroup& cores = system().groups[out_.controller_cores[controller]];
    system().routes[table + connection] =
        cores.first + out_.owners_[connection].index % cores.queues;
  }

  void add_pool(std::size_t index) {
    const PoolConfig& pool = s_.array.pools[index];
    const auto strip = static_cast<std::uint32_t>(pool.strip.value / block_bytes);
    PoolPart part;
    part.controller = pool.controller;
    part.parity = pool.level == RaidLevel::raid5 || pool.level == RaidLevel::raid6;
    part.strip_bytes = pool.strip.value;
    if (part.parity) {
      add_planner(ParityRaid(pool.drives, pool.level == RaidLevel::raid5 ? 1 : 2, strip), strip,
                  part);
    } else {
      add_planner(MirrorRaid(pool.drives, pool.level == RaidLevel::raid0 ? 1 : 2, strip), strip,
                  part);
    }
    const std::string name = s_.array.name + ".pool_" + pool.name + ".drives";
    if (const auto* ssd = std::get_if<Ssd::Params>(&pool.drive)) {
      add_drives<Ssd>(name, index, *ssd, part);
    } else {
      add_drives<NullDrive>(name, index, std::get<NullDrive::Params>(pool.drive), part);
    }
    pools_.push_back(std::move(part));
  }

  template <class Raid>
  void add_planner(Raid raid, std::uint32_t strip, PoolPart& part) {
    std::vector<std::uint64_t> bases;
    for (std::size_t v = 0;
         v < s_.array.pools.size() * static_cast<std::size_t>(s_.array.volumes_per_pool); ++v) {
      // Volumes begin on a strip.
      const std::uint64_t blocks =
          static_cast<std::uint64_t>(s_.array.volume_size.value / block_bytes);
      bases.push_back(v % static_cast<std::size_t>(s_.array.volumes_per_pool) *
                      ((blocks + strip - 1) / strip * strip));
    }
    auto plan = std::make_shared<PoolPlan<Raid>>(
        PoolPlan<Raid>{std::move(raid), out_.system_.get(), std::move(bases)});
    system().models.push_back(plan);
    part.plan = system().add_plan(Plan(*plan));
    part.data_drives = plan->raid.data_drives();
    if constexpr (std::is_same_v<Raid, ParityRaid>) {
      if (degrades()) part.intact = system().add_decision(keep(Intact{plan}));
    }
    out_.fail_drive_.push_back([plan](DriveId drive) {
      plan->raid.fail(drive);
      return !plan->raid.data_lost();
    });
    const std::uint64_t unit = 8;
    part.members = [plan, unit](std::uint32_t blocks, RaidPhase phase) {
      MemberPlan probe(plan->raid.most_members(blocks));
      std::size_t most = 0;
      Rng rng(1, "member probe");
      for (int i = 0; i < 512; ++i) {
        probe.clear();
        plan->raid.plan({rng.below(1u << 24) * unit, blocks}, phase, probe);
        most = std::max(most, probe.size());
      }
      return most;
    };
    most_members_.push_back(
        [plan](std::uint32_t blocks) { return plan->raid.most_members(blocks); });
  }

  template <class Drive>
  void add_drives(const std::string& name, std::size_t pool, const typename Drive::Params& params,
                  PoolPart& part) {
    const auto count = static_cast<std::uint32_t>(s_.array.pools[pool].drives);
    const std::size_t first = system().groups.size();
    auto drive = std::make_shared<Drive>(Drive::install(system(), name, count, params));
    for (std::size_t g = first; g < system().groups.size(); ++g) {
      StationGroup& group = system().groups[static_cast<GroupId>(g)];
      group.role = "drives" + group.name.substr(name.size());
    }
    out_.drive_groups.push_back({pool, count, drive->power(), drive->busiest(),
                                 static_cast<GroupId>(system().groups.size() - 1)});
    part.read = [drive](PathBuilder& path) { drive->append_read(path); };
    part.write = [drive](PathBuilder& path, bool sequential) {
      drive->append_write(path, sequential);
    };
  }

  Duration on_wire(const HostConfig& host, std::int64_t bytes, const char* way) const {
    return Bytes{bytes} / platform_.link(port_name(host, 0) + way).bandwidth;
  }
  Duration latency(const HostConfig& host, const char* way) const {
    return platform_.link(port_name(host, 0) + way).latency;
  }

  void to_array(PathBuilder& path, const Command& c, std::int64_t bytes) {
    const HostConfig& host = s_.hosts[s_.workloads[c.workload].host];
    path.stage(StageId::fabric)
        .note("port to the array")
        .visit(to_array_[s_.workloads[c.workload].host], {on_wire(host, bytes, ".to_array")},
               latency(host, ".to_array"));
  }
  void from_array(PathBuilder& path, const Command& c, std::int64_t bytes) {
    const HostConfig& host = s_.hosts[s_.workloads[c.workload].host];
    path.stage(StageId::fabric)
        .note("port from the array")
        .visit(from_array_[s_.workloads[c.workload].host], {on_wire(host, bytes, ".from_array")},
               latency(host, ".from_array"));
  }
  void on_host(PathBuilder& path, const Command& c, double ns_per_byte, const char* note) {
    const Duration copy = from_seconds(ns_per_byte * 1e-9 * static_cast<double>(c.bytes));
    path.stage(StageId::host)
        .note(note)
        .visit(host_cores_[s_.workloads[c.workload].host], {s_.fabric.stack.initiator / 2 + copy});
  }
  void on_core(PathBuilder& path, const Command& c, Duration time, const char* note) {
    path.stage(StageId::controller)
        .note(note)
        .visit(out_.controller_cores[pools_[c.pool].controller], {time})
        .gated();
  }

  [[nodiscard]] Wire wire(const Command& c) const {
    return {s_.fabric.stack.transport, s_.hosts[s_.workloads[c.workload].host].ports.mtu};
  }

  std::uint32_t read_path(const Command& c, DecideId cached) {
    const PoolPart& pool = pools_[c.pool];
    const ControllerParams& controller = s_.array.controllers[pool.controller].params;
    const SoftwareCost software = software_cost(controller, c.direction, c.bytes, c.sequential);
    const Duration protocol = target_cost(s_.fabric.stack, c.direction, c.bytes);
    const Duration half = s_.fabric.stack.target_read / 2;
    PathBuilder path(system());
    on_host(path, c, 0, "host: submission");
    to_array(path, c, wire(c).command());
    path.stage(StageId::controller).seize_routed(command_routes_);
    on_core(path, c, half + software.before, "controller: command");
    path.per_outstanding(command_routes_, static_cast<double>(controller.outstanding_cost.count()));
    // Whether something was recovered is asked after the join, so the I/O must keep its own
    // address.
    path.skip_if(cached)
        .stage(StageId::raid_and_drives)
        .fork(pool.plan, static_cast<int>(RaidPhase::read), !pool.intact);
    pool.read(path);
    path.join().stage(StageId::controller);
    if (pool.intact) append_recovery(path, c);
    path.resume();
    on_core(path, c, protocol - half + software.after, "controller: data and response");
    path.release_routed(command_routes_);
    from_array(path, c, wire(c).read_data(c.bytes));
    on_host(path, c, s_.fabric.stack.initiator_receive_ns_per_byte, "host: completion");
    return path.finish();
  }

  // The arithmetic that gives a lost strip back from d others.
  void append_recovery(PathBuilder& path, const Command& c) {
    const PoolPart& pool = pools_[c.pool];
    const Bytes read{std::min(c.bytes, pool.strip_bytes) * pool.data_drives};
    path.skip_if(*pool.intact);
    on_core(path, c, read / s_.array.controllers[pool.controller].params.parity_recover,
            "controller: recovery");
    path.resume();
  }

  std::uint32_t write_path(const Command& c) {
    const PoolPart& pool = pools_[c.pool];
    const ControllerParams& controller = s_.array.controllers[pool.controller].params;
    const SoftwareCost software = software_cost(controller, c.direction, c.bytes, c.sequential);
    const Duration protocol = target_cost(s_.fabric.stack, c.direction, c.bytes);
    const Duration half = s_.fabric.stack.target_write / 2;
    const auto pages = static_cast<std::uint32_t>((c.bytes + 4095) / 4096);
    const PoolId dirty = dirty_pools_[pool.controller];
    const bool in_capsule = c.bytes <= s_.fabric.stack.in_capsule.value;
    PathBuilder path(system());
    on_host(path, c, s_.fabric.stack.initiator_send_ns_per_byte, "host: submission");
    to_array(path, c, in_capsule ? wire(c).command_with_data(c.bytes) : wire(c).command());
    path.stage(StageId::controller).seize_routed(command_routes_);
    if (!in_capsule) {
      on_core(path, c, half / 2, "controller: command");
      from_array(path, c, wire(c).request_data());
      to_array(path, c, wire(c).write_data(c.bytes));
    }
    on_core(path, c, protocol - half - (in_capsule ? Duration{} : half / 2) + software.before,
            "controller: data");
    path.per_outstanding(command_routes_, static_cast<double>(controller.outstanding_cost.count()));
    path.note("cache: room for dirty data").seize(dirty, pages);
    if (!mirror_links_.empty()) append_mirror(path, c, pool.controller);
    on_core(path, c, half, "controller: response");
    path.release_routed(command_routes_);
    from_array(path, c, wire(c).response());
    on_host(path, c, 0, "host: completion");
    path.acknowledge();
    append_destage(path, c, software.after);
    path.release(dirty, pages);
    return path.finish();
  }

  void append_mirror(PathBuilder& path, const Command& c, std::size_t controller) {
    const Platform::Link& link = platform_.link(controller_name(s_, controller) + ".mirror");
    path.skip_if(unmirrored_)
        .note("mirror: link")
        .visit(mirror_links_[controller], {Bytes{c.bytes} / link.bandwidth}, link.latency)
        .note("mirror: peer")
        .visit(peer_cores_[controller], {s_.array.cache.mirror_cost}, link.latency)
        .resume();
  }

  void append_destage(PathBuilder& path, const Command& c, Duration software) {
    const PoolPart& pool = pools_[c.pool];
    const ControllerParams& controller = s_.array.controllers[pool.controller].params;
    on_core(path, c, software, "controller: destage");
    path.stage(StageId::raid_and_drives);
    if (pool.parity && !c.sequential) {
      path.fork(pool.plan, static_cast<int>(RaidPhase::write_reads), false);
      pool.read(path);
      path.join();
    }
    if (pool.parity) {
      const Duration arithmetic = c.sequential ? Bytes{c.bytes} / controller.parity_generate
                                               : Bytes{2 * c.bytes} / controller.parity_update;
      on_core(path, c, arithmetic, "controller: parity");
    }
    const RaidPhase writes =
        c.sequential && pool.parity ? RaidPhase::sequential_writes : RaidPhase::write_writes;
    path.stage(StageId::raid_and_drives).fork(pool.plan, static_cast<int>(writes), true);
    pool.write(path, c.sequential);
    path.join();
  }

  void add_stream(std::size_t index) {
    const WorkloadConfig& w = s_.workloads[index];
    Stream stream;
    stream.name = w.name;
    stream.open = w.arrival == Arrival::poisson;
    stream.read_fraction = w.read_fraction;
    stream.law = w.law;
    stream.law_parameter = w.law_parameter;
    const Bytes span = w.span.value_or(s_.array.volume_size);
    stream.span_blocks = static_cast<std::uint64_t>(span.value / block_bytes);
    stream.first_connection = first_connection_;
    stream.connections = static_cast<std::uint32_t>(w.connections());
    first_connection_ += stream.connections;
    stream.per_connection = static_cast<std::uint32_t>(w.iodepth);
    stream.think = w.thinktime;
    if (stream.open) {
      stream.interarrival_ps = picoseconds_per_second / w.rate_iops;
      stream.interarrival = system().add_shape(Shape::exponential());
    }
    double up_to = 0;
    stream.alignment_blocks = ~0u;
    for (const SizeShare& size : w.sizes) {
      const auto blocks = static_cast<std::uint32_t>(size.size.value / block_bytes);
      up_to += size.share;
      stream.read_sizes.push_back({up_to, blocks});
      stream.alignment_blocks = std::min(stream.alignment_blocks, blocks);
      for (const auto& most : most_members_) {
        system().most_members = std::max(system().most_members, most(blocks));
      }
    }
    stream.write_sizes = stream.read_sizes;
    stream.sizes_stride = static_cast<std::uint32_t>(w.sizes.size());
    add_paths(index, stream, span);
    system().steps.push_back({.kind = stream.open ? StepKind::arrive : StepKind::submit});
    system().infos.push_back({stream.name});
    stream.first_step = static_cast<std::uint32_t>(system().steps.size() - 1);
    system().streams.push_back(std::move(stream));
  }

  void add_paths(std::size_t index, Stream& stream, Bytes span) {
    const WorkloadConfig& w = s_.workloads[index];
    const double cached = static_cast<double>(s_.array.cache.size.value) *
                          s_.array.cache.read_share *
                          static_cast<double>(s_.array.controllers.size());
    const auto volumes = static_cast<double>(w.volumes.size());
    const DecideId hit = system().add_decision(keep(ReadCache{
        hit_ratio(w.law, w.law_parameter, cached / volumes, static_cast<double>(span.value),
                  static_cast<double>(stream.alignment_blocks * block_bytes))}));
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      for (const Direction direction : {Direction::read, Direction::write}) {
        for (const SizeShare& size : w.sizes) {
          const Command command{index, pool, direction, size.size.value, !w.random};
          if (direction == Direction::write && !w.may_write()) {
            stream.paths.push_back(0);  // never taken
            continue;
          }
          stream.paths.push_back(direction == Direction::read ? read_path(command, hit)
                                                              : write_path(command));
        }
      }
    }
  }

  [[nodiscard]] bool degrades() const {
    return std::any_of(s_.timeline.begin(), s_.timeline.end(),
                       [](const auto& e) { return e.kind == TimelineEntry::Kind::fail_drive; });
  }

  // I/Os that can be in flight: the load's, destages up to the dirty limit, members of forks.
  void size_the_io_pool() {
    std::size_t most = 0;
    for (const WorkloadConfig& w : s_.workloads) {
      std::int64_t per_connection = w.iodepth;
      for (const TimelineEntry& e : s_.timeline) {
        if (e.kind == TimelineEntry::Kind::iodepth && &s_.workloads[e.workload] == &w) {
          per_connection = std::max(per_connection, static_cast<std::int64_t>(e.value));
        }
      }
      const auto load = w.arrival == Arrival::poisson
                            ? open_in_flight
                            : static_cast<std::size_t>(w.connections() * per_connection);
      const auto smallest = std::min_element(w.sizes.begin(), w.sizes.end(), [](auto& a, auto& b) {
                              return a.size < b.size;
                            })->size.value;
      const std::int64_t pages = std::max<std::int64_t>(1, smallest / 4096);
      const bool writes = w.may_write();
      const auto destages =
          writes ? static_cast<std::size_t>(dirty_pages(s_.array.cache) / pages *
                                            static_cast<std::int64_t>(s_.array.controllers.size()))
                 : 0;
      std::size_t members = 0;
      for (const SizeShare& size : w.sizes) {
        members = std::max(members, members_of(w, size, writes));
      }
      const std::size_t parents = load + std::min(destages, std::size_t{400'000});
      const std::size_t all = parents * (1 + (members > 1 ? members : 0));
      // An open load never has all of its I/Os in forks at once: beyond this it is unstable.
      const bool open = w.arrival == Arrival::poisson;
      most += (open ? std::min(all, std::size_t{600'000}) : all) + 64;
    }
    system().io_capacity = most;
  }

  [[nodiscard]] std::size_t members_of(const WorkloadConfig& w, const SizeShare& size,
                                       bool writes) const {
    const auto blocks = static_cast<std::uint32_t>(size.size.value / block_bytes);
    std::size_t most = 0;
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      if (degrades()) {
        most = std::max(most, most_members_[p](blocks));
        continue;
      }
      if (w.read_fraction > 0) most = std::max(most, pools_[p].members(blocks, RaidPhase::read));
      if (!writes) continue;
      most = std::max(most, pools_[p].members(blocks, RaidPhase::write_reads));
      most = std::max(most, pools_[p].members(blocks, RaidPhase::write_writes));
    }
    return most;
  }

  const Scenario& s_;
  const Platform& platform_;
  Assembly out_;
  std::vector<GroupId> host_cores_, to_array_, from_array_, mirror_links_;
  std::vector<StationGroup> peer_cores_;
  std::vector<PoolId> dirty_pools_;
  std::vector<PoolPart> pools_;
  std::vector<std::function<std::size_t(std::uint32_t)>> most_members_;  // by pool, at the worst
  std::uint32_t host_routes_ = 0, to_routes_ = 0, from_routes_ = 0, command_routes_ = 0;
  std::uint32_t first_connection_ = 0;
  DecideId unmirrored_{};
};

Assembly build_system(const Scenario& scenario, const Platform& platform) {
  return Builder(scenario, platform).build();
}

bool Assembly::fail_drive(std::size_t pool, int drive) {
  return fail_drive_[pool](static_cast<DriveId>(drive));
}

bool Assembly::fail_controller(std::size_t index, Time now) {
  controller_failed_[index] = true;
  *unmirrored_ = true;
  const auto survivor = std::find(controller_failed_.begin(), controller_failed_.end(), false);
  if (survivor == controller_failed_.end()) return false;
  const auto peer = static_cast<std::size_t>(survivor - controller_failed_.begin());
  const StationGroup& cores = system_->groups[controller_cores[peer]];
  for (std::uint32_t c = 0; c < system_->connections.size(); ++c) {
    if (owners_[c].controller != index) continue;
    system_->routes[core_routes_ + c] = cores.first + owners_[c].index % cores.queues;
    system_->connections[c].open_at = now + pauses_[index];
  }
  return true;
}

}  // namespace storcast
