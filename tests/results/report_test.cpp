#include "results/report.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <sstream>

#include "results/terminal.hpp"
#include "tests/results/example.hpp"

using namespace storcast;
using Catch::Contains;

namespace {

ReportOptions options_of(bool colour, bool unicode, int width = 100, bool verbose = false) {
  return {colour, width, unicode, verbose};
}

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

TEST_CASE("the headline says how much, how fast and limited by what") {
  CHECK(headline(example_result()) ==
        "262k IOPS, 1023MiB/s (1.07GB/s), mean 7.82 ms, p99 15.1 ms; "
        "limited by array.controller_a.cores");
}

TEST_CASE("below ninety percent no station is said to limit") {
  RunResult result = example_result();
  result.bottleneck.utilisation = 0.35;
  CHECK_THAT(headline(result),
             Contains("no station is full, busiest is array.controller_a.cores at 35.0 %"));
  result.streams[0].open = true;
  CHECK_THAT(headline(result), Contains("the offered load is carried, busiest is"));
}

TEST_CASE("the report shows each statistic with its half-width, reads and writes apart") {
  const std::string text = report(example_result());
  CHECK_THAT(text, Contains("262.0k ±1.1k            183.4k ±0.8k           78.60k ±0.33k"));
  CHECK_THAT(text, Contains("7.820 ±0.031 ms"));
  CHECK_THAT(text, Contains("p99.9                  18.61 ±0.40 ms"));
  CHECK_THAT(text, Contains("716MiB/s (751MB/s)"));
}

TEST_CASE("a stream of one direction has one column") {
  RunResult result = example_result();
  result.streams[0].write = ResponseResult{};
  CHECK_FALSE(has(report(result), " read "));
}

TEST_CASE("a refused percentile is explained in words") {
  RunResult result = example_result();
  Percentile& last = result.streams[0].write.percentiles[4];
  last = {0.999, std::nullopt, "p99.9 needs 100,000 samples, 9,000 seen"};
  CHECK_THAT(report(result), Contains("refused: write: p99.9 needs 100,000 samples, 9,000 seen"));
  CHECK_FALSE(has(report(result), "p99.99"));
  CHECK_THAT(report(result, options_of(false, true, 100, true)),
             Contains("refused: all: p99.99 needs 1,000,000 samples"));
}

TEST_CASE("stations are sorted by utilisation and the bottleneck is a sentence") {
  const std::string text = report(example_result());
  const auto line = [&](const char* name) { return text.find(std::string("\n  ") + name); };
  CHECK(line("array.controller_a.cores") < line("array.pools.a.drives"));
  CHECK(line("array.pools.a.drives") < line("host.ports"));
  CHECK_THAT(text, Contains("The bottleneck is array.controller_a.cores: 99.3 % busy, it ends at "
                            "265k IOPS."));
  CHECK_THAT(text, Contains("host.ports would stop at 5.70M IOPS, 21.5 times as much."));
}

TEST_CASE("a small headroom is told in percent") {
  RunResult result = example_result();
  result.bottleneck.headroom = 0.19;
  CHECK_THAT(report(result), Contains("19.0 % more"));
}

TEST_CASE("more than ten stations are cut unless verbose") {
  RunResult result = example_result();
  for (int i = 0; i < 12; ++i) {
    result.stations.push_back(example_station("s" + std::to_string(i), 0.01, 1e-5));
  }
  CHECK_THAT(report(result), Contains("and 5 more, at most 1.0 % busy (--verbose)"));
  CHECK_FALSE(has(report(result, options_of(false, true, 100, true)), "more, at most"));
}

TEST_CASE("a delay has no utilisation") {
  RunResult result = example_result();
  result.stations[1].kind = "delay";
  const auto lines = lines_of(report(result));
  const auto found = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.rfind("  array.controller_a.cores", 0) == 0;
  });
  REQUIRE(found != lines.end());
  CHECK_THAT(*found, Contains("delay       -"));
  CHECK_FALSE(has(*found, "99.3"));
}

TEST_CASE("a station that is nearly empty does not run its figures together") {
  RunResult result = example_result();
  result.stations[1].queue_length = 0.0000102;
  CHECK_THAT(report(result), Contains("  <0.001\n"));
}

TEST_CASE("an open load is a share of the saturation, not a deviation from it") {
  RunResult result = example_result();
  for (StreamResult& stream : result.streams) stream.open = true;
  const std::string text = report(result);
  CHECK_THAT(text, Contains("saturation 265k IOPS (the load is 98.9 % of it)"));
}

TEST_CASE("stages, bounds, power and self-check carry their numbers") {
  const std::string text = report(example_result(), options_of(false, false));
  CHECK_THAT(text, Contains("controller        7.13 ms   91.2 %  ####"));
  CHECK_THAT(text, Contains("unexplained           0 s    0.0 %"));
  CHECK_THAT(text, Contains("saturation 265k IOPS (simulated -1.1 %); knee at 96 outstanding"));
  CHECK_THAT(text, Contains("approximate MVA: 264k IOPS (simulated -0.6 %); mean 7.77 ms "
                            "(simulated +0.6 %)"));
  CHECK_THAT(text, Contains("540 W idle, 790 W at this load, 812 W maximum"));
  CHECK_THAT(text, Contains("Self-check passed"));
  CHECK_THAT(text, Contains("447,448 I/Os in = 445,400 out + 2,048 in flight"));
}

