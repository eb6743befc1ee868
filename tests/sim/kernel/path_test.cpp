#include "sim/kernel/path.hpp"

#include <catch2/catch.hpp>

#include "sim/base/error.hpp"
#include "sim/kernel/system.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;
using under_test::us;

namespace {

// A system with one group of each kind and two pools.
struct PathUnderTest {
  PathUnderTest() {
    system.connections.resize(2);
    routes = system.add_route_table();
    single = system.add_single("single");
    cores = system.add_per_connection("cores", 2, routes);
    drives = system.add_per_drive("drives", 4);
    dies = system.add_per_address("dies", 4, 8);
    servers = system.add_servers("servers", 3);
    priority = system.add_priority("priority");
    pool = system.add_pool("pool", 10);
    plan = system.add_plan(Plan(members));
    decision = system.add_decision(Decide(never));
    service = system.add_service(ServiceTime(model));
  }
  System system;
  std::uint32_t routes = 0;
  GroupId single{}, cores{}, drives{}, dies{}, servers{}, priority{};
  PoolId pool{};
  PlanId plan{};
  DecideId decision{};
  ServiceId service{};
  void (*members)(const Io&, int, MemberPlan&) = [](const Io&, int, MemberPlan&) {};
  bool (*never)(const Io&, Time, Rng&) = [](const Io&, Time, Rng&) { return false; };
  Duration (*model)(const Io&, Time, Rng&) = [](const Io&, Time, Rng&) { return Duration{1}; };
};

}  // namespace

TEST_CASE("a step is half a cache line") { STATIC_REQUIRE(sizeof(Step) == 32); }

TEST_CASE("a path is a row of steps, each with its stage, target and demand") {
  PathUnderTest t;
  t.system.steps.resize(3);  // other paths before it
  t.system.infos.resize(3);
  PathBuilder path(t.system);
  path.stage(StageId::host).note("host: submission").visit(t.single, {us(2), 0.5}, us(1));
  path.stage(StageId::controller).note("core").visit(t.cores, {us(3)}).gated();
  path.stage(StageId::raid_and_drives).visit(t.drives, {us(4)}).visit(t.dies, {us(5)}).chained();
  REQUIRE(path.finish() == 3);
  const auto& steps = t.system.steps;
  REQUIRE(steps.size() == 8);
  REQUIRE(t.system.infos.size() == 8);
  CHECK(steps[3].kind == StepKind::visit);
  CHECK(steps[3].stage == StageId::host);
  CHECK(steps[3].fixed_ps == 2e6);
  CHECK(steps[3].slope == 0.5f);
  CHECK(steps[3].after_ps == 1'000'000);
  CHECK(t.system.infos[3].what == "host: submission");
  CHECK(steps[4].kind == StepKind::visit_gated);
  CHECK(steps[4].stage == StageId::controller);
  CHECK(steps[4].target == t.routes);
  CHECK(steps[4].aux == Step::no_pool);
  CHECK(steps[5].kind == StepKind::pass_drive);
  CHECK(steps[5].target == t.system.groups[t.drives].first);
  CHECK(steps[6].kind == StepKind::visit_address);
  CHECK(steps[6].aux == 8);
  CHECK(steps[6].stage == StageId::raid_and_drives);
  CHECK(t.system.infos[6].what == "core");
  CHECK(steps[7].kind == StepKind::complete);
}

TEST_CASE("a path that was acknowledged ends by retiring") {
  PathUnderTest t;
  PathBuilder path(t.system);
  path.visit(t.single, {us(1)}).acknowledge().visit(t.single, {us(1)});
  (void)path.finish();
  CHECK(t.system.steps[1].kind == StepKind::acknowledge);
  CHECK(t.system.steps[3].kind == StepKind::retire);
}

TEST_CASE("a fork knows its join and a skip its resume") {
  PathUnderTest t;
  PathBuilder path(t.system);
  path.skip_if(t.decision).fork(t.plan, 2, true).visit(t.drives, {us(1)}).join().resume();
  path.visit(t.single, {us(1)});
  (void)path.finish();
  CHECK(t.system.steps[0].kind == StepKind::skip_if);
  CHECK(t.system.steps[0].aux == 4);
  CHECK(t.system.steps[1].kind == StepKind::fork);
  CHECK(t.system.steps[1].aux == 3);
  CHECK(t.system.steps[1].after_ps == 2);
  CHECK(t.system.steps[1].priority == 1);
  CHECK(t.system.steps[3].kind == StepKind::join);
}

