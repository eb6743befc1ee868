#include "models/ssd.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/drive_bench.hpp"
#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

// The values of drives/nvme-gen4-tlc.
const std::string sheet = R"(capacity: 7680GB
raw_capacity: 8192GiB
dies: 128
die_read: 50us
fixed_read: 11us
jitter_cv: 0.12
read_iops_max: 900k
channel_rate: 1.6GB/s
read_rate: 6.5GB/s
write_rate: 3.5GB/s
write_acknowledge: 15us
write_buffer: 32MiB
sequential_amplification: 1.05
)";

Ssd::Params params() {
  Problems problems;
  const auto p = testing::read_sheet(Ssd::schema(), sheet, problems);
  REQUIRE(problems.empty());
  return p;
}

// Dies and nothing else: exponential service of mean t, all other stages negligible.
Ssd::Params only_dies(int dies) {
  Ssd::Params p = params();
  p.dies = dies;
  p.die_read = from_seconds(1e-3);
  p.fixed_read = {};
  p.jitter = SsdJitter::exponential;
  p.read_iops_max = 1e8;
  p.channel_rate = {1e10};
  p.read_rate = {1e11};
  return p;
}

}  // namespace

TEST_CASE("one read outstanding takes the sum of the drive's parts") {
  testing::DriveBench<Ssd> bench(params(), Direction::read, 8, 1);
  const auto seen = bench.run(5);
  const double sum = 1 / 900e3 + 11e-6 + 50e-6 + 4096 / 1.6e9 + 4096 / 6.5e9;
  CHECK(seen.mean_s == Approx(sum).epsilon(0.005));
  // Published: 69.7 us from host to host; 4 to 6 us of it are the host's.
  CHECK(69.7e-6 - seen.mean_s > 4e-6);
  CHECK(69.7e-6 - seen.mean_s < 6e-6);
}

TEST_CASE("at depth 1 the percentiles are within 5 per cent of the published ones") {
  testing::DriveBench<Ssd> bench(params(), Direction::read, 8, 1);
  const auto seen = bench.run(60);
  const double host = 4.4e-6;
  const std::array<std::array<double, 2>, 5> published{
      {{0.01, 63e-6}, {0.5, 68e-6}, {0.9, 78e-6}, {0.99, 82e-6}, {0.999, 119e-6}}};
  for (const auto& [q, value] : published) {
    INFO(q);
    CHECK(to_seconds(seen.histogram.quantile(q)) + host == Approx(value).epsilon(0.05));
  }
  CHECK(to_seconds(seen.histogram.quantile(0.9999)) > 150e-6);
}

TEST_CASE("N random reads over D dies give X = N D / ((N + D - 1) t)", "[slow]") {
  for (const int dies : {8, 32}) {
    for (const std::uint32_t n : {1u, 4u, 16u, 64u}) {
      INFO(dies << " dies, " << n << " outstanding");
      testing::DriveBench<Ssd> bench(only_dies(dies), Direction::read, 8, n);
      bench.run(1);
      const double law = static_cast<double>(n) * dies / ((n + dies - 1.0) * 1e-3);
      CHECK(bench.run(20).iops == Approx(law).epsilon(0.04));
    }
  }
}

TEST_CASE("the command processor caps the reads of a drive") {
  Ssd::Params p = params();
  p.read_iops_max = 100e3;
  testing::DriveBench<Ssd> bench(p, Direction::read, 8, 512);
  bench.run(0.05);
  CHECK(bench.run(0.5).iops == Approx(100e3).epsilon(0.002));
}

TEST_CASE("the drive's link caps large reads") {
  testing::DriveBench<Ssd> bench(params(), Direction::read, 2048, 512);
  bench.run(0.1);
  CHECK(bench.run(1).iops * (1 << 20) == Approx(6.5e9).epsilon(0.01));
}

TEST_CASE("a write that finds room is acknowledged in microseconds") {
  testing::DriveBench<Ssd> bench(params(), Direction::write, 8, 1);
  CHECK(bench.run(2).mean_s == Approx(15e-6 + 4096 / 6.5e9).epsilon(0.001));
}

