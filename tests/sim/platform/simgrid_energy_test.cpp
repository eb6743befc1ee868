// power_meter.hpp against SimGrid's host energy plug-in. A file of its own, as it needs SimGrid.
#include <simgrid/plugins/energy.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <simgrid/s4u.hpp>

#include "sim/platform/power_meter.hpp"
#include "sim/platform/simgrid_engine.hpp"

using namespace storcast;

namespace {

// Joules that SimGrid counts over 10 s on a host with `cores`, `busy` of them busy for `busy_s`.
double simgrid_energy(const char* wattage, int cores, int busy, double busy_s) {
  namespace s4u = simgrid::s4u;
  const SimgridEngine engine;
  sg_host_energy_plugin_init();
  s4u::NetZone* zone = s4u::create_full_zone("zone");
  s4u::Host* host = zone->create_host("node", 1e9);
  host->set_core_count(cores)->set_property("wattage_per_state", wattage);
  host->seal();
  zone->seal();
  double joules = 0;
  s4u::Actor::create("meter", host, [&] {
    const double before = sg_host_get_consumed_energy(host);
    s4u::this_actor::sleep_for(10);
    joules = sg_host_get_consumed_energy(host) - before;
  });
  for (int i = 0; i < busy; ++i) {
    s4u::Actor::create("work", host, [=] { s4u::this_actor::execute(busy_s * 1e9); });
  }
  engine->run();
  return joules;
}

// The same in a child process: the plug-in, once loaded, would watch all later engines.
double energy_in_child(const char* wattage, int cores, int busy, double busy_s) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const double joules = simgrid_energy(wattage, cores, busy, busy_s);
    _exit(write(ends[1], &joules, sizeof joules) == sizeof joules ? 0 : 1);
  }
  close(ends[1]);
  double joules = 0;
  const ssize_t got = read(ends[0], &joules, sizeof joules);
  close(ends[0]);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  REQUIRE(got == sizeof joules);
  return joules;
}

}  // namespace

TEST_CASE("power meter and SimGrid's energy plug-in agree on one epoch") {
  struct Epoch {
    const char* wattage;
    PowerProfile profile;
    int busy;
    double busy_s;
  };
  const Epoch epoch = GENERATE(Epoch{"95:120:200", {{95}, {120}, {200}}, 0, 10},
                               Epoch{"95:120:200", {{95}, {120}, {200}}, 1, 4},
                               Epoch{"95:120:200", {{95}, {120}, {200}}, 3, 10},
                               Epoch{"95:120:200", {{95}, {120}, {200}}, 8, 10},
                               Epoch{"95:95:200", {{95}, {95}, {200}}, 5, 2.5});
  constexpr int cores = 8;
  const double expected = energy_in_child(epoch.wattage, cores, epoch.busy, epoch.busy_s);
  const Duration busy = from_seconds(epoch.busy * epoch.busy_s);
  const Joules ours = consumed_energy(epoch.profile, busy, cores, from_seconds(10));
  CHECK(expected > 900);
  CHECK(ours.value == Approx(expected).epsilon(1e-6));
}