TEST_CASE("what the answer rests on is told") {
  const std::string text = report(example_result());
  CHECK_THAT(text, Contains("seed 1; window 1.70 s after 200 ms of warm-up cut"));
  CHECK_THAT(text, Contains("converged: wanted precision reached"));
  CHECK_THAT(text, Contains("at 1.20 s drive 3 of pool a failed"));
  CHECK_THAT(text, Contains("adjusted: controller.cost_per_command: 8 us -> 16 us"));
  CHECK_THAT(text, Contains("assumed: drive: class default, not the tested model"));
  CHECK_THAT(text, Contains("WARNING: volumes of pool a are larger than the pool"));
}

TEST_CASE("of many assumptions twelve are shown, all when verbose") {
  RunResult result = example_result();
  result.assumptions.assign(20, "a guess");
  CHECK_THAT(report(result), Contains("and 8 more (--verbose)"));
  CHECK_FALSE(has(report(result, options_of(false, true, 100, true)), "--verbose"));
}

TEST_CASE("an unstable stream has a verdict and no response time at all") {
  RunResult result = example_result();
  result.streams[0].stable = false;
  result.streams[0].open = true;
  result.streams[0].offered_iops = 300000;
  CHECK(headline(result) ==
        "unstable: main is offered 300k IOPS; the limit is 265k IOPS at array.controller_a.cores");
  result.verdict = "unstable: offered 300k IOPS, limit 265k";
  CHECK(headline(result) == result.verdict);
  const std::string text = report(result);
  CHECK_THAT(text, Contains("unstable: no response times"));
  CHECK_FALSE(has(text, "p99"));
  CHECK_FALSE(has(text, "7.82"));
}

TEST_CASE("an analytic answer has no percentiles, intervals or window") {
  RunResult result = example_result();
  result.fidelity = "analytic";
  StreamResult& stream = result.streams[0];
  for (ResponseResult* response : {&stream.all, &stream.read, &stream.write}) {
    response->percentiles.clear();
    response->iops.half_width = response->mean_s.half_width = 0;
    response->bandwidth_bytes_per_s.half_width = 0;
  }
  const std::string text = report(result);
  CHECK_FALSE(has(text, "±"));
  CHECK_FALSE(has(text, "p50"));
  CHECK_FALSE(has(text, "seed"));
  CHECK_FALSE(has(text, "simulated +"));
  CHECK_THAT(text, Contains("mean 7.82 ms"));
}

TEST_CASE("a failed self-check and a missed precision are loud and on top") {
  RunResult result = example_result();
  result.self_check.passed = false;
  result.self_check.failures = {"stream main: N/(XR) is 1.2"};
  result.converged = false;
  result.stop_reason = "limit of 30 s simulated reached";
  const std::string text = report(result);
  CHECK(text.find("SELF-CHECK FAILED") < text.find("Stations"));
  CHECK_THAT(text, Contains("stream main: N/(XR) is 1.2"));
  CHECK_THAT(text, Contains("Not converged: limit of 30 s simulated reached"));
  CHECK_FALSE(has(text, "Self-check passed"));
}

TEST_CASE("without colour there is no escape byte, even if a name holds one") {
  RunResult result = example_result();
  result.scenario = result.streams[0].name = "evil\033[31m";
  result.warnings = {"w\033]0;title\a"};
  CHECK_FALSE(has(report(result, options_of(false, true)), "\033"));
  CHECK(has(report(result, options_of(true, true)), "\033[1m"));
}

TEST_CASE("without unicode every byte is ASCII") {
  RunResult result = example_result();
  result.scenario = "Prüfstand → 電";
  result.adjusted = {"… 8 µs → 16 µs"};
  const std::string text = report(result, options_of(true, false));
  CHECK(std::all_of(text.begin(), text.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("the report of one stream fits its width and fifty lines") {
  const int width = GENERATE(80, 100, 140);
  const auto lines = lines_of(report(example_result(), options_of(false, true, width)));
  CHECK(lines.size() <= 50);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(columns(line) <= static_cast<std::size_t>(width));
  }
}

TEST_CASE("nan never appears, nor does an empty result fail") {
  RunResult result = example_result();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.streams[0].all.mean_s.value = nan;
  result.streams[0].read.iops.value = nan;
  result.stations[0].utilisation_highest = nan;
  result.bottleneck.headroom = result.power.at_load_w = nan;
  result.bounds = {nan, nan, 263500, nan, "exact MVA"};
  result.self_check.littles_law_ratio = result.self_check.utilisation_law_worst = nan;
  CHECK_FALSE(has(report(result), "nan"));
  CHECK_FALSE(has(report(RunResult{}), "nan"));
  CHECK(headline(RunResult{}) == "no I/O was completed in the measurement window");
}
