#include "sim/kernel/scheduled_station.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/kernel/kernel.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;
using under_test::at_us;
using under_test::us;

namespace {

// Serves the highest address first; service 1 us for each block. Higher priorities come first.
struct HighestFirst {
  int most = 1000;
  std::vector<std::uint64_t> served{};
  int largest_choice = 0;
  NextService operator()(std::uint32_t, const WaitingLines& lines, Time) {
    NextService next;
    std::uint64_t highest = 0;
    std::uint32_t blocks = 0;
    for (int p = 0; p < ScheduledStation::priorities && next.io == IoId::none; ++p) {
      const int seen = lines.for_each(p, most, [&](IoId id, const Io& io, bool) {
        if (next.io != IoId::none && io.lba <= highest) return;
        next = {id, p, {}};
        highest = io.lba;
        blocks = io.blocks;
      });
      largest_choice = std::max(largest_choice, seen);
    }
    next.service = us(blocks);
    if (served.size() < served.capacity()) served.push_back(highest);
    return next;
  }
};
double expected(const Io& io, std::uint64_t, bool) { return io.blocks * 1e-6; }

struct Drives {
  std::uint32_t drives = 1, members = 1;
  void operator()(const Io& io, int, MemberPlan& out) const noexcept {
    for (std::uint32_t m = 0; m < members; ++m) {
      const auto d = static_cast<std::uint32_t>((io.lba / 8 + m) % drives);
      out.push({static_cast<DriveId>(d), io.lba, io.blocks});
    }
  }
};

GroupId add_heads(System& system, std::uint32_t drives, HighestFirst& model) {
  static auto mean = expected;
  return system.add_scheduled("heads", drives,
                              system.add_schedule(Schedule(model), ExpectedService(mean)));
}

}  // namespace

TEST_CASE("a scheduled station keeps its lines whichever waiting I/O is taken") {
  IoPool pool(8);
  ScheduledStation station;
  std::vector<IoId> io;
  for (int i = 0; i < 5; ++i) io.push_back(pool.acquire());
  CHECK(station.arrive(pool, io[0], 0, at_us(0)));
  CHECK(station.anyone_waits());
  station.start(pool, io[0], 0, at_us(0));
  CHECK_FALSE(station.anyone_waits());
  for (int i = 1; i < 5; ++i) CHECK_FALSE(station.arrive(pool, io[i], i == 4 ? 2 : 0, at_us(1)));
  const auto line = [&](int priority) {
    std::vector<IoId> ids;
    for (IoId id = station.first(priority); id != IoId::none; id = pool[id].next) ids.push_back(id);
    return ids;
  };
  CHECK(line(0) == std::vector<IoId>{io[1], io[2], io[3]});
  CHECK(line(2) == std::vector<IoId>{io[4]});
  station.depart(at_us(2));
  station.start(pool, io[3], 0, at_us(2));  // the last
  CHECK(line(0) == std::vector<IoId>{io[1], io[2]});
  station.depart(at_us(3));
  CHECK_FALSE(station.arrive(pool, io[0], 0, at_us(3)) == false);  // idle: start() is due
  station.start(pool, io[2], 0, at_us(3));                         // from the middle
  station.depart(at_us(4));
  station.start(pool, io[1], 0, at_us(4));  // the first
  CHECK(line(0) == std::vector<IoId>{io[0]});
  station.depart(at_us(5));
  station.start(pool, io[4], 2, at_us(5));
  CHECK(line(2).empty());
}

TEST_CASE("a scheduled station's totals are the integrals of busy and present") {
  IoPool pool(4);
  ScheduledStation station;
  const IoId a = pool.acquire();
  const IoId b = pool.acquire();
  station.arrive(pool, a, 0, at_us(10));
  station.start(pool, a, 0, at_us(10));
  station.arrive(pool, b, 0, at_us(14));
  CHECK(station.totals_at(at_us(15)).residence == us(6));
  CHECK(station.busy_until(at_us(15)) == us(5));
  station.depart(at_us(20));
  station.start(pool, b, 0, at_us(20));
  station.depart(at_us(23));
  CHECK(station.totals_at(at_us(100)).residence == us(10 + 9));
  CHECK(station.totals_at(at_us(100)).busy == us(13));
  CHECK(station.totals_at(at_us(100)).arrivals == 2);
  CHECK(station.present() == 0);
}

