#include "models/ssd_amplification.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/page_level_ssd.hpp"

using namespace storcast;
using testing::PageLevelSsd;
using testing::Victim;

TEST_CASE("the course of a steady drive is one point, the closed form") {
  const auto course = amplification_course(SsdCondition::steady, 0.145);
  REQUIRE(course.points.size() == 1);
  CHECK(course.points[0] == Approx(4.13).epsilon(0.002));
}

TEST_CASE("the closed form solves its own fixed point") {
  for (const double spare : {0.01, 0.07, 0.145, 0.5, 1.0, 3.0}) {
    // The oldest block of the log is overwritten (1 + r) / WA capacities after it was written.
    const double amplification = write_amplification(spare);
    CHECK(amplification == Approx(1 / (1 - std::exp(-(1 + spare) / amplification))));
  }
}

TEST_CASE("a fresh drive amplifies nothing until raw capacity is written once") {
  const auto course = amplification_course(SsdCondition::fresh, 0.25);
  const auto at = [&](double x) {
    return static_cast<double>(course.points[static_cast<std::size_t>(x / course.step)]);
  };
  CHECK(at(0) == 1);
  CHECK(at(1.24) == 1);
  CHECK(at(1.27) == Approx(1 / (1 - std::exp(-1.25))).epsilon(0.02));
  CHECK(course.points.back() == Approx(write_amplification(0.25)).epsilon(1e-6));
}

TEST_CASE("a filled drive amplifies nothing until its spare is used, then more than later") {
  const auto course = amplification_course(SsdCondition::sequential_fill, 0.25);
  const auto at = [&](double x) {
    return static_cast<double>(course.points[static_cast<std::size_t>(x / course.step)]);
  };
  CHECK(at(0.24) == 1);
  CHECK(at(0.26) == Approx(1 / (1 - std::exp(-0.26))).epsilon(0.02));
  CHECK(at(3.5) == Approx(write_amplification(0.25)).epsilon(0.02));
  CHECK(at(0.3) > at(3.5));
}

TEST_CASE("each course ends in the steady state by itself") {
  for (const double spare : {0.02, 0.07, 0.145, 0.28, 0.374, 1.0}) {
    for (const SsdCondition c : {SsdCondition::fresh, SsdCondition::sequential_fill}) {
      const auto course = amplification_course(c, spare);
      const float before_last = course.points[course.points.size() - 2];
      CAPTURE(spare, before_last);
      CHECK(before_last == Approx(course.points.back()).epsilon(0.02));
    }
  }
}

TEST_CASE("the way to the steady state is that of a page-level simulator", "[slow][ssd]") {
  fmt::print(
      "\nWrite amplification after x capacities of random writes, spare 0.145\n"
      "{:<16} {:>5} {:>9} {:>9} {:>9} {:>9}\n",
      "condition", "x", "model", "fifo", "greedy", "deviation");
  constexpr double spare = 0.145;
  constexpr double part = 0.125;
  for (const SsdCondition condition : {SsdCondition::fresh, SsdCondition::sequential_fill}) {
    const auto course = amplification_course(condition, spare);
    PageLevelSsd fifo(Victim::fifo, 2048, 256, spare, 1);
    PageLevelSsd greedy(Victim::greedy, 2048, 256, spare, 1);
    if (condition == SsdCondition::sequential_fill) {
      fifo.fill_sequentially();
      greedy.fill_sequentially();
    }
    for (int i = 0; i < 20; ++i) {
      const auto writes = static_cast<std::uint64_t>(part * fifo.logical_pages());
      const double seen = fifo.overwrite(writes);
      const double seen_greedy = greedy.overwrite(writes);
      double model = 0;
      const int n = static_cast<int>(part / course.step);
      for (int j = 0; j < n; ++j) {
        model += static_cast<double>(course.points[static_cast<std::size_t>(i * n + j)]) / n;
      }
      fmt::print("{:<16} {:>5.2f} {:>9.3f} {:>9.3f} {:>9.3f} {:>+8.1f} %\n",
                 condition == SsdCondition::fresh ? "fresh" : "sequential_fill", (i + 1) * part,
                 model, seen, seen_greedy, (model / seen - 1) * 100);
      CAPTURE(i, model, seen);
      // The corner itself moves by the few blocks that the simulator keeps free.
      CHECK(model == Approx(seen).epsilon(0.04));
    }
  }
}
