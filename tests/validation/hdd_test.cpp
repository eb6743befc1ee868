// The scheduling table of hard disks beside what the simulated drive does, end to end through the
// kernel. Expected: simulations of the modelling brief's example drive (seeks 0.25, 8.2, 16.5 ms,
// 7200 rpm, 0.15 ms overhead) by an independent program; the bar is 5 %. The row of order of
// arrival is the sum of the means. The table is printed: ./tests/run '[hdd]'.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "models/hdd.hpp"
#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/support/drive_bench.hpp"

using namespace storcast;

namespace {

constexpr std::int64_t bench_span = std::int64_t{1} << 39;  // bytes: DriveBench's addresses

Hdd::Params example_drive() {
  Hdd::Params p;
  p.capacity = {bench_span};
  p.rpm = 7200;
  p.seek_track = from_seconds(0.25e-3);
  p.seek_average = from_seconds(8.2e-3);
  p.seek_full = from_seconds(16.5e-3);
  p.command_overhead = from_seconds(0.15e-3);
  p.outer_rate = {275e6};
  p.inner_outer_ratio = 0.5;
  p.interface_rate = {1.2e9};
  p.queue_depth = 128;
  p.age_weight = 0.02;
  p.cached_age_weight = 0.005;
  p.read_ahead = {1 << 20};
  p.read_streams = 16;
  return p;
}

struct Row {
  const char* name = "";
  Hdd::Params params;
  std::vector<std::pair<std::uint32_t, double>> expected;  // outstanding, reads per second
};

std::vector<Row> table() {
  std::vector<Row> rows(5, {"", example_drive(), {}});
  rows[0].name = "order of arrival";
  rows[0].params.queue_depth = 1;
  rows[0].expected = {{1, 80}, {2, 80}, {4, 80}, {8, 80}, {16, 80}, {32, 80}, {64, 80}};
  rows[1].name = "SATF";
  rows[1].params.age_weight = 0;
  rows[1].expected = {{1, 80}, {2, 97}, {4, 118}, {8, 143}, {16, 177}, {32, 219}, {64, 271}};
  rows[2].name = "SATF, ageing 0.02";
  rows[2].expected = {{1, 80}, {2, 97}, {4, 117}, {8, 143}, {16, 173}, {32, 202}, {64, 214}};
  rows[3].name = "and 0.6 ms margin";
  rows[3].params.rotational_margin = from_seconds(0.6e-3);
  rows[3].expected = {{1, 76}, {2, 91}, {4, 110}, {8, 131}, {16, 155}, {32, 176}, {64, 183}};
  rows[4].name = "quarter of the stroke";
  rows[4].params.capacity.value *= 4;
  rows[4].expected = {{1, 121}, {4, 183}, {16, 272}, {32, 308}};
  return rows;
}

double iops_of(const std::string& scenario, const std::vector<Override>& sets) {
  const RunResult r = run_scenario(
      load_scenario(fmt::format("{}/scenarios/{}", STORCAST_SOURCE_DIR, scenario), sets));
  CHECK(r.self_check.passed);
  CHECK(r.converged);
  return r.streams.front().all.iops.value;
}

void check_between(const char* scenario, double low, double high, double scale = 1,
                   const std::vector<Override>& sets = {}) {
  const double value = iops_of(scenario, sets) * scale;
  fmt::print("{:<42} {:>8.1f}  must lie in {:.0f} to {:.0f}\n", scenario, value, low, high);
  CHECK(value >= low);
  CHECK(value <= high);
}

}  // namespace

