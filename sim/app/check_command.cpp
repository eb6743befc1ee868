// storcast check: reads scenarios, says what is wrong with them, runs nothing.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "sim/app/commands.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast::app {
namespace {

int check(const std::vector<std::string>& files, const std::vector<std::string>& texts) {
  std::vector<Override> sets;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      fmt::print(stderr, "--set wants path=value, not '{}'\n", text);
      return mistaken;
    }
    sets.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  int code = answered;
  for (const std::string& file : files) {
    try {
      const Scenario scenario = load_scenario(file, sets);
      fmt::print(
          "{}: ok ({} workloads, {} drives, {} assumptions)\n", file, scenario.workloads.size(),
          [&] {
            int drives = 0;
            for (const PoolConfig& pool : scenario.array.pools) drives += pool.drives;
            return drives;
          }(),
          scenario.assumptions.size());
      for (const std::string& warning : scenario.warnings) fmt::print("{}: {}\n", file, warning);
    } catch (const ScenarioError& error) {
      fmt::print(stderr, "{}\n", error.what());
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
