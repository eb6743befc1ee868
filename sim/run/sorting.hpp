// Drives that sort their queue, for the analytic tier: how fast each serves, found round by round.
//
// With n at a drive its services are faster by n^gain (StationGroup). The solution of one round
// says how many wait; their number gives the speed of the next. The bound takes the deepest queue
// that the load can make. Scope and limits: the closed form of random loads, n up to 32 (measured
// on the simulated drive, tests/validation/hdd_test.cpp); it does not know that a drive whose host
// is slow to send the next command chooses among one fewer, which matters at n = 2.
#pragma once

#include <vector>

#include "sim/kernel/system.hpp"
#include "sim/run/analytic.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast {

// How much faster a drive serves with `waiting` at it on average, itself included, than with one.
[[nodiscard]] double speed_of_sorting(const StationGroup& group, double waiting);
// How much faster it still gets if its queue grows from there.
[[nodiscard]] double reserve_of_sorting(const StationGroup& group, double waiting);

class Sorting {
 public:
  // `outstanding`: of a closed load in all; 0: an open load.
  Sorting(const Scenario& scenario, const System& system, double outstanding);

  // Whether there is any such drive.
  [[nodiscard]] bool matters() const { return !speeds_.empty(); }
  // By ScheduleId: for the next round; and for the bound.
  [[nodiscard]] const std::vector<double>& speeds() const { return speeds_; }
  [[nodiscard]] const std::vector<double>& highest_speeds() const { return at_most_; }

  // Sets the speeds for the next round; false if the answer stands.
  bool goes_on(const AnalyticAnswer& answer);

 private:
  const System& system_;
  std::vector<double> speeds_, at_most_;
  bool settled_ = false;
};

}  // namespace storcast
