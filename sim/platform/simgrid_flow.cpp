// One actor starts the tasks of a phase, waits for the first that ends, reads off the rest.
#include "sim/platform/simgrid_flow.hpp"

#include <algorithm>
#include <exception>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>
#include <string>

#include "sim/base/error.hpp"
#include "sim/platform/simgrid_engine.hpp"

namespace storcast {
namespace {

namespace s4u = simgrid::s4u;

constexpr double most_phases_at_once = 8;  // typical lengths

// SimGrid's solver compares with an absolute precision, so its second is a typical phase.
class FlowWorld {
 public:
  FlowWorld(const std::vector<double>& servers, double typical_s) : unit_s_(typical_s) {
    zone_ = s4u::create_full_zone("flows");
    for (const double m : servers) stations_.push_back(add_host(m * unit_s_));
    director_ = add_host(1);
    for (std::size_t i = 0; i < most_flows; ++i) bounds_.push_back(add_host(unit_s_));
    zone_->seal();
  }

  [[nodiscard]] s4u::Host* director() const { return director_; }

  FlowProgress run(const FlowPhase& phase) {
    INVARIANT(phase.at_most_s > 0 && phase.flows.size() <= most_flows, "a phase lasts");
    const double at_most_s = std::min(phase.at_most_s, most_phases_at_once * unit_s_);
    std::vector<Running> running;
    std::vector<s4u::ExecPtr> all;
    for (std::size_t f = 0; f < phase.flows.size(); ++f) {
      running.push_back(start(phase.flows[f], f, at_most_s));
      all.insert(all.end(), running.back().tasks.begin(), running.back().tasks.end());
    }
    const double begin = s4u::Engine::get_clock();
    bool ended = false;
    if (all.empty()) {
      s4u::this_actor::sleep_for(at_most_s / unit_s_);
    } else {
      ended = s4u::Exec::wait_any_for(all, at_most_s / unit_s_) >= 0;
    }
    // A clock that has run for months is coarse: without an end the time is known exactly.
    FlowProgress progress{ended ? (s4u::Engine::get_clock() - begin) * unit_s_ : at_most_s, {}};
    for (const Running& r : running) {
      double done = 0;
      for (const s4u::ExecPtr& task : r.tasks) {
        const bool finished = task->get_state() == s4u::Activity::State::FINISHED;
        done += r.units * (finished ? 1 : 1 - task->get_remaining_ratio());
        if (!finished) task->cancel();
      }
      progress.units.push_back(done);
    }
    return progress;
  }

 private:
  static constexpr std::size_t most_flows = 80;
  struct Running {
    double units = 0;  // of each task
    std::vector<s4u::ExecPtr> tasks;
  };

  s4u::Host* add_host(double speed) {
    return zone_->create_host("h" + std::to_string(hosts_++), speed);
  }

  Running start(const Flow& flow, std::size_t index, double at_most_s) {
    INVARIANT(flow.bound > 0 && flow.copies >= 1 && flow.units.value_or(1) > 0,
              "a flow has a bound, a share and something to do");
    // What lasts has more to do than it can in this phase.
    const double units = flow.units.value_or(2 * flow.bound * at_most_s);
    Running r{units / flow.copies, {}};
    std::vector<s4u::Host*> hosts{bounds_[index]};
    std::vector<double> amounts{r.units / flow.bound};
    for (const auto& [station, seconds] : flow.demands) {
      if (seconds <= 0) continue;
      hosts.push_back(stations_[station]);
      amounts.push_back(r.units * seconds);
    }
    if (hosts.size() == 1) {  // a parallel task has two parts at least
      hosts.push_back(director_);
      amounts.push_back(0);
    }
    for (int c = 0; c < flow.copies; ++c) {
      r.tasks.push_back(s4u::Exec::init()->set_flops_amounts(amounts)->set_hosts(hosts));
      r.tasks.back()->start();
    }
    return r;
  }

  double unit_s_;
  s4u::NetZone* zone_;
  int hosts_ = 0;
  std::vector<s4u::Host*> stations_, bounds_;
  s4u::Host* director_;
};

}  // namespace

void run_flows(const std::vector<double>& servers, double typical_s,
               const std::function<std::optional<FlowPhase>(const FlowProgress&)>& next) {
  INVARIANT(typical_s > 0, "a phase has a length");
  std::exception_ptr error;
  {
    const SimgridEngine engine;
    FlowWorld world(servers, typical_s);
    s4u::Actor::create("director", world.director(), [&] {
      try {
        FlowProgress last;
        while (const auto phase = next(last)) last = world.run(*phase);
      } catch (const simgrid::ForcefulKillException&) {
        throw;
      } catch (...) {
        error = std::current_exception();
      }
    });
    engine->run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace storcast
