#include "sim/run/experiment.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "results/summary_json.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

const std::vector<Override> eventful{{"workloads.main.rw", "randrw"},
                                     {"workloads.main.rwmixread", "70"},
                                     {"run.limit.simulated", "400ms"},
                                     {"run.limit.ios", "10M"},
                                     {"system.arrays.array.controllers.a.failover_pause", "50ms"},
                                     {"timeline",
                                      "[{at: 50ms, set: {workloads.main.iodepth: 16}},"
                                      " {at: 100ms, fail: system.arrays.array.pools.a.drives.2},"
                                      " {at: 200ms, fail: system.arrays.array.controllers.a}]"}};

std::string json_of(const Scenario& s, bool under_simgrid) {
  RunOptions options;
  options.under_simgrid = under_simgrid;
  return summary_json(run_scenario(s, options));
}

Override open_load(const std::string& rate, const std::string& rw = "randread") {
  return {"workloads.main",
          "{host: host, rw: " + rw + ", bs: 4KiB, arrival: poisson, rate_iops: " + rate + "}"};
}

}  // namespace

TEST_CASE("SimGrid's clock changes not a bit of a result") {
  for (const char* rw : {"randread", "randwrite", "rw"}) {
    const Scenario s = small({{"workloads.main.rw", rw}, {"run.limit.ios", "30k"}});
    CHECK(json_of(s, true) == json_of(s, false));
  }
  const Scenario s = small(eventful);
  CHECK(json_of(s, true) == json_of(s, false));
}

TEST_CASE("the same seed gives the same bytes, another seed others") {
  const Scenario s = small({{"workloads.main.rw", "randrw"}, {"run.limit.ios", "30k"}});
  CHECK(json_of(s, true) == json_of(s, true));
  const Scenario other =
      small({{"workloads.main.rw", "randrw"}, {"run.limit.ios", "30k"}, {"run.seed", "2"}});
  CHECK(json_of(s, true) != json_of(other, true));
}

TEST_CASE("more failures than the level tolerates end as data loss, with what was measured") {
  const RunResult r =
      run_scenario(small({{"run.limit.simulated", "400ms"},
                          {"run.limit.ios", "10M"},
                          {"timeline",
                           "[{at: 100ms, fail: system.arrays.array.pools.b.drives.0},"
                           " {at: 200ms, fail: system.arrays.array.pools.b.drives.1}]"}}));
  CHECK_FALSE(r.converged);
  CHECK(r.stop_reason == "data loss at 200 ms");
  CHECK(r.streams[0].all.ios > 1000);
  CHECK(r.streams[0].all.iops.value > 0);
  REQUIRE(r.timeline.size() == 3);
  CHECK(r.timeline[2].what.find("data loss in pool b") != std::string::npos);
  CHECK(r.self_check.passed);
}

TEST_CASE("when a controller fails the survivor carries both; the pause shows in the series") {
  const RunResult r =
      run_scenario(small({{"run.limit.simulated", "600ms"},
                          {"run.limit.ios", "10M"},
                          {"workloads.main.iodepth", "32"},
                          {"system.arrays.array.controllers.a.failover_pause", "100ms"},
                          {"timeline", "[{at: 300ms, fail: system.arrays.array.controllers.a}]"}}));
  const auto mean_iops = [&](double from, double to) {
    double sum = 0;
    int n = 0;
    for (const SeriesPoint& p : r.series) {
      if (p.start_s < from || p.start_s + p.length_s > to) continue;
      sum += p.iops;
      ++n;
    }
    REQUIRE(n > 0);
    return sum / n;
  };
  const double before = mean_iops(0.1, 0.29);
  const double pause = mean_iops(0.32, 0.39);
  const double after = mean_iops(0.45, 0.6);
  CHECK(pause == Approx(before / 2).epsilon(0.05));  // b's volumes alone
  CHECK(after == Approx(before / 2).epsilon(0.05));  // both on b's cores
  CHECK(r.streams[0].all.iops.value > 0);
  double busy_b = 0;
  for (const StationResult& s : r.stations) {
    if (s.name == "array.controller_b.cores") busy_b = s.utilisation_highest;
  }
  CHECK(busy_b > 0.9);
}

