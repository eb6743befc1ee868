// Scenarios 020 to 024: each lies where its comment says.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

using namespace storcast;

namespace {

const std::string drive = "system.arrays.array.pools.q.drive.";

RunResult run(const std::string& name, const std::vector<Override>& sets = {}) {
  return run_scenario(
      load_scenario(std::string(STORCAST_SOURCE_DIR) + "/scenarios/" + name + ".yaml", sets));
}

double iops(const RunResult& r) { return r.streams.front().all.iops.value; }
double mean_us(const RunResult& r) { return r.streams.front().all.mean_s.value * 1e6; }
double percentile_us(const RunResult& r, double q) {
  for (const Percentile& p : r.streams.front().all.percentiles) {
    if (p.q == q && p.value_s) return p.value_s->value * 1e6;
  }
  return 0;
}
bool within(double value, double low, double high) {
  INFO(value << " in " << low << " to " << high);
  CHECK(value >= low);
  CHECK(value <= high);
  return value >= low && value <= high;
}

}  // namespace

TEST_CASE("scenario 020: reads grow with depth, up to the command processor",
          "[validation][ssd][scenarios]") {
  const RunResult r = run("020_one_ssd");
  CHECK(within(iops(r), 440e3, 453e3));
  CHECK(within(mean_us(r), 70, 74));
  CHECK(within(iops(run("020_one_ssd", {{"workloads.main.iodepth", "1"}})), 15.1e3, 15.5e3));
  const RunResult full = run("020_one_ssd", {{"workloads.main.iodepth", "256"}});
  CHECK(within(iops(full), 890e3, 905e3));
  CHECK(full.bottleneck.station == "array.pool_q.drives.processors");
}

TEST_CASE("scenario 021: a fresh drive falls off its cliff", "[validation][ssd][scenarios]") {
  const auto at = [](const char* written) {
    return iops(run("021_ssd_write_cliff", {{drive + "written", written}}));
  };
  CHECK(within(iops(run("021_ssd_write_cliff")), 760e3, 778e3));
  CHECK(within(at("8.7TB"), 760e3, 778e3));
  CHECK(within(at("8.9TB"), 515e3, 530e3));
  CHECK(within(at("90TB"), 180e3, 193e3));
}

TEST_CASE("scenario 022: writes make the read tail", "[validation][ssd][scenarios]") {
  const RunResult r = run("022_ssd_reads_under_writes");
  CHECK(within(mean_us(r), 68, 70));
  CHECK(within(percentile_us(r, 0.99), 160, 173));
  const RunResult alone =
      run("022_ssd_reads_under_writes", {{"workloads.writes.rate_iops", "300"}});
  CHECK(percentile_us(alone, 0.99) < 110);
  const RunResult waiting = run("022_ssd_reads_under_writes", {{drive + "suspend_limit", "0s"}});
  CHECK(within(percentile_us(waiting, 0.99), 850, 950));
  CHECK(r.self_check.failures.empty());
  CHECK(waiting.self_check.failures.empty());
}

TEST_CASE("scenario 023: a small write pays for its mapping unit", "[validation][ssd][scenarios]") {
  const RunResult r = run("023_qlc_mapping_unit");
  CHECK(within(iops(r), 11.1e3, 11.5e3));
  CHECK(
      within(iops(run("023_qlc_mapping_unit", {{"workloads.main.bs", "64KiB"}})), 11.1e3, 11.5e3));
  CHECK(within(iops(run("023_qlc_mapping_unit", {{"workloads.main.bs", "128KiB"}})), 5.5e3, 5.8e3));
  // The dies are seen although nobody reads them.
  bool seen = false;
  for (const StationResult& s : r.stations) {
    if (s.name != "array.pool_q.drives.dies") continue;
    seen = true;
    CHECK(within(s.utilisation, 0.75, 0.87));
  }
  CHECK(seen);
  CHECK(r.self_check.failures.empty());
}

TEST_CASE("scenario 024: steady writes follow from the spare area",
          "[validation][ssd][scenarios]") {
  CHECK(within(iops(run("024_ssd_steady_writes")), 184e3, 189e3));
  CHECK(within(iops(run("024_ssd_steady_writes", {{drive + "capacity", "6400GB"},
                                                  {"system.arrays.array.volumes.size", "6TB"}})),
               372e3, 383e3));
}
