// Scenario and platform to System: joins the models' path fragments into one path for each
// (pool, direction, size) of a workload, and keeps the handles by which a timeline acts on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/system.hpp"
#include "sim/platform/platform.hpp"
#include "sim/run/pool_rebuild.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast {

// A compiled scenario and what can happen to it.
class Assembly {
 public:
  System& system() noexcept { return *system_; }
  [[nodiscard]] const System& system() const noexcept { return *system_; }

  // Later I/Os find the drive gone. False: the pool has lost data.
  bool fail_drive(std::size_t pool, int drive);
  // The volumes of controller `index` pause and go to its peer. False: no controller is left.
  bool fail_controller(std::size_t index, Time now);
  // After a false: what is gone ("no controller is left").
  [[nodiscard]] const std::string& why_gone() const noexcept { return why_gone_; }

  // By pool; null: none of its drives is rebuilt.
  std::vector<std::shared_ptr<PoolRebuild>> rebuilds;
  // The rows with which the next rebuild of a pool begins, as I/Os of the kernel; none if no drive
  // waits for it.
  struct RebuildLaunch {
    Time at{};
    std::vector<Io> ios;
  };
  [[nodiscard]] RebuildLaunch next_rebuild(std::size_t pool, Time now);

  // What the reports need of the hardware.
  struct DriveGroup {
    std::string name;  // of its groups: "array.pool_a.drives"
    std::size_t pool;
    std::uint32_t count;
    DrivePower power;
    GroupId reading, writing;  // groups whose use its power follows
  };
  std::vector<DriveGroup> drive_groups;
  std::vector<GroupId> controller_cores;  // by controller
  // Pools whose tokens are commands outstanding, by controller; cost of each, in picoseconds.
  std::vector<PoolId> command_pools;
  double outstanding_cost_ps = 0;

 private:
  friend class Builder;
  std::unique_ptr<System> system_;
  std::vector<std::function<bool(DriveId)>> fail_drive_;  // by pool
  struct Owner {
    std::uint16_t controller;
    std::uint32_t index;  // which core of it, before the modulus
  };
  std::vector<Owner> owners_;  // by connection
  std::uint32_t core_routes_ = 0, peer_routes_ = 0;
  struct RebuildPath {
    std::uint16_t first_connection = 0, connections = 0;  // to the owner's cores
    std::uint32_t first_step = 0;
  };
  std::vector<RebuildPath> rebuild_paths_;  // by pool
  struct ShelfRoutes {
    std::uint32_t routes;              // of connections, to a controller's lanes
    std::vector<std::uint32_t> lanes;  // server station, by controller
    std::vector<bool> lost_with;       // by controller: a pool has no other path
  };
  std::vector<ShelfRoutes> shelves_;
  std::string why_gone_;
  std::vector<bool> controller_failed_;
  std::vector<Duration> pauses_;
  std::shared_ptr<bool> unmirrored_;
};

// What SimGrid is asked to describe: hosts, controllers, one pair of links for each cable.
[[nodiscard]] PlatformConfig platform_of(const Scenario& scenario);

// Throws InvariantError if the scenario was not checked by load_scenario().
[[nodiscard]] Assembly build_system(const Scenario& scenario, const Platform& platform);

}  // namespace storcast
