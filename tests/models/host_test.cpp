#include "models/host.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sheet.hpp"

using namespace storcast;

TEST_CASE("a host's ports are read with their units") {
  Problems problems;
  const PortsParams p = testing::read_sheet(
      ports_schema(), "count: 8\nrate: 25Gb/s\nmtu: 9000\ncable_latency: 2ms\n", problems);
  REQUIRE(problems.empty());
  CHECK(p.count == 8);
  CHECK(p.rate.value == Approx(25e9 / 8));
  CHECK(p.mtu == 9000);
  CHECK(p.cable_latency == from_seconds(2e-3));
  CHECK(p.adapter_latency == from_seconds(1.2e-6));
}

TEST_CASE("the host's data sheets refuse what lies outside their ranges") {
  for (const char* line : {"cores: 0", "cores: 1025", "cores: many", "sockets: 2"}) {
    CHECK(testing::refuses(host_schema(), "cores: 32\n", line) == "");
  }
  for (const char* line :
       {"count: 0", "count: 65", "rate: 1Mb/s", "rate: 1000Gb/s", "rate: 25", "mtu: 575",
        "mtu: 9601", "adapter_latency: 2ms", "cable_latency: 3ms", "speed: 25Gb/s"}) {
    CHECK(testing::refuses(ports_schema(), "count: 2\nrate: 25Gb/s\n", line) == "");
  }
}
