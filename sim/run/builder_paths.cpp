// The paths of commands: what a read and a write visit, in which order and for how long.
#include <algorithm>

#include "sim/run/system_builder.hpp"

namespace storcast {
namespace {

constexpr std::uint32_t open_in_flight = 100'000;  // of an open workload, before it is unstable

}  // namespace

Duration Builder::on_wire(const HostConfig& host, std::int64_t bytes, const char* way) const {
  return Bytes{bytes} / platform_.link(port_name(host, 0) + way).bandwidth;
}

Duration Builder::latency(const HostConfig& host, const char* way) const {
  return platform_.link(port_name(host, 0) + way).latency;
}

void Builder::to_array(PathBuilder& path, const Command& c, std::int64_t bytes) {
  const HostConfig& host = s_.hosts[s_.workloads[c.workload].host];
  path.stage(StageId::fabric)
      .note("port to the array")
      .visit(to_array_[s_.workloads[c.workload].host], {on_wire(host, bytes, ".to_array")},
             latency(host, ".to_array"));
}

void Builder::from_array(PathBuilder& path, const Command& c, std::int64_t bytes) {
  const HostConfig& host = s_.hosts[s_.workloads[c.workload].host];
  path.stage(StageId::fabric)
      .note("port from the array")
      .visit(from_array_[s_.workloads[c.workload].host], {on_wire(host, bytes, ".from_array")},
             latency(host, ".from_array"));
}

void Builder::on_host(PathBuilder& path, const Command& c, double ns_per_byte, const char* note) {
  const Duration copy = from_seconds(ns_per_byte * 1e-9 * static_cast<double>(c.bytes));
  path.stage(StageId::host)
      .note(note)
      .visit(host_cores_[s_.workloads[c.workload].host], {s_.fabric.stack.initiator / 2 + copy});
}

void Builder::on_core(PathBuilder& path, const Command& c, Duration time, const char* note) {
  path.stage(StageId::controller)
      .note(note)
      .visit(out_.controller_cores[pools_[c.pool].controller], {time})
      .gated();
}

Wire Builder::wire(const Command& c) const {
  return {s_.fabric.stack.transport, s_.hosts[s_.workloads[c.workload].host].ports.mtu,
          s_.fabric.stack.commands};
}

bool Builder::fills_queue(const WorkloadConfig& w) const {
  if (w.arrival == Arrival::poisson) return true;
  const auto index = static_cast<std::size_t>(&w - s_.workloads.data());
  double most = w.iodepth;
  for (const TimelineEntry& e : s_.timeline) {
    if (e.kind == TimelineEntry::Kind::iodepth && e.workload == index)
      most = std::max(most, e.value);
  }
  return most > s_.fabric.stack.queue_depth;
}

std::uint32_t Builder::add_connection_pools(const std::string& name, std::int64_t tokens) {
  const std::uint32_t table = system().add_route_table();
  for (std::uint32_t c = 0; c < system().connections.size(); ++c) {
    system().routes[table + c] = static_cast<std::uint32_t>(system().pools.size());
    system().add_pool(name, tokens);
  }
  return table;
}

std::uint32_t Builder::queue_slots() {
  if (!queue_slots_) {
    queue_slots_ = add_connection_pools("queue slots", s_.fabric.stack.queue_depth);
  }
  return *queue_slots_;
}

std::uint32_t Builder::rdma_reads() {
  if (!rdma_reads_) {
    rdma_reads_ = add_connection_pools("RDMA READs", s_.fabric.stack.rdma_read_depth);
  }
  return *rdma_reads_;
}

std::uint32_t Builder::read_path(const Command& c, DecideId cached) {
  const PoolPart& pool = pools_[c.pool];
  const ControllerParams& controller = s_.array.controllers[pool.controller].params;
  const SoftwareCost software = software_cost(controller, c.direction, c.bytes, c.sequential);
  const Duration protocol = target_cost(s_.fabric.stack, c.direction, c.bytes);
  const Duration half = s_.fabric.stack.target_read / 2;
  const bool queues = fills_queue(s_.workloads[c.workload]);
  PathBuilder path(system());
  if (queues) path.stage(StageId::host).note("host: room in the queue").seize_routed(queue_slots());
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
  (c.sequential ? pool.read_stream : pool.read)(path);
  path.join().stage(StageId::controller);
  if (pool.intact) append_recovery(path, c);
  path.resume();
  on_core(path, c, protocol - half + software.after, "controller: data and response");
  path.release_routed(command_routes_);
  from_array(path, c, wire(c).read_data(c.bytes));
  on_host(path, c, s_.fabric.stack.initiator_receive_ns_per_byte, "host: completion");
  if (queues) path.release_routed(queue_slots());
  return path.finish();
}

void Builder::append_recovery(PathBuilder& path, const Command& c) {
  const PoolPart& pool = pools_[c.pool];
  const Bytes read{std::min(c.bytes, pool.strip_bytes) * pool.data_drives};
  path.skip_if(*pool.intact);
  on_core(path, c, read / s_.array.controllers[pool.controller].params.parity_recover,
          "controller: recovery");
  path.resume();
}

std::uint32_t Builder::write_path(const Command& c) {
  const PoolPart& pool = pools_[c.pool];
  const ControllerParams& controller = s_.array.controllers[pool.controller].params;
  const SoftwareCost software = software_cost(controller, c.direction, c.bytes, c.sequential);
  const Duration protocol = target_cost(s_.fabric.stack, c.direction, c.bytes);
  const Duration half = s_.fabric.stack.target_write / 2;
  const auto pages = static_cast<std::uint32_t>((c.bytes + 4095) / 4096);
  const PoolId dirty = dirty_pools_[pool.controller];
  const bool in_capsule = c.bytes <= s_.fabric.stack.in_capsule.value;
  const bool queues = fills_queue(s_.workloads[c.workload]);
  const bool fetched = !in_capsule && s_.fabric.stack.transport == Transport::roce;
  PathBuilder path(system());
  if (queues) path.stage(StageId::host).note("host: room in the queue").seize_routed(queue_slots());
  on_host(path, c, s_.fabric.stack.initiator_send_ns_per_byte, "host: submission");
  to_array(path, c, in_capsule ? wire(c).command_with_data(c.bytes) : wire(c).command());
  path.stage(StageId::controller).seize_routed(command_routes_);
  if (!in_capsule) {
    on_core(path, c, half / 2, "controller: command");
    if (fetched) path.note("fabric: RDMA READ").seize_routed(rdma_reads());
    from_array(path, c, wire(c).request_data());
    to_array(path, c, wire(c).write_data(c.bytes));
    if (fetched) path.release_routed(rdma_reads());
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
  if (queues) path.release_routed(queue_slots());
  path.acknowledge();
  append_destage(path, c, software.after);
  path.release(dirty, pages);
  return path.finish();
}

void Builder::append_mirror(PathBuilder& path, const Command& c, std::size_t controller) {
  const Platform::Link& link = platform_.link(controller_name(s_, controller) + ".mirror");
  path.skip_if(unmirrored_)
      .note("mirror: link")
      .visit(mirror_links_[controller], {Bytes{c.bytes} / link.bandwidth}, link.latency)
      .note("mirror: peer")
      .visit(peer_cores_[controller], {s_.array.cache.mirror_cost}, link.latency)
      .resume();
}

void Builder::append_destage(PathBuilder& path, const Command& c, Duration software) {
  const PoolPart& pool = pools_[c.pool];
  const ControllerParams& controller = s_.array.controllers[pool.controller].params;
  on_core(path, c, software, "controller: destage");
  path.stage(StageId::raid_and_drives);
  // The cache has joined what is sequential into whole stripes, one writer each.
  const bool locked = pool.parity && !c.sequential;
  if (locked) {
    path.note("stripe locks").lock(*pool.locks);
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
  // The locks are found again by the I/O's own address.
  path.stage(StageId::raid_and_drives).fork(pool.plan, static_cast<int>(writes), !locked);
  pool.write(path, c.sequential);
  path.join();
  if (locked) path.unlock(*pool.locks);
}

void Builder::add_stream(std::size_t index) {
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

void Builder::add_paths(std::size_t index, Stream& stream, Bytes span) {
  const WorkloadConfig& w = s_.workloads[index];
  const double cached = static_cast<double>(s_.array.cache.size.value) * s_.array.cache.read_share *
                        static_cast<double>(s_.array.controllers.size());
  const auto volumes = static_cast<double>(w.volumes.size());
  const DecideId hit = system().add_decision(keep(
      ReadCache{hit_ratio(w.law, w.law_parameter, cached / volumes, static_cast<double>(span.value),
                          static_cast<double>(stream.alignment_blocks * block_bytes))}));
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    for (const Direction direction : {Direction::read, Direction::write}) {
      for (const SizeShare& size : w.sizes) {
        const Command command{index, pool, direction, size.size.value, !w.random};
        if (direction == Direction::write && !w.may_write()) {
          stream.paths.push_back(0);  // never taken
          continue;
        }
        const bool read = direction == Direction::read;
        if (s_.fabric.local) {
          stream.paths.push_back(read ? local_read_path(command) : local_write_path(command));
        } else {
          stream.paths.push_back(read ? read_path(command, hit) : write_path(command));
        }
      }
    }
  }
}

bool Builder::degrades() const {
  return std::any_of(s_.timeline.begin(), s_.timeline.end(),
                     [](const auto& e) { return e.kind == TimelineEntry::Kind::fail_drive; });
}

void Builder::size_the_io_pool() {
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
    if (writes && w.random) add_locks(w, parents);
    // A member that detaches needs an I/O of its own, even if it is the only one.
    const std::size_t all = parents * (1 + (members > 1 || detached_ > 0 ? members : 0));
    // An open load never has all of its I/Os in forks at once: beyond this it is unstable.
    const bool open = w.arrival == Arrival::poisson;
    most += (open ? std::min(all, std::size_t{600'000}) : all) + 64;
  }
  system().io_capacity = most + detached_ + rebuild_ios();
}

void Builder::add_locks(const WorkloadConfig& w, std::size_t writers) {
  std::size_t most = 1;
  for (const SizeShare& size : w.sizes) {
    for (const PoolPart& pool : pools_) {
      const auto strips = static_cast<std::size_t>(size.size.value / pool.strip_bytes);
      if (pool.locks) most = std::max(most, strips + 2);
    }
  }
  system().most_locks = std::max(system().most_locks, most);
  system().locks_at_once += writers * most;
}

std::size_t Builder::members_of(const WorkloadConfig& w, const SizeShare& size, bool writes) const {
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

}  // namespace storcast
