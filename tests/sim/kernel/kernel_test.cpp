#include "sim/kernel/kernel.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "sim/base/error.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;
using under_test::add_load;
using under_test::at_us;
using under_test::Load;
using under_test::us;

namespace {

// A service model that writes down who is served when; it takes no time.
struct Probe {
  struct Visit {
    Time at;
    Io io;
  };
  std::vector<Visit> visits;
  Duration operator()(const Io& io, Time at, Rng&) {
    visits.push_back({at, io});
    return Duration{0};
  }
};

// Members as the test wants them.
struct Members {
  int count = 0;
  int calls = 0;
  void operator()(const Io& io, int, MemberPlan& out) {
    ++calls;
    for (int i = 0; i < count; ++i) out.push({static_cast<DriveId>(i), io.lba + 1, 16});
  }
};

// A system and its run, from time 0.
struct KernelUnderTest {
  explicit KernelUnderTest(std::uint64_t seed_value = 1) : seed(seed_value) {}
  void start() {
    recorder = std::make_unique<Recorder>(system.streams.size());
    kernel = std::make_unique<Kernel>(system, *recorder, seed);
    kernel->start();
  }
  void run_us(double microseconds) { kernel->run_until(at_us(microseconds)); }
  [[nodiscard]] const DirectionRecord& reads(std::size_t stream = 0) const {
    return recorder->record(stream).directions[0];
  }
  [[nodiscard]] const DirectionRecord& writes(std::size_t stream = 0) const {
    return recorder->record(stream).directions[1];
  }
  [[nodiscard]] double mean_us(std::size_t stream = 0) const {
    return reads(stream).response_ps / static_cast<double>(reads(stream).ios) / 1e6;
  }
  std::uint64_t seed;
  System system;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Kernel> kernel;
};

// One closed client whose only path is given.
KernelUnderTest one_client(const std::function<void(System&, PathBuilder&)>& append,
                           Load load = {}) {
  KernelUnderTest t;
  add_load(t.system, load, [&](PathBuilder& path) { append(t.system, path); });
  return t;
}

}  // namespace

