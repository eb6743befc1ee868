// storcast: predicts a storage array from a scenario. One file per command.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "results/version.hpp"
#include "sim/app/commands.hpp"
#include "sim/base/error.hpp"

namespace {

constexpr const char* short_help =
    R"(storcast predicts IOPS, bandwidth, latency percentiles and power of a storage array.

  storcast run scenarios/210_xn4226d_nvme_rdma.yaml
      predict one system: the answer, its bottleneck, what would stop it next
  storcast run scenarios/210_xn4226d_nvme_rdma.yaml --set workloads.main.rw=randwrite --format json
      change any value by its path; the same answer for programs
  storcast run scenarios/210_xn4226d_nvme_rdma.yaml --sweep workloads.main.iodepth=1,2,4,8,16,32
      repeat over one value: the curve, its knee, the bottleneck at each point

  storcast capacity scenarios/210_xn4226d_nvme_rdma.yaml
      what volumes can have of the drives: raw, spares, parity, formatting, usable, free

Commands: run, check (only validate), capacity, describe (models and products), bench (speed of the
simulator).
storcast COMMAND --help tells the options.
)";

int dispatch(int argc, char** argv) {
  using namespace storcast::app;
  CLI::App program{"storcast: predicts a storage array from a scenario", "storcast"};
  program.set_version_flag("--version", std::string(storcast::version));
  int exit_code = answered;
  add_run(program, exit_code);
  add_check(program, exit_code);
  add_capacity(program, exit_code);
  add_describe(program, exit_code);
  add_bench(program, exit_code);
  if (argc < 2) {
    fmt::print("{}", short_help);
    return answered;
  }
  program.require_subcommand(1);
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (argv[1][0] != '-' && std::find(known.begin(), known.end(), argv[1]) == known.end()) {
    storcast::app::tell(fmt::format("storcast: there is no command {}; accepted: {}\n",
                                    storcast::quote(argv[1]),
                                    fmt::join(storcast::nearest(argv[1], known), ", ")));
    return mistaken;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    storcast::app::tell(
        fmt::format("storcast: {}\nstorcast --help tells what is accepted.\n", error.what()));
    return mistaken;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    storcast::app::tell("storcast: the answer could not be written to standard output\n");
    return storcast::app::failed;
  } catch (const storcast::ScenarioError& error) {
    storcast::app::tell(fmt::format("{}\n", error.what()));
    return storcast::app::mistaken;
  } catch (const storcast::InvariantError& error) {
    storcast::app::tell(
        fmt::format("storcast: a bug of ours, please report it: {}\n", error.what()));
    return storcast::app::failed;
  } catch (const std::exception& error) {
    storcast::app::tell(fmt::format("storcast: {}\n", error.what()));
    return storcast::app::failed;
  }
}
