#include "sim/run/builder.hpp"

#include <algorithm>
#include <utility>

#include "sim/run/background_drive.hpp"
#include "sim/run/system_builder.hpp"

namespace storcast {
namespace {

constexpr std::int64_t unlimited_commands = std::int64_t{1} << 40;

// Cables of a host are dealt to the controllers in blocks: the first half to a, the second to b.
std::size_t controller_of_port(const Scenario& s, const HostConfig& host, int port) {
  return static_cast<std::size_t>(port) * s.array.controllers.size() /
         static_cast<std::size_t>(host.ports.count);
}

}  // namespace

std::string port_name(const HostConfig& host, int port) {
  return host.name + ".port" + std::to_string(port);
}

std::string controller_name(const Scenario& scenario, std::size_t controller) {
  return scenario.array.name + ".controller_" + scenario.array.controllers[controller].name;
}

PlatformConfig platform_of(const Scenario& s) {
  PlatformConfig config;
  for (const HostConfig& host : s.hosts) {
    config.nodes.push_back({host.name, host.params.cores, {}});
    for (int p = 0; p < host.ports.count; ++p) {
      const std::string port = port_name(host, p);
      const std::string controller = controller_name(s, controller_of_port(s, host, p));
      const Duration latency = host.ports.adapter_latency * 2 + host.ports.cable_latency;
      config.links.push_back({port + ".to_array", host.ports.credited_rate(), latency});
      config.links.push_back({port + ".from_array", host.ports.credited_rate(), latency});
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

Assembly Builder::build() {
  out_.rebuilds.resize(s_.array.pools.size());
  add_connections();
  add_hosts_and_ports();
  add_controllers();
  add_shelves();
  for (std::size_t p = 0; p < s_.array.pools.size(); ++p) add_pool(p);
  unmirrored_ = system().add_decision(keep(FlagSet{out_.unmirrored_}));
  for (std::size_t w = 0; w < s_.workloads.size(); ++w) add_stream(w);
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    if (out_.rebuilds[p] != nullptr) add_rebuild_path(p);
  }
  size_the_io_pool();
  return std::move(out_);
}

GroupId Builder::named(GroupId id, std::string role) {
  system().groups[id].role = std::move(role);
  return id;
}

void Builder::add_connections() {
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
  add_rebuild_connections(dealt);
}

std::uint32_t Builder::local_index(std::uint16_t volume) const {
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

void Builder::add_hosts_and_ports() {
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
        {named(
             system().add_per_connection(
                 host.name + ".cores", static_cast<std::uint32_t>(host.params.cores), host_routes_),
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
      const std::uint32_t port = s_.fabric.local ? 0 : port_of(host, c);
      system().routes[host_routes_ + c] =
          system().groups[groups[w.host].cores].first + static_cast<std::uint32_t>(i) % cores;
      system().routes[to_routes_ + c] = system().groups[groups[w.host].to].first + port;
      system().routes[from_routes_ + c] = system().groups[groups[w.host].from].first + port;
    }
  }
}

std::uint32_t Builder::port_of(const HostConfig& host, std::uint32_t connection) {
  const std::size_t owner = out_.owners_[connection].controller;
  std::vector<std::uint32_t> links;
  for (int p = 0; p < host.ports.count; ++p) {
    if (controller_of_port(s_, host, p) == owner) links.push_back(static_cast<std::uint32_t>(p));
  }
  INVARIANT(!links.empty(), "every controller with volumes has a cable");
  return links[local_index(system().connections[connection].volume) % links.size()];
}

void Builder::add_controllers() {
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

void Builder::route_to_core(std::uint32_t table, std::uint32_t connection, std::size_t controller) {
  const StationGroup& cores = system().groups[out_.controller_cores[controller]];
  system().routes[table + connection] = cores.first + out_.owners_[connection].index % cores.queues;
}

void Builder::add_shelves() {
  for (std::size_t s = 0; s < s_.array.shelves.size(); ++s) {
    const ShelfConfig& config = s_.array.shelves[s];
    Assembly::ShelfRoutes shelf{system().add_route_table(), {}, {}};
    for (std::size_t c = 0; c < s_.array.controllers.size(); ++c) {
      const GroupId lanes =
          named(system().add_servers(controller_name(s_, c) + ".sas_" + config.name,
                                     config.params.ports * config.params.lanes),
                "sas lanes");
      shelf.lanes.push_back(system().groups[lanes].first);
      const auto lost = [&](const PoolConfig& pool) {
        return pool.shelf == s && pool.controller == c && config.params.paths == SasPaths::single;
      };
      shelf.lost_with.push_back(std::any_of(s_.array.pools.begin(), s_.array.pools.end(), lost));
    }
    for (std::uint32_t c = 0; c < system().connections.size(); ++c) {
      system().routes[shelf.routes + c] = shelf.lanes[out_.owners_[c].controller];
    }
    out_.shelves_.push_back(std::move(shelf));
  }
}

void Builder::behind_shelf(const PoolConfig& pool, PoolPart& part) {
  const SasParams& sas = s_.array.shelves[*pool.shelf].params;
  const std::uint32_t routes = out_.shelves_[*pool.shelf].routes;
  const ServiceDemand demand{sas.connection_open, 1e12 / sas.lane_payload().value};
  const Duration hops = sas.mean_hops();
  const auto read_through = [&](std::function<void(PathBuilder&)>& read) {
    read = [=, read = read](PathBuilder& path) {
      read(path);
      path.note("shelf: lanes").visit_servers(routes, demand, hops);
    };
  };
  const auto write_through = [&](std::function<void(PathBuilder&, bool)>& write) {
    write = [=, write = write](PathBuilder& path, bool sequential) {
      path.note("shelf: lanes").visit_servers(routes, demand, hops);
      write(path, sequential);
    };
  };
  read_through(part.read);
  read_through(part.read_stream);
  read_through(part.rebuild_read);
  write_through(part.write);
  write_through(part.rebuild_write);
}

template <class Raid>
void Builder::add_planner(std::size_t index, Raid raid, std::uint32_t strip, PoolPart& part) {
  std::vector<std::uint64_t> bases;
  // Volumes begin on a strip.
  const auto in_volume = static_cast<std::uint64_t>(s_.array.volume_size.value / block_bytes);
  const std::uint64_t volume_blocks = (in_volume + strip - 1) / strip * strip;
  for (std::size_t v = 0;
       v < s_.array.pools.size() * static_cast<std::size_t>(s_.array.volumes_per_pool); ++v) {
    bases.push_back(v % static_cast<std::size_t>(s_.array.volumes_per_pool) * volume_blocks);
  }
  auto plan = std::make_shared<PoolPlan<Raid>>(
      PoolPlan<Raid>{std::move(raid), out_.system_.get(), std::move(bases)});
  system().models.push_back(plan);
  part.plan = system().add_plan(Plan(*plan));
  if constexpr (std::is_same_v<Raid, ParityRaid>) {
    if (degrades()) part.intact = system().add_decision(keep(Intact{plan}));
    part.locks = system().add_locks(keep(StripeLocks{plan, pools_.size()}));
  }
  if (rebuilds(index)) {
    const auto volumes = static_cast<std::uint64_t>(s_.array.volumes_per_pool);
    add_rebuild(index, RebuildPlanner(plan->raid), volumes * volume_blocks);
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
  most_members_.push_back([plan](std::uint32_t blocks) { return plan->raid.most_members(blocks); });
}

template <class Drive>
void Builder::add_drives(const std::string& name, std::size_t pool,
                         const typename Drive::Params& params, PoolPart& part) {
  const auto count = static_cast<std::uint32_t>(s_.array.pools[pool].drives);
  const std::size_t first = system().groups.size();
  auto drive = std::make_shared<Drive>(Drive::install(system(), name, count, params));
  for (std::size_t g = first; g < system().groups.size(); ++g) {
    StationGroup& group = system().groups[static_cast<GroupId>(g)];
    group.role = "drives" + group.name.substr(name.size());
  }
  out_.drive_groups.push_back({name, pool, count, drive->power(), drive->busiest(),
                               static_cast<GroupId>(system().groups.size() - 1)});
  if constexpr (requires { drive->most_detached(); }) {
    detached_ += count * drive->most_detached();
  }
  part.read = [drive](PathBuilder& path) { drive->append_read(path); };
  part.read_stream = part.read;
  if constexpr (std::is_same_v<Drive, Ssd>) {
    const double passed_over = static_cast<double>(part.parity_drives) / part.data_drives;
    part.read_stream = [=](PathBuilder& path) { drive->append_stream_read(path, passed_over); };
  }
  part.write = [drive](PathBuilder& path, bool sequential) {
    drive->append_write(path, sequential);
  };
  part.rebuild_read = [drive](PathBuilder& path) { append_background_read(*drive, path); };
  part.rebuild_write = [drive](PathBuilder& path, bool sequential) {
    append_background_write(*drive, path, sequential);
  };
}

void Builder::add_pool(std::size_t index) {
  const PoolConfig& pool = s_.array.pools[index];
  const auto strip = static_cast<std::uint32_t>(pool.strip.value / block_bytes);
  PoolPart part;
  part.controller = pool.controller;
  part.parity = pool.layout.parity > 0;
  part.data_drives = pool.layout.data;
  part.strip_bytes = pool.strip.value;
  part.parity_drives = pool.layout.parity;
  if (part.parity) {
    add_planner(index, ParityRaid(pool.layout, strip), strip, part);
  } else {
    add_planner(index, MirrorRaid(pool.layout, strip), strip, part);
  }
  const std::string name = s_.array.name + ".pool_" + pool.name + ".drives";
  if (const auto* ssd = std::get_if<Ssd::Params>(&pool.drive)) {
    add_drives<Ssd>(name, index, *ssd, part);
  } else if (const auto* hdd = std::get_if<Hdd::Params>(&pool.drive)) {
    add_drives<Hdd>(name, index, *hdd, part);
  } else {
    add_drives<NullDrive>(name, index, std::get<NullDrive::Params>(pool.drive), part);
  }
  if (pool.shelf) behind_shelf(pool, part);
  if (pool.engine) add_engine(pool, s_.array.name + ".pool_" + pool.name + ".engine", part);
  pools_.push_back(std::move(part));
}
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
  if (survivor == controller_failed_.end()) {
    why_gone_ = "no controller is left";
    return false;
  }
  for (const ShelfRoutes& shelf : shelves_) {
    if (!shelf.lost_with[index]) continue;
    why_gone_ = "the shelf's single path is gone";
    return false;
  }
  const auto peer = static_cast<std::size_t>(survivor - controller_failed_.begin());
  const StationGroup& cores = system_->groups[controller_cores[peer]];
  for (std::uint32_t c = 0; c < system_->connections.size(); ++c) {
    if (owners_[c].controller != index) continue;
    system_->routes[core_routes_ + c] = cores.first + owners_[c].index % cores.queues;
    for (const ShelfRoutes& shelf : shelves_) {
      system_->routes[shelf.routes + c] = shelf.lanes[peer];
    }
    system_->connections[c].open_at = now + pauses_[index];
  }
  return true;
}

}  // namespace storcast
