// RAID engines beside what is published: eight PBlaze6 6926 in a server, RAID 5 (StorageReview,
// StarWind SAN & NAS). Each figure says whether a parameter was taken from it (input) or not
// (predicted); only predicted ones are judged, at 10 %. ./tests/run '[engines]'.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

using namespace storcast;

namespace {

const std::string engine = "system.arrays.server.pools.p.engine.";

enum class Use { input, predicted, shown };

void heading(const char* title) {
  fmt::print("\n{}\n{:<46} {:>12} {:>12} {:>10}\n", title, "", "published", "model", "deviation");
}

double row(const std::string& what, double expected, double model, Use use) {
  const double deviation = model / expected - 1;
  const char* words[] = {"input", "predicted", "not judged"};
  fmt::print("{:<46} {:>12.4g} {:>12.4g} {:>+8.1f} %  {}\n", what, expected, model, deviation * 100,
             words[static_cast<int>(use)]);
  if (use == Use::predicted) CHECK(std::fabs(deviation) < 0.1);
  return deviation;
}

StreamResult run(const std::string& file, const std::string& rw, std::vector<Override> sets = {}) {
  const bool large = rw == "read" || rw == "write";
  sets.insert(sets.begin(), {{"workloads.main.rw", rw},
                             {"workloads.main.bs", large ? "1MiB" : "4KiB"},
                             {"run.limit.ios", large ? "40k" : "400k"}});
  return run_scenario(
             load_scenario(std::string(STORCAST_SOURCE_DIR) + "/scenarios/" + file + ".yaml", sets))
      .streams.front();
}
double iops(const StreamResult& s) { return s.all.iops.value; }
double rate(const StreamResult& s) { return s.all.bandwidth_bytes_per_s.value; }
std::vector<Override> mix(const char* reads) { return {{"workloads.main.rwmixread", reads}}; }

}  // namespace

TEST_CASE("Linux md beside its published figures", "[validation][engines]") {
  const char* file = "150_md_local";
  heading("Linux md, RAID 5 of eight NVMe drives, local");
  const double reads = iops(run(file, "randread"));
  const double writes = iops(run(file, "randwrite"));
  row("4 KiB random reads (IOPS)", 4.0e6, reads, Use::input);
  row("4 KiB random writes (IOPS)", 501e3, writes, Use::predicted);
  for (const char* share : {"30", "70", "90"}) {
    // Reads and writes share the serial section.
    const double f = std::stod(share) / 100;
    row(fmt::format("{} % reads, 1/X = f/X_r + (1-f)/X_w (IOPS)", share),
        1 / (f / reads + (1 - f) / writes), iops(run(file, "randrw", mix(share))), Use::predicted);
  }
  row("1 MiB sequential reads (B/s)", 12.1e9, rate(run(file, "read")), Use::shown);
  row("1 MiB sequential writes (B/s)", 7.1e9, rate(run(file, "write")), Use::shown);
  fmt::print(
      "Not explained: what holds md's long transfers back (a published cap, no mechanism).\n");
}

TEST_CASE("a GPU beside its published figures", "[validation][engines]") {
  const char* file = "151_gpu_raid_local";
  heading("GRAID SR-1010 in Gen4 x8, RAID 5 of eight NVMe drives, local");
  const double reads = iops(run(file, "randread"));
  const double writes = iops(run(file, "randwrite"));
  row("4 KiB random reads (IOPS)", 10.8e6, reads, Use::predicted);
  row("4 KiB random writes (IOPS)", 975e3, writes, Use::predicted);
  row("1 MiB full stripes written (B/s)", 11.4e9, rate(run(file, "write")), Use::predicted);
  row("1 MiB sequential reads (B/s)", 47e9, rate(run(file, "read")), Use::predicted);
  for (const char* share : {"50", "70", "90"}) {
    // Reads and writes have resources of their own.
    const double f = std::stod(share) / 100;
    row(fmt::format("{} % reads, min(X_r/f, X_w/(1-f)) (IOPS)", share),
        std::min(reads / f, writes / (1 - f)), iops(run(file, "randrw", mix(share))),
        Use::predicted);
  }
  row("4 KiB random writes in x16 (IOPS)", 1.5e6,
      iops(run(file, "randwrite", {{engine + "use", "engines/graid-sr-1010-x16"}})),
      Use::predicted);
}

TEST_CASE("RAID-on-chip cards keep to their caps", "[validation][engines]") {
  heading("Hardware RAID, RAID 5 of eight NVMe drives, local");
  const std::vector<Override> old_card{{engine + "use", "engines/raid-9500"}};
  const std::vector<Override> new_card{{engine + "use", "engines/raid-9600"}};
  const char* file = "151_gpu_raid_local";
  row("9500 class, 4 KiB random reads (IOPS)", 3e6, iops(run(file, "randread", old_card)),
      Use::input);
  row("9500 class, 4 KiB random writes (IOPS)", 240e3, iops(run(file, "randwrite", old_card)),
      Use::input);
  row("9500 class, 1 MiB reads: its link (B/s)", 14.4e9, rate(run(file, "read", old_card)),
      Use::predicted);
  row("9600 class, 4 KiB random reads (IOPS)", 7e6, iops(run(file, "randread", new_card)),
      Use::input);
  row("9600 class, 4 KiB random writes (IOPS)", 1e6, iops(run(file, "randwrite", new_card)),
      Use::input);
}

TEST_CASE("scenarios 150 and 151 lie where their hand calculation says", "[validation][engines]") {
  const double md = iops(run("150_md_local", "randread"));
  CHECK(md > 3.9e6);
  CHECK(md < 4.05e6);
  const double gpu = iops(run("151_gpu_raid_local", "randwrite"));
  CHECK(gpu > 0.98e6);
  CHECK(gpu < 1.03e6);
}
