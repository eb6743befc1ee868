#include "sim/base/random.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

// The table's resolution: quantiles are chords over cells of this probability, and the mean is
// scaled to 1 exactly, which moves every quantile by less than one cell.
constexpr double resolution = 1.0 / Shape::cells;

constexpr double z_999 = 3.2905;  // two-sided 99.9 % of the normal distribution

std::vector<std::uint64_t> draws(std::uint64_t seed, std::string_view purpose, int n) {
  Rng rng(seed, purpose);
  std::vector<std::uint64_t> out;
  for (int i = 0; i < n; ++i) out.push_back(rng.next());
  return out;
}

// Mean and share below the 99 % quantile of a million draws, against their 99.9 % intervals.
void check_draws(const Shape& shape) {
  constexpr int n = 1'000'000;
  Rng rng(7, "random_test");
  const double q99 = shape.quantile(0.99);
  double sum = 0;
  int below = 0;
  for (int i = 0; i < n; ++i) {
    const double x = shape.draw(rng);
    sum += x;
    below += x < q99 ? 1 : 0;
  }
  const double root = std::sqrt(static_cast<double>(n));
  CHECK(std::abs(sum / n - 1) < z_999 * shape.coefficient_of_variation() / root);
  CHECK(std::abs(below / static_cast<double>(n) - 0.99) < z_999 * std::sqrt(0.99 * 0.01) / root);
}

void check_near(double value, double expected) {
  CHECK(value == Approx(expected).epsilon(resolution));
}

}  // namespace

TEST_CASE("the same seed and purpose give the same stream") {
  CHECK(draws(1, "arrivals", 100) == draws(1, "arrivals", 100));
}

TEST_CASE("another purpose or another seed gives another stream") {
  const auto base = draws(1, "arrivals", 1000);
  for (const auto& other :
       {draws(1, "arrival", 1000), draws(2, "arrivals", 1000), draws(1, "", 1000)}) {
    int equal = 0;
    for (std::size_t i = 0; i < base.size(); ++i) equal += base[i] == other[i] ? 1 : 0;
    CHECK(equal == 0);
  }
}