TEST_CASE("a hard disk's queue is worth what the scheduling table says",
          "[validation][hdd][slow]") {
  fmt::print("Random 4 KiB reads of one hard disk\n{:<22} {:>4} {:>9} {:>9} {:>9}\n", "scheduling",
             "QD", "expected", "model", "deviation");
  double worst = 0;
  for (const Row& row : table()) {
    for (const auto& [depth, expected] : row.expected) {
      testing::DriveBench<Hdd> bench(row.params, Direction::read, 8, depth);
      bench.run(15);
      const double model = bench.run(150).iops;
      const double deviation = model / expected - 1;
      fmt::print("{:<22} {:>4} {:>9.0f} {:>9.1f} {:>+7.1f} %\n", row.name, depth, expected, model,
                 deviation * 100);
      INFO(row.name << ", " << depth << " outstanding");
      CHECK(std::fabs(deviation) < 0.05);
      worst = std::max(worst, std::fabs(deviation));
    }
  }
  fmt::print("worst {:.1f} %, bar 5 %\n", worst * 100);
}

TEST_CASE("the 99th percentiles of the table are met: 1.0 s without, 0.53 s with ageing",
          "[validation][hdd][slow]") {
  for (const auto& [weight, expected] : {std::pair{0.0, 1.0}, {0.02, 0.53}}) {
    Hdd::Params p = example_drive();
    p.age_weight = weight;
    testing::DriveBench<Hdd> bench(p, Direction::read, 8, 64);
    bench.run(15);
    const double p99 = to_seconds(bench.run(300).histogram.quantile(0.99));
    fmt::print("p99 at 64 outstanding, ageing {}: expected {} s, model {:.2f} s\n", weight,
               expected, p99);
    CHECK(p99 == Approx(expected).epsilon(0.1));
  }
}

TEST_CASE("scenarios 030 to 034 fall into the intervals they name", "[validation][hdd][slow]") {
  constexpr double mb_per_io = 65536 / 1e6;
  check_between("030_hdd_queue_depth.yaml", 165, 178);
  check_between("030_hdd_queue_depth.yaml", 78, 82, 1, {{"workloads.main.iodepth", "1"}});
  check_between("031_hdd_short_stroke.yaml", 258, 278);
  check_between("032_hdd_sequential_streams.yaml", 76, 84, mb_per_io);
  check_between("032_hdd_sequential_streams.yaml", 272, 276, mb_per_io,
                {{"workloads.main.numjobs", "1"}});
  check_between("033_hdd_write_back.yaml", 270, 300);
  check_between("034_hdd_raid10_quarter_stroke.yaml", 2000, 3000);
}

TEST_CASE("k sequential streams share a drive by the formula, through the whole array",
          "[validation][hdd][slow]") {
  const SeekCurve seek(Hdd::read_seeks(example_drive()));
  for (const int k : {2, 4, 8, 16}) {
    const double seek_s = ((k - 1) * seek.time_ps(0.5 / k) + seek.time_ps(0.5 * (k - 1) / k)) / k /
                          picoseconds_per_second;
    const double rate = 275e6 * (1 - 0.5 * 0.5 * (k - 1) / 2.0 / k);  // mean of the k places
    constexpr double run = 1 << 20;
    const double law = run / (run / rate + 0.15e-3 + seek_s + 30.0 / 7200) / 1e6;
    const double model = iops_of("032_hdd_sequential_streams.yaml",
                                 {{"workloads.main.numjobs", std::to_string(k)}}) *
                         65536 / 1e6;
    fmt::print("{:>2} streams: formula {:.1f} MB/s, model {:.1f}, {:+.1f} %\n", k, law, model,
               (model / law - 1) * 100);
    CHECK(model == Approx(law).epsilon(0.05));
  }
}

TEST_CASE("the analytic tier's bound holds for drives that sort, its mean is near",
          "[validation][hdd][slow]") {
  for (const char* depth : {"1", "4", "16", "64"}) {
    const std::vector<Override> sets{{"workloads.main.iodepth", depth}};
    const Scenario s =
        load_scenario(STORCAST_SOURCE_DIR "/scenarios/030_hdd_queue_depth.yaml", sets);
    const RunResult r = run_scenario(s);
    INFO(depth << " outstanding");
    CHECK(r.streams[0].all.iops.value <= r.bounds.saturation_iops * 1.01);
    CHECK(r.streams[0].all.iops.value == Approx(r.bounds.mva_iops).epsilon(0.1));
  }
}
