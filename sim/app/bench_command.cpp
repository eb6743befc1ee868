// storcast bench: how fast the event loop runs the compiled path of scenario 210, and what
// SimGrid's clock costs. CPU time of the process, not wall time.
#include <fmt/core.h>
#include <sys/resource.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/app/commands.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/platform/simgrid_cosim.hpp"
#include "sim/platform/simgrid_platform.hpp"
#include "sim/run/builder.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast::app {
namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

Scenario scenario_210(const char* rw, int in_flight) {
  const auto file =
      std::filesystem::path(checkout_folder()) / "scenarios/210_xn4226d_nvme_rdma.yaml";
  return load_scenario(file.string(), {{"workloads.main.rw", rw},
                                       {"workloads.main.bs", "4KiB"},
                                       {"workloads.main.numjobs", "8"},
                                       {"workloads.main.iodepth", std::to_string(in_flight / 64)},
                                       {"system.arrays.array.cache.read_share", "0%"}});
}

struct Measured {
  double cpu_s = 0;
  std::uint64_t ios = 0, events = 0;
};

// Runs `ios` completions after a warm-up. `chunk`: simulated time between two returns to SimGrid.
Measured measure(const Scenario& scenario, const Platform& platform, std::uint64_t ios,
                 bool under_simgrid) {
  Assembly assembly = build_system(scenario, platform);
  Recorder recorder(1);
  Kernel kernel(assembly.system(), recorder, 1);
  kernel.start();
  const Duration chunk = from_seconds(1e-3);
  Measured m;
  std::uint64_t warm_ios = 0;
  std::uint64_t warm_events = 0;
  double start = 0;
  bool done = false;
  const auto advance = [&](Time horizon) {
    kernel.run_until(std::min(horizon, kernel.now() + chunk));
    const std::uint64_t n = recorder.completed_in_run();
    if (warm_ios == 0 && n > ios / 4) {
      warm_ios = n;
      warm_events = kernel.events();
      start = cpu_seconds();
    } else if (warm_ios != 0 && n >= warm_ios + ios) {
      m = {cpu_seconds() - start, n - warm_ios, kernel.events() - warm_events};
      done = true;
    }
    return kernel.now();
  };
  (under_simgrid ? run_under_simgrid : run_plain)({advance, [&] { return done; }}, {});
  return m;
}

void print_path(const char* rw) {
  const Scenario scenario = scenario_210(rw, 64);
  const Platform platform = load_simgrid_platform(platform_of(scenario));
  const Assembly assembly = build_system(scenario, platform);
  const System& system = assembly.system();
  const Stream& stream = system.streams.front();
  const std::uint32_t first = stream.paths[stream.read_fraction > 0 ? 0 : 1];
  fmt::print("{}:", rw);
  std::string before;
  for (std::uint32_t i = first;; ++i) {
    const StepKind kind = system.steps[i].kind;
    if (kind == StepKind::complete || kind == StepKind::retire) break;
    const bool timed = kind != StepKind::seize && kind != StepKind::release &&
                       kind != StepKind::skip_if && kind != StepKind::join;
    if (kind == StepKind::fork) {
      fmt::print(" ->{} raid(", kind == StepKind::fork ? "" : "");
      before = "(";
      continue;
    }
    if (kind == StepKind::join) fmt::print(")");
    if (kind == StepKind::acknowledge) fmt::print(" | acknowledged |");
    if (!timed || kind == StepKind::acknowledge || system.infos[i].what.empty()) continue;
    fmt::print("{}{}", before == "(" ? "" : " -> ", system.infos[i].what);
    before.clear();
  }
  fmt::print("\n\n");
}

int bench(std::uint64_t ios) {
  for (const char* rw : {"randread", "randwrite"}) print_path(rw);
  fmt::print("{:<34} {:>9} {:>12} {:>11} {:>9}\n", "4 KiB, scenario 210, NVMe/RDMA", "in flight",
             "M I/O per s", "events/I/O", "ns/event");
  for (const char* rw : {"randread", "randwrite"}) {
    for (const int in_flight : {64, 512, 4096, 16384}) {
      const Scenario scenario = scenario_210(rw, in_flight);
      const Platform platform = load_simgrid_platform(platform_of(scenario));
      const Measured m = measure(scenario, platform, ios, true);
      const auto n = static_cast<double>(m.ios);
      fmt::print("{:<34} {:>9} {:>12.2f} {:>11.2f} {:>9.1f}\n",
                 std::string(rw) == "randread" ? "random reads that miss the cache"
                                               : "RAID 6 small writes",
                 in_flight, n / m.cpu_s / 1e6, static_cast<double>(m.events) / n,
                 m.cpu_s / static_cast<double>(m.events) * 1e9);
    }
  }
  // SimGrid's share: the same run with and without it, in turn, the medians of the differences.
  const Scenario scenario = scenario_210("randread", 512);
  const Platform platform = load_simgrid_platform(platform_of(scenario));
  std::vector<double> ratios;
  for (int i = 0; i < 7; ++i) {
    const double with = measure(scenario, platform, ios / 2, true).cpu_s;
    const double without = measure(scenario, platform, ios / 2, false).cpu_s;
    ratios.push_back(with / without);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print(
      "\nSimGrid's clock, an exchange every simulated millisecond: {:+.2f} % CPU (median of {} "
      "pairs, {:+.1f} to {:+.1f} %)\n",
      (ratios[3] - 1) * 100, ratios.size(), (ratios.front() - 1) * 100, (ratios.back() - 1) * 100);
  fmt::print("peak memory of the whole bench: {:.0f} MB\n", peak_megabytes());
  return answered;
}

}  // namespace

void add_bench(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("bench", "speed of the event loop on this machine");
  auto millions = std::make_shared<double>(2.0);
  command->add_option("--millions", *millions, "million I/Os for each row")
      ->check(CLI::Range(0.01, 1000.0));
  command->callback(
      [millions, &exit_code] { exit_code = bench(static_cast<std::uint64_t>(*millions * 1e6)); });
}

}  // namespace storcast::app
