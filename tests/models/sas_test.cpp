#include "models/sas.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using Catch::Contains;

namespace {

SasParams sas3(int ports) {
  SasParams p;
  p.bays = 26;
  p.ports = ports;
  p.lane_rate = {1.5e9};
  p.efficiency = 1;
  return p;
}

double of_all_lanes(const SasParams& p) { return p.lane_payload().value * p.ports * p.lanes; }

Scenario chain(const std::vector<Override>& sets = {}) {
  return load_scenario(checkout_folder() + "/scenarios/040_sas_chain.yaml", sets);
}

// What the reader says of the small scenario with a shelf and the changes.
std::string refusal(std::vector<Override> sets) {
  sets.insert(sets.begin(), {{"system.arrays.array.shelves.s.use", "shelves/sas3-26"},
                             {"system.arrays.array.pools.a.drive.use", "drives/sas-ssd-12g"},
                             {"system.arrays.array.pools.a.shelf", "s"}});
  try {
    (void)testing::small(sets);
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a wide port of SAS-3 carries 4.8 GB/s, four of them 19.2, one of SAS-4 9.6") {
  CHECK(of_all_lanes(sas3(1)) == Approx(4.8e9).epsilon(1e-12));
  CHECK(of_all_lanes(sas3(4)) == Approx(19.2e9).epsilon(1e-12));
  SasParams sas4 = sas3(1);
  sas4.lane_rate = {22.5e9 / 8};
  sas4.encoding = 128.0 / 150;
  CHECK(of_all_lanes(sas4) == Approx(9.6e9).epsilon(1e-12));
}

TEST_CASE("hops: the mean over a chain's shelves") {
  SasParams p = sas3(1);
  p.hop_latency = from_seconds(0.3e-6);
  p.shelves = 1;
  CHECK(p.mean_hops() == from_seconds(0.3e-6));
  p.shelves = 20;
  CHECK(to_seconds(p.mean_hops()) == Approx(10.5 * 0.3e-6));
}

TEST_CASE("the lanes at the head of a chain are its ceiling", "[validation][sas]") {
  fmt::print("\nwide ports   lanes   expected GB/s   simulated   deviation\n");
  for (const int ports : {1, 2}) {
    const Scenario scenario =
        chain({{"system.arrays.array.shelves.chain.ports", std::to_string(ports)}});
    const RunResult result = run_scenario(scenario, {});
    const SasParams& p = scenario.array.shelves[0].params;
    constexpr double bytes = 1 << 20;
    const double expected = p.ports * p.lanes * bytes /
                            (to_seconds(p.connection_open) + bytes / p.lane_payload().value);
    const double simulated = result.streams[0].all.bandwidth_bytes_per_s.value;
    fmt::print("{:10d} {:7d} {:15.3f} {:11.3f} {:+10.2f} %\n", ports, ports * p.lanes,
               expected / 1e9, simulated / 1e9, (simulated / expected - 1) * 100);
    CHECK(simulated == Approx(expected).epsilon(0.01));
    CHECK_THAT(result.bottleneck.station, Contains("sas_chain"));
    CHECK(result.self_check.passed);
  }
}

TEST_CASE("a controller's failure: the peer's own lanes carry on, a single path ends the run") {
  const std::vector<Override> failing{
      {"timeline", "[{at: 2s, fail: system.arrays.array.controllers.a}]"},
      {"run.limit.simulated", "20s"}};
  const RunResult dual = run_scenario(chain(failing), {});
  CHECK(dual.streams[0].all.ios > 0);
  double peer = 0;
  for (const StationResult& s : dual.stations) {
    if (s.name == "array.controller_b.sas_chain") peer = s.throughput;
  }
  CHECK(peer > 0);
  auto sets = failing;
  sets.push_back({"system.arrays.array.shelves.chain.paths", "single"});
  const RunResult single = run_scenario(chain(sets), {});
  CHECK_THAT(single.stop_reason, Contains("single path is gone"));
}

TEST_CASE("shelves: every rule has its message") {
  CHECK_THAT(refusal({{"system.arrays.array.pools.a.shelf", "t"}}),
             Contains("there is no shelf 't'"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.bays", "5"}}),
             Contains("6 drives, of which 0 are hot spares, do not go into the 5 bays of shelf s"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.shelves", "21"}}), Contains("1 to 20"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.shelves", "12"},
                      {"system.arrays.array.shelves.t.use", "shelves/sas4-24"},
                      {"system.arrays.array.shelves.t.shelves", "9"}}),
             Contains("21 shelves: at most 20 stand behind an array"));
  for (const char* key : {"ports", "lanes", "bays", "encoding", "efficiency"}) {
    CAPTURE(key);
    CHECK_THAT(refusal({{std::string("system.arrays.array.shelves.s.") + key, "0"}}),
               Contains("out of range"));
  }
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.lane_rate", "12"}}), Contains("unit"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.connection_open", "1s"}}),
             Contains("out of range"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.hop_latency", "-1us"}}),
             Contains("must not be negative"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.paths", "triple"}}), Contains("dual"));
  CHECK_THAT(refusal({{"system.arrays.array.pools.a.drive.use", "drives/nvme-gen4-tlc"}}),
             Contains("have nvme plugs, the bays take sas and sata"));
  CHECK_THAT(refusal({{"system.arrays.array.shelves.s.shelves", "20"},
                      {"system.arrays.array.chassis.bays", "27"}}),
             Contains("547 bays with the chassis: at most 546 belong to an array"));
  CHECK(refusal({}).empty());
}
