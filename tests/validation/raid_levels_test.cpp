// Scenarios 110 to 124: each level beside the hand calculation in its heading; the write penalty of
// each level. Drives do 100 I/Os a second. ./tests/run '[raid_levels]'.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

using namespace storcast;

namespace {

RunResult run(const std::string& name, const std::vector<Override>& sets = {}) {
  return run_scenario(
      load_scenario(std::string(STORCAST_SOURCE_DIR) + "/scenarios/" + name + ".yaml", sets));
}

double iops(const RunResult& r) { return r.streams.front().all.iops.value; }

// Visits to drives for each I/O.
double visits(const RunResult& r) {
  for (const StationResult& s : r.stations) {
    if (s.name == "array.pool_p.drives") return s.throughput / iops(r);
  }
  return 0;
}

}  // namespace

TEST_CASE("scenarios 110 to 124: the hand calculation of each level",
          "[validation][raid_levels][scenarios]") {
  struct Level {
    const char* name;
    double expected;
  };
  fmt::print("\nLevels on drives of 100 I/Os a second, by hand (IOPS)\n{:<32} {:>9} {:>9} {:>10}\n",
             "", "expected", "model", "deviation");
  for (const Level& level : std::vector<Level>{{"110_raid0", 800},
                                               {"111_raid1", 100},
                                               {"112_raid10", 400},
                                               {"113_raid5_small_writes", 200},
                                               {"114_raid6_small_writes", 800. / 6},
                                               {"115_raid5_full_stripes", 100},
                                               {"116_raid5_straddling_reads", 800 / 1.5},
                                               {"117_raid50_two_losses", 800 / 1.6},
                                               {"118_raid60_three_losses", 400},
                                               {"119_raid5ee_all_drives_serve", 800},
                                               {"121_raid6ee_small_writes", 800. / 6},
                                               {"122_raid50ee_degraded", 500},
                                               {"123_raid60ee_narrow_stripes", 240},
                                               {"124_declustered_degraded", 2300 / (31. / 24)}}) {
    INFO(level.name);
    const RunResult r = run(level.name);
    const double deviation = iops(r) / level.expected - 1;
    fmt::print("{:<32} {:>9.1f} {:>9.1f} {:>+8.1f} %\n", level.name, level.expected, iops(r),
               deviation * 100);
    CHECK(r.self_check.passed);
    CHECK(r.stop_reason.find("data loss") == std::string::npos);
    // Few I/Os wait for a drive that has just become idle; a run has a beginning.
    CHECK(deviation > -0.05);
    CHECK(deviation < 0.05);
  }
}

TEST_CASE("the write penalty of each level", "[validation][write_penalty]") {
  struct Level {
    const char *raid, *drives;
    int reads, writes;
  };
  fmt::print(
      "\n4 KiB random writes: I/Os at drives for each, and reads to writes a second\n"
      "{:<10} {:>6} {:>10} {:>9} {:>10} {:>16}\n",
      "level", "drives", "expected", "model", "deviation", "IOPS read/write");
  const std::string pool = "system.arrays.array.pools.p.";
  for (const Level& level : std::vector<Level>{{"raid0", "8", 0, 1},
                                               {"raid1", "2", 0, 2},
                                               {"raid10", "8", 0, 2},
                                               {"raid5", "8", 2, 2},
                                               {"raid50", "16", 2, 2},
                                               {"raid5ee", "8", 2, 2},
                                               {"raid50ee", "16", 2, 2},
                                               {"4+1", "12", 2, 2},
                                               {"raid6", "8", 3, 3},
                                               {"raid60", "16", 3, 3},
                                               {"raid6ee", "9", 3, 3},
                                               {"raid60ee", "18", 3, 3},
                                               {"8+2", "24", 3, 3},
                                               {"raid60ee", "12", 2, 3}}) {
    INFO(level.raid);
    const std::vector<Override> sets{{pool + "raid", level.raid}, {pool + "drives", level.drives}};
    std::vector<Override> reading = sets;
    reading.push_back({"workloads.main.rw", "randread"});
    const RunResult writes = run("113_raid5_small_writes", sets);
    const double expected = level.reads + level.writes;
    const double deviation = visits(writes) / expected - 1;
    const double ratio = iops(run("113_raid5_small_writes", reading)) / iops(writes);
    fmt::print("{:<10} {:>6} {:>3} + {} = {} {:>9.3f} {:>+8.1f} % {:>16.2f}\n", level.raid,
               level.drives, level.reads, level.writes, expected, visits(writes), deviation * 100,
               ratio);
    // Rates of a window: what is under way at its ends is not an I/O yet.
    CHECK(visits(writes) == Approx(expected).epsilon(0.02));
    CHECK(ratio == Approx(expected).epsilon(0.05));
  }
}
