// What a rebuild adds to a system: connections to the owner's cores, and the path of a row.
#include <algorithm>

#include "sim/run/system_builder.hpp"

namespace storcast {
namespace {

constexpr int most_cores_of_a_rebuild = 16;

}  // namespace

bool Builder::rebuilds(std::size_t pool) const {
  return s_.array.pools[pool].rebuilds() &&
         std::any_of(s_.timeline.begin(), s_.timeline.end(), [&](const TimelineEntry& e) {
           return e.kind == TimelineEntry::Kind::fail_drive && e.pool == pool;
         });
}

// Rows go round over these cores, and with their controller's connections to its peer.
void Builder::add_rebuild_connections(std::vector<std::uint32_t>& dealt) {
  for (std::size_t p = 0; p < s_.array.pools.size(); ++p) {
    const std::size_t owner = s_.array.pools[p].controller;
    const int cores =
        rebuilds(p) ? std::min(s_.array.controllers[owner].params.cores, most_cores_of_a_rebuild)
                    : 0;
    out_.rebuild_paths_.push_back(
        {.first_connection = static_cast<std::uint16_t>(system().connections.size()),
         .connections = static_cast<std::uint16_t>(cores)});
    for (int c = 0; c < cores; ++c) {
      system().connections.push_back({});
      out_.owners_.push_back({static_cast<std::uint16_t>(owner), dealt[owner]++});
    }
  }
}

void Builder::add_rebuild(std::size_t pool, RebuildPlanner planner, std::uint64_t used_blocks) {
  const PoolConfig& config = s_.array.pools[pool];
  const std::int64_t room = config.drive_capacity().value - config.formatting.value;
  const PoolRebuild::Size size{static_cast<std::uint64_t>(room / config.strip.value), used_blocks,
                               config.strip, config.hot_spares};
  out_.rebuilds[pool] = std::make_shared<PoolRebuild>(planner, config.rebuild, size);
}

// A row: its turn under the limit, the reads, the arithmetic, the write, the next row.
void Builder::add_rebuild_path(std::size_t index) {
  PoolRebuild& rebuild = *out_.rebuilds[index];
  const PoolPart& pool = pools_[index];
  const ControllerParams& controller = s_.array.controllers[pool.controller].params;
  const PlanId plan = system().add_plan(Plan(rebuild.members));
  PathBuilder path(system());
  path.stage(StageId::raid_and_drives).note("rebuild: row");
  path.skip_if(system().add_decision(Decide(rebuild.take_row)));
  if (rebuild.params().rate_limit) {
    const GroupId limit = system().add_single(s_.array.name + ".pool_" +
                                              s_.array.pools[index].name + ".rebuild.limit");
    system().groups[limit].share_only = true;
    path.note("rebuild: rate limit")
        .visit_model(limit, system().add_service(ServiceTime(rebuild.row_time)));
  }
  path.fork(plan, static_cast<int>(RebuildPhase::reads), false);
  pool.rebuild_read(path);
  path.join().stage(StageId::controller);
  const Bytes read{pool.parity ? pool.strip_bytes * pool.data_drives : 0};
  path.note("rebuild: recovery")
      .visit(out_.controller_cores[pool.controller], {read / controller.parity_recover})
      .gated();
  path.stage(StageId::raid_and_drives).fork(plan, static_cast<int>(RebuildPhase::write), false);
  pool.rebuild_write(path, true);
  path.join();
  out_.rebuild_paths_[index].first_step =
      path.finish_background(system().add_decision(Decide(rebuild.row_done)));
  system().most_members = std::max(system().most_members, rebuild.most_members());
}

std::size_t Builder::rebuild_ios() const {
  std::size_t most = 0;
  for (std::size_t p = 0; p < out_.rebuilds.size(); ++p) {
    if (out_.rebuilds[p] == nullptr) continue;
    const PoolRebuild& rebuild = *out_.rebuilds[p];
    const int rows =
        std::min(most_rebuild_rows, rebuild_window(rebuild.params()) * s_.array.pools[p].drives);
    most += static_cast<std::size_t>(rows) * (1 + rebuild.most_members());
  }
  return most;
}

Assembly::RebuildLaunch Assembly::next_rebuild(std::size_t pool, Time now) {
  if (rebuilds[pool] == nullptr) return {};
  const auto launch = rebuilds[pool]->start_next(now);
  if (!launch) return {};
  const RebuildPath& path = rebuild_paths_[pool];
  RebuildLaunch start{launch->at, {}};
  for (int k = 0; k < launch->ios; ++k) {
    Io io{};
    io.step = path.first_step;
    io.blocks = rebuilds[pool]->strip_blocks();
    io.lba = static_cast<std::uint64_t>(k);
    io.connection = static_cast<std::uint16_t>(path.first_connection + k % path.connections);
    start.ios.push_back(io);
  }
  return start;
}

}  // namespace storcast
