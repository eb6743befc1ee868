#include "models/hdd.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/drive_bench.hpp"
#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

// The class values of the catalogue on a drive as large as the bench's span: full stroke.
const std::string sheet = R"(capacity: 549755813888B
rpm: 7200
seek_track: 0.25ms
seek_average: 8.2ms
seek_full: 16.5ms
write_seek_track: 0.65ms
write_seek_average: 8.6ms
write_seek_full: 16.9ms
outer_rate: 275MB/s
)";

Hdd::Params params(const std::string& more = "") {
  Problems problems;
  const auto p = testing::read_sheet(Hdd::schema(), sheet + more, problems);
  REQUIRE(problems.empty());
  return p;
}

testing::Seen random_load(const Hdd::Params& p, Direction direction, std::uint32_t depth,
                          double seconds = 150) {
  testing::DriveBench<Hdd> bench(p, direction, 8, depth);
  bench.run(15);
  return bench.run(seconds);
}

double utilisation(const System& system, GroupId group, double seconds) {
  const StationGroup& g = system.groups[group];
  return to_seconds(system.stations[g.first].busy_until(Time{from_seconds(seconds)})) / seconds;
}

}  // namespace

TEST_CASE("one random read outstanding takes overhead, average seek, half a turn and transfer") {
  const auto seen = random_load(params(), Direction::read, 1, 600);
  const double sum = 0.15e-3 + 8.2e-3 + 30.0 / 7200 + 4096 / 206e6;
  CHECK(seen.mean_s == Approx(sum).epsilon(0.01));
}

TEST_CASE("a drive that may sort one command serves in order of arrival", "[slow]") {
  const auto p = params("queue_depth: 1\n");
  CHECK(random_load(p, Direction::read, 16).iops == Approx(80).epsilon(0.02));
}

TEST_CASE("from 24 drives a quarter of the stroke at one request each come 2,900 reads") {
  Hdd::Params p = params();
  p.capacity.value *= 4;
  CHECK(24 * random_load(p, Direction::read, 1, 300).iops == Approx(24 * 121).epsilon(0.03));
}

TEST_CASE("the gain of the queue follows IOPS(n) = IOPS(1) n^0.28", "[slow]") {
  const double one = random_load(params(), Direction::read, 1).iops;
  for (const std::uint32_t n : {2u, 4u, 8u, 16u, 32u}) {
    INFO(n);
    CHECK(random_load(params(), Direction::read, n).iops ==
          Approx(one * std::pow(n, 0.28)).epsilon(0.05));
  }
}

TEST_CASE("with write-back random writes are no slower than random reads at any depth", "[slow]") {
  const Hdd::Params cached = params("write_cache: 128\n");
  for (const std::uint32_t n : {1u, 8u, 32u, 64u}) {
    INFO(n);
    CHECK(random_load(cached, Direction::write, n).iops >=
          random_load(params(), Direction::read, n).iops);
  }
  // Without it the longer settling makes them slower.
  CHECK(random_load(params(), Direction::write, 8).iops <
        random_load(params(), Direction::read, 8).iops);
}

TEST_CASE("a cached write is acknowledged in 0.2 ms while there is room") {
  testing::DriveBench<Hdd> bench(params("write_cache: 128\n"), Direction::write, 8, 0, 20);
  bench.run(5);
  const auto seen = bench.run(50);
  CHECK(seen.mean_s == Approx(0.2e-3 + 4096 / 1.2e9).epsilon(0.001));
  CHECK(seen.iops == Approx(20).epsilon(0.1));
}

TEST_CASE("the inner zone is read at the inner rate") {
  for (const bool inner : {false, true}) {
    testing::DriveBench<Hdd> bench(params(), Direction::read, 256, 4);
    Stream& stream = bench.system.streams[0];
    stream.law = AddressLaw::sequential;
    struct Shifted {
      std::uint64_t by;
      void operator()(const Io& io, int, MemberPlan& out) const noexcept {
        out.push({DriveId{0}, io.lba + by, io.blocks});
      }
    } shifted{inner ? (std::uint64_t{1} << 30) - (std::uint64_t{1} << 25) : 0};
    stream.span_blocks = std::uint64_t{1} << 25;
    bench.system.plans[0] = Plan(shifted);
    bench.run(1);
    CHECK(bench.run(10).iops * 131072 / 1e6 == Approx(inner ? 139.6 : 273.6).epsilon(0.02));
  }
}

TEST_CASE("a sequential load of writes goes at the rate of the zone if commands are queued") {
  testing::DriveBench<Hdd> bench(params(), Direction::write, 256, 4, 0, true);
  bench.system.streams[0].law = AddressLaw::sequential;
  bench.run(1);
  CHECK(bench.run(10).iops * 131072 == Approx(275e6).epsilon(0.02));
}