TEST_CASE("an open stable load completes what is offered") {
  const RunResult r = run_scenario(small({open_load("200k"), {"run.limit.ios", "300k"}}));
  const StreamResult& s = r.streams[0];
  CHECK(s.stable);
  CHECK(r.verdict.empty());
  // Poisson counts: 300,000 arrivals have a standard error of 0.18 %.
  CHECK(s.all.iops.value == Approx(200e3).epsilon(0.008));
  CHECK(std::fabs(s.all.iops.value - 200e3) < 4 * std::max(s.all.iops.half_width, 1.0));
  CHECK(s.all.mean_s.value > 50e-6);
}

TEST_CASE("an open overload gets a verdict and no latency") {
  for (const char* rw : {"randread", "randwrite"}) {
    const RunResult r = run_scenario(small({open_load("50M", rw)}));
    CHECK(r.verdict.starts_with("unstable: offered 50.0M IOPS, limit "));
    CHECK_FALSE(r.converged);
    CHECK_FALSE(r.streams[0].stable);
    CHECK(r.streams[0].all.mean_s.value == 0);
    CHECK(r.streams[0].all.percentiles.empty());
  }
}

TEST_CASE("an offered load just below the limit is stable, just above it is not") {
  RunOptions analytic;
  analytic.fidelity = Fidelity::analytic;
  const double limit = run_scenario(small({open_load("1k")}), analytic).bottleneck.limit_iops;
  const auto stable = [&](double share) {
    return run_scenario(small({open_load(std::to_string(limit * share))}), analytic)
        .streams[0]
        .stable;
  };
  CHECK(stable(0.98));
  CHECK_FALSE(stable(1.02));
}

TEST_CASE("runs pass their own checks over a grid of small scenarios", "[slow]") {
  for (const char* rw : {"randread", "randwrite", "randrw", "read", "write"}) {
    for (const char* bs : {"512B", "4KiB", "128KiB"}) {
      for (const char* depth : {"1", "32"}) {
        for (const char* raid : {"raid0", "raid6", "raid10"}) {
          const Scenario s = small({{"workloads.main.rw", rw},
                                    {"workloads.main.bs", bs},
                                    {"workloads.main.iodepth", depth},
                                    {"system.arrays.array.pools.a.raid", raid},
                                    {"system.arrays.array.volumes.size", "1GiB"},
                                    {"run.limit.ios", "20k"}});
          const RunResult r = run_scenario(s);
          INFO(rw << " " << bs << " " << depth << " " << raid << ": " << r.stop_reason);
          INFO((r.self_check.failures.empty() ? "" : r.self_check.failures.front()));
          CHECK(r.self_check.passed);
          CHECK(r.verdict.empty());
        }
      }
    }
  }
}

TEST_CASE("mixed workloads pass their own checks: closed beside open, two sizes, think time") {
  const Override other{"workloads.other",
                       "{host: host, rw: write, bs: 64KiB, iodepth: 2, volumes: b}"};
  const Override open{"workloads.open",
                      "{host: host, rw: randread, bs: 16KiB, arrival: poisson, rate_iops: 20k}"};
  const Override think{"workloads.main.thinktime", "1ms"};
  const std::vector<Override> split{{"workloads.main.bs", "null"},
                                    {"workloads.main.bssplit", "4KiB/80:64KiB/20"}};
  for (std::vector<Override> sets :
       {std::vector<Override>{other}, {open}, {other, open, think}, split}) {
    sets.push_back({"run.limit.ios", "200k"});
    const RunResult r = run_scenario(small(sets));
    INFO(sets[0].path << " " << r.stop_reason << " "
                      << (r.self_check.failures.empty() ? "" : r.self_check.failures[0]));
    CHECK(r.self_check.passed);
    CHECK(r.verdict.empty());
  }
}

TEST_CASE("a sweep's knee and saturation lie on its curve") {
  SweepResult sweep;
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    RunResult r;
    StreamResult s;
    s.all.iops.value = 100 * n / (n + 7);  // balanced network of eight stations
    s.all.mean_s.value = n / s.all.iops.value;
    r.streams = {s};
    sweep.points.push_back({std::to_string(n), r});
  }
  mark_curve(sweep);
  REQUIRE(sweep.knee.has_value());
  REQUIRE(sweep.saturation.has_value());
  CHECK(*sweep.knee == 3);  // n = 8 maximises n / (n + 7)^2 among these
  CHECK(*sweep.saturation == 5);
}
