// storcast check: reads scenarios, says what is wrong with them, runs nothing.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "sim/app/commands.hpp"
#include "sim/app/overrides.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast::app {
namespace {

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

int check(const std::vector<std::string>& files, const std::vector<std::string>& texts) {
  const std::vector<Override> sets = parse_sets(texts);
  int code = answered;
  for (const std::string& file : files) {
    try {
      const Scenario scenario = load_scenario(file, sets);
      std::size_t drives = 0;
      for (const PoolConfig& pool : scenario.array.pools) {
        drives += static_cast<std::size_t>(pool.drives + pool.hot_spares);
      }
      fmt::print("{}: ok ({}, {}, {})\n", file, counted(scenario.workloads.size(), "workload"),
                 counted(drives, "drive"), counted(scenario.assumptions.size(), "assumption"));
      for (const std::string& warning : scenario.warnings) fmt::print("{}: {}\n", file, warning);
    } catch (const ScenarioError& error) {
      tell(fmt::format("{}\n", error.what()));
      code = mistaken;
    }
  }
  return code;
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("check", "only validate scenarios");
  auto files = std::make_shared<std::vector<std::string>>();
  auto sets = std::make_shared<std::vector<std::string>>();
  command->add_option("scenario", *files, "scenario files (YAML)")->required();
  command->add_option("--set", *sets, "path=value, as often as wanted")->allow_extra_args(false);
  command->callback([files, sets, &exit_code] { exit_code = check(*files, *sets); });
}

}  // namespace storcast::app