TEST_CASE("visits go to stations that can be visited that way") {
  PathUnderTest t;
  PathBuilder path(t.system);
  CHECK_THROWS_AS(path.visit(t.priority, {us(1)}), InvariantError);
  CHECK_THROWS_AS(path.visit_priority(t.single, {us(1)}, 0), InvariantError);
  CHECK_THROWS_AS(path.visit_priority(t.priority, {us(1)}, -1), InvariantError);
  CHECK_THROWS_AS(path.visit_priority(t.priority, {us(1)}, 4), InvariantError);
  CHECK_NOTHROW(path.visit_priority(t.priority, {us(1)}, 3));
  CHECK_THROWS_AS(path.visit_model(t.drives, t.service), InvariantError);
  CHECK_NOTHROW(path.visit_model(t.single, t.service));
  CHECK_THROWS_AS(path.post(t.single, 1.0, us(1), us(0)), InvariantError);
  CHECK_NOTHROW(path.post(t.drives, 1.0, us(1), us(0)));
}

TEST_CASE("demands and delays are not negative, folded delays at most 4.29 ms") {
  PathUnderTest t;
  PathBuilder path(t.system);
  CHECK_THROWS_AS(path.visit(t.single, {us(-1)}), InvariantError);
  CHECK_THROWS_AS(path.visit(t.single, {us(1), -0.1}), InvariantError);
  CHECK_THROWS_AS(path.visit(t.single, {us(1)}, us(-1)), InvariantError);
  CHECK_THROWS_AS(path.visit(t.single, {us(1)}, us(4'300)), InvariantError);
  CHECK_NOTHROW(path.visit(t.single, {us(1)}, us(4'290)));
  CHECK_THROWS_AS(path.delay(us(-1)), InvariantError);
  CHECK_THROWS_AS(path.visit_priority(t.priority, {us(-1)}, 0), InvariantError);
  CHECK_THROWS_AS(path.post(t.drives, -1.0, us(1), us(0)), InvariantError);
  CHECK_THROWS_AS(path.post(t.drives, 1.0, us(-1), us(0)), InvariantError);
}

TEST_CASE("only a visit behind a drive's own queue can be chained") {
  PathUnderTest t;
  SECTION("not the first step") {
    PathBuilder path(t.system);
    path.visit(t.dies, {us(1)});
    CHECK_THROWS_AS(path.chained(), InvariantError);
  }
  SECTION("not behind several servers") {
    PathBuilder path(t.system);
    path.visit(t.servers, {us(1)}).visit(t.dies, {us(1)});
    CHECK_THROWS_AS(path.chained(), InvariantError);
  }
  SECTION("not behind a queue of all drives") {
    PathBuilder path(t.system);
    path.visit(t.single, {us(1)}).visit(t.dies, {us(1)});
    CHECK_THROWS_AS(path.chained(), InvariantError);
  }
  SECTION("not a visit to anything but a drive's parts") {
    PathBuilder path(t.system);
    path.visit(t.drives, {us(1)}).visit(t.single, {us(1)});
    CHECK_THROWS_AS(path.chained(), InvariantError);
  }
}

TEST_CASE("only a visit by connection of fixed demand can be gated") {
  PathUnderTest t;
  PathBuilder path(t.system);
  CHECK_THROWS_AS(path.gated(), InvariantError);  // no step yet
  path.visit(t.single, {us(1)});
  CHECK_THROWS_AS(path.gated(), InvariantError);
  path.visit(t.cores, {us(1), 0.5});
  CHECK_THROWS_AS(path.gated(), InvariantError);
  path.visit(t.cores, {us(1), 0, t.system.add_shape(Shape::exponential())});
  CHECK_THROWS_AS(path.gated(), InvariantError);
}

TEST_CASE("only a gated visit pays per command outstanding") {
  PathUnderTest t;
  PathBuilder path(t.system);
  path.visit(t.cores, {us(1)});
  CHECK_THROWS_AS(path.per_outstanding(t.routes, 5), InvariantError);
  path.gated();
  CHECK_THROWS_AS(path.per_outstanding(t.routes, -5), InvariantError);
  CHECK_NOTHROW(path.per_outstanding(t.routes, 5));
}

TEST_CASE("tokens are released after they were seized, and all of them") {
  PathUnderTest t;
  SECTION("released before") {
    PathBuilder path(t.system);
    path.seize(t.pool, 2);
    CHECK_THROWS_AS(path.release(t.pool, 3), InvariantError);
  }
  SECTION("released before, by route") {
    PathBuilder path(t.system);
    CHECK_THROWS_AS(path.release_routed(t.routes), InvariantError);
  }
  SECTION("kept") {
    PathBuilder path(t.system);
    path.seize(t.pool, 2).visit(t.single, {us(1)}).release(t.pool, 1);
    CHECK_THROWS_AS(path.finish(), InvariantError);
  }
  SECTION("more than there are") {
    PathBuilder path(t.system);
    CHECK_THROWS_AS(path.seize(t.pool, 11), InvariantError);
    CHECK_NOTHROW(path.seize(t.pool, 10));
  }
}

TEST_CASE("forks, joins and skips are properly nested") {
  PathUnderTest t;
  SECTION("a join without a fork") {
    PathBuilder path(t.system);
    path.visit(t.single, {us(1)});
    CHECK_THROWS_AS(path.join(), InvariantError);
  }
  SECTION("a fork in a fork") {
    PathBuilder path(t.system);
    path.fork(t.plan, 0, true);
    CHECK_THROWS_AS(path.fork(t.plan, 1, true), InvariantError);
  }
  SECTION("a fork without a visit") {
    PathBuilder path(t.system);
    path.fork(t.plan, 0, true);
    CHECK_THROWS_AS(path.join(), InvariantError);
  }
  SECTION("a new stage in a fork") {
    PathBuilder path(t.system);
    path.fork(t.plan, 0, true);
    CHECK_THROWS_AS(path.stage(StageId::fabric), InvariantError);
  }
  SECTION("an acknowledgement in a fork") {
    PathBuilder path(t.system);
    path.fork(t.plan, 0, true);
    CHECK_THROWS_AS(path.acknowledge(), InvariantError);
  }
  SECTION("a second acknowledgement") {
    PathBuilder path(t.system);
    path.visit(t.single, {us(1)}).acknowledge();
    CHECK_THROWS_AS(path.acknowledge(), InvariantError);
  }
  SECTION("a path that ends inside a fork") {
    PathBuilder path(t.system);
    path.fork(t.plan, 0, true).visit(t.drives, {us(1)});
    CHECK_THROWS_AS(path.finish(), InvariantError);
  }
  SECTION("a path that ends inside a skip") {
    PathBuilder path(t.system);
    path.skip_if(t.decision).visit(t.single, {us(1)});
    CHECK_THROWS_AS(path.finish(), InvariantError);
  }
  SECTION("a resume without a skip") {
    PathBuilder path(t.system);
    path.visit(t.single, {us(1)});
    CHECK_THROWS_AS(path.resume(), InvariantError);
  }
}

TEST_CASE("a member plan keeps what was pushed until it is cleared") {
  MemberPlan plan(3);
  CHECK(plan.capacity() == 3);
  plan.push({DriveId{2}, 16, 8});
  plan.push({DriveId{0}, 24, 8});
  REQUIRE(plan.size() == 2);
  CHECK(plan.ios()[0].drive == DriveId{2});
  CHECK(plan.ios()[1].lba == 24);
  plan.clear();
  CHECK(plan.ios().empty());
  CHECK(plan.capacity() == 3);
}

TEST_CASE("a path unlocks what it locked, once at a time and outside of forks") {
  PathUnderTest t;
  void (*keys)(const Io&, LockKeys&) = [](const Io&, LockKeys&) {};
  const LockId locks = t.system.add_locks(Locks(keys));
  CHECK_NOTHROW(PathBuilder(t.system).lock(locks).visit(t.single, {us(1)}).unlock(locks).finish());
  CHECK_THROWS_AS(PathBuilder(t.system).lock(locks).finish(), InvariantError);
  CHECK_THROWS_AS(PathBuilder(t.system).lock(locks).lock(locks), InvariantError);
  CHECK_THROWS_AS(PathBuilder(t.system).unlock(locks), InvariantError);
  CHECK_THROWS_AS(PathBuilder(t.system).fork(t.plan, 0, false).lock(locks), InvariantError);
}

TEST_CASE("background work ends where its skips end and holds nothing") {
  PathUnderTest t;
  PathBuilder path(t.system);
  path.skip_if(t.decision).visit(t.single, {us(1)});
  const std::uint32_t first = path.finish_background(t.decision);
  const Step& back = t.system.steps[t.system.steps.size() - 2];
  CHECK(back.kind == StepKind::skip_if);
  CHECK(back.aux == first);
  CHECK(t.system.steps.back().kind == StepKind::retire);
  CHECK(t.system.steps[first].aux == t.system.steps.size() - 1);
  PathBuilder holding(t.system);
  holding.seize(t.pool);
  CHECK_THROWS_AS(holding.finish_background(t.decision), InvariantError);
}
