#include "sim/platform/simgrid_flow.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "sim/platform/simgrid_platform.hpp"

using namespace storcast;

namespace {

FlowProgress one_phase(const std::vector<double>& servers, const FlowPhase& phase,
                       double typical_s = 1) {
  FlowProgress seen;
  int calls = 0;
  run_flows(servers, typical_s, [&](const FlowProgress& p) -> std::optional<FlowPhase> {
    seen = p;
    if (calls++ == 0) return phase;
    return std::nullopt;
  });
  return seen;
}

}  // namespace

TEST_CASE("a flow alone goes at its bound, or as fast as the station it needs most") {
  const FlowProgress bound = one_phase({1, 4}, {{{{{0, 0.001}, {1, 0.002}}, 100, 50.0, 1}}, 1e3});
  CHECK(bound.took_s == Approx(0.5).epsilon(1e-6));
  CHECK(bound.units[0] == Approx(50));
  const FlowProgress full = one_phase({1, 4}, {{{{{0, 0.001}, {1, 0.008}}, 1e6, 500.0, 3}}, 1e3});
  CHECK(full.took_s == Approx(1.0).epsilon(1e-6));  // 500 x 8 ms on 4 servers
  const FlowProgress free = one_phase({1}, {{{{}, 100, 50.0, 1}}, 1e3});
  CHECK(free.took_s == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("hours take as few events, and are as exact, as seconds") {
  const FlowProgress hours = one_phase({1}, {{{{{0, 0.02}}, 1e6, 3.6e6, 1}}, 1e9}, 5e4);
  CHECK(hours.took_s == Approx(72000).epsilon(1e-6));
}

TEST_CASE("flows share a full station by their copies; what one cannot use goes to the other") {
  const std::pair<std::uint32_t, double> ms{0, 0.001};
  const FlowProgress shared =
      one_phase({1}, {{{{ms}, 1e6, std::nullopt, 3}, {{ms}, 1e6, std::nullopt, 1}}, 2});
  CHECK(shared.took_s == Approx(2));
  CHECK(shared.units[0] == Approx(1500).epsilon(1e-4));
  CHECK(shared.units[1] == Approx(500).epsilon(1e-4));
  const FlowProgress modest =
      one_phase({1}, {{{{ms}, 100, std::nullopt, 3}, {{ms}, 1e6, std::nullopt, 1}}, 2});
  CHECK(modest.units[0] == Approx(200).epsilon(1e-4));
  CHECK(modest.units[1] == Approx(1800).epsilon(1e-4));
  // Shares are of the station's time, whatever a unit needs.
  const FlowProgress unequal =
      one_phase({1}, {{{{{0, 0.004}}, 1e6, std::nullopt, 1}, {{ms}, 1e6, std::nullopt, 1}}, 2});
  CHECK(unequal.units[0] == Approx(250).epsilon(1e-4));
  CHECK(unequal.units[1] == Approx(1000).epsilon(1e-4));
}

TEST_CASE("a phase ends with the first flow; the other's progress is told") {
  const FlowProgress p =
      one_phase({2}, {{{{{0, 0.001}}, 500, 100.0, 1}, {{{0, 0.001}}, 500, 1000.0, 1}}, 1e3});
  CHECK(p.took_s == Approx(0.2).epsilon(1e-6));
  CHECK(p.units[1] == Approx(100).epsilon(1e-4));
}

TEST_CASE("an error in what follows reaches the caller, and other engines work afterwards") {
  CHECK_THROWS_AS(run_flows({1}, 1,
                            [](const FlowProgress&) -> std::optional<FlowPhase> {
                              throw std::runtime_error("no");
                            }),
                  std::runtime_error);
  PlatformConfig config;
  config.nodes.push_back({"a", 4, {}});
  CHECK(load_simgrid_platform(config).node("a").cores == 4);
  CHECK(one_phase({1}, {{{{}, 100, 50.0, 1}}, 1e3}).took_s == Approx(0.5).epsilon(1e-6));
}
