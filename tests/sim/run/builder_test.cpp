#include "sim/run/builder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sim/platform/simgrid_platform.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

Assembly assemble(const Scenario& s) {
  return build_system(s, load_simgrid_platform(platform_of(s)));
}

// Stations that the connections' core routes lead to, by pool.
std::set<std::uint32_t> cores_used(const Assembly& a, std::uint16_t pool) {
  const System& system = a.system();
  std::set<std::uint32_t> used;
  const StationGroup& group = system.groups[a.controller_cores[0]];
  for (std::uint32_t c = 0; c < system.connections.size(); ++c) {
    if (system.connections[c].variant != pool) continue;
    used.insert(system.routes[group.route_table + c]);
  }
  return used;
}
bool inside(const std::set<std::uint32_t>& stations, const StationGroup& group) {
  for (const std::uint32_t s : stations) {
    if (s < group.first || s >= group.first + group.queues) return false;
  }
  return !stations.empty();
}

}  // namespace

TEST_CASE("the platform comes back from SimGrid as it was described") {
  const Scenario s = small({{"system.hosts.host.ports.count", "4"}});
  const PlatformConfig config = platform_of(s);
  const Platform platform = load_simgrid_platform(config);
  REQUIRE(platform.nodes.size() == config.nodes.size());
  for (const Platform::Node& node : config.nodes) {
    CHECK(platform.node(node.name).cores == node.cores);
    CHECK(platform.node(node.name).power.all_cores.value == Approx(node.power.all_cores.value));
  }
  REQUIRE(platform.links.size() == config.links.size());
  for (const Platform::Link& link : config.links) {
    CHECK(platform.link(link.name).bandwidth.value == Approx(link.bandwidth.value));
    CHECK(platform.link(link.name).latency == link.latency);
  }
  CHECK(config.routes.size() == 4 * 2 + 2);  // each cable both ways, the mirror both ways
  for (const auto& route : config.routes) CHECK_NOTHROW(platform.route(route.from, route.to));
}

TEST_CASE("the first half of a host's cables goes to the first controller") {
  const PlatformConfig config = platform_of(small({{"system.hosts.host.ports.count", "4"}}));
  const auto goes = [&](const std::string& port, const std::string& controller) {
    for (const auto& r : config.routes) {
      if (r.from == "host." + port && r.to == "array.controller_" + controller) return true;
    }
    return false;
  };
  CHECK(goes("port0", "a"));
  CHECK(goes("port1", "a"));
  CHECK(goes("port2", "b"));
  CHECK(goes("port3", "b"));
  CHECK_FALSE(goes("port1", "b"));
}

TEST_CASE("a connection stays on a core of the controller that owns its volume") {
  const Assembly a = assemble(small({{"workloads.main.numjobs", "16"}}));
  const System& system = a.system();
  CHECK(system.connections.size() == 4 * 16);
  CHECK(inside(cores_used(a, 0), system.groups[a.controller_cores[0]]));
  CHECK(inside(cores_used(a, 1), system.groups[a.controller_cores[1]]));
  CHECK(cores_used(a, 0).size() == 8);  // all of them
}

TEST_CASE("connections are dealt evenly over the cores of their controller") {
  for (const char* jobs : {"1", "2", "3", "8"}) {
    INFO(jobs);
    const Assembly a = assemble(small({{"workloads.main.numjobs", jobs}}));
    const System& system = a.system();
    const StationGroup& group = system.groups[a.controller_cores[0]];
    std::map<std::uint32_t, int> load;
    for (std::uint32_t q = 0; q < group.queues; ++q) load[group.first + q] = 0;
    for (std::uint32_t c = 0; c < system.connections.size(); ++c) {
      if (system.connections[c].variant == 0) ++load[system.routes[group.route_table + c]];
    }
    int least = 1000;
    int most = 0;
    for (const auto& [core, connections] : load) {
      least = std::min(least, connections);
      most = std::max(most, connections);
    }
    CHECK(most - least <= 1);
  }
}

TEST_CASE("when a controller fails its volumes go to the cores of its peer after the pause") {
  Assembly a = assemble(small());
  const Time now{from_seconds(2)};
  REQUIRE(a.fail_controller(0, now));
  const System& system = a.system();
  CHECK(inside(cores_used(a, 0), system.groups[a.controller_cores[1]]));
  for (const Connection& c : system.connections) {
    CHECK(c.open_at == (c.variant == 0 ? now + from_seconds(10) : Time{}));
  }
  CHECK_FALSE(a.fail_controller(1, now));
}

TEST_CASE("drives fail up to the tolerance of their level") {
  Assembly a = assemble(small());
  CHECK(a.fail_drive(0, 0));
  CHECK(a.fail_drive(0, 5));
  CHECK_FALSE(a.fail_drive(0, 3));  // RAID 6
  CHECK(a.fail_drive(1, 2));
  CHECK_FALSE(a.fail_drive(1, 3));  // RAID 5
}

TEST_CASE("one controller alone has no mirror") {
  const Assembly a =
      assemble(small({{"system.arrays.array",
                       "{controllers: {a: {cores: 4}}, cache: {size: 1GiB, mirror_rate: 1GB/s},"
                       " pools: {a: {raid: raid1, drives: 2, drive: {use: drives/null-drive},"
                       " controller: a}}, volumes: {per_pool: 1, size: 1GiB}}"},
                      {"workloads.main.rw", "randwrite"}}));
  for (const StationGroup& group : a.system().groups) {
    CHECK(group.name.find("mirror") == std::string::npos);
  }
}

TEST_CASE("a scenario that was not checked is refused") {
  Scenario s = small();
  s.hosts[0].ports.count = 1;  // no cable to controller b
  CHECK_THROWS_AS(assemble(s), InvariantError);
}

TEST_CASE("the pool of I/Os has room for what is outstanding") {
  const Assembly a = assemble(small({{"workloads.main.iodepth", "100"}}));
  CHECK(a.system().io_capacity >= 800);
}
