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
  for (const char* line : {"count: 0", "count: 65", "rate: 1Mb/s", "rate: 1000Gb/s", "rate: 25",
                           "mtu: 575", "mtu: 9601", "adapter_latency: 2ms", "cable_latency: 3ms",
                           "speed: 25Gb/s", "kind: tin", "credits: 8", "credits: 0\nkind: fc"}) {
    CHECK(testing::refuses(ports_schema(), "count: 2\nrate: 25Gb/s\n", line) == "");
  }
}

TEST_CASE("Fibre Channel's rates are named by their generation") {
  Problems problems;
  const PortsParams p =
      testing::read_sheet(ports_schema(), "kind: fc\ncount: 1\nrate: 32GFC\n", problems);
  REQUIRE(problems.empty());
  CHECK(p.rate.value == Approx(3.4e9));
  CHECK(parse_bandwidth("16GFC").value == Approx(1.7e9));
  CHECK(parse_bandwidth("64GFC").value == Approx(6.8e9));
}

TEST_CASE("frames over a long cable wait for credits") {
  // 10 km at 2GFC: 11 credits carry frames of 2 KB without a pause, fewer a share of the rate.
  PortsParams p;
  p.kind = PortKind::fc;
  p.rate = {212.5e6};
  p.cable_latency = from_seconds(10 * 5e-6);
  CHECK(p.credited_rate() == p.rate);
  p.credits = 12;
  CHECK(p.credited_rate() == p.rate);
  p.credits = 5;
  const double round_trip = 2108 / 212.5e6 + 100e-6;
  CHECK(p.credited_rate().value == Approx(5 * 2108 / round_trip));
  CHECK(p.credited_rate().value < 0.5 * p.rate.value);
}
