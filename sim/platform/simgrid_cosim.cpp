// The two drivers of a kernel. How a step under SimGrid goes:
//
//   SimGrid: solve() asks all its models; the nearest event is `horizon` seconds away (< 0: none)
//   ArrayModel: limit = min(next action, horizon); the kernel runs up to there; an action is due:
//               wake the director; answer "my next event is in (kernel's time - clock) seconds"
//   SimGrid: moves its clock, runs the actors that are awake: the director acts, then waits again
//
// The director waits on a semaphore without a timeout: a timed sleep would end at a time rounded to
// SimGrid's nanosecond, before or after the kernel's integer time.
#include "sim/platform/simgrid_cosim.hpp"

#include <algorithm>
#include <exception>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/platform/simgrid_engine.hpp"

namespace storcast {
namespace {

namespace s4u = simgrid::s4u;

// Where the run stands: the kernel's time and the actions still to come. Both drivers share it, so
// that the kernel sees the same calls.
class Progress {
 public:
  Progress(const DrivenKernel& kernel, std::vector<TimelineAction> timeline)
      : kernel_(kernel), timeline_(std::move(timeline)) {
    INVARIANT(kernel_.advance_until && kernel_.finished, "a driven kernel has both functions");
    for (const TimelineAction& action : timeline_) {
      INVARIANT(action.at >= Time{}, "an action is not before the start of the run");
      INVARIANT(action.act != nullptr, "an action has something to do");
    }
    std::stable_sort(timeline_.begin(), timeline_.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
  }

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] bool finished() const { return kernel_.finished(); }
  [[nodiscard]] bool action_due() const { return next_ < timeline_.size() && next_stop() == now_; }
  [[nodiscard]] Time next_stop() const {
    return next_ < timeline_.size() ? timeline_[next_].at : Time::max();
  }

  void act() { timeline_[next_++].act(); }

  void advance(Time limit) {
    INVARIANT(limit > now_, "a kernel that has run out of time is finished");
    const Time reached = kernel_.advance_until(limit);
    INVARIANT(reached >= now_, "the kernel's time does not run backwards");
    INVARIANT(reached <= limit, "the kernel does not run past the horizon");
    // Several checkpoints may fall on one instant, but not without end.
    stalls_ = reached == now_ ? stalls_ + 1 : 0;
    INVARIANT(stalls_ < 1000000 || finished(), "the kernel's time moves on");
    now_ = reached;
  }

 private:
  const DrivenKernel& kernel_;
  std::vector<TimelineAction> timeline_;
  std::size_t next_ = 0;
  Time now_{};
  int stalls_ = 0;
};

// Shared by the model and the director, which SimGrid runs in turn.
struct World {
  Progress progress;
  s4u::SemaphorePtr call_director = s4u::Semaphore::create(0);
  bool director_called = false;
  std::exception_ptr error{};

  // The run wants no more time, or cannot have it.
  [[nodiscard]] bool over() const { return error != nullptr || progress.finished(); }
};

class ArrayModel : public simgrid::kernel::resource::Model {
 public:
  explicit ArrayModel(World& world)
      : Model("storcast array"), world_(world), start_s_(s4u::Engine::get_clock()) {}

  bool next_occurring_event_is_idempotent() override { return false; }

  // `horizon_s`: seconds to SimGrid's own next event, negative: none. Returns the seconds by which
  // the clock is to move, negative: nothing more to come from here.
  double next_occurring_event(double horizon_s) override {
    const Time horizon = time_of(horizon_s);
    try {
      if (world_.over()) return -1.0;
      const Time limit = std::min(world_.progress.next_stop(), horizon);
      const bool may_move = limit > world_.progress.now() || horizon_s < 0;
      if (may_move && !world_.progress.action_due()) world_.progress.advance(limit);
      if (world_.over() || world_.progress.action_due()) call_director();
    } catch (...) {
      world_.error = std::current_exception();
      call_director();
    }
    return step_s(horizon, horizon_s);
  }

  void update_actions_state(double /*now*/, double /*delta*/) override {}

 private:
  void call_director() {
    if (world_.director_called) return;
    world_.director_called = true;
    world_.call_director->release();
  }

  [[nodiscard]] Time time_of(double horizon_s) const {
    constexpr double longest_s = 9.2e6;  // the range of Time
    const double s = s4u::Engine::get_clock() + horizon_s - start_s_;
    return horizon_s < 0 || s >= longest_s ? Time::max() : Time{from_seconds(s)};
  }

  [[nodiscard]] double step_s(Time horizon, double horizon_s) const {
    const double to_kernel_s =
        std::max(0.0, start_s_ + to_seconds(world_.progress.now()) - s4u::Engine::get_clock());
    if (horizon_s < 0) return to_kernel_s;
    // At the horizon SimGrid's own event is next, however the kernel's time was rounded.
    const bool at_horizon = world_.progress.now() >= horizon && !world_.director_called;
    return at_horizon ? horizon_s : std::min(to_kernel_s, horizon_s);
  }

  World& world_;
  const double start_s_;  // SimGrid's clock runs on from engine to engine
};

// Acts whenever the kernel has reached an action; ends all other actors with the run.
void direct(World& world) {
  try {
    while (!world.over()) {
      if (world.progress.action_due()) {
        world.progress.act();
        continue;
      }
      world.director_called = false;
      world.call_director->acquire();
    }
  } catch (const simgrid::ForcefulKillException&) {
    world.error = std::make_exception_ptr(std::logic_error("the timeline's actor was killed"));
    throw;  // SimGrid's own way of ending an actor
  } catch (...) {
    world.error = std::current_exception();
  }
  s4u::Actor::kill_all();
}

}  // namespace

void run_under_simgrid(const DrivenKernel& kernel, std::vector<TimelineAction> timeline) {
  std::exception_ptr error;
  {
    const SimgridEngine engine;
    World world{Progress(kernel, std::move(timeline))};
    s4u::NetZone* zone = s4u::create_full_zone("world");
    s4u::Host* host = zone->create_host("director", 1.0);
    zone->seal();
    engine->add_model(std::make_shared<ArrayModel>(world));
    s4u::Actor::create("director", host, [&world] { direct(world); });
    engine->run();
    error = world.error;
  }
  if (error) std::rethrow_exception(error);
}

void run_plain(const DrivenKernel& kernel, std::vector<TimelineAction> timeline) {
  Progress progress(kernel, std::move(timeline));
  while (!progress.finished()) {
    if (progress.action_due()) {
      progress.act();
    } else {
      progress.advance(progress.next_stop());
    }
  }
}

}  // namespace storcast
