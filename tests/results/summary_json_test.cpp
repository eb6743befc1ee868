#include "results/summary_json.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/version.hpp"
#include "sim/base/error.hpp"
#include "tests/results/example.hpp"

using namespace storcast;
using Json = nlohmann::json;

namespace {

Json parsed(const RunResult& result) { return Json::parse(summary_json(result)); }

// The contract that scripts rely on; a key may be added, none may go.
const std::vector<std::string> promised_keys{"/storcast",
                                             "/schema",
                                             "/scenario",
                                             "/seed",
                                             "/fidelity",
                                             "/converged",
                                             "/simulated_s",
                                             "/warm_up_s",
                                             "/ios",
                                             "/streams/main/rw",
                                             "/streams/main/block_bytes",
                                             "/streams/main/outstanding",
                                             "/streams/main/iops",
                                             "/streams/main/iops_ci95",
                                             "/streams/main/bandwidth_bytes_per_s",
                                             "/streams/main/model_error_relative",
                                             "/streams/main/response_time_s/mean",
                                             "/streams/main/response_time_s/p50",
                                             "/streams/main/response_time_s/p90",
                                             "/streams/main/response_time_s/p95",
                                             "/streams/main/response_time_s/p99",
                                             "/streams/main/response_time_s/p99_9",
                                             "/streams/main/response_time_s/ci95/mean",
                                             "/streams/main/response_time_s/ci95/p50",
                                             "/streams/main/response_time_s/ci95/p95",
                                             "/streams/main/response_time_s/ci95/p99",
                                             "/streams/main/response_time_s/ci95/p99_9",
                                             "/streams/main/read/iops",
                                             "/streams/main/read/bandwidth_bytes_per_s",
                                             "/streams/main/read/response_time_s/mean",
                                             "/streams/main/read/response_time_s/p50",
                                             "/streams/main/read/response_time_s/p95",
                                             "/streams/main/read/response_time_s/p99",
                                             "/streams/main/read/response_time_s/p99_9",
                                             "/streams/main/write/iops",
                                             "/streams/main/write/bandwidth_bytes_per_s",
                                             "/streams/main/write/response_time_s/mean",
                                             "/streams/main/write/response_time_s/p50",
                                             "/streams/main/write/response_time_s/p95",
                                             "/streams/main/write/response_time_s/p99",
                                             "/streams/main/write/response_time_s/p99_9",
                                             "/streams/main/stages_s/host",
                                             "/streams/main/stages_s/fabric",
                                             "/streams/main/stages_s/controller",
                                             "/streams/main/stages_s/raid_and_drives",
                                             "/streams/main/stages_s/unexplained",
                                             "/stations/array.controller_a.cores/queues",
                                             "/stations/array.controller_a.cores/servers_each",
                                             "/stations/array.controller_a.cores/utilisation",
                                             "/stations/array.controller_a.cores/residence_time_s",
                                             "/stations/array.controller_a.cores/queue_length",
                                             "/bottleneck/station",
                                             "/bottleneck/utilisation",
                                             "/bottleneck/limit_iops",
                                             "/bottleneck/next/station",
                                             "/bottleneck/next/limit_iops",
                                             "/bottleneck/next/headroom",
                                             "/bounds/saturation_iops",
                                             "/bounds/knee_outstanding",
                                             "/bounds/mva_iops",
                                             "/self_check/littles_law_ratio",
                                             "/self_check/utilisation_law_worst",
                                             "/self_check/ios_in",
                                             "/self_check/ios_out",
                                             "/self_check/ios_in_flight",
                                             "/power_w/idle",
                                             "/power_w/at_load",
                                             "/power_w/maximum",
                                             "/assumptions",
                                             "/window_s"};

}  // namespace

TEST_CASE("every promised key of the summary is present") {
  const Json summary = parsed(example_result());
  for (const std::string& key : promised_keys) {
    INFO(key);
    CHECK(summary.contains(Json::json_pointer(key)));
  }
}

TEST_CASE("the numbers of the summary read back exactly") {
  const RunResult result = example_result();
  const Json summary = parsed(result);
  const Json& main = summary["streams"]["main"];
  CHECK(summary["storcast"] == std::string(version));
  CHECK(summary["schema"] == 1);
  CHECK(summary["ios"] == 445400);
  CHECK(main["iops"].get<double>() == result.streams[0].all.iops.value);
  CHECK(main["iops_ci95"].get<double>() == result.streams[0].all.iops.half_width);
  CHECK(main["response_time_s"]["p99"].get<double>() ==
        result.streams[0].all.percentiles[3].value_s->value);
  CHECK(main["response_time_s"]["ci95"]["p99"].get<double>() ==
        result.streams[0].all.percentiles[3].value_s->half_width);
  CHECK(main["read"]["iops"] == 183400.0);
  CHECK(main["write"]["response_time_s"]["mean"] == 0.0095);
  CHECK(main["stages_s"]["controller"] == 0.007133);
  CHECK(main["model_error_relative"].is_null());
  CHECK(summary["stations"]["array.controller_a.cores"]["utilisation"] == 0.993);
  CHECK(summary["bottleneck"]["next"]["headroom"] == 20.5);
  CHECK(summary["power_w"]["at_load"] == 790.0);
  CHECK(summary["timeline"][0]["what"] == "drive 3 of pool a failed");
}

