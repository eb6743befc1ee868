#include "results/sweep.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/summary_json.hpp"
#include "results/terminal.hpp"
#include "sim/base/error.hpp"
#include "tests/results/example.hpp"

using namespace storcast;
using Catch::Contains;
using Json = nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the sweep table has a row for each point with its bottleneck and marks") {
  ReportOptions wide;
  wide.width = 120;
  const std::string text = sweep_report(example_sweep(), wide);
  const auto lines = lines_of(text);
  const auto row = [&](const std::string& start) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.rfind(start, 0) == 0;
    });
    REQUIRE(found != lines.end());
    return *found;
  };
  CHECK_THAT(text, Contains("Sweep of workloads.main.iodepth"));
  CHECK_THAT(row("       1 "), Contains("10.66k ±0.04k") && Contains("41.7MiB/s (43.7MB/s)") &&
                                   Contains("93.8 us") && Contains("4.0 %"));
  CHECK_THAT(row("K     16"), Contains("array.controller_a.cores"));
  CHECK_THAT(row(" S   512"), Contains("253.2k ±1.1k") && Contains("95.5 %"));
  CHECK_THAT(text, Contains("K knee, most throughput for its response time: at 16, 106k IOPS"));
  CHECK_THAT(text, Contains("S saturation, first within 5 % of the highest throughput: at 512"));
}

TEST_CASE("the plots are drawn in braille or in ASCII") {
  ReportOptions options;
  CHECK_THAT(sweep_report(example_sweep(), options), Contains("⠤") && Contains("└"));
  options.unicode = false;
  const std::string text = sweep_report(example_sweep(), options);
  CHECK_THAT(text, Contains("throughput, IOPS") && Contains("(logarithmic)"));
  CHECK(std::all_of(text.begin(), text.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("a sweep fits its width and has no escape byte without colour") {
  ReportOptions options;
  options.width = GENERATE(80, 100, 140);
  SweepResult sweep = example_sweep();
  sweep.points[0].value = "evil\033[31m and far too long for a column";
  const std::string text = sweep_report(sweep, options);
  CHECK_FALSE(has(text, "\033"));
  for (const std::string& line : lines_of(text)) {
    INFO(line);
    CHECK(columns(line) <= static_cast<std::size_t>(options.width));
  }
}

TEST_CASE("an unstable point says so and is a gap in the plot of response times") {
  SweepResult sweep = example_sweep();
  StreamResult& last = sweep.points.back().result.streams[0];
  last.stable = false;
  last.open = true;
  const std::string text = sweep_report(sweep);
  CHECK_THAT(text, Contains("unstable"));
  CHECK_FALSE(has(text, "2.02 ms"));
}

TEST_CASE("a refused p99 is told in the table") {
  SweepResult sweep = example_sweep();
  sweep.points[0].result.streams[0].all.percentiles = {{0.99, std::nullopt, "p99 needs more"}};
  CHECK_THAT(sweep_report(sweep), Contains("refused"));
}

TEST_CASE("sweeps of no points, one point or nan do not fail") {
  CHECK_THAT(sweep_report(SweepResult{}), Contains("no points"));
  SweepResult one = example_sweep();
  one.points.resize(1);
  one.knee = one.saturation = std::nullopt;
  CHECK_THAT(sweep_report(one), Contains("10.66k"));
  one.points[0].result.streams[0].all.mean_s.value = std::numeric_limits<double>::quiet_NaN();
  one.points[0].result.bottleneck.utilisation = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(has(sweep_report(one), "nan"));
}

TEST_CASE("a mark that is no point of the sweep is our mistake") {
  SweepResult sweep = example_sweep();
  sweep.knee = 10;
  CHECK_THROWS_AS(sweep_report(sweep), InvariantError);
  CHECK_THROWS_AS(sweep_json(sweep), InvariantError);
}

TEST_CASE("the sweep JSON holds the summary of each point") {
  const SweepResult sweep = example_sweep();
  const Json object = Json::parse(sweep_json(sweep));
  CHECK(object["path"] == "workloads.main.iodepth");
  CHECK(object["schema"] == 1);
  CHECK(object["knee"]["point"] == 4);
  CHECK(object["knee"]["value"] == "16");
  CHECK(object["saturation"]["value"] == "512");
  REQUIRE(object["points"].size() == 10);
  CHECK(object["points"][3]["value"] == "8");
  CHECK(object["points"][3]["result"] == Json::parse(summary_json(sweep.points[3].result)));
}

TEST_CASE("without knee and saturation the sweep JSON says null") {
  SweepResult sweep = example_sweep();
  sweep.knee = sweep.saturation = std::nullopt;
  const Json object = Json::parse(sweep_json(sweep));
  CHECK(object["knee"].is_null());
  CHECK(object["saturation"].is_null());
}
