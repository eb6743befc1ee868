// storcast capacity: what volumes can have of the drives. Reads a scenario, runs nothing.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "results/capacity.hpp"
#include "results/capacity_json.hpp"
#include "sim/app/commands.hpp"
#include "sim/app/overrides.hpp"
#include "sim/scenario/capacity.hpp"

namespace storcast::app {
namespace {

int capacity(const std::string& file, const std::vector<std::string>& sets,
             const std::string& format) {
  const ArrayCapacity ledger = capacity_of(load_scenario(file, parse_sets(sets)));
  fmt::print("{}", format == "json" ? capacity_json(ledger) : capacity_report(ledger));
  return answered;
}

}  // namespace

void add_capacity(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand(
      "capacity", "raw, spares, parity, formatting, usable, allocated, free");
  auto file = std::make_shared<std::string>();
  auto sets = std::make_shared<std::vector<std::string>>();
  auto format = std::make_shared<std::string>("text");
  command->add_option("scenario", *file, "scenario file (YAML)")->required();
  command->add_option("--set", *sets, "path=value, as often as wanted")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--format", *format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback(
      [file, sets, format, &exit_code] { exit_code = capacity(*file, *sets, *format); });
}

}  // namespace storcast::app
