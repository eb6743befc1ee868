#include "sim/stats/analysis.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

using namespace storcast;

namespace {

constexpr double pi = 3.14159265358979323846;

double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log1p(-rng.uniform()));
  return radius * std::cos(2 * pi * rng.uniform());
}

// x_i = phi x_(i-1) + e_i around 0, started in its steady state.
std::vector<double> autoregressive(Rng& rng, std::size_t length, double phi) {
  std::vector<double> series(length);
  double x = normal(rng) / std::sqrt(1 - phi * phi);
  for (double& value : series) {
    value = x;
    x = phi * x + normal(rng);
  }
  return series;
}

// Number of 200 seeds whose interval from 30 batches holds the true mean 0.
int covered(std::size_t batch_length, double phi) {
  int hits = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, "coverage");
    const auto batches = merge_batches(autoregressive(rng, 30 * batch_length, phi), 30);
    const BatchStatistics statistics = batch_means(batches);
    if (std::abs(statistics.mean) <= statistics.half_width) ++hits;
  }
  return hits;
}

// 95 % of 200 is 190; three standard errors of the binomial are 3 sqrt(200 x 0.95 x 0.05) = 9.2.
constexpr int least_covered = 181;
constexpr int most_covered = 199;

}  // namespace

TEST_CASE("MSER-5 cuts a level shift where it ends") {
  Rng rng(1, "mser");
  std::vector<double> series;
  for (int i = 0; i < 1000; ++i) series.push_back((i < 120 ? 50 : 10) + normal(rng));
  const auto kept = mser5_truncation(series);
  REQUIRE(kept.has_value());
  CHECK(*kept % 5 == 0);
  CHECK(*kept >= 120);
  CHECK(*kept <= 160);
}

TEST_CASE("MSER-5 removes the bias of an exponential transient") {
  Rng rng(2, "mser");
  std::vector<double> series;
  for (int i = 0; i < 2000; ++i) series.push_back(10 + 40 * std::exp(-i / 60.0) + normal(rng));
  const auto kept = mser5_truncation(series);
  REQUIRE(kept.has_value());
  CHECK(*kept >= 120);  // 40 exp(-2) = 5.4 is five standard deviations of the noise
  CHECK(*kept <= 700);
}

TEST_CASE("MSER-5 keeps all of a constant series and nearly all of plain noise") {
  CHECK(mser5_truncation(std::vector<double>(200, 0.1)) == std::optional<std::size_t>{0});
  int early = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed, "noise");
    const auto kept = mser5_truncation(autoregressive(rng, 1000, 0));
    if (kept && *kept <= 250) ++early;
  }
  CHECK(early >= 40);
}

TEST_CASE("MSER-5 asks for a longer run while the series still drifts") {
  std::vector<double> drifting;
  for (int i = 0; i < 1000; ++i) drifting.push_back(i < 800 ? 100.0 - 0.1 * i : 20.0);
  CHECK_FALSE(mser5_truncation(drifting).has_value());
}

TEST_CASE("MSER-5 asks for a longer run below ten batches of five") {
  CHECK_FALSE(mser5_truncation({}).has_value());
  CHECK_FALSE(mser5_truncation(std::vector<double>(49, 1.0)).has_value());
  CHECK(mser5_truncation(std::vector<double>(50, 1.0)).has_value());
}

TEST_CASE("MSER-5 is not deceived by equal values at the very end") {
  Rng rng(3, "mser");
  std::vector<double> series = autoregressive(rng, 500, 0);
  std::fill(series.end() - 20, series.end(), 0.0);  // the last four batches have no variance
  CHECK(mser5_truncation(series).has_value());
}

TEST_CASE("MSER-5 sees a transient that is small against the mean") {
  Rng rng(4, "mser");
  std::vector<double> small, large;
  for (int i = 0; i < 1000; ++i) {
    const double value = (i < 100 ? 1 : 0) + 0.0625 * std::round(normal(rng));
    small.push_back(value);
    large.push_back(1e9 + value);
  }
  CHECK(mser5_truncation(small).value() >= 100);
  CHECK(mser5_truncation(large) == mser5_truncation(small));
}

