#include "sim/run/session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace storcast {
namespace {

constexpr std::uint32_t queues_worth_listing = 64;
constexpr std::size_t least_blocks = 40;

// The first block's length: about n completions long, and limit / (64 x 2^k) so that blocks,
// however often they are merged, end at the limit.
Duration first_length(const Scenario& scenario, const AnalyticAnswer& expected) {
  double outstanding = 0;
  for (const WorkloadConfig& w : scenario.workloads)
    outstanding += static_cast<double>(w.outstanding());
  const double n = std::max(2500.0, outstanding / 4);
  const double rate = std::max(expected.throughput, 1e-3);
  const double wanted = n / rate;
  Duration length = scenario.run.simulated / 64;
  while (to_seconds(length) > wanted && length.count() / 2 > Duration::rep{8} * 1000) length /= 2;
  // A whole number of slices.
  const std::int64_t slices = Blocks::slices_per_block;
  return Duration{std::max<std::int64_t>(1, length.count() / slices)} * slices;
}

}  // namespace

Session::Session(const Scenario& scenario, Assembly& assembly, const AnalyticAnswer& expected,
                 const RunOptions& options)
    : scenario_(scenario),
      assembly_(assembly),
      options_(options),
      recorder_(assembly.system().streams.size()),
      kernel_(assembly.system(), recorder_, static_cast<std::uint64_t>(scenario.run.seed)),
      blocks_(first_length(scenario, expected)),
      group_of_station_(assembly.system().stations.size()) {
  const System& system = assembly.system();
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    const StationGroup& group = system.groups[static_cast<GroupId>(g)];
    if (group.kind == GroupKind::servers || group.kind == GroupKind::priority ||
        group.kind == GroupKind::scheduled) {
      continue;
    }
    std::fill_n(group_of_station_.begin() + group.first, group.queues,
                static_cast<std::uint16_t>(g));
  }
  limit_ = Time{scenario.run.simulated / blocks_.length() * blocks_.length()};
  next_slice_ = Time{blocks_.length() / static_cast<std::int64_t>(Blocks::slices_per_block)};
}

void Session::run() {
  kernel_.start();
  blocks_.set_start(snapshot());
  std::vector<TimelineAction> timeline;
  for (const TimelineEntry& entry : scenario_.timeline) {
    timeline.push_back({Time{entry.at}, [this, &entry] { act(entry); }});
  }
  const DrivenKernel driven{[this](Time horizon) { return advance_until(horizon); },
                            [this] { return finished_; }};
  (options_.under_simgrid ? run_under_simgrid : run_plain)(driven, std::move(timeline));
  note_rebuilds();
}

// Those whose drive waits, of pools that rebuild no other.
void Session::start_rebuilds() {
  for (std::size_t p = 0; p < assembly_.rebuilds.size(); ++p) {
    const Assembly::RebuildLaunch launch = assembly_.next_rebuild(p, kernel_.now());
    for (const Io& io : launch.ios) kernel_.start_background(io, launch.at);
  }
}

void Session::note_rebuilds() {
  for (std::size_t p = 0; p < assembly_.rebuilds.size(); ++p) {
    if (assembly_.rebuilds[p] == nullptr) continue;
    for (const RebuildJob& job : assembly_.rebuilds[p]->jobs()) {
      const std::string what = rebuild_in_words(job, scenario_.array.pools[p].name);
      const auto at = [](Time t) { return to_seconds(t); };
      if (job.started && job.begins < kernel_.now()) {
        notes_.push_back({at(job.begins), what + " begins"});
      }
      if (job.done) notes_.push_back({at(job.ended), what + " ends"});
    }
  }
  std::stable_sort(notes_.begin(), notes_.end(),
                   [](const auto& a, const auto& b) { return a.at_s < b.at_s; });
}

Time Session::advance_until(Time horizon) {
  while (!finished_ && kernel_.now() < horizon) {
    const Time target = std::min(horizon, next_slice_);
    kernel_.run_until(target);
    if (kernel_.overflowed()) {
      stop("the I/Os in flight grew beyond what is modelled: the load exceeds the capacity", false);
    } else if (target == next_slice_) {
      end_slice();
    }
  }
  return kernel_.now();
}

void Session::end_slice() {
  Slice now;
  for (std::size_t s = 0; s < recorder_.streams(); ++s) {
    for (const DirectionRecord& d : recorder_.record(s).directions) {
      now.ios += d.ios;
      now.response_ps += d.response_ps;
    }
  }
  slices_.push_back({now.ios - before_.ios, now.response_ps - before_.response_ps});
  before_ = now;
  start_rebuilds();
  if (slices_.size() == Blocks::slices_per_block) end_block();
  next_slice_ += blocks_.length() / static_cast<std::int64_t>(Blocks::slices_per_block);
}

void Session::end_block() {
  ios_ += before_.ios;
  before_ = {};
  Block block;
  block.streams = recorder_.take(kernel_.now());
  block.slices = std::exchange(slices_, {});
  block.at_end = snapshot();
  blocks_.add(std::move(block));
  decide_to_stop();
  if (options_.progress) {
    const double done = std::max(to_seconds(kernel_.now()) / to_seconds(limit_),
                                 static_cast<double>(ios_) / scenario_.run.ios);
    options_.progress({to_seconds(kernel_.now()), to_seconds(limit_), ios_, std::min(1.0, done)});
  }
}