TEST_CASE("the same result gives the same bytes, and wall time is no part of them") {
  RunResult result = example_result();
  const std::string first = summary_json(result);
  result.wall_s = 99;
  CHECK(summary_json(result) == first);
  CHECK(first.rfind("{\n \"storcast\": \"0.1.0\",\n \"schema\": 1,\n \"scenario\": ", 0) == 0);
}

TEST_CASE("a refused percentile is null, with the reason in words") {
  const Json main = parsed(example_result())["streams"]["main"];
  CHECK(main["response_time_s"]["p99_99"].is_null());
  CHECK(main["response_time_s"]["ci95"]["p99_99"].is_null());
  CHECK(main["percentiles_refused"]["p99_99"] == "p99.99 needs 1,000,000 samples, 445,400 seen");
  CHECK(main["percentiles_refused"].size() == 1);
}

TEST_CASE("a percentile that nobody recorded is null with a reason, not missing") {
  RunResult result = example_result();
  result.streams[0].all.percentiles.clear();
  const Json main = parsed(result)["streams"]["main"];
  CHECK(main["response_time_s"]["p50"].is_null());
  CHECK(main["percentiles_refused"]["p50"] == "not recorded");
}

TEST_CASE("an unstable stream keeps its throughput and has no response times") {
  RunResult result = example_result();
  result.streams[0].stable = false;
  result.streams[0].open = true;
  result.streams[0].offered_iops = 300000;
  const Json main = parsed(result)["streams"]["main"];
  CHECK(main["stable"] == false);
  CHECK(main["offered_iops"] == 300000.0);
  CHECK(main["iops"] == 262000.0);
  CHECK(main["response_time_s"]["mean"].is_null());
  CHECK(main["response_time_s"]["p99"].is_null());
  CHECK(main["stages_s"]["controller"].is_null());
  CHECK(main["percentiles_refused"]["p99"].get<std::string>().find("unstable") !=
        std::string::npos);
}

TEST_CASE("analytic results have means and no intervals") {
  RunResult result = example_result();
  result.fidelity = "analytic";
  result.streams[0].all.percentiles.clear();
  result.streams[0].all.ios = 0;
  const Json main = parsed(result)["streams"]["main"];
  CHECK(main["response_time_s"]["mean"] == 0.00782);
  CHECK(main["iops_ci95"].is_null());
  CHECK(main["response_time_s"]["ci95"]["mean"].is_null());
  CHECK(main["percentiles_refused"]["p99"] == "fidelity analytic gives means only");
}

TEST_CASE("only directions that occur have an object") {
  RunResult result = example_result();
  result.streams[0].write = ResponseResult{};
  const Json main = parsed(result)["streams"]["main"];
  CHECK(main.contains("read"));
  CHECK_FALSE(main.contains("write"));
}

TEST_CASE("the summary never contains nan or infinity") {
  RunResult result = example_result();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  result.streams[0].all.mean_s.value = nan;
  result.streams[0].read.iops.value = infinity;
  result.stations[0].utilisation = nan;
  result.bounds.knee_outstanding = infinity;
  result.self_check.littles_law_ratio = nan;
  const Json summary = parsed(result);
  CHECK(summary["streams"]["main"]["response_time_s"]["mean"].is_null());
  CHECK(summary["streams"]["main"]["read"]["iops"].is_null());
  CHECK(summary["bounds"]["knee_outstanding"].is_null());
  const std::string text = summary_json(result);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf\"") == std::string::npos);
}

TEST_CASE("a run without a bottleneck keeps the keys with null") {
  RunResult result = example_result();
  result.bottleneck = Bottleneck{};
  const Json summary = parsed(result);
  CHECK(summary["bottleneck"]["station"].is_null());
  CHECK(summary["bottleneck"]["next"]["station"].is_null());
}

TEST_CASE("names with quotes, line ends and broken UTF-8 stay valid JSON") {
  RunResult result = example_result();
  result.scenario = "a \"b\"\n\xFF";
  CHECK(parsed(result)["scenario"] == "a \"b\"\n\xEF\xBF\xBD");
}

TEST_CASE("two streams or stations of one name are our mistake") {
  RunResult result = example_result();
  result.streams.push_back(result.streams[0]);
  CHECK_THROWS_AS(summary_json(result), InvariantError);
  result = example_result();
  result.stations.push_back(result.stations[0]);
  CHECK_THROWS_AS(summary_json(result), InvariantError);
}