TEST_CASE("one write at a time misses a turn each time") {
  testing::DriveBench<Hdd> bench(params(), Direction::write, 8, 1, 0, true);
  bench.system.streams[0].law = AddressLaw::sequential;
  bench.run(1);
  // It is always there in time to be the next, without a pause between.
  const double chained = bench.run(5).iops;
  CHECK(chained > 10'000);
  testing::DriveBench<Hdd> paused(params(), Direction::write, 8, 1, 0, true);
  paused.system.streams[0].law = AddressLaw::sequential;
  paused.system.streams[0].think = from_seconds(0.1e-3);
  paused.run(1);
  CHECK(paused.run(5).iops == Approx(120).epsilon(0.01));
}

TEST_CASE("background work neither stops clients nor starves") {
  // Clients keep the drive busy, 8 outstanding; background has as many.
  Hdd::Params p = params("class_handicap: 8.3ms\n");
  System system = testing::DriveBench<Hdd>::one_connection();
  system.connections.emplace_back();
  Hdd drive = Hdd::install(system, "drive", 1, p);
  testing::DriveBench<Hdd>::OneDrive plan;
  for (int c = 0; c < 2; ++c) {
    Stream stream;
    stream.name = c == 0 ? "clients" : "background";
    stream.read_sizes = stream.write_sizes = {{1, 8}};
    stream.span_blocks = std::uint64_t{1} << 30;
    stream.per_connection = 8;
    stream.first_connection = static_cast<std::uint32_t>(c);
    PathBuilder path(system);
    path.fork(system.add_plan(Plan(plan)), 0, true);
    drive.append_read(path, c);
    const std::uint32_t first = path.join().finish();
    stream.paths = {first, first};
    stream.first_step = static_cast<std::uint32_t>(system.steps.size());
    system.steps.emplace_back().kind = StepKind::submit;
    system.infos.push_back({stream.name});
    system.streams.push_back(std::move(stream));
  }
  Recorder recorder(2);
  Kernel kernel(system, recorder, 1);
  kernel.start();
  kernel.run_until(Time{from_seconds(200)});
  const auto block = recorder.take(kernel.now());
  const auto clients = static_cast<double>(block[0].directions[0].ios) / 200;
  const auto background = static_cast<double>(block[1].directions[0].ios) / 200;
  CHECK(clients > 2 * background);
  CHECK(background > 10);
  CHECK(to_seconds(block[1].directions[0].histogram.quantile(0.999)) < 2);
}

TEST_CASE("drives that are stopped spin up one after the other before they serve") {
  const auto p = params("condition: stopped\nspin_up: 20s\nspin_up_interval: 5s\n");
  testing::DriveBench<Hdd> bench(p, Direction::read, 8, 4);
  bench.kernel->run_until(Time{from_seconds(19.9)});
  CHECK(bench.recorder->completed_in_run() == 0);
  bench.kernel->run_until(Time{from_seconds(20.5)});
  CHECK(bench.recorder->completed_in_run() > 30);
  CHECK(bench.drive.power().starting.value == 22);
  CHECK(Hdd::install(bench.system, "ready", 1, params()).power().starting.value == 0);
}

TEST_CASE("the head's time is taken down as positioning and transfer, which its power follows") {
  testing::DriveBench<Hdd> bench(params(), Direction::read, 2048, 4);
  bench.run(100);
  const auto groups = bench.system.groups.size();
  const GroupId transfers = static_cast<GroupId>(groups - 1);
  const double positioning = utilisation(bench.system, bench.drive.busiest(), 100);
  const double transfer = utilisation(bench.system, transfers, 100);
  CHECK(positioning + transfer == Approx(1).epsilon(0.001));
  // 1 MiB at 206 MB/s on average takes 5.3 ms of each service of some 14 ms.
  CHECK(transfer == Approx(0.37).epsilon(0.1));
  CHECK(bench.drive.power().idle.value == 5);
  CHECK(bench.drive.power().reading.value == 9);
  CHECK(bench.drive.power().writing.value == 8);
}

TEST_CASE("the hard disk's data sheet refuses what lies outside its ranges") {
  for (const char* line : {"capacity: 1MB",
                           "rpm: 1000",
                           "rpm: 30k",
                           "seek_track: 1us",
                           "seek_track: 20ms",
                           "seek_average: 0.1ms",
                           "seek_average: 60ms",
                           "seek_full: 0.5ms",
                           "seek_full: 8.3ms",
                           "seek_full: 40ms",
                           "seek_full: 200ms",
                           "write_seek_track: 1us",
                           "write_seek_average: 1us",
                           "write_seek_average: 60ms",
                           "write_seek_full: 1us",
                           "write_seek_full: 8.7ms",
                           "command_overhead: 6ms",
                           "outer_rate: 1kB/s",
                           "outer_rate: 3GB/s",
                           "inner_outer_ratio: 0.1",
                           "inner_outer_ratio: 1.1",
                           "interface_rate: 1MB/s",
                           "queue_depth: 0",
                           "queue_depth: 1025",
                           "age_weight: -1",
                           "age_weight: 11",
                           "cached_age_weight: 0",
                           "class_handicap: 2s",
                           "rotational_margin: 6ms",
                           "read_ahead: 65MiB",
                           "read_streams: 0",
                           "read_streams: 257",
                           "write_cache: -1",
                           "write_cache: 4097",
                           "write_acknowledge: 0s",
                           "write_acknowledge: 5ms",
                           "condition: broken",
                           "spin_up: 301s",
                           "spin_up_interval: 61s",
                           "power_idle: 101W",
                           "power_random: 101W",
                           "power_sequential: 101W",
                           "power_spin_up: 201W",
                           "heads: 4"}) {
    CHECK(testing::refuses(Hdd::schema(), sheet, line) == "");
  }
}
