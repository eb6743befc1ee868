#include "sim/run/sorting.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/run/experiment.hpp"

using namespace storcast;

namespace {

const std::string one_disk = STORCAST_SOURCE_DIR "/scenarios/030_hdd_queue_depth.yaml";

RunResult run(const std::vector<Override>& sets, Fidelity fidelity = Fidelity::analytic) {
  RunOptions options;
  options.fidelity = fidelity;
  return run_scenario(load_scenario(one_disk, sets), options);
}

std::vector<Override> open_load(const std::string& rate) {
  return {{"workloads.main.iodepth", "null"},
          {"workloads.main.arrival", "poisson"},
          {"workloads.main.rate_iops", rate}};
}

}  // namespace

TEST_CASE("a drive that sorts gains n^0.28, as far as it sorts and up to 32") {
  StationGroup group{.name = "heads", .kind = GroupKind::scheduled};
  group.gain = 0.28;
  group.most_sorted = 128;
  CHECK(speed_of_sorting(group, 0.5) == 1);
  CHECK(speed_of_sorting(group, 16) == Approx(2.173).epsilon(0.001));
  CHECK(speed_of_sorting(group, 1000) == Approx(2.639).epsilon(0.001));
  CHECK(reserve_of_sorting(group, 16) == Approx(2.639 / 2.173).epsilon(0.001));
  group.most_sorted = 1;
  CHECK(speed_of_sorting(group, 16) == 1);
}

TEST_CASE("an open load beyond order of arrival is carried by sorting, up to a limit") {
  CHECK(run(open_load("60")).verdict.empty());
  CHECK(run(open_load("150")).verdict.empty());
  CHECK(run(open_load("200")).verdict.empty());
  CHECK_FALSE(run(open_load("500")).verdict.empty());
  // Without sorting 80 a second are all.
  auto plain = open_load("90");
  plain.push_back({"system.arrays.array.pools.q.drive.queue_depth", "1"});
  CHECK_FALSE(run(plain).verdict.empty());
}

TEST_CASE("writes that nobody waits for are predicted with the deep queue that they make") {
  const std::vector<Override> writes{{"workloads.main.rw", "randwrite"}};
  const double simulated = run(writes, Fidelity::io).streams[0].all.iops.value;
  CHECK(run(writes).streams[0].all.iops.value == Approx(simulated).epsilon(0.15));
}

TEST_CASE("a disk's bound knows how much of the stroke the load uses") {
  const double whole = run({}).bounds.saturation_iops;
  CHECK(run({{"system.arrays.array.volumes.size", "4TB"}}).bounds.saturation_iops > 1.4 * whole);
  CHECK(run({{"workloads.main.iodepth", "1"}}).bounds.saturation_iops == Approx(80).epsilon(0.02));
}

TEST_CASE("drives that spin up count with their own power in the maximum") {
  const std::string drive = "system.arrays.array.pools.q.drive.";
  const RunResult ready = run({});
  const RunResult stopped = run({{drive + "condition", "stopped"}});
  CHECK(stopped.power.idle_w == ready.power.idle_w);
  // 22 W instead of 5 W or, at full load, 9 W; but the controller is idle then.
  const RunResult hungry =
      run({{drive + "condition", "stopped"}, {drive + "power_spin_up", "200W"}});
  CHECK(hungry.power.maximum_w > ready.power.maximum_w + 100);
}
