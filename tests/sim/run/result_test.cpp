#include "sim/run/result.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/run/experiment.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

const RunResult& mixed() {
  static const RunResult result = run_scenario(small({{"workloads.main.rw", "randrw"},
                                                      {"workloads.main.rwmixread", "70"},
                                                      {"workloads.main.numjobs", "8"},
                                                      {"workloads.main.iodepth", "1"},
                                                      {"run.limit.ios", "200k"}}));
  return result;
}

}  // namespace

TEST_CASE("the stages of an I/O sum to its mean response time") {
  for (const char* rw : {"randread", "randwrite", "read", "write"}) {
    INFO(rw);
    const RunResult r = run_scenario(small({{"workloads.main.rw", rw}, {"run.limit.ios", "30k"}}));
    const StreamResult& s = r.streams[0];
    REQUIRE(s.stages.size() == 4);
    double sum = 0;
    for (const Stage& stage : s.stages) {
      CHECK(stage.mean_s >= 0);
      sum += stage.mean_s;
    }
    CHECK(sum == Approx(s.all.mean_s.value).epsilon(2e-6));
    CHECK(s.unexplained_s == 0);
  }
}

TEST_CASE("reads and writes make up the whole, in the asked mix") {
  const StreamResult& s = mixed().streams[0];
  CHECK(s.read.ios + s.write.ios == s.all.ios);
  CHECK(s.read.iops.value + s.write.iops.value == Approx(s.all.iops.value));
  CHECK(s.read.iops.value / s.all.iops.value == Approx(0.7).epsilon(0.01));
  CHECK(s.all.bandwidth_bytes_per_s.value == Approx(s.all.iops.value * 4096));
  CHECK(s.block_bytes == 4096);
  CHECK(s.outstanding == 32);
}

TEST_CASE("percentiles grow; what is refused says why") {
  double before = 0;
  for (const Percentile& p : mixed().streams[0].all.percentiles) {
    if (!p.value_s) {
      CHECK(p.refusal.find("samples") != std::string::npos);
      continue;
    }
    CHECK(p.value_s->value >= before);
    CHECK(p.value_s->half_width >= 0);
    before = p.value_s->value;
  }
}

TEST_CASE("Little's law holds for the stream and for the stations that matter") {
  const RunResult& r = mixed();
  CHECK(r.streams[0].littles_law_ratio == Approx(1).epsilon(0.005));
  CHECK(r.streams[0].mean_outstanding == Approx(32).epsilon(1e-6));
  INFO((r.self_check.failures.empty() ? "" : r.self_check.failures[0]));
  CHECK(r.self_check.passed);
  for (const StationResult& s : r.stations) {
    INFO(s.name);
    CHECK(s.utilisation <= 1 + 1e-9);
    CHECK(s.utilisation_highest >= s.utilisation - 1e-12);
  }
}

TEST_CASE("the series covers the run without gaps") {
  const RunResult& r = mixed();
  REQUIRE_FALSE(r.series.empty());
  double at = 0;
  double ios = 0;
  for (const SeriesPoint& p : r.series) {
    CHECK(p.start_s == Approx(at).margin(1e-9));
    at += p.length_s;
    ios += p.iops * p.length_s;
  }
  CHECK(at == Approx(r.simulated_s).epsilon(1e-6));
  CHECK(ios == Approx(static_cast<double>(r.self_check.ios_out)).epsilon(1e-6));
}

TEST_CASE("power lies between idle and maximum") {
  const PowerResult& p = mixed().power;
  CHECK(p.idle_w > 50);
  CHECK(p.at_load_w > p.idle_w);
  CHECK(p.maximum_w > p.at_load_w);
}
