// How a system is built: the class behind build_system(). Private to sim/run.
//
// builder.cpp adds the parts (connections, hosts, controllers, pools), builder_paths.cpp writes the
// paths that commands take through them, builder_rebuild.cpp those of rebuilds.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/engine.hpp"
#include "models/mirror_raid.hpp"
#include "models/parity_raid.hpp"
#include "sim/run/builder.hpp"

namespace storcast {

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

// The stripes of an extent of one pool, all pools apart.
struct StripeLocks {
  std::shared_ptr<PoolPlan<ParityRaid>> plan;
  std::uint64_t pool;
  void operator()(const Io& io, LockKeys& out) const noexcept {
    const std::uint64_t base = plan->bases[plan->system->connections[io.connection].volume];
    plan->raid.for_each_lock({base + io.lba, io.blocks},
                             [&](std::uint64_t stripe) { out.push(pool << 56 | stripe); });
  }
};

struct FlagSet {
  std::shared_ptr<bool> flag;
  bool operator()(const Io&, Time, Rng&) const noexcept { return *flag; }
};

[[nodiscard]] std::string port_name(const HostConfig& host, int port);
[[nodiscard]] std::string controller_name(const Scenario& scenario, std::size_t controller);

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
    } else if constexpr (std::is_invocable_v<F&, const Io&, LockKeys&>) {
      return Locks(*owned);
    } else {
      return Plan(*owned);
    }
  }

  Assembly build();

 private:
  struct PoolPart {
    PlanId plan{};
    std::function<void(PathBuilder&)> read, read_stream;  // the latter: of sequential commands
    std::function<void(PathBuilder&, bool)> write;
    std::function<void(PathBuilder&)> rebuild_read;  // the same of background work
    std::function<void(PathBuilder&, bool)> rebuild_write;
    std::function<std::size_t(std::uint32_t, RaidPhase)> members;  // of an I/O, healthy
    std::size_t controller = 0;
    bool parity = false;
    std::optional<DecideId> intact;  // parity pools that a timeline degrades
    std::optional<LockId> locks;     // parity pools: one writer a stripe
    int parity_drives = 0;
    // What the engine of local drives adds to a path.
    std::function<void(PathBuilder&, const EngineIo&)> engine_read, engine_recovery, engine_write,
        engine_parity, engine_write_end;
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

  GroupId named(GroupId id, std::string role);
  // Jobs of all workloads, in order: which volume each connection goes to and who owns that.
  void add_connections();
  // The how-manieth volume of its controller.
  [[nodiscard]] std::uint32_t local_index(std::uint16_t volume) const;
  void add_hosts_and_ports();
  // One volume, one link, as far as links of its controller go round.
  [[nodiscard]] std::uint32_t port_of(const HostConfig& host, std::uint32_t connection);
  void add_controllers();
  void route_to_core(std::uint32_t table, std::uint32_t connection, std::size_t controller);
  void add_shelves();
  // Puts the shelf's lanes between controller and drives.
  void behind_shelf(const PoolConfig& pool, PoolPart& part);
  void add_pool(std::size_t index);
  // builder_local.cpp: the paths of local drives.
  void add_engine(const PoolConfig& pool, const std::string& name, PoolPart& part);
  template <class Engine>
  void install_engine(const std::string& name, const typename Engine::Params& params,
                      PoolPart& part);
  void in_block_layer(PathBuilder& path, const Command& c, const char* note);
  [[nodiscard]] EngineIo engine_io(const Command& c) const;
  std::uint32_t local_read_path(const Command& c);
  std::uint32_t local_write_path(const Command& c);
  template <class Raid>
  void add_planner(std::size_t pool, Raid raid, std::uint32_t strip, PoolPart& part);
  template <class Drive>
  void add_drives(const std::string& name, std::size_t pool, const typename Drive::Params& params,
                  PoolPart& part);
  Duration on_wire(const HostConfig& host, std::int64_t bytes, const char* way) const;
  Duration latency(const HostConfig& host, const char* way) const;
  void to_array(PathBuilder& path, const Command& c, std::int64_t bytes);
  void from_array(PathBuilder& path, const Command& c, std::int64_t bytes);
  void on_host(PathBuilder& path, const Command& c, double ns_per_byte, const char* note);
  void on_core(PathBuilder& path, const Command& c, Duration time, const char* note);
  [[nodiscard]] Wire wire(const Command& c) const;
  // Whether a connection of the workload can have more commands than its queue takes.
  [[nodiscard]] bool fills_queue(const WorkloadConfig& w) const;
  // A pool of `tokens` for each connection of every workload; the route table to them.
  std::uint32_t add_connection_pools(const std::string& name, std::int64_t tokens);
  // Of commands and of RDMA READs under way; made when first asked for.
  std::uint32_t queue_slots();
  std::uint32_t rdma_reads();
  std::uint32_t read_path(const Command& c, DecideId cached);
  // The arithmetic that gives a lost strip back from d others.
  void append_recovery(PathBuilder& path, const Command& c);
  std::uint32_t write_path(const Command& c);
  void append_mirror(PathBuilder& path, const Command& c, std::size_t controller);
  void append_destage(PathBuilder& path, const Command& c, Duration software);
  void add_stream(std::size_t index);
  // builder_rebuild.cpp: of a pool that loses a drive and has a spare.
  [[nodiscard]] bool rebuilds(std::size_t pool) const;
  void add_rebuild_connections(std::vector<std::uint32_t>& dealt);
  void add_rebuild(std::size_t pool, RebuildPlanner planner, std::uint64_t used_blocks);
  void add_rebuild_path(std::size_t pool);
  [[nodiscard]] std::size_t rebuild_ios() const;
  void add_paths(std::size_t index, Stream& stream, Bytes span);
  [[nodiscard]] bool degrades() const;
  // I/Os that can be in flight: the load's, destages up to the dirty limit, members of forks.
  // Room for the stripe locks of so many writers at once.
  void add_locks(const WorkloadConfig& w, std::size_t writers);
  void size_the_io_pool();
  [[nodiscard]] std::size_t members_of(const WorkloadConfig& w, const SizeShare& size,
                                       bool writes) const;

  const Scenario& s_;
  const Platform& platform_;
  Assembly out_;
  std::vector<GroupId> host_cores_, to_array_, from_array_, mirror_links_;
  std::vector<StationGroup> peer_cores_;
  std::vector<PoolId> dirty_pools_;
  std::vector<PoolPart> pools_;
  std::vector<std::function<std::size_t(std::uint32_t)>> most_members_;  // by pool, at the worst
  std::uint32_t host_routes_ = 0, to_routes_ = 0, from_routes_ = 0, command_routes_ = 0;
  std::optional<std::uint32_t> queue_slots_, rdma_reads_;
  std::uint32_t first_connection_ = 0;
  std::size_t detached_ = 0;  // writes that drives may hold after they acknowledged them
  DecideId unmirrored_{};
};

}  // namespace storcast
