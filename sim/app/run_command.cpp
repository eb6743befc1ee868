// storcast run: a scenario to an answer, or to a curve with --sweep.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "results/report.hpp"
#include "results/results_file.hpp"
#include "results/summary_json.hpp"
#include "results/sweep.hpp"
#include "sim/app/commands.hpp"
#include "sim/app/overrides.hpp"
#include "sim/app/progress.hpp"
#include "sim/base/text.hpp"
#include "sim/run/experiment.hpp"

namespace storcast::app {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_points = 200;

struct Options {
  std::string file, sweep, format = "text", fidelity = "io", seed;
  std::optional<std::string> out;
  std::vector<std::string> sets;
  bool no_file = false, plain = false, verbose = false, without_simgrid = false;
};

ReportOptions report_options(const Options& o) {
  const char* columns = std::getenv("COLUMNS");
  const int width = columns != nullptr ? std::atoi(columns) : 100;
  ReportOptions r;
  r.colour = stdout_is_terminal() && std::getenv("NO_COLOR") == nullptr && !o.plain;
  r.width = width >= 60 && width <= 400 ? width : 100;
  r.unicode = !o.plain;
  r.verbose = o.verbose;
  return r;
}

RunResult run_one(const Options& o, const std::vector<Override>& sets, const std::string& what) {
  const Scenario scenario = load_scenario(o.file, sets);
  ProgressBar bar(what);
  RunOptions options;
  options.fidelity = o.fidelity == "analytic" ? Fidelity::analytic
                     : o.fidelity == "flow"   ? Fidelity::flow
                                              : Fidelity::io;
  options.under_simgrid = !o.without_simgrid;
  options.progress = [&bar](const Progress& p) { bar.show(p); };
  return run_scenario(scenario, options);
}

// results/runs/<scenario>-<hash of the resolved scenario>.h5: equal runs share a file, others do
// not.
fs::path default_file(const Options& o, const RunResult& result) {
  const fs::path folder = fs::path(checkout_folder()) / "results/runs";
  const auto hash = std::hash<std::string>{}(result.scenario_text);
  return folder / fmt::format("{}-{:016x}.h5", fs::path(o.file).stem().string(), hash);
}

// A results file that cannot be written is a failure only if it was asked for.
int save(const Options& o, const RunResult& result, std::string& where) {
  if (o.no_file || result.fidelity != "io") return answered;
  const fs::path path = o.out ? fs::path(*o.out) : default_file(o, result);
  try {
    write_results_file(result, path.string());
    where = path.string();
  } catch (const std::exception& error) {
    tell(fmt::format("storcast: the results file was not written: {}\n", error.what()));
    return o.out ? failed : answered;
  }
  return answered;
}

int run_single(const Options& o, const std::vector<Override>& sets) {
  const RunResult result = run_one(o, sets, "simulating");
  std::string where;
  const int code = save(o, result, where);
  if (o.format == "json") {
    fmt::print("{}", summary_json(result));
  } else {
    fmt::print("{}", report(result, report_options(o)));
    if (!where.empty()) fmt::print("results: {}\n", fs::proximate(where).string());
  }
  return code;
}

int run_sweep(const Options& o, const std::vector<Override>& sets) {
  const Override range = parse_override(o.sweep, "--sweep");
  const auto values = split(range.value, ',');
  if (values.size() > most_points) {
    throw ScenarioError({{{"--sweep", 0, 0}, o.sweep, "a sweep has at most 200 values", {}}});
  }
  if (std::find(values.begin(), values.end(), "") != values.end()) {
    throw ScenarioError({{{"--sweep", 0, 0}, o.sweep, "a value of the sweep is empty", {}}});
  }
  // All values are checked before the first run.
  for (const std::string& value : values) {
    auto all = sets;
    all.push_back({range.path, value});
    static_cast<void>(load_scenario(o.file, all));
  }
  SweepResult sweep;
  sweep.path = range.path;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto all = sets;
    all.push_back({range.path, values[i]});
    const std::string what =
        fmt::format("{}={} ({} of {})", range.path, values[i], i + 1, values.size());
    sweep.points.push_back({values[i], run_one(o, all, what)});
  }
  sweep.scenario = sweep.points.front().result.scenario;
  mark_curve(sweep);
  fmt::print("{}", o.format == "json" ? sweep_json(sweep) : sweep_report(sweep, report_options(o)));
  return answered;
}

// An option that would be ignored is a mistake; so is a folder that is not there.
void check_out(const Options& o) {
  if (!o.out) return;
  const fs::path folder = fs::path(*o.out).parent_path();
  std::string rule;
  if (o.out->empty()) rule = "--out wants the name of a file";
  if (!folder.empty() && !fs::is_directory(folder)) {
    rule = "there is no folder " + folder.string();
  }
  if (!o.sweep.empty()) rule = "--out and --sweep exclude each other";
  if (o.no_file) rule = "--out and --no-file exclude each other";
  if (o.fidelity != "io") rule = "--out goes with a simulated run, not --fidelity " + o.fidelity;
  if (!rule.empty()) throw ScenarioError({{{"--out", 0, 0}, *o.out, rule, {}}});
}

int run(const Options& o) {
  check_out(o);
  std::vector<Override> sets = parse_sets(o.sets);
  if (!o.seed.empty()) sets.push_back({"run.seed", o.seed});
  return o.sweep.empty() ? run_single(o, sets) : run_sweep(o, sets);
}

}  // namespace

void add_run(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("run", "predict a scenario");
  auto options = std::make_shared<Options>();
  command->add_option("scenario", options->file, "scenario file (YAML)")->required();
  command->add_option("--set", options->sets, "path=value, as often as wanted")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--sweep", options->sweep,
                      "path=v1,v2,...: repeat the run over these values");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command
      ->add_option("--fidelity", options->fidelity,
                   "io (simulate), flow (rebuilds of hours), analytic")
      ->check(CLI::IsMember({"io", "flow", "analytic"}));
  command->add_option("--seed", options->seed, "short for --set run.seed=N");
  command->add_option("--out", options->out, "results file (HDF5); default below results/runs/");
  command->add_flag("--no-file", options->no_file, "write no results file");
  command->add_flag("--plain", options->plain, "ASCII only, no colour");
  command->add_flag("--verbose", options->verbose, "all assumptions and percentiles");
  command->add_flag("--without-simgrid", options->without_simgrid,
                    "the same run without SimGrid's clock, for comparison");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace storcast::app
