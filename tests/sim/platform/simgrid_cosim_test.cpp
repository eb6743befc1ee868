#include "sim/platform/simgrid_cosim.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>

#include "sim/base/error.hpp"
#include "sim/platform/simgrid_engine.hpp"

using namespace storcast;

namespace {

using Driver = void (*)(const DrivenKernel&, std::vector<TimelineAction>);

// A kernel of events at nasty distances (equal times, picoseconds, milliseconds). `hash` tells what
// happened when; `horizons` how often and how far it was driven.
class KernelUnderTest {
 public:
  explicit KernelUnderTest(unsigned seed, int events) : left_(events), random_(seed) {
    for (int i = 0; i < 8; ++i) schedule();
  }

  Time advance_until(Time horizon) {
    horizons.push_back(horizon);
    while (!finished() && !events_.empty() && events_.top().first < horizon) {
      now = events_.top().first;
      mix(static_cast<std::uint64_t>(now.time_since_epoch().count()));
      mix(events_.top().second);
      events_.pop();
      schedule();
      --left_;
      if (left_ % 64 == 0) return now;  // a checkpoint of its own
    }
    if (!finished()) now = horizon;
    return now;
  }
  [[nodiscard]] bool finished() const { return left_ <= 0; }

  // What an action does: it leaves a trace of itself and changes what follows.
  void disturb(std::uint64_t what) {
    mix(what * 31 + static_cast<std::uint64_t>(now.time_since_epoch().count()));
    random_.discard(what % 5);
    schedule();
  }
  void stop() { left_ = 0; }

  DrivenKernel driven() {
    return {[this](Time horizon) { return advance_until(horizon); }, [this] { return finished(); }};
  }

  Time now{};
  std::uint64_t hash = 1469598103934665603u;  // FNV-1a
  std::vector<Time> horizons;

 private:
  using Event = std::pair<Time, std::uint64_t>;

  void mix(std::uint64_t word) { hash = (hash ^ word) * 1099511628211u; }
  void schedule() {
    constexpr std::int64_t scales[] = {1, 2, 700, 1000000, 1000000000};
    const std::int64_t scale = scales[random_() % 5];
    events_.push({now + Duration{static_cast<std::int64_t>(random_() % 3) * scale}, serial_++});
  }

  int left_;
  std::mt19937_64 random_;
  std::uint64_t serial_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

// Times of actions: clusters of equal times and of times less than a nanosecond apart, 0, and far
// beyond the end.
std::vector<Time> nasty_times(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Time> times{Time{}, Time{}, Time{Duration{1}}, Time::max(),
                          Time{std::chrono::hours{2000}}};
  for (int cluster = 0; cluster < 12; ++cluster) {
    const auto around = static_cast<std::int64_t>(random() % 40000000000);
    for (int i = 0; i < 4; ++i) {
      times.push_back(Time{Duration{around + static_cast<std::int64_t>(random() % 3) * 333}});
    }
  }
  std::shuffle(times.begin(), times.end(), random);
  return times;
}

struct Outcome {
  std::uint64_t hash = 0;
  Time end;
  std::vector<Time> horizons;
  std::vector<Time> acted_at;
  bool exact = true;  // each action found the kernel exactly at its time
};

Outcome outcome(Driver drive, unsigned seed, int events, std::vector<Time> times) {
  KernelUnderTest kernel(seed, events);
  Outcome result;
  std::vector<TimelineAction> timeline;
  for (std::size_t i = 0; i < times.size(); ++i) {
    timeline.push_back({times[i], [&, i] {
                          result.exact = result.exact && kernel.now == times[i];
                          result.acted_at.push_back(kernel.now);
                          kernel.disturb(i);
                        }});
  }
  drive(kernel.driven(), std::move(timeline));
  result.hash = kernel.hash;
  result.end = kernel.now;
  result.horizons = kernel.horizons;
  return result;
}

}  // namespace

TEST_CASE("a run under SimGrid is bit for bit the run without") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const std::vector<Time> times = nasty_times(seed);
    const Outcome plain = outcome(run_plain, seed, 3000, times);
    const Outcome simgrid = outcome(run_under_simgrid, seed, 3000, times);
    INFO("seed " << seed);
    REQUIRE(plain.exact);
    REQUIRE(simgrid.exact);
    REQUIRE(simgrid.hash == plain.hash);
    REQUIRE(simgrid.end == plain.end);
    REQUIRE(simgrid.horizons == plain.horizons);
    REQUIRE(simgrid.acted_at == plain.acted_at);
    REQUIRE(plain.acted_at.size() >= 10);
    REQUIRE(plain.acted_at.size() <= times.size() - 2);  // not those beyond the end
    REQUIRE(std::is_sorted(plain.acted_at.begin(), plain.acted_at.end()));
  }
}

TEST_CASE("the hash of the kernel under test depends on the timeline") {
  const Outcome without = outcome(run_plain, 1, 3000, {});
  const Outcome one = outcome(run_plain, 1, 3000, {Time{Duration{1000000}}});
  const Outcome later = outcome(run_plain, 1, 3000, {Time{Duration{1000001}}});
  CHECK(without.hash != one.hash);
  CHECK(one.hash != later.hash);
}

TEST_CASE("two hundred runs under SimGrid give the same result in one process") {
  const std::vector<Time> times = nasty_times(7);
  const Outcome first = outcome(run_plain, 7, 500, times);
  for (int i = 0; i < 200; ++i) {
    REQUIRE(outcome(run_under_simgrid, 7, 500, times).hash == first.hash);
  }
}