TEST_CASE("writes are fast until the buffer is full, then go at the sustained rate") {
  testing::DriveBench<Ssd> bench(params(), Direction::write, 8, 32);
  // 32 MiB fill at the link's pace less the drain in about 6 ms.
  const auto burst = bench.run(0.003);
  CHECK(burst.mean_s < 25e-6);
  bench.run(0.1);
  const auto sustained = bench.run(0.5);
  const double spare = 8192.0 * (1 << 30) / 7680e9 - 1;
  const double limit = 0.9 * 3.5e9 / write_amplification(spare) / 4096;
  CHECK(sustained.iops == Approx(limit).epsilon(0.002));
  CHECK(limit == Approx(186e3).epsilon(0.01));
  CHECK(sustained.mean_s == Approx(32 / limit).epsilon(0.01));
}

TEST_CASE("sequential writes amplify by their own factor") {
  testing::DriveBench<Ssd> bench(params(), Direction::write, 256, 32, 0, true);
  bench.run(0.2);
  CHECK(bench.run(0.5).iops * 131072 == Approx(3.5e9 / 1.05).epsilon(0.005));
}

TEST_CASE("the die's time has mean 1 and rare retries far out") {
  const Shape shape = Ssd::read_shape(params());
  CHECK(shape.mean() == 1);
  CHECK(shape.quantile(0.5) == Approx(0.99).epsilon(0.02));
  CHECK(shape.quantile(0.9975) < 1.4);
  CHECK(shape.quantile(0.9995) > 1.7);
  CHECK(shape.quantile(0.99999) > 6);
}

TEST_CASE("the triangle has the coefficient of variation that the data sheet says") {
  Ssd::Params p = params();
  p.retry = p.retry_rare = 0;
  for (const double cv : {0.05, 0.12, 0.5}) {
    p.jitter_cv = cv;
    CHECK(Ssd::read_shape(p).coefficient_of_variation() == Approx(cv).epsilon(0.01));
  }
  p.jitter = SsdJitter::exponential;
  CHECK(Ssd::read_shape(p).coefficient_of_variation() == Approx(1).epsilon(0.01));
}

TEST_CASE("a large read is read by several dies at once") {
  Ssd::Params p = params();
  p.retry = p.retry_rare = 0;
  // 64 KiB: four units on four channels, the slowest of four triangles, the link.
  testing::DriveBench<Ssd> four(p, Direction::read, 128, 1);
  const auto seen = four.run(5);
  const double fixed = 1 / 900e3 + 11e-6 + 65536 / 6.5e9;
  const double unit = 50e-6 + 16384 / 1.6e9;
  // E[max of 4] of a triangle that falls over width w: w (1 - 128/315), its mean is w / 3.
  const double width = 0.12 * std::sqrt(18.0);
  CHECK(seen.mean_s ==
        Approx(fixed + unit * (1 + width * (1 - 128.0 / 315 - 1.0 / 3))).epsilon(0.005));
  // 1 MiB: 64 units; the last of eight on its channel waits for seven transfers.
  testing::DriveBench<Ssd> all(p, Direction::read, 2048, 1);
  const double least = 1 / 900e3 + 11e-6 + (1 << 20) / 6.5e9 + unit + 7 * 16384 / 1.6e9;
  const double mean = all.run(2).mean_s;
  CHECK(mean > least);
  CHECK(mean < least + unit * width);
}

TEST_CASE("reads larger than all dies together take turns on them") {
  Ssd::Params p = params();
  p.dies = 8;
  p.channels = 64;
  p.read_rate = {1e11};
  testing::DriveBench<Ssd> bench(p, Direction::read, 2048, 1);
  const double unit = 50e-6 + 16384 / 1.6e9;
  CHECK(bench.run(2).mean_s > 8 * unit);
  CHECK(bench.run(2).mean_s < 1.25 * 8 * unit + 60e-6);
}

