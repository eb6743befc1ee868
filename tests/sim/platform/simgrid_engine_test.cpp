#include "sim/platform/simgrid_engine.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <simgrid/s4u.hpp>
#include <string>

#include "sim/base/error.hpp"

using namespace storcast;

namespace {

namespace s4u = simgrid::s4u;

// One host, one actor that sleeps for 1 s; returns the time that passed.
double sleep_one_second() {
  const SimgridEngine engine;
  s4u::NetZone* zone = s4u::create_full_zone("zone");
  s4u::Host* host = zone->create_host("node", 1.0);
  zone->seal();
  const double start = s4u::Engine::get_clock();
  double passed = 0;
  s4u::Actor::create("sleeper", host, [&] {
    s4u::this_actor::sleep_for(1);
    passed = s4u::Engine::get_clock() - start;
  });
  engine->run();
  return passed;
}

// What `child` writes to stdout and stderr in a process of its own, and how the process ends.
std::string said_in_child(const std::function<void()>& child, int& status) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t id = fork();
  REQUIRE(id >= 0);
  if (id == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    for (int fd = 3; fd <= ends[1]; ++fd) close(fd);
    std::signal(SIGINT, SIG_DFL);
    child();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  REQUIRE(waitpid(id, &status, 0) == id);
  return said;
}

}  // namespace

TEST_CASE("two hundred engines can follow one another, each with a time of its own") {
  for (int i = 0; i < 200; ++i) REQUIRE(sleep_one_second() == Approx(1.0).margin(1e-9));
}

TEST_CASE("two SimGrid engines do not live at once") {
  {
    const SimgridEngine first;
    CHECK_THROWS_AS(SimgridEngine{}, InvariantError);
  }
  CHECK_NOTHROW(SimgridEngine{});
}

TEST_CASE("a link under our settings takes its latency and its bandwidth, without factors") {
  const SimgridEngine engine;
  s4u::NetZone* zone = s4u::create_full_zone("zone");
  s4u::Host* from = zone->create_host("from", 1.0);
  s4u::Host* to = zone->create_host("to", 1.0);
  s4u::Link* link = zone->create_link("link", 1e6)->set_latency(1e-3);
  zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                  {s4u::LinkInRoute(link)}, false);
  zone->add_route(to->get_netpoint(), from->get_netpoint(), nullptr, nullptr,
                  {s4u::LinkInRoute(link)}, false);
  zone->seal();
  const double start = s4u::Engine::get_clock();
  s4u::Actor::create("sender", from, [=] { s4u::Comm::sendto(from, to, 1000000); });
  engine->run();
  CHECK(s4u::Engine::get_clock() - start == Approx(1.001).epsilon(1e-6));
}

TEST_CASE("an engine says nothing on stdout or stderr") {
  int status = 0;
  const std::string said = said_in_child(
      [] {
        const SimgridEngine engine;
        s4u::NetZone* zone = s4u::create_full_zone("zone");
        s4u::Host* host = zone->create_host("node", 1.0);
        zone->seal();
        s4u::Actor::create("idle", host, [] { s4u::this_actor::sleep_for(1); });
        s4u::Actor::create("killed", host, [] { s4u::this_actor::exit(); });
        engine->run();
      },
      status);
  CHECK(said == "");
  CHECK(WIFEXITED(status));
}

TEST_CASE("Ctrl-C ends a program that has an engine, as it would without") {
  int status = 0;
  const std::string said = said_in_child(
      [] {
        const SimgridEngine engine;
        std::raise(SIGINT);
      },
      status);
  CHECK(said == "");
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("a signal handler that stood before an engine stands after it") {
  const auto mine = [](int) {};
  const auto before = std::signal(SIGINT, mine);
  { const SimgridEngine engine; }
  CHECK(std::signal(SIGINT, before) == static_cast<void (*)(int)>(mine));
}

TEST_CASE("an engine leaves no callback behind for the platform file of the next one") {
  for (int i = 0; i < 3; ++i) {
    const SimgridEngine engine;
    CHECK(s4u::Engine::on_platform_created.get_slot_count() == 1);
  }
  CHECK(s4u::Engine::on_platform_created.get_slot_count() == 0);
}