TEST_CASE("streams of two purposes are uncorrelated") {
  Rng a(1, "service");
  Rng b(1, "arrivals");
  constexpr int n = 100'000;
  double product = 0;
  for (int i = 0; i < n; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  // Each product has the variance 1/144.
  CHECK(std::abs(product / n) < z_999 / 12 / std::sqrt(static_cast<double>(n)));
}

TEST_CASE("uniform numbers lie in [0, 1) with mean one half") {
  Rng rng(3, "uniform");
  constexpr int n = 1'000'000;
  double sum = 0;
  bool inside = true;
  for (int i = 0; i < n; ++i) {
    const double x = rng.uniform();
    inside = inside && x >= 0 && x < 1;
    sum += x;
  }
  CHECK(inside);
  CHECK(std::abs(sum / n - 0.5) < z_999 * std::sqrt(1.0 / 12 / n));
}

TEST_CASE("below(n) reaches each of n numbers equally often and no other") {
  Rng rng(3, "below");
  constexpr int n = 100'000;
  std::vector<int> seen(10);
  for (int i = 0; i < n; ++i) ++seen.at(rng.below(10));
  double chi_square = 0;
  for (const int count : seen) chi_square += (count - n / 10.0) * (count - n / 10.0) / (n / 10.0);
  CHECK(chi_square < 27.88);  // 99.9 % of the chi-square distribution with 9 degrees of freedom
  CHECK(rng.below(1) == 0);
}

TEST_CASE("a deterministic shape is always 1 and consumes no random number") {
  const Shape shape = Shape::deterministic();
  Rng rng(1, "d");
  CHECK(shape.draw(rng) == 1.0);
  CHECK(rng.next() == Rng(1, "d").next());
  CHECK(shape.is_deterministic());
  CHECK(shape.coefficient_of_variation() == 0);
  CHECK(shape.quantile(0.3) == 1.0);
}

TEST_CASE("the exponential shape has CV 1 and the quantiles -ln(1 - p)") {
  const Shape shape = Shape::exponential();
  CHECK_FALSE(shape.is_deterministic());
  check_near(shape.coefficient_of_variation(), 1);
  for (const double p : {0.1, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    check_near(shape.quantile(p), -std::log1p(-p));
  }
  check_draws(shape);
}

TEST_CASE("the lognormal shape has the CV asked for and the quantiles exp(s z - s^2 / 2)") {
  const std::vector<std::pair<double, double>> normal{
      {0.5, 0.0}, {0.9, 1.2815515655446004}, {0.99, 2.3263478740408408}};
  for (const double cv : {0.25, 0.5, 1.0, 2.0}) {
    const Shape shape = Shape::lognormal(cv);
    // The whole lower tail lies in one cell, so it is the second moment that is right to one cell.
    const double table_cv = shape.coefficient_of_variation();
    check_near(1 + table_cv * table_cv, 1 + cv * cv);
    const double s = std::sqrt(std::log1p(cv * cv));
    for (const auto& [p, z] : normal) check_near(shape.quantile(p), std::exp(s * z - s * s / 2));
    check_draws(shape);
  }
}

TEST_CASE("the hyperexponential shape has balanced means and the CV asked for") {
  for (const double cv : {1.2, 2.0, 3.0}) {
    const Shape shape = Shape::hyperexponential(cv);
    // The CV gathers the chord errors of both cells beside the tail: two cells' worth.
    CHECK(shape.coefficient_of_variation() == Approx(cv).epsilon(2 * resolution));
    const double p1 = 0.5 * (1 + std::sqrt((cv * cv - 1) / (cv * cv + 1)));
    for (const double p : {0.5, 0.9, 0.99}) {
      const double x = shape.quantile(p);
      const double tail = p1 * std::exp(-2 * p1 * x) + (1 - p1) * std::exp(-2 * (1 - p1) * x);
      CHECK(std::abs(tail - (1 - p)) < resolution);
    }
    check_draws(shape);
  }
}

TEST_CASE("the uniform shape is a straight line of width cv sqrt(12)") {
  const Shape shape = Shape::uniform(0.3);
  const double half = 0.3 * std::sqrt(3.0);
  check_near(shape.coefficient_of_variation(), 0.3);
  CHECK(shape.quantile(0) == Approx(1 - half).epsilon(resolution));
  CHECK(shape.quantile(0.25) == Approx(1 - half / 2).epsilon(resolution));
  CHECK(shape.quantile(1) == Approx(1 + half).epsilon(resolution));
  check_draws(shape);
}

TEST_CASE("an empirical shape is its samples scaled to mean 1") {
  const std::vector<double> samples{30, 10, 20};  // quantiles 10, 20, 30: mean 20
  const Shape shape = Shape::empirical(samples);
  check_near(shape.quantile(0), 0.5);
  check_near(shape.quantile(0.5), 1);
  check_near(shape.quantile(1), 1.5);
  check_draws(shape);
}

TEST_CASE("a shape from any quantile function has its closed moments") {
  const Shape shape = Shape::from_quantile([](double p) { return p * p; });  // mean 1/3, E x^2 1/5
  check_near(shape.coefficient_of_variation(), std::sqrt(9.0 / 5 - 1));
  check_near(shape.quantile(0.5), 0.75);
  CHECK(shape.mean() == 1.0);
}

TEST_CASE("parameters without a meaning break an invariant") {
  CHECK_THROWS_AS(Shape::lognormal(0), InvariantError);
  CHECK_THROWS_AS(Shape::lognormal(INFINITY), InvariantError);
  CHECK_THROWS_AS(Shape::hyperexponential(1), InvariantError);
  CHECK_THROWS_AS(Shape::uniform(0.6), InvariantError);
  CHECK_THROWS_AS(Shape::empirical(std::vector<double>{1}), InvariantError);
  CHECK_THROWS_AS(Shape::empirical(std::vector<double>{0, 0}), InvariantError);
}

}  // namespace storcast
