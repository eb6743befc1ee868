#include "sim/run/flow.hpp"

#include <catch2/catch.hpp>

#include "results/report.hpp"
#include "results/summary_json.hpp"
#include "tests/support/rebuild_scenario.hpp"

using namespace storcast;
using Catch::Contains;
using testing::rebuild_seconds;
using testing::rebuilt_pool;
using testing::run_rebuild;

TEST_CASE("a flow tells what a run tells: phases, notes, the rebuild, to its end") {
  const RunResult r = run_rebuild({{"run.limit.simulated", "2s"}}, Fidelity::flow);
  CHECK(r.fidelity == "flow");
  REQUIRE(r.rebuilds.size() == 1);
  REQUIRE(r.rebuilds[0].ends_s);
  CHECK(rebuild_seconds(r.rebuilds[0]) == Approx(500e6 / 163.84e6).epsilon(0.002));
  CHECK(r.rebuilds[0].bytes == Approx(500e6).epsilon(1e-3));
  CHECK(r.simulated_s == Approx(*r.rebuilds[0].ends_s).epsilon(1e-6));
  CHECK(r.timeline.size() == 3);
  CHECK_THAT(report(r), Contains("fidelity flow"));
  CHECK_THAT(summary_json(r), Contains("\"fidelity\": \"flow\""));
}

TEST_CASE("a flow goes on to the limit when the rebuild is done") {
  const RunResult r = run_rebuild({{"run.limit.simulated", "100s"}}, Fidelity::flow);
  CHECK(r.simulated_s == Approx(100));
  REQUIRE(r.phases.size() == 3);
  CHECK(r.phases[2].start_s + r.phases[2].length_s == Approx(100));
}

TEST_CASE("a flow follows loads that change, second losses and the end of data") {
  const std::vector<Override> two{
      {rebuilt_pool + ".hot_spares", "2"},
      {"workloads.main.thinktime", "0s"},
      {rebuilt_pool + ".rebuild.rate_limit", "50MB/s"},
      {"timeline", "[{at: 1s, fail: " + rebuilt_pool + ".drives.3}, {at: 2s, fail: " +
                       rebuilt_pool + ".drives.5}, {at: 3s, set: {workloads.main.iodepth: 4}}]"}};
  const RunResult r = run_rebuild(two, Fidelity::flow);
  REQUIRE(r.rebuilds.size() == 2);
  REQUIRE(r.rebuilds[1].ends_s);
  CHECK(*r.rebuilds[1].begins_s == Approx(*r.rebuilds[0].ends_s));
  CHECK(r.rebuilds[1].redundancy_restored);
  CHECK(r.phases.back().iops > 1.5 * r.phases.front().iops);
  auto lost = two;
  lost.push_back({rebuilt_pool + ".raid", "raid5"});
  const RunResult gone = run_rebuild(lost, Fidelity::flow);
  CHECK_FALSE(gone.converged);
  CHECK(gone.stop_reason == "data loss at 2.00 s");
}

TEST_CASE("a flow refuses what it cannot follow, with the place") {
  try {
    run_rebuild({{"timeline", "[{at: 1s, fail: system.arrays.array.controllers.a}]"}},
                Fidelity::flow);
    FAIL("accepted");
  } catch (const ScenarioError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].where.file == "--set");
    CHECK_THAT(error.problems()[0].rule, Contains("does not follow the failure of a controller"));
  }
}

TEST_CASE("an open load gets what it offers while a rebuild goes on beside it") {
  const RunResult r = run_rebuild({{"workloads.main",
                                    "{host: host, rw: randread, bs: 4KiB, arrival: poisson, "
                                    "rate_iops: 4k}"}},
                                  Fidelity::flow);
  CHECK(r.phases[1].iops == Approx(4000).epsilon(0.01));
  CHECK(r.rebuilds[0].ends_s);
}
