#include "sim/stats/histogram.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "sim/base/random.hpp"

using namespace storcast;

namespace {

// 24 KiB: kept off the stack of the test.
std::unique_ptr<Histogram> histogram_of(std::initializer_list<std::int64_t> picoseconds) {
  auto histogram = std::make_unique<Histogram>();
  for (const std::int64_t value : picoseconds) histogram->add(Duration{value});
  return histogram;
}

double relative_error(std::int64_t value) {
  const Duration reported = Histogram::middle(Histogram::cell_of(Duration{value}));
  return std::abs(static_cast<double>(reported.count() - value)) / static_cast<double>(value);
}

}  // namespace

TEST_CASE("a reported value is less than 1/128 away from the recorded one over the whole range") {
  constexpr double longest = 0x1p53;
  Rng rng(1, "histogram");
  for (int i = 0; i < 200'000; ++i) {
    const auto value = static_cast<std::int64_t>(std::exp(rng.uniform() * std::log(longest)));
    REQUIRE(relative_error(value) < 1.0 / 128);
  }
}

TEST_CASE("the first and the last value of each cell are in it and less than 1/128 off") {
  for (int cell = 1; cell < Histogram::cell_count - 1; ++cell) {
    const std::int64_t first = Histogram::lower_edge(cell).count();
    const std::int64_t last = Histogram::lower_edge(cell + 1).count() - 1;
    REQUIRE(Histogram::cell_of(Duration{first}) == cell);
    REQUIRE(Histogram::cell_of(Duration{last}) == cell);
    REQUIRE(relative_error(first) < 1.0 / 128);
    REQUIRE(relative_error(last) < 1.0 / 128);
  }
}

TEST_CASE("values below 128 ps are reported exactly") {
  for (std::int64_t value = 0; value < 128; ++value) {
    REQUIRE(Histogram::middle(Histogram::cell_of(Duration{value})) == Duration{value});
  }
}

TEST_CASE("zero and negative values share the first cell, too long ones the last") {
  CHECK(Histogram::cell_of(Duration::zero()) == 0);
  CHECK(Histogram::cell_of(Duration{-5}) == 0);
  CHECK(Histogram::cell_of(Duration{(std::int64_t{1} << 53) - 1}) == Histogram::cell_count - 1);
  CHECK(Histogram::cell_of(Duration::max()) == Histogram::cell_count - 1);
  const auto histogram = histogram_of({std::numeric_limits<std::int64_t>::max()});
  CHECK(histogram->quantile(1).count() >= (std::int64_t{127} << 46));
}

TEST_CASE("a quantile is the smallest value not exceeded by the fraction") {
  const auto histogram = histogram_of({10, 20, 30, 40});
  CHECK(histogram->quantile(0) == Duration{10});
  CHECK(histogram->quantile(0.25) == Duration{10});
  CHECK(histogram->quantile(0.26) == Duration{20});
  CHECK(histogram->quantile(0.5) == Duration{20});
  CHECK(histogram->quantile(0.75) == Duration{30});
  CHECK(histogram->quantile(0.76) == Duration{40});
  CHECK(histogram->quantile(1) == Duration{40});
}

TEST_CASE("binary rounding of the fraction does not shift the rank") {
  Histogram histogram;
  for (std::int64_t value = 1; value <= 100; ++value) histogram.add(Duration{value});
  for (int percent = 1; percent <= 100; ++percent) {
    REQUIRE(histogram.quantile(percent * 0.01) == Duration{percent});
  }
}

TEST_CASE("an empty histogram has quantile zero") {
  CHECK(histogram_of({})->quantile(0.99) == Duration::zero());
}

TEST_CASE("merging equals adding, and clearing starts anew") {
  Histogram first, second, together;
  Rng rng(2, "histogram");
  for (int i = 0; i < 10'000; ++i) {
    const Duration value{static_cast<std::int64_t>(rng.below(1'000'000'000))};
    (i % 3 == 0 ? first : second).add(value);
    together.add(value);
  }
  first.merge(second);
  CHECK(first.count() == together.count());
  for (int cell = 0; cell < Histogram::cell_count; ++cell) {
    REQUIRE(first.count_in(cell) == together.count_in(cell));
  }
  first.clear();
  CHECK(first.count() == 0);
  CHECK(first.quantile(0.5) == Duration::zero());
}

TEST_CASE("adding to a cell equals adding its values one by one") {
  Histogram histogram;
  histogram.add_cell(Histogram::cell_of(Duration{50}), 3);
  histogram.add(Duration{60});
  CHECK(histogram.count() == 4);
  CHECK(histogram.quantile(0.75) == Duration{50});
  CHECK(histogram.quantile(0.76) == Duration{60});
}