TEST_CASE("writes cannot go faster than the dies program") {
  Ssd::Params p = params();
  p.dies = 8;
  testing::DriveBench<Ssd> bench(p, Direction::write, 256, 32, 0, true);
  bench.run(1);
  const double dies = 8 * 196608 / (1.2e-3 + 5e-3 / 512);
  CHECK(bench.run(3).iops * 131072 == Approx(dies / 1.05).epsilon(0.01));
}

TEST_CASE("a random write below the mapping unit programs all of it, a sequential one does not") {
  Ssd::Params p = params();
  p.mapping_unit = {65536};
  const double limit = 0.9 * 3.5e9 / write_amplification(spare_ratio(p));
  for (const std::uint32_t blocks : {8u, 128u, 136u}) {
    INFO(blocks);
    testing::DriveBench<Ssd> bench(p, Direction::write, blocks, 64);
    bench.run(1);
    const double programmed = blocks <= 128 ? 65536 : 131072;
    CHECK(bench.run(2).iops == Approx(limit / programmed).epsilon(0.01));
  }
  testing::DriveBench<Ssd> ordered(p, Direction::write, 8, 64, 0, true);
  ordered.run(0.3);
  CHECK(ordered.run(0.5).iops == Approx(3.5e9 / 1.05 / 4096).epsilon(0.01));
}

TEST_CASE("an SLC cache takes writes fast until it is full, then they are folded") {
  Ssd::Params p = params();
  p.condition = SsdCondition::fresh;
  p.write_rate = {1.5e9};
  p.slc_capacity = {std::int64_t{4} << 30};
  p.slc_rate = Bandwidth{6e9};
  p.folding = 2;
  testing::DriveBench<Ssd> bench(p, Direction::write, 256, 32, 0, true);
  bench.run(0.1);
  CHECK(bench.run(0.4).iops * 131072 == Approx(6e9).epsilon(0.01));
  bench.run(0.5);
  CHECK(bench.run(1).iops * 131072 == Approx(1.5e9 / 1.05 / 2).epsilon(0.01));
}

TEST_CASE("idle time empties the SLC cache") {
  Ssd::Params p = params();
  p.write_rate = {1.5e9};
  p.write_efficiency = 1;
  p.slc_capacity = {std::int64_t{1} << 30};
  p.slc_rate = Bandwidth{6e9};
  // 4 KiB at 100k/s arrive at 0.41 GB/s: the time in between folds more than comes.
  testing::DriveBench<Ssd> bench(p, Direction::write, 8, 0, 100e3, true);
  CHECK(bench.run(8).mean_s == Approx(15e-6 + 4096 / 6.5e9).epsilon(0.01));
}

TEST_CASE("a power cap throttles what would exceed it, in proportion") {
  Ssd::Params p = params();
  p.power_idle = {4};
  p.power_read = {9};
  p.power_write = {14};
  p.power_cap = Watts{9};
  testing::DriveBench<Ssd> writes(p, Direction::write, 256, 32, 0, true);
  writes.run(0.3);
  CHECK(writes.run(0.5).iops * 131072 == Approx(0.5 * 3.5e9 / 1.05).epsilon(0.01));
  testing::DriveBench<Ssd> reads(p, Direction::read, 2048, 512);
  reads.run(0.1);
  CHECK(reads.run(1).iops * (1 << 20) == Approx(6.5e9).epsilon(0.01));
  CHECK(reads.drive.power().writing.value == 9);
  p.power_cap = Watts{6.5};
  testing::DriveBench<Ssd> slow(p, Direction::read, 2048, 512);
  slow.run(0.2);
  CHECK(slow.run(1).iops * (1 << 20) == Approx(3.25e9).epsilon(0.01));
}

