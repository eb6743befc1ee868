#include "sim/run/session.hpp"

#include <catch2/catch.hpp>

#include "sim/platform/simgrid_platform.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

// A scenario with all that its session needs.
struct Bench {
  Bench(RunOptions o, const std::vector<Override>& sets)
      : scenario(small(sets)),
        options(std::move(o)),
        assembly(build_system(scenario, load_simgrid_platform(platform_of(scenario)))),
        analytic(solve_analytic(scenario, assembly)),
        session(scenario, assembly, analytic, options) {
    session.run();
  }
  Scenario scenario;
  RunOptions options;
  Assembly assembly;
  AnalyticAnswer analytic;
  Session session;
};

}  // namespace

TEST_CASE("a session stops when the wanted precision is reached") {
  const Bench b({}, {{"run.precision", "{throughput: 5%, mean: 5%, p99: 20%}"}});
  CHECK(b.session.converged());
  CHECK(b.session.stop_reason() == "wanted precision reached");
}

TEST_CASE("a session stops at its limits and says which") {
  const Bench ios({}, {{"run.precision", "{throughput: 0.01%, mean: 0.01%, p99: 0.01%}"},
                       {"run.limit.ios", "50k"}});
  CHECK_FALSE(ios.session.converged());
  CHECK(ios.session.stop_reason() == "limit of 50.0k I/Os reached");
  const Bench time({}, {{"run.precision", "{throughput: 0.01%, mean: 0.01%, p99: 0.01%}"},
                        {"run.limit.simulated", "100ms"}});
  CHECK_FALSE(time.session.converged());
  CHECK(time.session.stop_reason().find("100 ms simulated reached") != std::string::npos);
  CHECK(to_seconds(time.session.kernel().now()) == Approx(0.1).epsilon(1e-6));
}

TEST_CASE("a session with a timeline runs to its end and notes what happened") {
  const Bench b({}, {{"run.limit.simulated", "100ms"},
                     {"timeline",
                      "[{at: 20ms, set: {workloads.main.iodepth: 8}},"
                      " {at: 50ms, fail: system.arrays.array.pools.a.drives.2}]"}});
  CHECK(b.session.converged());
  REQUIRE(b.session.notes().size() == 2);
  CHECK(b.session.notes()[0].at_s == Approx(0.02));
  CHECK(b.session.notes()[1].what == "drive 2 of pool a fails");
  CHECK(b.session.recorder().in_flight(0) == 64);  // 8 connections of 8
}

TEST_CASE("an iodepth that shrinks lets I/Os leave") {
  const Bench b({}, {{"run.limit.simulated", "100ms"},
                     {"timeline", "[{at: 20ms, set: {workloads.main.iodepth: 1}}]"}});
  CHECK(b.session.recorder().in_flight(0) == 8);
}

TEST_CASE("all drives that a level tolerates may fail, one more ends the run") {
  const Bench b({}, {{"run.limit.simulated", "100ms"},
                     {"timeline",
                      "[{at: 20ms, fail: system.arrays.array.pools.b.drives.0},"
                      " {at: 60ms, fail: system.arrays.array.pools.b.drives.1}]"}});
  CHECK_FALSE(b.session.converged());
  CHECK(b.session.stop_reason() == "data loss at 60.0 ms");
  CHECK(to_seconds(b.session.kernel().now()) == Approx(0.06).epsilon(0.02));
  CHECK(b.session.recorder().completed_in_run() > 1000);
}

TEST_CASE("progress is told and does not go back") {
  double last = 0;
  int calls = 0;
  RunOptions options;
  options.progress = [&](const Progress& p) {
    ++calls;
    CHECK(p.done >= last);
    CHECK(p.done <= 1);
    CHECK(p.simulated_s <= p.limit_s * (1 + 1e-9));
    last = p.done;
  };
  const Bench b(options, {{"run.limit.simulated", "50ms"}});
  CHECK(calls > 2);
}
