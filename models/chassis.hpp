// The box: its drive bays, and power: fans and supplies around drives and controllers.
//
// Model: P_wall = P_dc / efficiency(load); P_dc is the sum of drives, controllers and fans.
// Supplies share the load; efficiency is interpolated between the 80 PLUS points at 20, 50 and 100
// %, and falls as 0.86 (l / 0.1)^0.15 below 10 %. Fan power goes with the cube of the speed. A
// processor draws idle + (busy - idle)(2u - u^1.4) (Fan, Weber, Barroso 2007); a drive goes from
// idle towards its read or write power with the use of its link.
//
// Parameters: schema() below. Scope and limits: no power states, no adapters apart from the
// board's; bays are counted, not placed. References: modelling brief section 7; 80 PLUS test levels
// (230 V, redundant).
// Validation: tests/models/chassis_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/drive.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

struct ChassisParams {
  int fans = 0;
  Watts fan_power{};
  double fan_speed_idle = 0.45, fan_speed_busy = 0.7;
  int supplies = 0;
  Watts supply_rating{};
  double efficiency_20 = 0.9, efficiency_50 = 0.94, efficiency_100 = 0.91;
  std::optional<int> bays{};  // not said: not counted
  DriveInterface bay_interface{};
};

inline const Schema<ChassisParams>& chassis_schema() {
  using P = ChassisParams;
  static const Schema<P> sheet =
      Schema<P>("chassis", "Bays, fans and power supplies of an array.")
          .optional(&P::fans, 8, {"fans", "fans", ""}, {0, 64})
          .optional(&P::fan_power, Watts{12}, {"fan_power", "power of a fan at full speed", ""},
                    {0, 200})
          .optional(&P::fan_speed_idle, 0.45, {"fan_speed_idle", "speed when idle", "fraction"},
                    {0, 1})
          .optional(&P::fan_speed_busy, 0.7, {"fan_speed_busy", "speed under load", "fraction"},
                    {0, 1})
          .optional(&P::supplies, 2, {"supplies", "power supplies that share the load", ""},
                    {1, 16})
          .optional(&P::supply_rating, Watts{850}, {"supply_rating", "rating of each", ""},
                    {50, 10000})
          .optional(&P::efficiency_20, 0.90, {"efficiency_20", "at 20 % load", "fraction"},
                    {0.5, 1})
          .optional(&P::efficiency_50, 0.94, {"efficiency_50", "at 50 % load", "fraction"},
                    {0.5, 1})
          .optional(&P::efficiency_100, 0.91, {"efficiency_100", "at 100 % load", "fraction"},
                    {0.5, 1})
          .optional(&P::bays, std::nullopt, {"bays", "drive bays; none: not counted", ""},
                    {1, 1000})
          .choice(&P::bay_interface, DriveInterface::any,
                  {"bay_interface", "what a bay takes; sas takes sata too", ""},
                  {{"any", DriveInterface::any},
                   {"nvme", DriveInterface::nvme},
                   {"sas", DriveInterface::sas},
                   {"sata", DriveInterface::sata}});
  return sheet;
}

inline double supply_efficiency(const ChassisParams& p, double load) {
  if (load <= 0) return 0.86 * std::pow(0.01, 0.15);
  if (load < 0.1) return 0.86 * std::pow(load / 0.1, 0.15);
  if (load < 0.2) return 0.86 + (p.efficiency_20 - 0.86) * (load - 0.1) / 0.1;
  if (load < 0.5) return p.efficiency_20 + (p.efficiency_50 - p.efficiency_20) * (load - 0.2) / 0.3;
  const double l = std::min(load, 1.0);
  return p.efficiency_50 + (p.efficiency_100 - p.efficiency_50) * (l - 0.5) / 0.5;
}

// Power at the plug for a given power behind the supplies.
inline Watts wall_power(const ChassisParams& p, Watts behind) {
  const double load = behind.value / (p.supplies * p.supply_rating.value);
  return {behind.value / supply_efficiency(p, load)};
}
inline Watts fan_power(const ChassisParams& p, double activity) {
  const double speed = p.fan_speed_idle + (p.fan_speed_busy - p.fan_speed_idle) * activity;
  return {p.fans * p.fan_power.value * speed * speed * speed};
}
inline Watts cpu_power(Watts idle, Watts busy, double u) {
  return {idle.value + (busy.value - idle.value) * (2 * u - std::pow(u, 1.4))};
}

}  // namespace storcast
