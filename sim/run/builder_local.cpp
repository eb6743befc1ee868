// The paths of commands to drives in the host itself: its block layer, the RAID engine, the drives.
#include "sim/run/system_builder.hpp"

namespace storcast {

template <class Engine>
void Builder::install_engine(const std::string& name, const typename Engine::Params& params,
                             PoolPart& part) {
  auto engine = std::make_shared<Engine>(Engine::install(system(), name, params));
  part.engine_read = [engine](PathBuilder& path, const EngineIo& io) {
    engine->append_read(path, io);
  };
  part.engine_recovery = [engine](PathBuilder& path, const EngineIo& io) {
    engine->append_recovery(path, io);
  };
  part.engine_write = [engine](PathBuilder& path, const EngineIo& io) {
    engine->append_write(path, io);
  };
  part.engine_parity = [engine](PathBuilder& path, const EngineIo& io) {
    engine->append_parity(path, io);
  };
  part.engine_write_end = [engine](PathBuilder& path, const EngineIo& io) {
    engine->append_write_end(path, io);
  };
}

void Builder::add_engine(const PoolConfig& pool, const std::string& name, PoolPart& part) {
  const std::size_t first = system().groups.size();
  if (const auto* md = std::get_if<MdEngine::Params>(&*pool.engine)) {
    install_engine<MdEngine>(name, *md, part);
  } else if (const auto* roc = std::get_if<RocEngine::Params>(&*pool.engine)) {
    install_engine<RocEngine>(name, *roc, part);
  } else {
    install_engine<GpuEngine>(name, std::get<GpuEngine::Params>(*pool.engine), part);
  }
  for (std::size_t g = first; g < system().groups.size(); ++g) {
    StationGroup& group = system().groups[static_cast<GroupId>(g)];
    group.role = "engine" + group.name.substr(name.size());
  }
}

void Builder::in_block_layer(PathBuilder& path, const Command& c, const char* note) {
  path.stage(StageId::host)
      .note(note)
      .visit(host_cores_[s_.workloads[c.workload].host], {s_.fabric.own.host_io / 2});
}

EngineIo Builder::engine_io(const Command& c) const {
  const PoolPart& pool = pools_[c.pool];
  return {c.bytes, c.sequential, pool.strip_bytes, pool.data_drives, pool.parity_drives};
}

std::uint32_t Builder::local_read_path(const Command& c) {
  const PoolPart& pool = pools_[c.pool];
  PathBuilder path(system());
  in_block_layer(path, c, "host: submission");
  pool.engine_read(path.stage(StageId::controller), engine_io(c));
  // Whether something was recovered is asked after the join, so the I/O must keep its own address.
  path.stage(StageId::raid_and_drives)
      .fork(pool.plan, static_cast<int>(RaidPhase::read), !pool.intact);
  (c.sequential ? pool.read_stream : pool.read)(path);
  path.join().stage(StageId::controller);
  if (pool.intact) {
    path.skip_if(*pool.intact);
    pool.engine_recovery(path, engine_io(c));
    path.resume();
  }
  in_block_layer(path, c, "host: completion");
  return path.finish();
}

// A write waits for its drives. Neighbours of a sequential one are joined to whole stripes.
std::uint32_t Builder::local_write_path(const Command& c) {
  const PoolPart& pool = pools_[c.pool];
  const bool locked = pool.parity && !c.sequential;
  PathBuilder path(system());
  in_block_layer(path, c, "host: submission");
  pool.engine_write(path.stage(StageId::controller), engine_io(c));
  if (locked) {
    path.stage(StageId::raid_and_drives).note("stripe locks").lock(*pool.locks);
    path.fork(pool.plan, static_cast<int>(RaidPhase::write_reads), false);
    pool.read(path);
    path.join().stage(StageId::controller);
  }
  pool.engine_parity(path, engine_io(c));
  const RaidPhase writes =
      c.sequential && pool.parity ? RaidPhase::sequential_writes : RaidPhase::write_writes;
  path.stage(StageId::raid_and_drives).fork(pool.plan, static_cast<int>(writes), !locked);
  pool.write(path, c.sequential);
  path.join();
  if (locked) path.unlock(*pool.locks);
  pool.engine_write_end(path.stage(StageId::controller), engine_io(c));
  in_block_layer(path, c, "host: completion");
  return path.finish();
}

}  // namespace storcast