TEST_CASE("a closed client completes one I/O each service time") {
  auto t = one_client([](System& s, PathBuilder& p) { p.visit(s.add_single("q"), {us(10)}); });
  t.start();
  t.run_us(1'000);
  CHECK(t.kernel->now() == at_us(1'000));
  CHECK(t.reads().ios == 99);  // the hundredth departs at the horizon, which is not before it
  CHECK(t.mean_us() == Approx(10));
  CHECK(t.kernel->in_flight() == 1);
  t.run_us(1'000.001);
  CHECK(t.reads().ios == 100);
}

TEST_CASE("the demand of a visit grows with the size, and the delay after it occupies no server") {
  auto t = one_client(
      [](System& s, PathBuilder& p) {
        p.visit(s.add_single("q"), {us(10), 1'000.0}, us(7));  // 1 ns a byte
      },
      {.iodepth = 2, .sizes = {{1.0, 16}}});
  t.start();
  t.run_us(1'000);
  // 8,192 bytes: 10 + 8.192 us of service; two clients keep the server busy.
  CHECK(t.system.stations[0].totals().busy.count() ==
        static_cast<std::int64_t>(t.system.stations[0].totals().arrivals) * 18'192'000);
  CHECK(t.mean_us() == Approx(2 * 18.192).epsilon(0.02));
  CHECK(t.reads().bytes == static_cast<std::int64_t>(t.reads().ios) * 8'192);
}

TEST_CASE("a horizon can be cut into pieces without changing a result") {
  const auto build = [] {
    return one_client(
        [](System& s, PathBuilder& p) {
          p.visit(s.add_single("q"), {us(10), 0, s.add_shape(Shape::exponential())});
        },
        {.arrivals_per_s = 60'000});
  };
  auto whole = build(), pieces = build();
  whole.start();
  pieces.start();
  whole.run_us(50'000);
  for (int i = 1; i <= 5'000; ++i) pieces.run_us(10 * i);
  CHECK(whole.reads().ios == pieces.reads().ios);
  CHECK(whole.reads().response_ps == pieces.reads().response_ps);
  CHECK(whole.kernel->events() == pieces.kernel->events());
}

TEST_CASE("the same seed gives the same results and another seed others") {
  const auto run = [](std::uint64_t seed) {
    KernelUnderTest t(seed);
    add_load(t.system, {.arrivals_per_s = 60'000, .read_fraction = 0.5}, [&](PathBuilder& p) {
      p.visit(t.system.add_single("q"), {us(10), 0, t.system.add_shape(Shape::exponential())});
    });
    t.start();
    t.run_us(20'000);
    return std::tuple{t.reads().ios, t.writes().ios, t.reads().response_ps, t.kernel->events()};
  };
  CHECK(run(5) == run(5));
  CHECK(run(5) != run(6));
}

TEST_CASE("a response is the sum of its stages") {
  Members members{3};
  auto never = [](const Io& io, Time, Rng& rng) { return io.lba % 3 == 0 && rng.uniform() < 0.9; };
  KernelUnderTest t;
  System& s = t.system;
  s.most_members = 3;
  add_load(s, {.arrivals_per_s = 20'000, .read_fraction = 0.6}, [&](PathBuilder& p) {
    const ShapeId shape = s.add_shape(Shape::lognormal(1.5));
    const GroupId drives = s.add_per_drive("drives", 3);
    const PoolId pool = s.add_pool("pool", 2);
    p.stage(StageId::host).visit(s.add_single("host"), {us(3), 0.7, shape}, us(2));
    p.stage(StageId::fabric).delay(us(5));
    p.stage(StageId::controller).seize(pool).visit(s.add_servers("cores", 2), {us(9), 0, shape});
    p.skip_if(s.add_decision(Decide(never)));
    p.stage(StageId::raid_and_drives).visit(s.add_single("raid"), {us(1)});
    p.fork(s.add_plan(Plan(members)), 0, false).visit(drives, {us(20), 0, shape}).join();
    p.stage(StageId::controller).resume();
    p.visit_priority(s.add_priority("p"), {us(4)}, 2).release(pool);
    p.stage(StageId::fabric).visit(s.add_single("link"), {us(2), 0.1}, us(1));
  });
  t.start();
  for (const int count : {3, 1, 0}) {
    members.count = count;
    t.run_us(to_seconds(t.kernel->now()) * 1e6 + 100'000);
  }
  for (const DirectionRecord* d : {&t.reads(), &t.writes()}) {
    REQUIRE(d->ios > 1'000);
    double sum = 0;
    for (const double stage : d->stages_ps) {
      CHECK(stage > 0);
      sum += stage;
    }
    CHECK(sum == Approx(d->response_ps).epsilon(1e-6));
  }
}

TEST_CASE("a fork starts one member for each drive and the join waits for the slowest") {
  Members members{3};
  Probe before, inside, after;
  KernelUnderTest t;
  System& s = t.system;
  s.most_members = 3;
  add_load(s, {}, [&](PathBuilder& p) {
    const GroupId drives = s.add_per_drive("drives", 3);
    p.visit_model(s.add_single("before"), s.add_service(ServiceTime(before)));
    p.fork(s.add_plan(Plan(members)), 0, true);
    p.visit_model(s.add_single("inside"), s.add_service(ServiceTime(inside)));
    p.visit(drives, {us(10)}).join();
    p.visit_model(s.add_single("after"), s.add_service(ServiceTime(after)));
  });
  t.system.stations[1] = {};
  t.start();
  // Drive 1 is busy until 25 us, so the slowest member departs at 35 us.
  (void)s.stations[s.groups[GroupId{0}].first + 1].serve(Time{}, us(25));
  t.run_us(34);
  CHECK(inside.visits.size() == 3);
  CHECK(after.visits.empty());
  CHECK(t.kernel->in_flight() == 2);  // the parent and the member of drive 1
  t.run_us(35.5);
  REQUIRE(after.visits.size() == 1);
  CHECK(after.visits[0].at == at_us(35));
  CHECK(after.visits[0].io.lba == before.visits[0].io.lba);
  CHECK(after.visits[0].io.blocks == 8);
  CHECK(inside.visits[0].io.lba == before.visits[0].io.lba + 1);
  CHECK(inside.visits[0].io.blocks == 16);
  CHECK(inside.visits[2].io.drive == DriveId{2});
}

TEST_CASE("a fork without members goes on at once, with one it needs no other I/O") {
  for (const int count : {0, 1}) {
    CAPTURE(count);
    Members members{count};
    KernelUnderTest t;
    System& s = t.system;
    add_load(s, {}, [&](PathBuilder& p) {
      const GroupId drives = s.add_per_drive("drives", 1);
      p.visit(s.add_single("q"), {us(5)}).fork(s.add_plan(Plan(members)), 0, true);
      p.visit(drives, {us(10)}).join();
    });
    t.start();
    t.run_us(1'000'001);
    CHECK(t.mean_us() == Approx(count == 0 ? 5 : 15));
    CHECK(t.kernel->in_flight() == 1);
    // The last one is still under way.
    CHECK(s.stations[0].totals().arrivals == (count == 0 ? 0 : t.reads().ios + 1));
  }
}

TEST_CASE("an I/O that needs its own address later forks even a single member") {
  Members members{1};
  Probe after;
  KernelUnderTest t;
  System& s = t.system;
  add_load(s, {}, [&](PathBuilder& p) {
    p.fork(s.add_plan(Plan(members)), 0, false).visit(s.add_per_drive("d", 1), {us(10)}).join();
    p.visit_model(s.add_single("after"), s.add_service(ServiceTime(after)));
  });
  t.start();
  t.run_us(5);
  CHECK(t.kernel->in_flight() == 2);
  t.run_us(15);
  REQUIRE(after.visits.size() == 1);
  CHECK(after.visits[0].io.blocks == 8);  // not the member's 16
}

TEST_CASE("a decision that is true skips to the resume") {
  for (const bool skips : {false, true}) {
    auto decide = [skips](const Io&, Time, Rng&) { return skips; };
    auto t = one_client([&](System& s, PathBuilder& p) {
      p.visit(s.add_single("a"), {us(1)}).skip_if(s.add_decision(Decide(decide)));
      p.visit(s.add_single("b"), {us(10)}).resume().visit(s.add_single("c"), {us(100)});
    });
    t.start();
    t.run_us(100'000);
    CHECK(t.mean_us() == Approx(skips ? 101 : 111));
  }
}

TEST_CASE("tokens bound how many I/Os are inside, and waiters enter as others leave") {
  auto t = one_client(
      [](System& s, PathBuilder& p) {
        const PoolId pool = s.add_pool("pool", 6);
        p.seize(pool, 2).visit(s.add_servers("inside", 100), {us(10)}).release(pool, 2);
      },
      {.iodepth = 12});
  t.start();
  t.run_us(5);
  CHECK(t.system.pools[0].in_use() == 6);
  t.run_us(100'000);
  CHECK(t.system.pools[0].in_use() == 6);
  // Three inside of twelve: R = 12 x 10 us / 3.
  CHECK(t.mean_us() == Approx(40).epsilon(0.001));
  CHECK(t.kernel->in_flight() == 12);
}

TEST_CASE("an acknowledged I/O answers early and goes on in the background until it retires") {
  auto t = one_client([](System& s, PathBuilder& p) {
    const PoolId dirty = s.add_pool("dirty", 4);
    p.visit(s.add_single("cache"), {us(2)}).seize(dirty).visit(s.add_single("mirror"), {us(1)});
    p.acknowledge().visit(s.add_single("drive"), {us(30)}).release(dirty);
  });
  t.start();
  t.run_us(3.5);
  CHECK(t.reads().ios == 1);
  CHECK(t.mean_us() == Approx(3));
  CHECK(t.kernel->in_flight() == 2);  // the next one and the first one's background work
  t.run_us(3'000'000);
  // The drive is the limit; the dirty pool holds the client up.
  CHECK(static_cast<double>(t.reads().ios) == Approx(100'000).margin(10));
  CHECK(t.kernel->in_flight() <= 5);
  CHECK(t.system.pools[0].in_use() <= 4);
}

TEST_CASE("routed visits and pools follow the connection's route") {
  KernelUnderTest t;
  System& s = t.system;
  std::uint32_t routes = 0, pools = 0;
  add_load(s, {.connections = 3}, [&](PathBuilder& p) {
    routes = s.add_route_table();
    pools = s.add_route_table();
    const GroupId cores = s.add_per_connection("cores", 2, routes);
    s.add_pool("unused", 1);
    s.add_pool("used", 2);
    p.seize_routed(pools).visit(cores, {us(10)}).release_routed(pools);
  });
  for (std::uint32_t c = 0; c < 3; ++c) {
    s.routes[routes + c] = c == 2 ? 1 : 0;
    s.routes[pools + c] = c == 2 ? 0 : 1;
  }
  t.start();
  t.run_us(9);
  CHECK(s.pools[0].in_use() == 1);
  CHECK(s.pools[1].in_use() == 2);
  CHECK(s.stations[0].totals().arrivals == 2);
  CHECK(s.stations[1].totals().arrivals == 1);
}

TEST_CASE("a gated visit waits until its connection is open") {
  auto t = one_client([](System& s, PathBuilder& p) {
    p.visit(s.add_per_connection("cores", 1, s.add_route_table()), {us(10)}).gated();
  });
  t.system.connections[0].open_at = at_us(500);
  t.start();
  t.run_us(509);
  CHECK(t.reads().ios == 0);
  t.run_us(511);
  CHECK(t.reads().ios == 1);
  CHECK(t.mean_us() == Approx(510));
}

TEST_CASE("a closed connection does not hold up others that share its station") {
  KernelUnderTest t;
  System& s = t.system;
  add_load(s, {.connections = 2}, [&](PathBuilder& p) {
    p.visit(s.add_per_connection("cores", 1, s.add_route_table()), {us(10)}).gated();
  });
  s.connections[0].open_at = at_us(505);
  t.start();
  t.run_us(499);
  CHECK(t.reads().ios == 49);
  CHECK(s.stations[0].busy_until(at_us(499)) == us(499));
  // The one in service is pending; the one at the gate visits no station.
  std::vector<Time> pending;
  t.kernel->for_each_pending([&](Time at, const Io&) { pending.push_back(at); });
  CHECK(pending == std::vector<Time>{at_us(500)});
  t.run_us(2'000);
  CHECK(t.kernel->in_flight() == 2);
  CHECK(static_cast<double>(t.reads().ios) == Approx(199).margin(1));
}

TEST_CASE("a gated visit pays for each command outstanding") {
  KernelUnderTest t;
  System& s = t.system;
  add_load(s, {.iodepth = 4}, [&](PathBuilder& p) {
    const std::uint32_t pools = s.add_route_table();
    const std::uint32_t cores = s.add_route_table();
    s.add_pool("commands", 100);
    p.seize_routed(pools).visit(s.add_per_connection("cores", 1, cores), {us(10)}).gated();
    p.per_outstanding(pools, 2e6);
    p.release_routed(pools);
  });
  t.start();
  t.run_us(1'000'000);
  // Always four in the pool when a visit starts, but for the first three.
  CHECK(to_seconds(s.stations[0].totals().busy) * 1e6 /
            static_cast<double>(s.stations[0].totals().arrivals) ==
        Approx(18).epsilon(1e-4));
}

TEST_CASE("a drive's buffer takes writes at once until it is full") {
  Probe after;
  KernelUnderTest t;
  System& s = t.system;
  // 4 KiB drain in 40.96 us; the buffer holds what drains in 100 us.
  add_load(s, {.sizes = {{1.0, 8}}}, [&](PathBuilder& p) {
    p.post(s.add_per_drive("drain", 1), 10'000, us(100), us(1));
    p.visit_model(s.add_single("after"), s.add_service(ServiceTime(after)));
  });
  t.start();
  t.run_us(200);
  REQUIRE(after.visits.size() >= 4);
  CHECK(after.visits[0].at == at_us(1));
  CHECK(after.visits[1].at == at_us(2));
  // The third leaves 122.88 us of backlog behind it: go on when 100 are left, and 1 us later.
  CHECK(after.visits[2].at == at_us(22.88 + 1));
  CHECK(after.visits[3].at == at_us(22.88 + 40.96 + 1));
}

TEST_CASE("a chained visit costs no event and changes no time") {
  const auto run = [](bool chained) {
    KernelUnderTest t;
    System& s = t.system;
    add_load(s, {.iodepth = 6}, [&](PathBuilder& p) {
      const GroupId processor = s.add_per_drive("processor", 1);
      p.visit(processor, {us(3)}, us(1)).visit(s.add_per_address("dies", 1, 4), {us(20)});
      if (chained) p.chained();
    });
    t.start();
    t.run_us(100'000);
    return std::tuple{t.reads().ios, t.reads().response_ps, t.kernel->events()};
  };
  const auto [ios, response, events] = run(true);
  const auto [plain_ios, plain_response, plain_events] = run(false);
  CHECK(ios == plain_ios);
  CHECK(response == plain_response);
  CHECK(static_cast<double>(plain_events) ==
        Approx(2.0 * static_cast<double>(events)).epsilon(0.01));
}

TEST_CASE("a thinking client is idle between completion and the next submission") {
  auto t = one_client([](System& s, PathBuilder& p) { p.visit(s.add_single("q"), {us(10)}); },
                      {.think = us(30)});
  t.start();
  t.run_us(4'000'005);
  CHECK(t.reads().ios == 100'000);
  CHECK(t.mean_us() == Approx(10));
  CHECK(t.recorder->in_flight(0) == 1);
}

TEST_CASE("an iodepth that changes leaves exactly as many I/Os in flight") {
  auto t = one_client([](System& s, PathBuilder& p) { p.visit(s.add_single("q"), {us(10)}); },
                      {.connections = 2, .iodepth = 4});
  t.start();
  double now = 1'000;
  t.run_us(now);
  const auto settled = [&](std::uint32_t depth) {
    t.kernel->set_iodepth(StreamId{0}, depth);
    t.run_us(now += 1'000);
    CHECK(t.kernel->in_flight() == 2 * depth);
    CHECK(t.recorder->in_flight(0) == 2 * depth);
  };
  settled(7);
  settled(2);
  settled(2);
  settled(5);
  // Down and up again before any has left; then further up.
  t.kernel->set_iodepth(StreamId{0}, 1);
  t.kernel->set_iodepth(StreamId{0}, 4);
  settled(4);
  t.kernel->set_iodepth(StreamId{0}, 1);
  settled(9);
  settled(0);
  CHECK(t.kernel->idle());
  settled(3);
}

TEST_CASE("an open stream has no iodepth") {
  auto t = one_client([](System& s, PathBuilder& p) { p.visit(s.add_single("q"), {us(10)}); },
                      {.arrivals_per_s = 1'000});
  t.start();
  CHECK_THROWS_AS(t.kernel->set_iodepth(StreamId{0}, 2), InvariantError);
}

TEST_CASE("another interarrival time changes the rate from the next arrival on") {
  auto t = one_client([](System& s, PathBuilder& p) { p.visit(s.add_single("q"), {us(1)}); },
                      {.arrivals_per_s = 100'000});
  t.start();
  t.run_us(1e6);
  const std::uint64_t before = t.reads().ios;
  CHECK(static_cast<double>(before) == Approx(100'000).margin(3 * std::sqrt(100'000.0)));
  t.kernel->set_interarrival(StreamId{0}, 2.5e6);
  t.run_us(2e6);
  CHECK(static_cast<double>(t.reads().ios - before) ==
        Approx(400'000).margin(3 * std::sqrt(400'000.0)));
}

TEST_CASE("the read fraction is kept and can be changed") {
  auto t = one_client([](System& s, PathBuilder& p) { p.visit(s.add_single("q"), {us(10)}); },
                      {.read_fraction = 0.7});
  t.start();
  t.run_us(1e6);
  const auto n = static_cast<double>(t.reads().ios + t.writes().ios);
  CHECK(static_cast<double>(t.reads().ios) == Approx(0.7 * n).margin(3 * std::sqrt(n * 0.21)));
  const std::uint64_t reads = t.reads().ios;
  t.kernel->set_read_fraction(StreamId{0}, 0);
  t.run_us(2e6);
  CHECK(t.reads().ios - reads <= 1);  // the one that was under way
  const std::uint64_t writes = t.writes().ios;
  t.kernel->set_read_fraction(StreamId{0}, 1);
  t.run_us(3e6);
  CHECK(t.writes().ios - writes <= 1);
}

TEST_CASE("an open load beyond the pool of I/Os ends the loop and says so") {
  KernelUnderTest t;
  t.system.io_capacity = 100;
  add_load(t.system, {.arrivals_per_s = 1e6},
           [&](PathBuilder& p) { p.visit(t.system.add_single("q"), {us(10)}); });
  t.start();
  t.run_us(50);
  CHECK_FALSE(t.kernel->overflowed());
  t.run_us(1e6);
  CHECK(t.kernel->overflowed());
  CHECK(t.kernel->in_flight() == 101);  // with the generator
  const std::uint64_t events = t.kernel->events();
  t.run_us(2e6);
  CHECK(t.kernel->events() == events);
}

TEST_CASE("a closed load beyond the pool of I/Os overflows at the start, a fork when it comes") {
  KernelUnderTest closed;
  closed.system.io_capacity = 10;
  add_load(closed.system, {.iodepth = 12},
           [&](PathBuilder& p) { p.visit(closed.system.add_single("q"), {us(10)}); });
  closed.start();
  CHECK(closed.kernel->overflowed());

  Members members{8};
  KernelUnderTest forked;
  System& s = forked.system;
  s.io_capacity = 7;
  s.most_members = 8;
  add_load(s, {}, [&](PathBuilder& p) {
    p.fork(s.add_plan(Plan(members)), 0, true).visit(s.add_per_drive("d", 8), {us(1)}).join();
  });
  forked.start();
  CHECK_FALSE(forked.kernel->overflowed());
  forked.run_us(10);
  CHECK(forked.kernel->overflowed());
}

TEST_CASE("connections of an open stream take turns") {
  Probe probe;
  KernelUnderTest t;
  System& s = t.system;
  add_load(s, {.arrivals_per_s = 100'000, .connections = 3}, [&](PathBuilder& p) {
    p.visit_model(s.add_single("q"), s.add_service(ServiceTime(probe)));
  });
  t.start();
  t.run_us(1'000);
  REQUIRE(probe.visits.size() > 20);
  for (std::size_t i = 0; i < probe.visits.size(); ++i) {
    REQUIRE(probe.visits[i].io.connection == i % 3);
  }
}

namespace {

// The I/Os that a closed client with one microsecond each submits under a law of addresses.
std::vector<Io> submitted(const Load& load, int ios) {
  Probe probe;
  KernelUnderTest t;
  System& s = t.system;
  add_load(s, load, [&](PathBuilder& p) {
    p.visit_model(s.add_single("probe"), s.add_service(ServiceTime(probe)));
    p.visit(s.add_single("q"), {us(1)});
  });
  t.start();
  t.run_us(ios);
  std::vector<Io> all;
  for (const auto& visit : probe.visits) all.push_back(visit.io);
  return all;
}

// Accesses by unit of 8 blocks, most popular first.
std::vector<int> popularity(const std::vector<Io>& ios) {
  std::map<std::uint64_t, int> count;
  for (const Io& io : ios) ++count[io.lba];
  std::vector<int> sorted;
  for (const auto& [lba, n] : count) sorted.push_back(n);
  std::sort(sorted.rbegin(), sorted.rend());
  return sorted;
}

}  // namespace

TEST_CASE("sequential jobs start evenly spaced, step by their size and wrap at the end") {
  const auto ios =
      submitted({.connections = 4, .law = AddressLaw::sequential, .span_blocks = 8 * 100}, 400);
  std::map<int, std::vector<std::uint64_t>> by_connection;
  for (const Io& io : ios) by_connection[io.connection].push_back(io.lba);
  REQUIRE(by_connection.size() == 4);
  for (const auto& [connection, addresses] : by_connection) {
    std::uint64_t expected = static_cast<std::uint64_t>(connection) * 25 * 8;
    REQUIRE(addresses.size() > 90);
    for (const std::uint64_t lba : addresses) {
      REQUIRE(lba == expected);
      expected = (expected + 8) % 800;
    }
  }
}

TEST_CASE("a sequential job whose size does not divide the span stays inside it") {
  const auto ios =
      submitted({.sizes = {{1.0, 24}}, .law = AddressLaw::sequential, .span_blocks = 8 * 10}, 20);
  for (std::size_t i = 0; i < ios.size(); ++i) CHECK(ios[i].lba == i % 3 * 24);
}

TEST_CASE("uniform addresses are aligned, inside the span and even") {
  const auto ios = submitted({.span_blocks = 8 * 16}, 100'000);
  std::map<std::uint64_t, int> count;
  for (const Io& io : ios) {
    REQUIRE(io.lba % 8 == 0);
    REQUIRE(io.lba + io.blocks <= 128);
    ++count[io.lba];
  }
  REQUIRE(count.size() == 16);
  double chi2 = 0;
  const double expected = static_cast<double>(ios.size()) / 16;
  for (const auto& [lba, n] : count) chi2 += (n - expected) * (n - expected) / expected;
  CHECK(chi2 < 37.7);  // 99.9 % quantile, 15 degrees of freedom
}

TEST_CASE("the largest I/O still ends inside the span") {
  const auto ios = submitted({.sizes = {{1.0, 64}}, .span_blocks = 100}, 2'000);
  std::map<std::uint64_t, int> count;
  for (const Io& io : ios) {
    REQUIRE(io.lba + io.blocks <= 100);
    ++count[io.lba];
  }
  CHECK(count.size() == 5);  // 0, 8, .. 32
}

TEST_CASE("sizes have their shares, and the bytes are those of the sizes") {
  const auto ios = submitted({.sizes = {{0.5, 8}, {0.8, 16}, {1.0, 128}}}, 100'000);
  std::map<std::uint32_t, int> count;
  for (const Io& io : ios) ++count[io.blocks];
  const auto n = static_cast<double>(ios.size());
  CHECK(count[8] == Approx(0.5 * n).margin(3 * std::sqrt(n * 0.25)));
  CHECK(count[16] == Approx(0.3 * n).margin(3 * std::sqrt(n * 0.21)));
  CHECK(count[128] == Approx(0.2 * n).margin(3 * std::sqrt(n * 0.16)));
}

TEST_CASE("zipf addresses fall off as a power of the rank") {
  for (const double theta : {0.8, 1.0, 1.2}) {
    CAPTURE(theta);
    const auto count = popularity(submitted(
        {.law = AddressLaw::zipf, .law_parameter = theta, .span_blocks = 8 << 16}, 200'000));
    // Share of rank 1 under the continuous law over 1 .. n.
    const double n = 65'536;
    const double share = theta == 1.0
                             ? std::log(2.0) / std::log(n)
                             : (std::pow(2.0, 1 - theta) - 1) / (std::pow(n, 1 - theta) - 1);
    CHECK(count[0] == Approx(200'000 * share).margin(4 * std::sqrt(200'000 * share)));
    CHECK(count[0] / static_cast<double>(count[9]) == Approx(std::pow(10, theta)).epsilon(0.5));
  }
}

TEST_CASE("pareto addresses go to a fraction h of the span as h says") {
  const double h = 0.2;
  const auto count = popularity(submitted(
      {.law = AddressLaw::pareto, .law_parameter = h, .span_blocks = 8 * 1'000}, 200'000));
  double hot = 0, all = 0;
  for (std::size_t i = 0; i < count.size(); ++i) {
    (i < 200 ? hot : all) += count[i];
  }
  all += hot;
  // The spread is a hash: a few ranks share a unit, which only makes the hottest hotter.
  CHECK(hot / all > 0.79);
  CHECK(hot / all < 0.90);
}

TEST_CASE("normal addresses are centred with the deviation asked for") {
  const auto ios = submitted(
      {.law = AddressLaw::normal, .law_parameter = 10, .span_blocks = 8'000'000}, 100'000);
  double sum = 0, squares = 0;
  for (const Io& io : ios) {
    const double x = static_cast<double>(io.lba) / 8e6 - 0.5;
    sum += x;
    squares += x * x;
  }
  const auto n = static_cast<double>(ios.size());
  CHECK(sum / n == Approx(0).margin(3 * 0.1 / std::sqrt(n)));
  CHECK(std::sqrt(squares / n) == Approx(0.1).margin(3 * 0.1 / std::sqrt(2 * n)));
}

namespace {

// Locks [lba, lba + blocks) one by one.
struct BlockLocks {
  void operator()(const Io& io, LockKeys& out) const {
    for (std::uint32_t i = 0; i < io.blocks; ++i) out.push(io.lba + i);
  }
};

// Clients of `blocks` each on a span of as many blocks, 10 us under the lock.
KernelUnderTest lockers(std::uint32_t clients, std::uint32_t blocks, std::uint32_t span,
                        BlockLocks& keys) {
  Load load;
  load.iodepth = clients;
  load.span_blocks = span;
  load.sizes = {{1.0, blocks}};
  KernelUnderTest t = one_client(
      [&](System& s, PathBuilder& p) {
        const LockId locks = s.add_locks(Locks(keys));
        p.lock(locks).visit(s.add_servers("work", 64), {us(10)}).unlock(locks);
      },
      load);
  t.system.most_locks = blocks;
  t.system.locks_at_once = std::size_t{clients} * blocks;
  Stream& stream = t.system.streams.front();
  stream.read_sizes = stream.write_sizes = {{1, blocks}};
  stream.alignment_blocks = 1;
  stream.span_blocks = span;
  return t;
}

}  // namespace

TEST_CASE("one I/O at a time holds a lock, the others wait for it") {
  BlockLocks keys;
  auto t = lockers(4, 1, 1, keys);
  t.start();
  t.run_us(10'000.001);
  CHECK(t.reads().ios == 1000);  // one every 10 us, though there are 64 servers
  CHECK(t.mean_us() == Approx(40).epsilon(0.01));
  CHECK(t.kernel->locks().held() == 1);
  CHECK(t.kernel->locks().waited() > 990);
}

TEST_CASE("I/Os that overlap in several locks never wait for each other in a circle") {
  BlockLocks keys;
  auto t = lockers(16, 3, 8, keys);
  t.start();
  t.run_us(100'000);
  const std::uint64_t before = t.reads().ios;
  CHECK(before > 10'000);  // at least one at a time
  CHECK(before < 30'000);  // at most two of three blocks go into eight
  t.run_us(200'000);
  CHECK(t.reads().ios > before + 10'000);
  CHECK(t.kernel->in_flight() == 16);
}

TEST_CASE("background work starts when told, goes round, retires and counts for no workload") {
  KernelUnderTest t;
  const GroupId group = t.system.add_single("work");
  int left = 3;
  struct Again {
    int* turns;
    bool operator()(const Io&, Time, Rng&) const { return --*turns > 0; }
  } again{&left};
  std::uint32_t first = 0;
  add_load(t.system, {.think = us(1e6)}, [&](PathBuilder& path) { path.visit(group, {us(1)}); });
  PathBuilder path(t.system);
  path.visit(group, {us(10)});
  first = path.finish_background(t.system.add_decision(Decide(again)));
  t.start();
  t.run_us(100);
  Io io{};
  io.step = first;
  t.kernel->start_background(io, at_us(200));
  t.run_us(205);
  const std::size_t running = t.kernel->in_flight();
  t.run_us(229);
  CHECK(t.kernel->in_flight() == running);
  t.run_us(231);
  CHECK(t.kernel->in_flight() == running - 1);
  CHECK(left == 0);
  CHECK(t.reads().ios == 1);
}
