#include "results/plot.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "results/terminal.hpp"

using namespace storcast;

namespace {

Plot plot_under_test(std::vector<std::optional<double>> values) {
  Plot plot;
  plot.title = "IOPS";
  plot.values = std::move(values);
  plot.first_label = "1";
  plot.last_label = "9";
  plot.value_text = [](double value) { return fmt::format("{:.0f}", value); };
  plot.unicode = false;
  plot.width = 30;
  plot.height = 5;
  return plot;
}

}  // namespace

TEST_CASE("a rising line runs from the lower left to the upper right") {
  const auto lines = draw(plot_under_test({0, 100}));
  REQUIRE(lines.size() == 9);
  CHECK(lines[1].substr(5, 5) == "100 |");
  CHECK(lines[1].back() == '*');
  CHECK(lines[5].substr(7, 4) == "0 |*");
}

TEST_CASE("every line of a plot is as wide as asked, in both notations") {
  Plot plot = plot_under_test({3, 7, 1});
  plot.unicode = GENERATE(true, false);
  for (const std::string& line : draw(plot)) CHECK(columns(line) == plot.width);
}

TEST_CASE("the marks of one point stand side by side") {
  Plot plot = plot_under_test({1, 2, 3});
  plot.marks = {{0, 'K'}, {0, 'S'}};
  CHECK(draw(plot)[7].substr(10, 3) == "KS ");
  plot.marks = {{2, 'K'}, {2, 'S'}};
  CHECK(draw(plot)[7].substr(28) == "SK");
}

TEST_CASE("an absent value is a gap") {
  const auto joined = draw(plot_under_test({5, 5, 5}));
  const auto gap = draw(plot_under_test({5, std::nullopt, 5}));
  CHECK(joined[1].find("*.") != std::string::npos);
  CHECK(gap[1].find('.') == std::string::npos);
}

TEST_CASE("a logarithmic axis gives equal ratios equal heights") {
  Plot plot = plot_under_test({1, 10, 100});
  plot.logarithmic = true;
  const auto lines = draw(plot);
  CHECK(lines[3].find('*') != std::string::npos);
  CHECK(lines[3].substr(5, 3) == " 10");
}

TEST_CASE("plots of nothing, of one point, of zeros and of nan do not fail") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& values : std::vector<std::vector<std::optional<double>>>{
           {}, {5}, {0, 0}, {nan, nan}, {std::nullopt}}) {
    Plot plot = plot_under_test(values);
    plot.logarithmic = GENERATE(true, false);
    CHECK(draw(plot).size() == 9);
  }
}
