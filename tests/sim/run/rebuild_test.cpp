// Rebuilds in whole runs: what is told, what ends a run, what a timeline does to them.
#include <catch2/catch.hpp>

#include "results/report.hpp"
#include "results/summary_json.hpp"
#include "tests/support/rebuild_scenario.hpp"

using namespace storcast;
using Catch::Contains;
using testing::rebuild_seconds;
using testing::rebuilding;
using testing::rebuilt_pool;
using testing::run_rebuild;

namespace {

std::vector<std::string> notes_of(const RunResult& r) {
  std::vector<std::string> notes;
  for (const TimelineNote& n : r.timeline) notes.push_back(n.what);
  return notes;
}

Override losses(const std::string& second_at, int second) {
  return {"timeline", "[{at: 1s, fail: " + rebuilt_pool + ".drives.3}, {at: " + second_at +
                          ", fail: " + rebuilt_pool + ".drives." + std::to_string(second) + "}]"};
}

}  // namespace

TEST_CASE("a lost drive is rebuilt at the rate of its spare, and the run tells of it") {
  const RunResult r = run_rebuild();
  REQUIRE(r.rebuilds.size() == 1);
  const RebuildResult& b = r.rebuilds[0];
  CHECK(b.into == "hot spare");
  CHECK(b.redundancy_restored);
  CHECK(b.rows_done == b.rows);
  CHECK(b.bytes == Approx(500e6).epsilon(1e-3));
  CHECK(b.bytes_per_s == Approx(65536 / 400e-6).epsilon(0.005));
  CHECK(notes_of(r) == std::vector<std::string>{"drive 3 of pool a fails",
                                                "rebuild of drive 3 of pool a into a hot spare "
                                                "begins",
                                                "rebuild of drive 3 of pool a into a hot spare "
                                                "ends"});
  REQUIRE(r.phases.size() == 3);
  CHECK_THAT(r.phases[2].what, Contains("ends"));
  CHECK(r.self_check.passed);
  CHECK_THAT(report(r), Contains("; redundancy"));
  CHECK_THAT(summary_json(r), Contains("\"rebuilds\""));
}

TEST_CASE("a run that ends before the rebuild tells how far it came and how long it would take") {
  const RunResult r = run_rebuild({{"run.limit.simulated", "2s"}});
  REQUIRE(r.rebuilds.size() == 1);
  CHECK_FALSE(r.rebuilds[0].ends_s);
  REQUIRE(r.rebuilds[0].remaining_s);
  CHECK(1 + *r.rebuilds[0].remaining_s == Approx(500e6 / 163.84e6).epsilon(0.01));
  CHECK_THAT(report(r), Contains("32.7 % done"));
}

TEST_CASE("without a spare, or with its rebuild not enabled, nothing is rebuilt") {
  CHECK(run_rebuild({{rebuilt_pool + ".hot_spares", "0"}}).rebuilds.empty());
  const RunResult off = run_rebuild({{rebuilt_pool + ".rebuild", "{enabled: false}"}});
  CHECK(off.rebuilds.empty());
  CHECK(summary_json(off).find("rebuilds") == std::string::npos);
}

TEST_CASE("rebuild I/Os are no I/Os of the clients, but use the stations") {
  const RunResult with = run_rebuild({{"run.limit.simulated", "3s"}});
  const RunResult without =
      run_rebuild({{"run.limit.simulated", "3s"}, {rebuilt_pool + ".hot_spares", "0"}});
  CHECK(with.streams[0].all.iops.value == Approx(without.streams[0].all.iops.value).margin(1));
  const auto busiest = [](const RunResult& r) {
    for (const StationResult& s : r.stations) {
      if (s.name == "array.pool_a.drives") return s.utilisation_highest;
    }
    return 0.0;
  };
  CHECK(busiest(with) > 0.5);
  CHECK(busiest(without) < 0.01);
}

TEST_CASE("a second loss beyond the level during a rebuild ends the run with what was measured") {
  const RunResult r = run_rebuild({{rebuilt_pool + ".raid", "raid5"}, losses("2s", 5)});
  CHECK_FALSE(r.converged);
  CHECK(r.stop_reason == "data loss at 2.00 s");
  REQUIRE(r.rebuilds.size() == 1);
  CHECK(r.rebuilds[0].rows_done > 1000);
  CHECK_FALSE(r.rebuilds[0].ends_s);
}

TEST_CASE("within the level a second loss waits for the first rebuild") {
  const RunResult r = run_rebuild(
      {{rebuilt_pool + ".hot_spares", "2"}, losses("2s", 5), {"run.limit.simulated", "9s"}});
  REQUIRE(r.rebuilds.size() == 2);
  REQUIRE(r.rebuilds[0].ends_s);
  REQUIRE(r.rebuilds[1].begins_s);
  CHECK(*r.rebuilds[1].begins_s >= *r.rebuilds[0].ends_s);
  CHECK(*r.rebuilds[1].begins_s < *r.rebuilds[0].ends_s + 0.1);
  CHECK_FALSE(r.rebuilds[0].redundancy_restored);
  CHECK(r.rebuilds[1].redundancy_restored);
}

TEST_CASE("after a rebuild the level carries the next loss") {
  const RunResult r = run_rebuild({{rebuilt_pool + ".raid", "raid5"}, losses("4.5s", 5)});
  CHECK(r.converged);
  CHECK(r.rebuilds[0].redundancy_restored);
}

TEST_CASE("a rebuild runs on when its controller fails") {
  const RunResult r = run_rebuild(
      {{"system.arrays.array.controllers.a.failover_pause", "500ms"},
       {"run.limit.simulated", "6s"},
       {"timeline", "[{at: 1s, fail: " + rebuilt_pool +
                        ".drives.3}, {at: 2s, fail: system.arrays.array.controllers.a}]"}});
  REQUIRE(r.rebuilds.size() == 1);
  REQUIRE(r.rebuilds[0].ends_s);
  CHECK(rebuild_seconds(r.rebuilds[0]) == Approx(500e6 / 163.84e6 + 0.5).epsilon(0.02));
}

TEST_CASE("a rebuild goes through every kind of drive, shelves too") {
  for (const char* drive : {"{use: drives/nvme-gen4-tlc}", "{use: drives/hdd-nearline-16tb}"}) {
    const RunResult r =
        run_rebuild({{rebuilt_pool + ".drive", drive}, {"run.limit.simulated", "1.2s"}});
    INFO(drive << r.stop_reason);
    REQUIRE(r.rebuilds.size() == 1);
    CHECK(r.rebuilds[0].rows_done > 10);
    CHECK(r.self_check.passed);
  }
}

TEST_CASE("a hard disk alone is filled at its sequential rate, given a few rows in flight") {
  const RunResult r = run_rebuild({{rebuilt_pool + ".drive", "{use: drives/hdd-nearline-16tb}"},
                                   {rebuilt_pool + ".rebuild.window", "32"},
                                   {"run.limit.simulated", "5s"}});
  CHECK(r.rebuilds[0].bytes_per_s == Approx(275e6).epsilon(0.03));
}

TEST_CASE("SimGrid's clock changes not a bit of a rebuild") {
  RunOptions options;
  const std::string under = summary_json(run_scenario(rebuilding(), options));
  CHECK(under == summary_json(run_rebuild()));
}