TEST_CASE("the model chooses among all that wait, the I/O just submitted anew included") {
  System s;
  HighestFirst model;
  model.served.reserve(4000);
  Drives plan;
  under_test::add_load(s, {.iodepth = 16}, [&](PathBuilder& p) {
    const GroupId heads = add_heads(s, 1, model);
    p.fork(s.add_plan(Plan(plan)), 0, true).visit_scheduled(heads, 0, false).join();
  });
  Recorder recorder(1);
  Kernel kernel(s, recorder, 1);
  kernel.start();
  kernel.run_until(Time{from_seconds(0.01)});
  // 8 us each, always busy.
  CHECK(recorder.completed_in_run() == 1249);
  CHECK(model.largest_choice == 16);
  CHECK(s.scheduled_stations[0].busy_until(kernel.now()) == from_seconds(0.01));
  CHECK(s.scheduled_stations[0].present() == 16);
  // The 15 lowest addresses seen so far stay behind: what is served is hardly ever among the
  // lowest.
  const auto low = std::count_if(model.served.begin() + 200, model.served.end(),
                                 [](std::uint64_t lba) { return lba < (1u << 20) / 100; });
  CHECK(low < 3);
}

TEST_CASE("lower priorities of a scheduled station wait, and each is served once") {
  System s;
  HighestFirst model;
  Drives plan{3, 1};
  const auto path_of = [&](GroupId heads, int priority) {
    return [&s, &plan, heads, priority](PathBuilder& p) {
      p.fork(s.add_plan(Plan(plan)), 0, true).visit_scheduled(heads, priority, false).join();
    };
  };
  const GroupId heads = add_heads(s, 3, model);
  under_test::add_load(s, {.arrivals_per_s = 200'000}, path_of(heads, 0));
  under_test::add_load(s, {.arrivals_per_s = 100'000}, path_of(heads, 1));
  const auto seen = under_test::measure(s, {us(10'000), us(20'000), 20}, 1);
  CHECK(seen[0].throughput().value == Approx(200'000).epsilon(0.02));
  CHECK(seen[1].throughput().value == Approx(100'000).epsilon(0.02));
  CHECK(seen[1].response_s().value > 1.3 * seen[0].response_s().value);
}

TEST_CASE("the station's residence is the sum of its I/Os' response times") {
  System s;
  HighestFirst model;
  Drives plan{2, 1};
  const GroupId heads = add_heads(s, 2, model);
  under_test::add_load(s, {.arrivals_per_s = 150'000}, [&](PathBuilder& p) {
    p.fork(s.add_plan(Plan(plan)), 0, true).visit_scheduled(heads, 0, false).join();
  });
  Recorder recorder(1);
  Kernel kernel(s, recorder, 1);
  kernel.start();
  const Time end{from_seconds(0.5)};
  kernel.run_until(end);
  const auto record = recorder.take(end);
  Duration residence{};
  std::uint64_t arrivals = 0;
  std::int64_t present = 0;
  for (const ScheduledStation& station : s.scheduled_stations) {
    residence += station.totals_at(end).residence;
    arrivals += station.totals_at(end).arrivals;
    present += station.present();
  }
  CHECK(arrivals == record[0].directions[0].ios + static_cast<std::uint64_t>(present));
  CHECK(to_seconds(residence) ==
        Approx(record[0].directions[0].response_ps / picoseconds_per_second).epsilon(1e-3));
}

TEST_CASE("detached members acknowledge at once and still do their work") {
  System s;
  HighestFirst model;
  Drives plan{2, 2};
  const GroupId heads = add_heads(s, 2, model);
  const GroupId links = s.add_per_drive("links", 2);
  const PoolId caches = s.add_pool("cache 0", 4);
  s.add_pool("cache 1", 4);
  s.most_members = 2;
  under_test::add_load(s, {.arrivals_per_s = 50'000}, [&](PathBuilder& p) {
    p.fork(s.add_plan(Plan(plan)), 0, true)
        .seize_by_drive(caches)
        .visit(links, {us(1)})
        .detach()
        .visit_scheduled(heads, 0, true)
        .release_by_drive(caches)
        .join();
  });
  const auto seen = under_test::measure(s, {us(10'000), us(20'000), 10}, 1);
  // The heads are busy 2 x 50,000 x 8 us / 2 = 40 %; the response is the links' alone while a
  // place is free.
  CHECK(seen[0].throughput().value == Approx(50'000).epsilon(0.03));
  CHECK(seen[0].response_s().value < 2e-6);
  CHECK(to_seconds(s.scheduled_stations[0].busy_until(Time{from_seconds(0.21)})) / 0.21 ==
        Approx(0.4).epsilon(0.03));
}

TEST_CASE("a full cache makes the detached path as slow as the work behind it") {
  System s;
  HighestFirst model;
  Drives plan;
  const GroupId heads = add_heads(s, 1, model);
  const GroupId links = s.add_per_drive("links", 1);
  const PoolId cache = s.add_pool("cache", 4);
  under_test::add_load(s, {.iodepth = 32}, [&](PathBuilder& p) {
    p.fork(s.add_plan(Plan(plan)), 0, true)
        .seize_by_drive(cache)
        .visit(links, {us(1)})
        .detach()
        .visit_scheduled(heads, 0, true)
        .release_by_drive(cache)
        .join();
  });
  Recorder recorder(1);
  Kernel kernel(s, recorder, 1);
  kernel.start();
  kernel.run_until(Time{from_seconds(0.1)});
  CHECK(static_cast<double>(recorder.completed_in_run()) == Approx(12'500).epsilon(0.002));
  CHECK(recorder.in_flight(0) == 32);
  CHECK(s.pools[0].in_use() <= 4);
  CHECK(s.scheduled_stations[0].present() <= 4);
  // The 32 of the load, at most one member each, and four detached.
  CHECK(kernel.in_flight() <= 32 + 32 + 4);
}

TEST_CASE("detach and scheduled visits keep the rules of a path") {
  System s;
  s.connections.emplace_back();
  HighestFirst model;
  Drives plan;
  const GroupId heads = add_heads(s, 1, model);
  const GroupId links = s.add_per_drive("links", 1);
  const PoolId pool = s.add_pool("cache", 4);
  const PlanId id = s.add_plan(Plan(plan));
  auto never = [](const Io&, Time, Rng&) { return false; };
  const DecideId decision = s.add_decision(Decide(never));
  CHECK_THROWS_AS(PathBuilder(s).visit(heads, {us(1)}), InvariantError);
  CHECK_THROWS_AS(PathBuilder(s).visit_scheduled(links, 0, false), InvariantError);
  CHECK_THROWS_AS(PathBuilder(s).visit_scheduled(heads, 4, false), InvariantError);
  CHECK_THROWS_AS(PathBuilder(s).visit_scheduled(heads, -1, false), InvariantError);
  CHECK_THROWS_AS(PathBuilder(s).detach(), InvariantError);
  CHECK_THROWS_AS(PathBuilder(s).fork(id, 0, true).seize_by_drive(pool).detach(), InvariantError);
  CHECK_THROWS_AS(
      PathBuilder(s).fork(id, 0, true).skip_if(decision).visit(links, {us(1)}).resume().detach(),
      InvariantError);
  CHECK_THROWS_AS(PathBuilder(s).fork(id, 0, true).visit(links, {us(1)}).detach().detach(),
                  InvariantError);
  PathBuilder path(s);
  const std::uint32_t first = path.fork(id, 0, true)
                                  .visit(links, {us(1)})
                                  .detach()
                                  .visit_scheduled(heads, 3, true)
                                  .join()
                                  .finish();
  CHECK(s.steps[first].priority == 0);  // a single member needs an Io of its own
  CHECK(s.steps[first].aux == first + 6);
  CHECK(s.steps[first + 2].kind == StepKind::detach);
  CHECK(s.steps[first + 2].aux == s.steps[first].aux);
  CHECK(s.steps[first + 5].kind == StepKind::retire);
  CHECK(s.steps[first + 6].kind == StepKind::join);
}
