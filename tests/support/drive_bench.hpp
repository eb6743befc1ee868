// One drive on its own for tests: a load of fixed size, straight to the drive, no host and no
// array.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/base/units.hpp"
#include "sim/kernel/kernel.hpp"

namespace storcast::testing {

struct Seen {
  double iops = 0, mean_s = 0;
  std::uint64_t ios = 0;
  Histogram histogram;
};

template <class Drive>
class DriveBench {
 public:
  // `depth` I/Os outstanding; 0: an open load of `rate` I/Os a second.
  DriveBench(const typename Drive::Params& params, Direction direction, std::uint32_t blocks,
             std::uint32_t depth, double rate = 0, bool sequential = false)
      : drive(Drive::install(system, "drive", 1, params)) {
    Stream stream;
    stream.name = "load";
    stream.read_fraction = direction == Direction::read ? 1 : 0;
    stream.read_sizes = stream.write_sizes = {{1, blocks}};
    stream.alignment_blocks = blocks;
    stream.span_blocks = std::uint64_t{1} << 30;
    stream.per_connection = depth;
    stream.open = depth == 0;
    if (stream.open) {
      stream.interarrival_ps = picoseconds_per_second / rate;
      stream.interarrival = system.add_shape(Shape::exponential());
    }
    PathBuilder path(system);
    path.stage(StageId::raid_and_drives).fork(system.add_plan(Plan(plan)), 0, true);
    direction == Direction::read ? drive.append_read(path) : drive.append_write(path, sequential);
    const std::uint32_t first = path.join().finish();
    stream.paths = {first, first};
    stream.first_step = static_cast<std::uint32_t>(system.steps.size());
    system.steps.emplace_back().kind = stream.open ? StepKind::arrive : StepKind::submit;
    system.infos.push_back({"load"});
    system.streams.push_back(std::move(stream));
    system.io_capacity = 100'000;
    recorder = std::make_unique<Recorder>(1);
    kernel = std::make_unique<Kernel>(system, *recorder, 1);
    kernel->start();
  }
  DriveBench(const DriveBench&) = delete;
  DriveBench& operator=(const DriveBench&) = delete;

  // What happens in the next `seconds`.
  Seen run(double seconds) {
    kernel->run_until(kernel->now() + from_seconds(seconds));
    const auto block = recorder->take(kernel->now());
    DirectionRecord total = block[0].directions[0];
    total.merge(block[0].directions[1]);
    Seen seen;
    seen.ios = total.ios;
    seen.histogram = total.histogram;
    seen.iops = static_cast<double>(total.ios) / seconds;
    seen.mean_s = total.response_ps / static_cast<double>(total.ios) / picoseconds_per_second;
    return seen;
  }

  static System one_connection() {
    System system;
    system.connections.emplace_back();
    return system;
  }
  struct OneDrive {
    void operator()(const Io& io, int, MemberPlan& out) const noexcept {
      out.push({DriveId{0}, io.lba, io.blocks});
    }
  };
  System system = one_connection();
  OneDrive plan;
  Drive drive;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Kernel> kernel;
};

// Open random reads beside open random writes on one drive; what is seen are the reads.
template <class Drive>
class MixedBench {
 public:
  // A rate of 0: none of that kind. `closed_reads`: that many outstanding instead of a rate.
  MixedBench(const typename Drive::Params& params, double reads_per_s, double writes_per_s,
             std::uint32_t closed_reads = 0, std::uint32_t read_blocks = 8)
      : system(two_connections()), drive(Drive::install(system, "drive", 1, params)) {
    add(Direction::read, reads_per_s, closed_reads, read_blocks);
    if (writes_per_s > 0) add(Direction::write, writes_per_s, 0, 8);
    system.io_capacity = 100'000;
    recorder = std::make_unique<Recorder>(system.streams.size());
    kernel = std::make_unique<Kernel>(system, *recorder, 1);
    kernel->start();
  }
  MixedBench(const MixedBench&) = delete;
  MixedBench& operator=(const MixedBench&) = delete;

  // The reads of the next `seconds`.
  Seen run(double seconds) {
    kernel->run_until(kernel->now() + from_seconds(seconds));
    const auto block = recorder->take(kernel->now());
    const DirectionRecord& reads = block[0].directions[0];
    Seen seen;
    seen.ios = reads.ios;
    seen.histogram = reads.histogram;
    seen.iops = static_cast<double>(reads.ios) / seconds;
    seen.mean_s = reads.response_ps / static_cast<double>(reads.ios) / picoseconds_per_second;
    return seen;
  }

  static System two_connections() {
    System system;
    system.connections.resize(2);
    return system;
  }
  void add(Direction direction, double rate, std::uint32_t depth, std::uint32_t blocks) {
    Stream stream;
    stream.name = direction == Direction::read ? "reads" : "writes";
    stream.read_fraction = direction == Direction::read ? 1 : 0;
    stream.read_sizes = stream.write_sizes = {{1, blocks}};
    stream.alignment_blocks = blocks;
    stream.span_blocks = std::uint64_t{1} << 30;
    stream.first_connection = direction == Direction::read ? 0 : 1;
    stream.per_connection = depth;
    stream.open = depth == 0;
    if (stream.open) {
      stream.interarrival_ps = picoseconds_per_second / rate;
      stream.interarrival = system.add_shape(Shape::exponential());
    }
    PathBuilder path(system);
    path.stage(StageId::raid_and_drives).fork(system.add_plan(Plan(plan)), 0, true);
    direction == Direction::read ? drive.append_read(path) : drive.append_write(path, false);
    const std::uint32_t first = path.join().finish();
    stream.paths = {first, first};
    stream.first_step = static_cast<std::uint32_t>(system.steps.size());
    system.steps.emplace_back().kind = stream.open ? StepKind::arrive : StepKind::submit;
    system.infos.push_back({"load"});
    system.streams.push_back(std::move(stream));
  }
  System system;
  typename DriveBench<Drive>::OneDrive plan;
  Drive drive;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Kernel> kernel;
};

}  // namespace storcast::testing
