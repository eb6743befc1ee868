#include "models/ssd.hpp"

#include <array>
#include <catch2/catch.hpp>

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

// Dies and nothing else: exponential-like service of mean t, all other stages negligible.
Ssd::Params only_dies(int dies) {
  Ssd::Params p = params();
  p.dies = dies;
  p.die_read = from_seconds(1e-3);
  p.fixed_read = {};
  p.jitter_cv = 1;
  p.read_iops_max = 1e8;
  p.channel_rate = {1e10};
  p.read_rate = {1e11};
  return p;
}

}  // namespace

TEST_CASE("write amplification follows the closed form of uniform random writes") {
  const std::array<std::array<double, 2>, 8> table{{{0.07, 7.82},
                                                    {0.145, 4.13},
                                                    {0.20, 3.19},
                                                    {0.28, 2.48},
                                                    {0.30, 2.364},
                                                    {0.374, 2.04},
                                                    {0.5, 1.72},
                                                    {1.0, 1.26}}};
  for (const auto& [spare, expected] : table) {
    INFO(spare);
    CHECK(write_amplification(spare) == Approx(expected).epsilon(0.01));
  }
}

TEST_CASE("one read outstanding takes the sum of the drive's parts") {
  testing::DriveBench<Ssd> bench(params(), Direction::read, 8, 1);
  const auto seen = bench.run(5);
  const double sum = 1 / 900e3 + 11e-6 + 50e-6 + 4096 / 1.6e9 + 4096 / 6.5e9;
  CHECK(seen.mean_s == Approx(sum).epsilon(0.005));
  // Published: 69.7 us from host to host; 4 to 6 us of it are the host's.
  CHECK(69.7e-6 - seen.mean_s > 4e-6);
  CHECK(69.7e-6 - seen.mean_s < 6e-6);
}

TEST_CASE("at depth 1 the percentiles are within 10 per cent of the published ones") {
  testing::DriveBench<Ssd> bench(params(), Direction::read, 8, 1);
  const auto seen = bench.run(20);
  const double host = 4.4e-6;
  CHECK(to_seconds(seen.histogram.quantile(0.5)) + host == Approx(68e-6).epsilon(0.1));
  CHECK(to_seconds(seen.histogram.quantile(0.99)) + host == Approx(82e-6).epsilon(0.1));
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
  const double limit = 3.5e9 / write_amplification(spare) / 4096;
  CHECK(sustained.iops == Approx(limit).epsilon(0.002));
  CHECK(limit == Approx(207e3).epsilon(0.01));
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
  CHECK(shape.quantile(0.9995) > 2);
  CHECK(shape.quantile(0.99999) > 5);
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
                           "planes: 4"}) {
    CHECK(testing::refuses(Ssd::schema(), sheet, line) == "");
  }
}
