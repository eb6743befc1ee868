#include "models/disk_mechanics.hpp"

#include <catch2/catch.hpp>

#include "sim/base/random.hpp"

using namespace storcast;

namespace {

Duration ms(double milliseconds) { return from_seconds(milliseconds * 1e-3); }
constexpr double ps_per_ms = 1e9;
const SeekCurve::Points brief{ms(0.25), ms(8.2), ms(16.5)};
const DiskSurface surface(Bytes{16'000'000'000'000}, 7200, Bandwidth{275e6}, 0.5);

}  // namespace

TEST_CASE("the seek curve meets track, average and full stroke of the data sheet") {
  const SeekCurve seek(brief);
  CHECK(seek.square_root_ps() == Approx(12.67 * ps_per_ms).epsilon(0.001));
  CHECK(seek.linear_ps() == Approx(3.58 * ps_per_ms).epsilon(0.002));
  CHECK(seek.time_ps(0) == 0);
  CHECK(seek.time_ps(1e-9) == Approx(0.25 * ps_per_ms).epsilon(0.01));
  CHECK(seek.time_ps(1) == Approx(16.5 * ps_per_ms));
  Rng rng(1, "targets");
  double sum = 0;
  constexpr int n = 400'000;
  for (int i = 0; i < n; ++i) sum += seek.time_ps(std::fabs(rng.uniform() - rng.uniform()));
  CHECK(sum / n == Approx(8.2 * ps_per_ms).epsilon(0.003));
}

TEST_CASE("seek times that no rising curve meets are recognised") {
  CHECK(SeekCurve::can_meet(brief));
  CHECK_FALSE(SeekCurve::can_meet({ms(0.25), ms(8.2), ms(8.3)}));   // full hardly above average
  CHECK_FALSE(SeekCurve::can_meet({ms(0.25), ms(8.2), ms(40.0)}));  // would fall at first
  CHECK_FALSE(SeekCurve::can_meet({ms(9), ms(8.2), ms(16.5)}));
}

TEST_CASE("the inner zone passes at the given share of the outer zone's rate") {
  CHECK(surface.ps_per_block(0) == Approx(512 / 275e6 * 1e12));
  CHECK(surface.ps_per_block(0) / surface.ps_per_block(1) == Approx(0.5));
  CHECK(surface.ps_per_block(0) / surface.ps_per_block(0.5) == Approx(0.75));
}

TEST_CASE("an address turns on as fast as its data pass the head") {
  // Over n blocks the angle advances by n times the time of a block over that of a revolution.
  for (const double z : {0.0, 0.3, 0.99}) {
    INFO(z);
    const auto at = static_cast<std::uint64_t>(z * surface.blocks());
    const double turns = 1000 * surface.ps_per_block(z) / surface.revolution_ps();
    double advance = surface.angle(at + 1000) - surface.angle(at);
    if (advance < 0) advance += 1;
    CHECK(advance == Approx(turns).epsilon(1e-3));
  }
}

TEST_CASE("the wait for an angle is the rest of the turn, half a revolution on average") {
  const double turn = surface.revolution_ps();
  CHECK(turn == Approx(60.0 / 7200 * 1e12));
  CHECK(surface.wait_ps(0, 0, 0.25) == Approx(0.25 * turn));
  CHECK(surface.wait_ps(0.5 * turn, 0, 0.25) == Approx(0.75 * turn));
  CHECK(surface.wait_ps(0.5 * turn, 0.6, 0.25) == Approx(0.15 * turn));
  CHECK(surface.wait_ps(1000 * turn, 0, 0) == Approx(0).margin(1e-6 * turn));
  Rng rng(1, "addresses");
  double sum = 0;
  constexpr int n = 200'000;
  for (int i = 0; i < n; ++i) {
    const auto block = rng.below(static_cast<std::uint64_t>(surface.blocks()));
    const double wait = surface.wait_ps(i * 1.7e9, 0.3, surface.angle(block));
    CHECK_FALSE((wait < 0 || wait >= turn));
    sum += wait;
  }
  CHECK(sum / n == Approx(turn / 2).epsilon(0.005));
}