TEST_CASE("MSER-5 refuses values that are not finite") {
  std::vector<double> series(100, 1.0);
  series[70] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(mser5_truncation(series), InvariantError);
}

TEST_CASE("batch means of a small set are those of the textbook formula") {
  // Deviations -2 -1 0 1 2: s^2 = 10 / 4, half-width t(4) sqrt(2.5 / 5), lag 1: (2 + 0 + 0 + 2)
  // / 10.
  const BatchStatistics s = batch_means(std::vector<double>{1, 2, 3, 4, 5});
  CHECK(s.mean == Approx(3));
  CHECK(s.half_width == Approx(2.776445 * std::sqrt(0.5)));
  CHECK(s.lag1 == Approx(0.4));
  CHECK(s.batches == 5);
}

TEST_CASE("equal batches have a zero interval and no autocorrelation") {
  const BatchStatistics s = batch_means(std::vector<double>(4, 2.0));
  CHECK(s.half_width == 0);
  CHECK(s.lag1 == 0);
}

TEST_CASE("an interval of fewer than two batches is refused") {
  CHECK_THROWS_AS(batch_means({}), InvariantError);
  CHECK_THROWS_AS(batch_means(std::vector<double>{1.0}), InvariantError);
}

TEST_CASE("95 % intervals of independent batches cover the mean in 95 % of the runs") {
  const int hits = covered(1, 0);
  CHECK(hits >= least_covered);
  CHECK(hits <= most_covered);
}

TEST_CASE("long batches of an AR(1) series cover, short ones show their lag-1 autocorrelation") {
  const int hits = covered(200, 0.8);
  CHECK(hits >= least_covered);
  CHECK(hits <= most_covered);
  CHECK(covered(1, 0.8) < 140);
  Rng rng(5, "ar");
  CHECK(batch_means(autoregressive(rng, 1000, 0.8)).lag1 > 0.7);
}

TEST_CASE("Student's t agrees with the printed tables") {
  CHECK(student_t_975(1) == Approx(12.7062).margin(1e-4));
  CHECK(student_t_975(2) == Approx(4.3027).margin(1e-4));
  CHECK(student_t_975(5) == Approx(2.5706).margin(1e-4));
  CHECK(student_t_975(9) == Approx(2.2622).margin(1e-4));
  CHECK(student_t_975(10) == Approx(2.2281).margin(1e-4));
  CHECK(student_t_975(15) == Approx(2.1314).margin(1e-4));
  CHECK(student_t_975(29) == Approx(2.0452).margin(1e-4));
  CHECK(student_t_975(120) == Approx(1.9799).margin(1e-4));
  CHECK(student_t_975(1'000'000) == Approx(1.95997).margin(1e-4));
  CHECK_THROWS_AS(student_t_975(0), InvariantError);
}

TEST_CASE("Student's t holds 95 % of its density for each number of degrees of freedom") {
  // Simpson over [0, t] of the density; its value is the probability between 0 and the quantile.
  for (int v = 1; v <= 200; ++v) {
    const double scale =
        std::exp(std::lgamma((v + 1) / 2.0) - std::lgamma(v / 2.0)) / std::sqrt(v * pi);
    const auto density = [&](double t) { return scale * std::pow(1 + t * t / v, -(v + 1) / 2.0); };
    const double t = student_t_975(v);
    const int steps = 2000;
    double sum = density(0) + density(t);
    for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4 : 2) * density(t * i / steps);
    const double missing = 0.475 - sum * t / steps / 3;
    REQUIRE(std::abs(missing / density(t)) < 1e-4);  // the error of the quantile itself
  }
}

