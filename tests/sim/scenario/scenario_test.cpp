#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

const std::string scenarios = std::string(STORCAST_SOURCE_DIR) + "/scenarios/";

const Ssd::Params& ssd_of(const PoolConfig& pool) { return std::get<Ssd::Params>(pool.drive); }

}  // namespace

TEST_CASE("the example over RDMA reads to the values it states") {
  const Scenario s = load_scenario(scenarios + "210_xn4226d_nvme_rdma.yaml");
  CHECK(s.name == "QSAN XN4226D over NVMe/RDMA");
  REQUIRE(s.hosts.size() == 1);
  CHECK(s.hosts[0].name == "host");
  CHECK(s.hosts[0].params.cores == 56);
  CHECK(s.hosts[0].ports.count == 8);
  CHECK(s.hosts[0].ports.rate.value == Approx(25e9 / 8));
  CHECK(s.hosts[0].ports.mtu == 1500);
  CHECK(s.fabric.protocol == "nvme_rdma");
  CHECK(s.fabric.stack.transport == Transport::roce);
  CHECK(s.fabric.stack.in_capsule == Bytes{4096});
  CHECK(s.array.name == "array");
  REQUIRE(s.array.controllers.size() == 2);
  CHECK(s.array.controllers[0].name == "a");
  CHECK(s.array.controllers[1].params.cores == 4);
  CHECK(s.array.controllers[0].params.failover_pause == from_seconds(10));
  CHECK(s.array.cache.size == Bytes{std::int64_t{16} << 30});
  CHECK(s.array.chassis.supplies == 2);
  REQUIRE(s.array.pools.size() == 2);
  CHECK(s.array.pools[0].raid == "raid6");
  CHECK(s.array.pools[0].layout.parity == 2);
  CHECK(s.array.chassis.bays == 26);
  CHECK(s.array.pools[0].drives == 13);
  CHECK(s.array.pools[0].strip == Bytes{65536});
  CHECK(s.array.pools[1].controller == 1);
  CHECK(ssd_of(s.array.pools[1]).dies == 128);
  CHECK(ssd_of(s.array.pools[1]).capacity == Bytes{7'680'000'000'000});
  CHECK(s.array.volumes_per_pool == 4);
  CHECK(s.array.volume_size == Bytes{11'000'000'000'000});
  REQUIRE(s.workloads.size() == 1);
  const WorkloadConfig& w = s.workloads[0];
  CHECK(w.name == "main");
  CHECK(w.volumes == std::vector<std::uint16_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(w.rw == "randread");
  CHECK(w.read_fraction == 1);
  CHECK(w.random);
  CHECK(w.law == AddressLaw::uniform);
  CHECK(w.connections() == 128);
  CHECK(w.outstanding() == 2048);
  CHECK_FALSE(w.may_write());
  CHECK(s.run.simulated == from_seconds(30));
  CHECK(s.run.ios == 20e6);
  CHECK(s.run.throughput == Approx(0.01));
  CHECK(s.timeline.empty());
}

TEST_CASE("the example over TCP differs by its protocol's stack") {
  const Scenario s = load_scenario(scenarios + "211_xn4226d_nvme_tcp.yaml");
  CHECK(s.fabric.protocol == "nvme_tcp");
  CHECK(s.fabric.stack.transport == Transport::tcp);
  CHECK(s.fabric.stack.in_capsule == Bytes{16384});
}

TEST_CASE("--set overrides values, whole parts, and creates keys") {
  CHECK(small({{"workloads.main.iodepth", "32"}}).workloads[0].iodepth == 32);
  CHECK(small({{"workloads.main.bs", "64KiB"}}).workloads[0].sizes[0].size == Bytes{65536});
  CHECK(small({{"run.warm_up", "10ms"}}).run.warm_up == from_seconds(10e-3));
  CHECK(small({{"workloads.main.span", "1GiB"}}).workloads[0].span == Bytes{1 << 30});
  const Scenario drives = small({{"system.arrays.array.pools.a.drive.dies", "16"}});
  CHECK(ssd_of(drives.array.pools[0]).dies == 16);
  CHECK(ssd_of(drives.array.pools[1]).dies == 128);
  CHECK(small({{"system.arrays.array.pools.a.drives", "8"}}).array.pools[0].drives == 8);
  const Scenario second =
      small({{"workloads.other", "{host: host, rw: write, bs: 1MiB, volumes: [a.1, b]}"}});
  REQUIRE(second.workloads.size() == 2);
  CHECK(second.workloads[1].volumes == std::vector<std::uint16_t>{1, 2, 3});
  CHECK(small({{"timeline", "[{at: 1s, set: {workloads.main.iodepth: 8}}]"}}).timeline.size() == 1);
  CHECK(small({{"workloads.main.iodepth", "8"}, {"workloads.main.iodepth", "9"}})
            .workloads[0]
            .iodepth == 9);
}

TEST_CASE("the catalogue yields to the profile, the profile to the scenario, that to --set") {
  const std::string controller = "system.arrays.array.controllers.a";
  const auto factor = [](const Scenario& s) { return s.array.controllers[0].params.read_factor; };
  CHECK(factor(small()) == 1);  // the catalogue's
  const Override profile{"profile", "qsan-xn4226d"};
  const Scenario adjusted = small({profile});
  CHECK(factor(adjusted) != 1);
  CHECK_FALSE(adjusted.adjusted.empty());
  CHECK(factor(small({{"profile", "none"}})) == 1);
  // The scenario's own word, and --set on top of it, stay.
  CHECK(factor(small({profile, {controller + ".read_factor", "3"}})) == 3);
  const Scenario own =
      parse_scenario(testing::small_text + "profile: qsan-xn4226d\n", "own.yaml",
                     {{controller, "{use: controllers/generic-controller, read_factor: 4}"}});
  CHECK(factor(own) == 4);
  CHECK(own.array.controllers[1].params.read_factor == factor(adjusted));
}

TEST_CASE("what stands beside use wins over the product, to any depth") {
  const Scenario s = small({{"system.arrays.array.cache", "{size: 1GiB}"},
                            {"system.arrays.array.controllers.b.cores", "3"}});
  CHECK(s.array.cache.size == Bytes{1 << 30});
  CHECK(s.array.cache.mirror_rate.value > 0);  // the product's
  CHECK(s.array.controllers[1].params.cores == 3);
  CHECK(s.array.controllers[0].params.cores == 8);
}

TEST_CASE("values that rest on an assumption are listed until they are overridden") {
  const auto mentions = [](const Scenario& s) {
    return std::any_of(s.assumptions.begin(), s.assumptions.end(), [](const std::string& line) {
      return line.find("cache.size") != std::string::npos;
    });
  };
  CHECK(mentions(small()));
  CHECK_FALSE(mentions(small({{"system.arrays.array.cache.size", "32GiB"}})));
}

TEST_CASE("the resolved text reads back to the same scenario") {
  const Scenario s = small({{"workloads.main.rw", "randrw"}, {"workloads.main.rwmixread", "70"}});
  const Scenario again = parse_scenario(s.text, "resolved.yaml");
  CHECK(again.text == s.text);
  CHECK(again.workloads[0].read_fraction == Approx(0.7));
  CHECK(again.array.pools[1].drives == s.array.pools[1].drives);
}

TEST_CASE("workloads keep fio's words") {
  struct Row {
    const char* rw;
    double reads;
    bool random, writes;
  };
  for (const Row& row :
       {Row{"read", 1, false, false}, Row{"write", 0, false, true}, Row{"randread", 1, true, false},
        Row{"randwrite", 0, true, true}, Row{"rw", 0.5, false, true},
        Row{"readwrite", 0.5, false, true}, Row{"randrw", 0.5, true, true}}) {
    INFO(row.rw);
    const WorkloadConfig w = small({{"workloads.main.rw", row.rw}}).workloads[0];
    CHECK(w.read_fraction == row.reads);
    CHECK(w.random == row.random);
    CHECK(w.may_write() == row.writes);
  }
  CHECK(small({{"workloads.main.jobs", "total"}}).workloads[0].connections() == 2);
  CHECK(small().workloads[0].connections() == 8);
  const WorkloadConfig split =
      small({{"workloads.main.bs", ""}, {"workloads.main.bssplit", "4KiB/60:64KiB/40"}})
          .workloads[0];
  REQUIRE(split.sizes.size() == 2);
  CHECK(split.sizes[0].share == Approx(0.6));
  CHECK(split.sizes[1].size == Bytes{65536});
  const WorkloadConfig zipf =
      small({{"workloads.main.random_distribution", "zipf:1.1"}}).workloads[0];
  CHECK(zipf.law == AddressLaw::zipf);
  CHECK(zipf.law_parameter == Approx(1.1));
}

TEST_CASE("a lost drive that finds no spare is warned of") {
  const auto warnings = [](std::vector<Override> sets, const std::string& more = "") {
    sets.push_back(
        {"timeline", "[{at: 10ms, fail: system.arrays.array.pools.a.drives.1}" + more + "]"});
    return small(sets).warnings;
  };
  const std::string second = ", {at: 20ms, fail: system.arrays.array.pools.a.drives.2}";
  const std::string pool = "system.arrays.array.pools.a.";
  CHECK(warnings({}).empty());
  CHECK(warnings({{"system.arrays.array.pools.b.hot_spares", "1"}}).empty());
  CHECK(warnings({{pool + "hot_spares", "1"}}).empty());
  CHECK(warnings({{pool + "raid", "raid6ee"}}).empty());
  CHECK(warnings({{pool + "raid", "raid6ee"}, {pool + "hot_spares", "1"}}, second).empty());
  CHECK(warnings({{pool + "hot_spares", "1"}}, second) ==
        std::vector<std::string>{"pool a: no spare is left for drive 2: it stays degraded"});
  CHECK(warnings({{pool + "hot_spares", "1"}, {pool + "rebuild", "{enabled: false}"}}) ==
        std::vector<std::string>{
            "pool a: it has spares, but its rebuild is not enabled: it stays degraded"});
  CHECK(warnings({{pool + "hot_spares", "1"}, {pool + "spare_drive.use", "drives/nvme-gen4-tlc"}})
            .size() == 1);
}

TEST_CASE("a timeline is read in the order of its times") {
  const Scenario s =
      small({{"workloads.main.rw", "randrw"},
             {"timeline",
              "[{at: 3s, fail: system.arrays.array.controllers.b},"
              " {at: 1s, fail: system.arrays.array.pools.a.drives.5},"
              " {at: 2s, set: {workloads.main.iodepth: 8, workloads.main.rwmixread: 30%}}]"}});
  REQUIRE(s.timeline.size() == 4);
  CHECK(s.timeline[0].kind == TimelineEntry::Kind::fail_drive);
  CHECK(s.timeline[0].drive == 5);
  CHECK(s.timeline[1].kind == TimelineEntry::Kind::iodepth);
  CHECK(s.timeline[1].value == 8);
  CHECK(s.timeline[2].kind == TimelineEntry::Kind::mix);
  CHECK(s.timeline[2].value == Approx(30));
  CHECK(s.timeline[3].controller == 1);
}

TEST_CASE("a file that does not exist is a problem of the user's") {
  CHECK_THROWS_AS(load_scenario("/nonexistent/x.yaml"), ScenarioError);
  CHECK_THROWS_AS(load_scenario(STORCAST_SOURCE_DIR), ScenarioError);
}
