#include "sim/platform/power_meter.hpp"

#include <catch2/catch.hpp>

#include "sim/base/error.hpp"

using namespace storcast;
using namespace std::chrono_literals;

namespace {
constexpr PowerProfile profile{{100}, {120}, {200}};
}

TEST_CASE("a node with no busy core takes its idle power") {
  CHECK(consumed_energy(profile, 0s, 4, 10s).value == Approx(1000));
  CHECK(mean_power(profile, 0s, 4, 10s).value == Approx(100));
}

TEST_CASE("a node with all cores busy takes its all-cores power") {
  CHECK(consumed_energy(profile, 40s, 4, 10s).value == Approx(2000));
  CHECK(mean_power(profile, 40s, 4, 10s).value == Approx(200));
}

TEST_CASE("power grows linearly from epsilon with the number of busy cores") {
  CHECK(mean_power(profile, 10s, 4, 10s).value == Approx(120 + 80 * 0.25));
  CHECK(mean_power(profile, 20s, 4, 10s).value == Approx(120 + 80 * 0.5));
}

TEST_CASE("a core busy for part of the window leaves the rest idle") {
  // 5 s at 120 + 80/4 W and 5 s at 100 W.
  CHECK(consumed_energy(profile, 5s, 4, 10s).value == Approx(5 * 140 + 5 * 100));
}

TEST_CASE("without a step from idle to epsilon, energy depends on busy core time alone") {
  const PowerProfile linear{{100}, {100}, {200}};
  CHECK(consumed_energy(linear, 6s, 4, 10s).value == Approx(1000 + 100 * 6 / 4.0));
  CHECK(consumed_energy(linear, 26s, 4, 10s).value == Approx(1000 + 100 * 26 / 4.0));
}

TEST_CASE("an empty window takes no energy and has no mean power") {
  CHECK(consumed_energy(profile, 0s, 4, 0s).value == 0);
  CHECK_THROWS_AS(mean_power(profile, 0s, 4, 0s), InvariantError);
}

TEST_CASE("busy time outside the window is refused, to the picosecond") {
  CHECK_THROWS_AS(consumed_energy(profile, 0s, 0, 10s), InvariantError);
  CHECK_THROWS_AS(consumed_energy(profile, -1ns, 1, 10s), InvariantError);
  CHECK_THROWS_AS(consumed_energy(profile, 0s, 1, -1s), InvariantError);
  CHECK_THROWS_AS(consumed_energy(profile, 40s + Duration{1}, 4, 10s), InvariantError);
  CHECK_NOTHROW(consumed_energy(profile, 40s - Duration{1}, 4, 10s));
}
