#include "sim/kernel/station.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/base/random.hpp"

using namespace storcast;

namespace {

Time at(std::int64_t ps) { return Time{Duration{ps}}; }
Duration ps(std::int64_t n) { return Duration{n}; }

}  // namespace

TEST_CASE("an FCFS station follows Lindley's recursion") {
  FcfsStation station;
  CHECK(station.serve(at(0), ps(10)) == at(10));  // idle
  CHECK(station.serve(at(4), ps(10)) == at(20));  // waits 6
  CHECK(station.serve(at(20), ps(5)) == at(25));  // arrives as it falls idle
  CHECK(station.serve(at(40), ps(1)) == at(41));  // an idle gap of 15
  CHECK(station.free_at() == at(41));
  CHECK(station.totals().arrivals == 4);
  CHECK(station.totals().busy == ps(26));
  CHECK(station.totals().residence == ps(10 + 16 + 5 + 1));
}

TEST_CASE("busy time of an FCFS station does not count what lies after now") {
  FcfsStation station;
  (void)station.serve(at(0), ps(10));
  (void)station.serve(at(0), ps(10));
  CHECK(station.busy_until(at(0)) == ps(0));
  CHECK(station.busy_until(at(7)) == ps(7));
  CHECK(station.busy_until(at(20)) == ps(20));
  CHECK(station.busy_until(at(90)) == ps(20));
}

TEST_CASE("an arrival takes the first server that falls free") {
  MultiServerStation station(2);
  CHECK(station.servers() == 2);
  CHECK(station.serve(at(0), ps(10)) == at(10));
  CHECK(station.serve(at(1), ps(3)) == at(4));
  CHECK(station.serve(at(2), ps(10)) == at(14));  // waits for the second server
  CHECK(station.serve(at(3), ps(1)) == at(11));   // and this one for the first
  CHECK(station.totals().arrivals == 4);
  CHECK(station.totals().busy == ps(24));
  CHECK(station.totals().residence == ps(10 + 3 + 12 + 8));
  CHECK(station.busy_until(at(4)) == ps(4 + 3));
  CHECK(station.busy_until(at(14)) == ps(24));
}

TEST_CASE("one server of a multi-server station is an FCFS station") {
  MultiServerStation many(1);
  FcfsStation one;
  Rng rng(1, "stations");
  Time now{};
  for (int i = 0; i < 1'000; ++i) {
    now += ps(static_cast<std::int64_t>(rng.below(100)));
    const Duration service = ps(static_cast<std::int64_t>(rng.below(120)));
    REQUIRE(many.serve(now, service) == one.serve(now, service));
  }
  CHECK(many.totals().residence == one.totals().residence);
}

TEST_CASE("no utilisation exceeds 1, however far departures are promised") {
  FcfsStation one;
  MultiServerStation many(3);
  Rng rng(2, "stations");
  Time now{};
  for (int i = 0; i < 2'000; ++i) {
    now += ps(static_cast<std::int64_t>(rng.below(50)));
    (void)one.serve(now, ps(static_cast<std::int64_t>(rng.below(200))));
    (void)many.serve(now, ps(static_cast<std::int64_t>(rng.below(600))));
    REQUIRE(one.busy_until(now) <= now - Time{});
    REQUIRE(many.busy_until(now) <= 3 * (now - Time{}));
    REQUIRE(one.busy_until(now) >= ps(0));
    REQUIRE(many.busy_until(now) >= ps(0));
  }
}

TEST_CASE("a priority station serves the lower number first and equals in order of arrival") {
  IoPool pool(8);
  std::vector<IoId> io;
  for (int i = 0; i < 6; ++i) io.push_back(pool.acquire());
  PriorityStation station;
  CHECK(station.arrive(pool, io[0], 3, at(0)));  // idle: service starts, whatever its priority
  CHECK_FALSE(station.arrive(pool, io[1], 2, at(1)));
  CHECK_FALSE(station.arrive(pool, io[2], 0, at(2)));
  CHECK_FALSE(station.arrive(pool, io[3], 2, at(3)));
  CHECK_FALSE(station.arrive(pool, io[4], 0, at(4)));
  CHECK(station.depart(pool, at(10)) == io[2]);
  CHECK_FALSE(station.arrive(pool, io[5], 1, at(11)));
  CHECK(station.depart(pool, at(20)) == io[4]);
  CHECK(station.depart(pool, at(30)) == io[5]);
  CHECK(station.depart(pool, at(40)) == io[1]);
  CHECK(station.depart(pool, at(50)) == io[3]);
  CHECK(station.depart(pool, at(60)) == IoId::none);
  CHECK(station.totals().arrivals == 6);
  CHECK(station.totals().busy == ps(60));
  // Sum of departures minus arrivals, in the order of service.
  CHECK(station.totals().residence ==
        ps((10 - 0) + (20 - 2) + (30 - 4) + (40 - 11) + (50 - 1) + (60 - 3)));
  CHECK(station.arrive(pool, io[0], 0, at(100)));
  CHECK(station.busy_until(at(105)) == ps(65));
}

TEST_CASE("a line of a priority station can be used again after it was emptied") {
  IoPool pool(4);
  const IoId a = pool.acquire(), b = pool.acquire(), c = pool.acquire();
  PriorityStation station;
  CHECK(station.arrive(pool, a, 1, at(0)));
  CHECK_FALSE(station.arrive(pool, b, 1, at(0)));
  CHECK(station.depart(pool, at(5)) == b);
  CHECK_FALSE(station.arrive(pool, c, 1, at(6)));
  CHECK_FALSE(station.arrive(pool, a, 1, at(7)));
  CHECK(station.depart(pool, at(9)) == c);
  CHECK(station.depart(pool, at(12)) == a);
}

TEST_CASE("a token pool admits in order of arrival and lets nobody overtake") {
  IoPool pool(4);
  const IoId a = pool.acquire(), b = pool.acquire(), c = pool.acquire();
  TokenPool tokens(10);
  CHECK(tokens.seize(pool, a, 8));
  CHECK(tokens.in_use() == 8);
  CHECK_FALSE(tokens.seize(pool, b, 5));  // too few
  CHECK_FALSE(tokens.seize(pool, c, 1));  // enough for it, but b came first
  CHECK(tokens.first_waiter() == b);
  tokens.release(2);
  CHECK_FALSE(tokens.admit_first(pool, 5));
  CHECK(tokens.first_waiter() == b);
  tokens.release(6);
  CHECK(tokens.admit_first(pool, 5));
  CHECK(tokens.first_waiter() == c);
  CHECK(tokens.admit_first(pool, 1));
  CHECK(tokens.first_waiter() == IoId::none);
  CHECK(tokens.in_use() == 6);
  CHECK(tokens.capacity() == 10);
  CHECK(tokens.seize(pool, a, 4));
  CHECK(tokens.in_use() == 10);
}