TEST_CASE(
    "a fresh drive writes at full rate until its spare is used, then falls to the steady rate") {
  Ssd::Params p = params();
  p.capacity = {4'000'000'000};
  p.raw_capacity = {4'600'000'000};
  p.condition = SsdCondition::fresh;
  testing::DriveBench<Ssd> bench(p, Direction::write, 8, 32);
  bench.run(0.1);
  const double full = 0.9 * 3.5e9 / 4096;
  CHECK(bench.run(1.2).iops == Approx(full).epsilon(0.01));  // 4.1 of 4.6 GB
  bench.run(0.3);
  CHECK(bench.run(0.2).iops < 0.75 * full);
  bench.run(25);
  CHECK(bench.run(1).iops == Approx(full / write_amplification(0.15)).epsilon(0.02));
}

TEST_CASE("what was written before the run moves the drive along its course") {
  Ssd::Params p = params();
  p.condition = SsdCondition::fresh;
  const auto rate = [&](double terabytes) {
    p.written = {static_cast<std::int64_t>(terabytes * 1e12)};
    testing::DriveBench<Ssd> bench(p, Direction::write, 8, 32);
    bench.run(0.2);
    return bench.run(0.5).iops * 4096 / (0.9 * 3.5e9);
  };
  CHECK(rate(0) == Approx(1).epsilon(0.01));
  CHECK(rate(8.7) == Approx(1).epsilon(0.01));
  CHECK(rate(8.85) == Approx(1 - std::exp(-1.1453)).epsilon(0.02));
  CHECK(rate(80) == Approx(1 / write_amplification(spare_ratio(p))).epsilon(0.01));
}

TEST_CASE("programs and copies slow reads down, without a parameter that says so") {
  Ssd::Params p = params();
  const auto p999 = [&](double writes_per_s) {
    testing::MixedBench<Ssd> bench(p, 5'000, writes_per_s);
    bench.run(0.5);
    return to_seconds(bench.run(20).histogram.quantile(0.999));
  };
  const double alone = p999(0);
  const double with_writes = p999(80'000);
  CHECK(with_writes > alone + 50e-6);
  p.suspend_limit = {};
  CHECK(p999(80'000) > alone + 1e-3);
}

TEST_CASE("the memory of a drive is below 1 MB, whatever its size") {
  System system;
  Ssd::Params p = params();
  p.dies = 4096;
  p.condition = SsdCondition::fresh;
  const Ssd drive = Ssd::install(system, "d", 2, p);
  CHECK(system.flash[index_of(drive.flash())].bytes_each() > 200'000);
  CHECK(system.flash[index_of(drive.flash())].bytes_each() < 1'000'000);
}

TEST_CASE("the drive's data sheet refuses what lies outside its ranges") {
  for (const char* line : {"capacity: 1MB",
                           "raw_capacity: 7700GB",
                           "raw_capacity: 3PB",
                           "dies: 0",
                           "dies: 4097",
                           "die_read: 2ms",
                           "fixed_read: 2ms",
                           "jitter_cv: 0",
                           "jitter_cv: 1.5",
                           "read_iops_max: 10",
                           "channel_rate: 1MB/s",
                           "read_rate: 1TB/s",
                           "write_rate: 1MB/s",
                           "write_acknowledge: 0s",
                           "write_buffer: 4KiB",
                           "write_buffer: 5GB",
                           "sequential_amplification: 0.9",
                           "power_idle: 101W",
                           "power_read: 101W",
                           "power_write: 101W",
                           "power_cap: 101W",
                           "power_cap: 4W",
                           "channels: 0",
                           "channels: 4",
                           "jitter: normal",
                           "retry: 20%",
                           "retry_rare: 20%",
                           "read_unit: 1KiB",
                           "read_unit: 18KiB",
                           "mapping_unit: 512B",
                           "mapping_unit: 5KiB",
                           "write_efficiency: 0",
                           "condition: used",
                           "written: 1EB",
                           "program_unit: 4KiB",
                           "program_time: 1us",
                           "erase_block: 1KiB",
                           "erase_block: 128KiB",
                           "erase_time: 1s",
                           "program_suspend: 1s",
                           "erase_suspend: 1s",
                           "suspend_limit: 2s",
                           "slc_capacity: 100TB",
                           "slc_capacity: 10GB",
                           "slc_rate: 1GB/s",
                           "folding: 0.5",
                           "planes: 4"}) {
    CHECK(testing::refuses(Ssd::schema(), sheet, line) == "");
  }
}
