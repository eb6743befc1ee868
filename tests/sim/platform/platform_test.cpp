#include "sim/platform/platform.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

namespace {

Platform two_nodes() {
  Platform platform;
  platform.nodes = {{"host", 2, {}}, {"array", 4, {}}};
  platform.links = {{"up", {1e9}, Duration{5}}, {"down", {2e9}, Duration{7}}};
  platform.routes = {{"host", "array", {0}, Duration{5}}, {"array", "host", {1}, Duration{7}}};
  return platform;
}

}  // namespace

TEST_CASE("a platform finds its parts by name, and routes by direction") {
  const Platform platform = two_nodes();
  CHECK(platform.node("array").cores == 4);
  CHECK(platform.link("down").bandwidth == Bandwidth{2e9});
  CHECK(platform.route("host", "array").latency == Duration{5});
  CHECK(platform.route("array", "host").links == std::vector<std::size_t>{1});
}

TEST_CASE("a part that a platform does not have is named in the error") {
  const Platform platform = two_nodes();
  CHECK_THROWS_AS(platform.node("hist"), std::out_of_range);
  CHECK_THROWS_WITH(platform.node("hist"), Catch::Contains("node 'hist'"));
  CHECK_THROWS_WITH(platform.link("left"), Catch::Contains("link 'left'"));
  CHECK_THROWS_AS(platform.route("host", "host"), std::out_of_range);
  CHECK_THROWS_WITH(platform.route("array", "disk"), Catch::Contains("from 'array' to 'disk'"));
}