TEST_CASE("merging batches averages neighbours and leaves out the oldest of a remainder") {
  CHECK(merge_batches(std::vector<double>{1, 3, 5, 7}, 2) == std::vector<double>{2, 6});
  CHECK(merge_batches(std::vector<double>{99, 1, 3, 5, 7}, 2) == std::vector<double>{2, 6});
  CHECK(merge_batches(std::vector<double>{1, 3}, 2) == std::vector<double>{1, 3});
  CHECK_THROWS_AS(merge_batches(std::vector<double>{1, 3}, 3), InvariantError);
  CHECK_THROWS_AS(merge_batches(std::vector<double>{1, 3}, 0), InvariantError);
}

TEST_CASE("a percentile needs 100 samples beyond it") {
  CHECK(samples_needed(0) == 100);
  CHECK(samples_needed(0.5) == 200);
  CHECK(samples_needed(0.9) == 1'000);
  CHECK(samples_needed(0.95) == 2'000);
  CHECK(samples_needed(0.99) == 10'000);
  CHECK(samples_needed(0.999) == 100'000);
  CHECK(samples_needed(0.9999) == 1'000'000);
  CHECK(samples_needed(0.99999) == 10'000'000);
  CHECK(samples_needed(0.7) == 334);  // 333.3 rounded up
  CHECK_THROWS_AS(samples_needed(1), InvariantError);
  CHECK_THROWS_AS(samples_needed(-0.1), InvariantError);
}

TEST_CASE("a percentile is told from the sample on that makes it meaningful") {
  Histogram histogram;
  for (int i = 0; i < 199; ++i) histogram.add(Duration{100});
  CHECK_FALSE(percentile_s(histogram, 0.5).has_value());
  histogram.add(Duration{100});
  REQUIRE(percentile_s(histogram, 0.5).has_value());
  CHECK(*percentile_s(histogram, 0.5) == Approx(100e-12));
}

TEST_CASE("percentiles have the names people use and refusals say what is missing") {
  CHECK(percentile_name(0.5) == "p50");
  CHECK(percentile_name(0.07) == "p7");
  CHECK(percentile_name(0.999) == "p99.9");
  CHECK(percentile_name(0.9999) == "p99.99");
  CHECK_THROWS_AS(percentile_name(1), InvariantError);
  CHECK(refusal(0.9999, 214'000) == "p99.99 needs 1,000,000 samples, 214,000 seen");
  CHECK(refusal(0.5, 7) == "p50 needs 200 samples, 7 seen");
  CHECK(refusal(0.99, 999) == "p99 needs 10,000 samples, 999 seen");
}

TEST_CASE("the knee maximises throughput over response time") {
  const std::vector<LoadPoint> curve{{100, 1.0}, {190, 1.2}, {260, 1.8}, {280, 4.0}};
  CHECK(knee_index(curve) == std::optional<std::size_t>{1});
  const std::vector<LoadPoint> unstable{{100, 1.0}, {190, 1.2}, {260, 1.8}, {300, 0.0}};
  CHECK(knee_index(unstable) == std::optional<std::size_t>{1});
}

TEST_CASE("a curve of fewer than three usable points has no knee") {
  CHECK_FALSE(knee_index({}).has_value());
  CHECK_FALSE(knee_index(std::vector<LoadPoint>{{1, 1}, {2, 1}}).has_value());
  CHECK_FALSE(knee_index(std::vector<LoadPoint>{{1, 1}, {2, 1}, {3, 0}}).has_value());
}

TEST_CASE("saturation is the first point within 5 % of the highest throughput") {
  const std::vector<LoadPoint> curve{{50, 1}, {94, 1}, {96, 2}, {100, 3}, {99, 9}};
  CHECK(saturation_index(curve) == std::optional<std::size_t>{2});
  CHECK_FALSE(saturation_index({}).has_value());
  CHECK_FALSE(saturation_index(std::vector<LoadPoint>{{0, 1}, {0, 1}}).has_value());
}