TEST_CASE("actions of one time happen in the given order") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  KernelUnderTest kernel(1, 100);
  std::string order;
  const Time t{Duration{500}};
  drive(kernel.driven(), {{t, [&] { order += 'b'; }},
                          {Time{}, [&] { order += 'a'; }},
                          {t, [&] { order += 'c'; }},
                          {t, [&] { order += 'd'; }}});
  CHECK(order == "abcd");
}

TEST_CASE("an action can end the run, and the actions after it never happen") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  const Time at = GENERATE(Time{}, Time{Duration{12345}});
  KernelUnderTest kernel(3, 1000000);
  int later = 0;
  drive(
      kernel.driven(),
      {{at, [&] { kernel.stop(); }}, {at, [&] { ++later; }}, {at + Duration{1}, [&] { ++later; }}});
  CHECK(later == 0);
  CHECK(kernel.now == at);
}

TEST_CASE("a kernel that is finished at the start is never driven") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  KernelUnderTest kernel(1, 0);
  drive(kernel.driven(), {{Time{}, [] { FAIL("no action"); }}});
  CHECK(kernel.horizons.empty());
}

TEST_CASE("what advance_until throws reaches the caller, and the next run works") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  const DrivenKernel kernel{[](Time) -> Time { throw std::runtime_error("in the kernel"); },
                            [] { return false; }};
  int acted = 0;
  CHECK_THROWS_WITH(
      drive(kernel, {{Time{}, [&] { ++acted; }}, {Time{Duration{5}}, [&] { ++acted; }}}),
      "in the kernel");
  CHECK(acted == 1);
  CHECK(outcome(drive, 5, 500, {}).hash == outcome(run_plain, 5, 500, {}).hash);
}

TEST_CASE("what an action throws reaches the caller with its type, and the next run works") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  const Time at = GENERATE(Time{}, Time{Duration{77}});
  KernelUnderTest kernel(1, 1000);
  const auto fail = [] { throw std::out_of_range("in the action"); };
  CHECK_THROWS_AS(drive(kernel.driven(), {{at, fail}, {at, [] { FAIL("no action"); }}}),
                  std::out_of_range);
  CHECK(!kernel.finished());
  CHECK(outcome(drive, 5, 500, {}).hash == outcome(run_plain, 5, 500, {}).hash);
}

TEST_CASE("a kernel that breaks its contract ends the run with an InvariantError") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  const auto driven_by = [&](std::function<Time(Time)> advance) {
    const TimelineAction action{Time{Duration{1000}}, [] {}};
    drive({std::move(advance), [] { return false; }}, {action});
  };
  CHECK_THROWS_AS(driven_by([](Time h) { return h + Duration{1}; }), InvariantError);
  CHECK_THROWS_AS(driven_by([](Time) { return Time{Duration{-1}}; }), InvariantError);
  CHECK_THROWS_AS(driven_by([](Time) { return Time{}; }), InvariantError);  // stands still
  CHECK_THROWS_AS(driven_by([](Time h) { return h; }), InvariantError);     // never finished
  CHECK_THROWS_AS(driven_by(nullptr), InvariantError);
}

TEST_CASE("an action before the start and an empty action are refused") {
  const Driver drive = GENERATE(run_plain, run_under_simgrid);
  KernelUnderTest kernel(1, 10);
  CHECK_THROWS_AS(drive(kernel.driven(), {{Time{Duration{-1}}, [] {}}}), InvariantError);
  CHECK_THROWS_AS(drive(kernel.driven(), {{Time{}, nullptr}}), InvariantError);
}

TEST_CASE("a run under SimGrid is refused while another engine lives") {
  const SimgridEngine engine;
  KernelUnderTest kernel(1, 10);
  CHECK_THROWS_AS(run_under_simgrid(kernel.driven(), {}), InvariantError);
}

TEST_CASE("SimGrid's own events bound the kernel and do not change what it does") {
  namespace s4u = simgrid::s4u;
  for (const double sleep_s : {1.5e-9, 3.3e-7, 1.0e-4, 1e9}) {
    const unsigned seed = 11;
    KernelUnderTest kernel(seed, 3000);
    double worst_s = 0;
    int woken = 0;
    const auto beside = [&] {
      const double start = s4u::Engine::get_clock();
      s4u::Actor::create("other", s4u::this_actor::get_host(), [&, start] {
        for (int i = 0; i < 1000; ++i) {
          s4u::this_actor::sleep_for(sleep_s);
          const double passed = s4u::Engine::get_clock() - start;
          worst_s = std::max(worst_s, std::abs(to_seconds(kernel.now) - passed));
          ++woken;
        }
      });
    };
    const Time later{Duration{3000000001}};
    run_under_simgrid(kernel.driven(), {{Time{}, beside}, {later, [&] { kernel.disturb(1); }}});

    KernelUnderTest alone(seed, 3000);
    run_plain(alone.driven(), {{later, [&] { alone.disturb(1); }}});
    INFO("sleeps of " << sleep_s << " s");
    CHECK(kernel.hash == alone.hash);
    CHECK(kernel.now == alone.now);
    CHECK(worst_s <= 1e-9);  // SimGrid's resolution
    CHECK(woken > (sleep_s < 1 ? 20 : -1));
  }
}