void Session::decide_to_stop() {
  const std::size_t n = blocks_.all().size();
  if (scenario_.timeline.empty() && n >= least_blocks && n % 4 == 0) {
    const Window window = choose_window(blocks_, scenario_.run.warm_up);
    if (window.settled && window.batches() >= 20) {
      const Precision p = precision_of(blocks_, window);
      if (p.long_enough && p.throughput <= scenario_.run.throughput &&
          p.mean <= scenario_.run.mean && p.p99 <= scenario_.run.p99) {
        stop("wanted precision reached", true);
        return;
      }
    }
  }
  if (static_cast<double>(ios_) >= scenario_.run.ios) {
    stop("limit of " + format_count(scenario_.run.ios) + " I/Os reached", false);
  } else if (kernel_.now() >= limit_) {
    const bool planned = !scenario_.timeline.empty();
    stop((planned ? "end of the timeline's run, " : "limit of ") +
             format_duration(scenario_.run.simulated) + (planned ? "" : " simulated reached"),
         planned);
  }
}

void Session::stop(std::string reason, bool converged) {
  finished_ = true;
  converged_ = converged;
  stop_reason_ = std::move(reason);
}

void Session::act(const TimelineEntry& entry) {
  notes_.push_back({to_seconds(entry.at), entry.what});
  const auto stream = static_cast<StreamId>(entry.workload);
  switch (entry.kind) {
    case TimelineEntry::Kind::iodepth:
      kernel_.set_iodepth(stream, static_cast<std::uint32_t>(entry.value));
      return;
    case TimelineEntry::Kind::rate:
      kernel_.set_interarrival(stream, picoseconds_per_second / entry.value);
      return;
    case TimelineEntry::Kind::mix:
      kernel_.set_read_fraction(stream, entry.value / 100);
      return;
    case TimelineEntry::Kind::fail_drive:
      if (assembly_.fail_drive(entry.pool, entry.drive)) {
        if (auto& rebuild = assembly_.rebuilds[entry.pool]; rebuild != nullptr) {
          rebuild->lost(entry.drive, kernel_.now());
        }
        start_rebuilds();
        return;
      }
      notes_.push_back({to_seconds(entry.at), "data loss in pool " +
                                                  scenario_.array.pools[entry.pool].name +
                                                  ": more drives failed than its level tolerates"});
      stop("data loss at " + format_duration(entry.at), false);
      return;
    case TimelineEntry::Kind::fail_controller:
      if (assembly_.fail_controller(entry.controller, kernel_.now())) return;
      notes_.push_back({to_seconds(entry.at), assembly_.why_gone()});
      stop(assembly_.why_gone() + " at " + format_duration(entry.at), false);
      return;
  }
}

std::uint32_t Session::station_of(const Step& step, const Io& io) const {
  const System& system = assembly_.system();
  const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
  switch (step.kind) {
    case StepKind::visit:
    case StepKind::visit_model:
      return step.target;
    case StepKind::visit_connection:
    case StepKind::visit_gated:
      return system.routes[step.target + io.connection];
    case StepKind::visit_drive:
    case StepKind::post_drive:
    case StepKind::write_flash:
      return step.target + drive;
    case StepKind::visit_address:
    case StepKind::visit_dies:
      return step.target + drive * step.aux;
    default:
      return static_cast<std::uint32_t>(system.stations.size());
  }
}

// The part of promised residence that lies after now, for I/Os still waiting for a departure.
void Session::add_pending(std::vector<GroupSnapshot>& snapshots) const {
  const System& system = assembly_.system();
  kernel_.for_each_pending([&](Time at, const Io& io) {
    if (io.step == 0) return;
    const Step& step = system.steps[io.step - 1];
    const std::uint32_t station = station_of(step, io);
    if (station >= group_of_station_.size()) return;
    const Duration left = at - Duration{step.after_ps} - kernel_.now();
    if (left.count() <= 0) return;
    GroupSnapshot& g = snapshots[group_of_station_[station]];
    g.present += left;
    ++g.present_count;
  });
}

std::vector<GroupSnapshot> Session::snapshot() const {
  const System& system = assembly_.system();
  std::vector<GroupSnapshot> all;
  for (const StationGroup& group : system.groups) {
    GroupSnapshot g;
    const auto add = [&](const StationTotals& totals, Duration busy) {
      g.arrivals += totals.arrivals;
      g.residence += totals.residence;
      g.busy += busy;
      if (group.queues <= queues_worth_listing) g.busy_by_queue.push_back(busy);
    };
    const Time now = kernel_.now();
    if (group.kind == GroupKind::servers) {
      const MultiServerStation& s = system.server_stations[group.first];
      add(s.totals(), s.busy_until(now));
    } else if (group.kind == GroupKind::priority) {
      const PriorityStation& s = system.priority_stations[group.first];
      add(s.totals(), s.busy_until(now));
    } else if (group.kind == GroupKind::scheduled) {
      for (std::uint32_t i = group.first; i < group.first + group.queues; ++i) {
        const ScheduledStation& s = system.scheduled_stations[i];
        add(s.totals_at(now), s.busy_until(now));
        g.present_count += static_cast<std::uint64_t>(s.present());
      }
    } else {
      for (std::uint32_t i = group.first; i < group.first + group.queues; ++i) {
        const FcfsStation& s = system.stations[i];
        Duration busy = s.busy_until(now);
        if (group.flash >= 0)
          busy += system.flash[static_cast<std::size_t>(group.flash)].busy_until(system.stations, i,
                                                                                 now);
        add(s.totals(), busy);
      }
    }
    all.push_back(std::move(g));
  }
  add_pending(all);
  return all;
}

}  // namespace storcast
