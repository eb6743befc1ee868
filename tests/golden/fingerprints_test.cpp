// Fingerprints of whole runs: for each scenario file and a few variants, at a small fixed limit,
// the number of events, the simulated end, IOPS, p50 and p99 as exact text. They change with
// anything that an answer depends on: the catalogue, the profile, models, planners, the order of
// events, the random streams, the rule that ends a run. A change that is not meant to alter an
// answer must leave them alone. One that is: run the tests with STORCAST_UPDATE_GOLDEN=1, which
// writes tests/golden/fingerprints.yaml anew, and look at the difference.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

using namespace storcast;

namespace {

const std::string root = STORCAST_SOURCE_DIR;
const std::string golden_file = root + "/tests/golden/fingerprints.yaml";

struct Variant {
  std::string name;
  std::vector<Override> sets;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"as it is", {}},
      {"one job", {{"workloads.main.iodepth", "1"}, {"workloads.main.numjobs", "1"}}},
      {"small writes", {{"workloads.main.rw", "randwrite"}, {"workloads.main.bs", "4KiB"}}},
      {"streams", {{"workloads.main.rw", "rw"}, {"workloads.main.bs", "1MiB"}}},
      {"open",
       {{"workloads.main.iodepth", "null"},
        {"workloads.main.arrival", "poisson"},
        {"workloads.main.rate_iops", "50k"}}},
      {"losses",
       {{"run.limit.simulated", "50ms"},
        {"timeline",
         "[{at: 10ms, fail: system.arrays.array.pools.a.drives.0},"
         " {at: 30ms, set: {workloads.main.iodepth: 2}}]"}}}};
  return all;
}

std::string text_of(const std::optional<Estimate>& e) {
  return e ? fmt::format("{}", e->value) : "-";
}

std::string fingerprint(const std::string& file, std::vector<Override> sets) {
  sets.push_back({"run.limit.ios", "20k"});
  const RunResult r = run_scenario(load_scenario(file, sets));
  const ResponseResult& all = r.streams.front().all;
  std::optional<Estimate> p50;
  std::optional<Estimate> p99;
  for (const Percentile& p : all.percentiles) {
    if (p.q == 0.5) p50 = p.value_s;
    if (p.q == 0.99) p99 = p.value_s;
  }
  return fmt::format("{} events, end {} s, {} IOPS, p50 {} s, p99 {} s", r.events, r.simulated_s,
                     all.iops.value, text_of(p50), text_of(p99));
}

// "file, variant: fingerprint", one a line.
std::map<std::string, std::string> stored() {
  std::map<std::string, std::string> lines;
  std::ifstream in(golden_file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    lines[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return lines;
}

std::map<std::string, std::string> computed() {
  std::map<std::string, std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    const bool varied = entry.path().filename().string().starts_with("21");  // the product's
    for (const Variant& v : variants()) {
      if (!varied && !v.sets.empty()) continue;
      lines[entry.path().filename().string() + ", " + v.name] =
          fingerprint(entry.path().string(), v.sets);
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("runs have the fingerprints that are stored") {
  const auto now = computed();
  if (std::getenv("STORCAST_UPDATE_GOLDEN") != nullptr) {
    std::ofstream out(golden_file);
    out << "# Written by fingerprints_test.cpp with STORCAST_UPDATE_GOLDEN=1.\n";
    for (const auto& [name, line] : now) out << name << ": " << line << "\n";
    REQUIRE(out.good());
  }
  const auto before = stored();
  CHECK(before.size() == now.size());
  for (const auto& [name, line] : now) {
    const auto found = before.find(name);
    INFO("the line to paste:\n" << name << ": " << line);
    CHECK((found == before.end() ? "nothing stored" : found->second) == line);
  }
}
