// The confidence intervals that a report shows hold the truth as often as they say.
//
// Blocks, MSER-5's warm-up cut and batch means (sim/run/window.hpp) are fed an M/M/1 queue that
// starts empty. Over 200 seeds the 95 % interval must hold the true mean response time, and the
// arrival rate, in 181 to 199 cases: 190 within three standard errors of the binomial, 9.2.
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "sim/run/window.hpp"
#include "sim/stats/operational_laws.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;
using under_test::add_load;
using under_test::us;

namespace {

constexpr double service_s = 100e-6;
constexpr int seeds = 200;
constexpr int least_covered = 181;
constexpr int most_covered = 199;

// Runs an M/M/1 queue for so many blocks of about 2,500 completions, as a session does.
Blocks recorded(double rho, int blocks, std::uint64_t seed) {
  System system;
  system.io_capacity = 5'000;
  add_load(system, {.arrivals_per_s = rho / service_s}, [&](PathBuilder& p) {
    p.visit(system.add_single("queue"),
            {us(service_s * 1e6), 0, system.add_shape(Shape::exponential())});
  });
  Recorder recorder(1);
  Kernel kernel(system, recorder, seed);
  kernel.start();
  const Duration slice = from_seconds(2500 / rho * service_s / Blocks::slices_per_block);
  Blocks all(slice * static_cast<std::int64_t>(Blocks::slices_per_block));
  Time now{};
  for (int b = 0; b < blocks; ++b) {
    Block block;
    Slice before;
    for (std::size_t i = 0; i < Blocks::slices_per_block; ++i) {
      kernel.run_until(now += slice);
      const DirectionRecord& reads = recorder.record(0).directions[0];
      block.slices.push_back({reads.ios - before.ios, reads.response_ps - before.response_ps});
      before = {reads.ios, reads.response_ps};
    }
    block.streams = recorder.take(now);
    all.add(std::move(block));
  }
  return all;
}

bool holds(const Estimate& estimate, double truth) {
  return std::fabs(estimate.value - truth) <= estimate.half_width;
}

struct Coverage {
  int mean = 0, throughput = 0, p99 = 0, settled = 0;
};

Coverage coverage_of(double rho, int blocks) {
  Coverage covered;
  const double rate = rho / service_s;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Blocks all = recorded(rho, blocks, seed);
    const Window window = choose_window(all, Duration{0});
    const ResponseResult r = response_of(all, window, 0, 2);
    covered.settled += window.settled ? 1 : 0;
    covered.mean += holds(r.mean_s, mm1_response_s(rate, service_s)) ? 1 : 0;
    covered.throughput += holds(r.iops, rate) ? 1 : 0;
    const auto& p99 = r.percentiles.at(3).value_s;
    REQUIRE(p99.has_value());
    covered.p99 += holds(*p99, mm1_response_quantile_s(rate, service_s, 0.99)) ? 1 : 0;
  }
  return covered;
}

}  // namespace

TEST_CASE("95 % intervals hold the truth in about 95 % of 200 runs", "[slow]") {
  for (const auto& [rho, blocks] : {std::pair{0.7, 60}, {0.8, 100}}) {
    const Coverage covered = coverage_of(rho, blocks);
    CAPTURE(rho, covered.mean, covered.throughput, covered.p99, covered.settled);
    CHECK(covered.settled >= 190);
    CHECK(covered.mean >= least_covered);
    CHECK(covered.mean <= most_covered);
    CHECK(covered.throughput >= least_covered);
    CHECK(covered.throughput <= most_covered);
    CHECK(covered.p99 >= least_covered);
  }
}
