#include "models/chassis.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sheet.hpp"

using namespace storcast;

TEST_CASE("supplies have the efficiencies of their 80 PLUS level at 20, 50 and 100 per cent") {
  const ChassisParams p{.efficiency_20 = 0.90, .efficiency_50 = 0.94, .efficiency_100 = 0.91};
  CHECK(supply_efficiency(p, 0.2) == Approx(0.90).epsilon(1e-12));
  CHECK(supply_efficiency(p, 0.5) == Approx(0.94).epsilon(1e-12));
  CHECK(supply_efficiency(p, 1.0) == Approx(0.91).epsilon(1e-12));
  CHECK(supply_efficiency(p, 0.35) == Approx(0.92).epsilon(1e-12));
  CHECK(supply_efficiency(p, 0.1) == Approx(0.86).epsilon(1e-12));
  CHECK(supply_efficiency(p, 0.05) == Approx(0.86 * std::pow(0.5, 0.15)).epsilon(1e-12));
}

TEST_CASE("the efficiency has no jumps") {
  const ChassisParams p{};
  for (double load = 0.01; load < 1.2; load += 0.001) {
    INFO(load);
    CHECK(std::fabs(supply_efficiency(p, load + 0.001) - supply_efficiency(p, load)) < 0.02);
  }
}

TEST_CASE("755 W behind two 850 W Platinum supplies is 810 W at the plug") {
  const ChassisParams p{.supplies = 2, .supply_rating = {850}};
  CHECK(wall_power(p, {755}).value == Approx(810).epsilon(0.002));
}

TEST_CASE("a fan's power goes with the cube of its speed") {
  const ChassisParams p{.fans = 8, .fan_power = {12}, .fan_speed_idle = 0.5, .fan_speed_busy = 1.0};
  CHECK(fan_power(p, 0).value == Approx(8 * 12 * 0.125));
  CHECK(fan_power(p, 1).value == Approx(8 * 12));
  CHECK(fan_power(p, 0.5).value == Approx(8 * 12 * 0.75 * 0.75 * 0.75));
}

TEST_CASE("a processor goes from idle to busy, steeply at first") {
  CHECK(cpu_power({9}, {25}, 0).value == Approx(9));
  CHECK(cpu_power({9}, {25}, 1).value == Approx(25));
  CHECK(cpu_power({9}, {25}, 0.5).value == Approx(9 + 16 * (1 - std::pow(0.5, 1.4))));
  CHECK(cpu_power({9}, {25}, 0.5).value > 17);
}

TEST_CASE("the chassis' data sheet refuses what lies outside its ranges") {
  for (const char* line :
       {"fans: 65", "fans: -1", "fan_power: 201W", "fan_power: 3", "fan_speed_idle: 101%",
        "fan_speed_busy: 1.5", "supplies: 0", "supplies: 17", "supply_rating: 49W",
        "supply_rating: 20kW", "efficiency_20: 49%", "efficiency_50: 101%", "efficiency_100: 0",
        "bays: 0", "bays: 1001", "bay_interface: fc", "colour: red"}) {
    CHECK(testing::refuses(chassis_schema(), "fans: 8\n", line) == "");
  }
}

TEST_CASE("a SAS bay takes SAS and SATA drives; NVMe and SAS do not mix; any is any") {
  using I = DriveInterface;
  for (const I drive : {I::any, I::nvme, I::sas, I::sata}) {
    CHECK(bay_takes(I::any, drive));
    CHECK(bay_takes(drive, drive));
    CHECK(bay_takes(drive, I::any));
  }
  CHECK(bay_takes(I::sas, I::sata));
  CHECK_FALSE(bay_takes(I::sata, I::sas));
  CHECK_FALSE(bay_takes(I::sas, I::nvme));
  CHECK_FALSE(bay_takes(I::nvme, I::sas));
  CHECK_FALSE(bay_takes(I::nvme, I::sata));
  CHECK_FALSE(bay_takes(I::sata, I::nvme));
}
