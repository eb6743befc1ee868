#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

using namespace storcast;

namespace {

const std::string text = R"(storcast: 1
name: local
system:
  hosts:
    host: {use: hosts/generic-server}
  fabric: {kind: local}
  arrays:
    server:
      pools:
        p: {raid: raid5, drives: 4, drive: {use: drives/nvme-gen4-tlc}, engine: {use: engines/linux-md}}
      volumes: {per_pool: 1, size: 1TiB}
workloads:
  main: {host: host, rw: randrw, rwmixread: 70, bs: 4KiB, iodepth: 4, numjobs: 2}
run:
  limit: {simulated: 20s, ios: 20k}
)";
const std::string pool = "system.arrays.server.pools.p.";

Scenario local(const std::vector<Override>& sets = {}) {
  return parse_scenario(text, "local.yaml", sets);
}

std::string refusal(const std::vector<Override>& sets) {
  try {
    static_cast<void>(local(sets));
  } catch (const ScenarioError& error) {
    std::string all;
    for (const Problem& p : error.problems()) all += p.rule + "\n";
    return all;
  }
  return "accepted";
}

bool says(const std::vector<Override>& sets, const std::string& rule) {
  INFO(refusal(sets));
  CHECK(refusal(sets).find(rule) != std::string::npos);
  return true;
}

}  // namespace

TEST_CASE("local drives need neither ports nor controllers nor a cache") {
  const Scenario s = local();
  CHECK(s.fabric.local);
  CHECK(s.fabric.own.host_io == from_seconds(2e-6));
  REQUIRE(s.array.pools.front().engine.has_value());
  CHECK(std::holds_alternative<MdEngine::Params>(*s.array.pools.front().engine));
}

TEST_CASE("each engine runs, healthy and with a drive lost") {
  for (const char* engine : {"engines/linux-md", "engines/raid-9500", "engines/graid-sr-1010-x8"}) {
    INFO(engine);
    for (const char* timeline :
         {"[]", "[{at: 1ms, fail: system.arrays.server.pools.p.drives.1}]"}) {
      const RunResult r =
          run_scenario(local({{pool + "engine.use", engine}, {"timeline", timeline}}));
      CHECK(r.streams.front().all.ios > 10'000);
      CHECK(r.self_check.passed);
      CHECK(r.self_check.failures.empty());
    }
  }
}

TEST_CASE("a second drive lost under RAID 5 is data loss, local drives or not") {
  const RunResult r =
      run_scenario(local({{"timeline",
                           "[{at: 1ms, fail: system.arrays.server.pools.p.drives.1}, "
                           "{at: 2ms, fail: system.arrays.server.pools.p.drives.2}]"}}));
  CHECK(r.stop_reason.find("data loss") != std::string::npos);
  CHECK(r.simulated_s == Approx(2e-3).margin(1e-3));
}

TEST_CASE("what does not go with local drives is refused") {
  CHECK(says({{"system.hosts.host.ports", "{count: 1, rate: 25Gb/s}"}}, "needs no ports"));
  CHECK(says({{"system.arrays.server.controllers", "{a: {cores: 4}}"}}, "have no controllers"));
  CHECK(
      says({{"system.arrays.server.cache", "{size: 1GiB, mirror_rate: 1GB/s}"}}, "have no cache"));
  CHECK(says({{"system.arrays.server.shelves", "{s: {use: shelves/sas3-26}}"}}, "have no shelves"));
  CHECK(says({{pool + "controller", "a"}}, "local drives have no controller"));
  CHECK(says({{"system.fabric.protocol", "nvme_rdma"}}, "protocol"));
  CHECK(says({{"system.fabric.host_io", "1s"}}, "host_io"));
  CHECK(says({{"system.hosts.other", "{cores: 4}"}}, "local drives are in one host"));
  CHECK(says({{"system.fabric", "{kind: direct, protocol: nvme_rdma}"}}, "engines belong to"));
}

TEST_CASE("an engine is one that is known, with its own values") {
  CHECK(says({{pool + "engine", "{model: abacus}"}}, "'abacus' is not a RAID engine"));
  CHECK(says({{pool + "engine", "{link: 4GB/s}"}}, "model is missing"));
  CHECK(says({{pool + "engine", "{model: md, link: 4GB/s}"}}, "link"));
  CHECK(says({{pool + "engine", "md"}}, "a map is wanted"));
  CHECK(says({{pool + "engine.use", "engines/linux-dm"}}, "not a product"));
  CHECK(says({{pool + "engine.use", "drives/nvme-gen4-tlc"}}, "no product of the kind"));
  std::string without = text;
  without.replace(without.find(", engine: {use: engines/linux-md}"), 33, "");
  CHECK_THROWS_WITH(parse_scenario(without, "x.yaml"), Catch::Contains("engine is missing"));
}
