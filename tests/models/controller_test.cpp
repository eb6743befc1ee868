#include "models/controller.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

ControllerParams params() {
  ControllerParams p;
  p.read_fixed = from_seconds(8e-6);
  p.read_page = from_seconds(1e-6);
  p.write_fixed = from_seconds(40e-6);
  p.write_page = from_seconds(3.5e-6);
  return p;
}
double total_us(const SoftwareCost& c) { return to_seconds(c.before + c.after) * 1e6; }

}  // namespace

TEST_CASE("a command costs its fixed part and its pages") {
  CHECK(total_us(software_cost(params(), Direction::read, 4096, false)) == Approx(9));
  CHECK(total_us(software_cost(params(), Direction::read, 65536, false)) == Approx(24));
  CHECK(total_us(software_cost(params(), Direction::write, 4096, false)) == Approx(43.5));
  CHECK(total_us(software_cost(params(), Direction::write, 1 << 20, false)) == Approx(936));
}

TEST_CASE("a part of a page costs a page") {
  CHECK(total_us(software_cost(params(), Direction::read, 512, false)) == Approx(9));
  CHECK(total_us(software_cost(params(), Direction::read, 4608, false)) == Approx(10));
}

TEST_CASE("half of a read's fixed cost comes before the drives") {
  const SoftwareCost c = software_cost(params(), Direction::read, 16384, false);
  CHECK(c.before == from_seconds(4e-6));
  CHECK(c.after == from_seconds(8e-6));
}

TEST_CASE("the acknowledged share of a write and its destage are the whole write") {
  ControllerParams p = params();
  p.acknowledge_share = 0.3;
  const SoftwareCost c = software_cost(p, Direction::write, 8192, false);
  CHECK(to_seconds(c.before) * 1e6 == Approx(0.3 * 47));
  CHECK(to_seconds(c.after) * 1e6 == Approx(0.7 * 47));
}

TEST_CASE("factors scale their own direction, the discount the pages of streams") {
  ControllerParams p = params();
  p.read_factor = 2;
  p.write_factor = 0.5;
  p.sequential_discount = 0.85;
  CHECK(total_us(software_cost(p, Direction::read, 65536, false)) == Approx(48));
  CHECK(total_us(software_cost(p, Direction::write, 4096, false)) == Approx(21.75));
  CHECK(total_us(software_cost(p, Direction::read, 65536, true)) == Approx(2 * (8 + 16 * 0.85)));
  CHECK(total_us(software_cost(p, Direction::write, 4096, true)) ==
        Approx(0.5 * (40 + 3.5 * 0.85)));
}

TEST_CASE("the controller's data sheet refuses what lies outside its ranges") {
  for (const char* line :
       {"cores: 0", "cores: 257", "read_fixed: 11ms", "read_page: 2ms", "write_fixed: 11ms",
        "write_page: 2ms", "read_factor: 0.05", "write_factor: 11", "outstanding_cost: 1us",
        "sequential_discount: 2", "acknowledge_share: 1%", "parity_update: 1MB/s",
        "parity_generate: 2TB/s", "parity_recover: 10", "failover_pause: 601s", "cpu_idle: 30W",
        "cpu_busy: 1W", "board: 2kW", "core: 4"}) {
    CHECK(testing::refuses(controller_schema(), "cores: 4\n", line) == "");
  }
}
