#include "sim/run/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "models/chassis.hpp"
#include "sim/platform/power_meter.hpp"
#include "sim/platform/simgrid_platform.hpp"
#include "sim/run/analytic.hpp"
#include "sim/run/builder.hpp"
#include "sim/run/flow.hpp"
#include "sim/run/session.hpp"
#include "sim/run/sorting.hpp"
#include "sim/run/window.hpp"

namespace storcast {
namespace {

constexpr std::array<const char*, stage_count> stage_names{"host", "fabric", "controller",
                                                           "raid_and_drives"};

std::int64_t mean_block(const WorkloadConfig& w) {
  double bytes = 0;
  for (const SizeShare& s : w.sizes) bytes += s.share * static_cast<double>(s.size.value);
  return std::llround(bytes);
}

StreamResult describe_stream(const WorkloadConfig& w) {
  StreamResult s;
  s.name = w.name;
  s.rw = w.rw;
  s.block_bytes = mean_block(w);
  s.open = w.arrival == Arrival::poisson;
  s.outstanding = w.outstanding();
  s.offered_iops = w.rate_iops;
  return s;
}

RunResult heading_of(const Scenario& scenario, const AnalyticAnswer& a) {
  RunResult r;
  r.scenario = scenario.name;
  r.scenario_text = scenario.text;
  r.seed = static_cast<std::uint64_t>(scenario.run.seed);
  r.bounds = a.bounds;
  r.bottleneck = a.bottleneck;
  r.assumptions = scenario.assumptions;
  r.adjusted = scenario.adjusted;
  r.warnings = scenario.warnings;
  return r;
}

// ---- Power -------------------------------------------------------------------------------------

// `use` gives the utilisation of a group of queues.
template <class Use>
double wall_watts(const Scenario& s, const Assembly& assembly, double activity, const Use& use,
                  bool starting = false) {
  Watts dc = fan_power(s.array.chassis, activity);
  for (const Assembly::DriveGroup& d : assembly.drive_groups) {
    const double reading = use(d.reading);
    const double writing = use(d.writing);
    const double read = (d.power.reading - d.power.idle).value * reading;
    const double write = (d.power.writing - d.power.idle).value * writing;
    const double most = std::max(d.power.reading.value, d.power.writing.value);
    const double running = std::min(most, d.power.idle.value + read + write);
    dc.value += d.count * (starting ? std::max(running, d.power.starting.value) : running);
  }
  for (std::size_t c = 0; c < s.array.controllers.size(); ++c) {
    const ControllerParams& p = s.array.controllers[c].params;
    dc = dc + p.board + cpu_power(p.cpu_idle, p.cpu_busy, use(assembly.controller_cores[c]));
  }
  return wall_power(s.array.chassis, dc).value;
}

PowerResult power_of(const Scenario& s, const Assembly& assembly,
                     const std::vector<double>& utilisation) {
  const double cores = [&] {
    double highest = 0;
    for (const GroupId g : assembly.controller_cores)
      highest = std::max(highest, utilisation[index_of(g)]);
    return highest;
  }();
  PowerResult p;
  p.idle_w = wall_watts(s, assembly, 0, [](GroupId) { return 0.0; });
  p.at_load_w = wall_watts(s, assembly, cores, [&](GroupId g) { return utilisation[index_of(g)]; });
  p.maximum_w = wall_watts(s, assembly, 1, [](GroupId) { return 1.0; });
  // Drives that spin up do so before there is any load.
  p.maximum_w = std::max(p.maximum_w, wall_watts(
                                          s, assembly, 0, [](GroupId) { return 0.0; }, true));
  return p;
}

// ---- Stations ----------------------------------------------------------------------------------

StationResult station_result(const StationGroup& group, const GroupSnapshot& before,
                             const GroupSnapshot& after, double seconds, double completions) {
  StationResult s;
  s.name = group.name;
  s.kind = group.kind == GroupKind::priority    ? "priority"
           : group.kind == GroupKind::scheduled ? "scheduled"
                                                : "fcfs";
  s.queues = static_cast<int>(group.queues);
  s.servers_each = group.servers_each;
  const auto arrivals = static_cast<double>(after.arrivals - before.arrivals);
  const double busy = to_seconds(after.busy - before.busy);
  s.utilisation = busy / (seconds * group.queues * group.servers_each);
  s.utilisation_highest = s.utilisation;
  for (std::size_t q = 0; q < after.busy_by_queue.size(); ++q) {
    const double queue = to_seconds(after.busy_by_queue[q] - before.busy_by_queue[q]);
    s.utilisation_highest = std::max(s.utilisation_highest, queue / (seconds * group.servers_each));
  }
  // Left: arrived before and during the window, less those still present at its end.
  const double departures = arrivals + static_cast<double>(before.present_count) -
                            static_cast<double>(after.present_count);
  s.throughput = departures / seconds;
  const Duration area = (after.residence - after.present) - (before.residence - before.present);
  s.queue_length = to_seconds(area) / seconds;
  if (arrivals > 0) {
    s.service_time_s = busy / arrivals;
    s.residence_time_s = to_seconds(after.residence - before.residence) / arrivals;
  }
  s.demand_s = completions > 0 ? busy / completions : 0;
  const double law = s.throughput * s.residence_time_s;
  s.littles_law_ratio = law > 0 ? s.queue_length / law : 1;
  return s;
}

// ---- The answer of a simulated run -------------------------------------------------------------

class Answer {
 public:
  Answer(const Scenario& scenario, const Assembly& assembly, const AnalyticAnswer& analytic,
         const Session& session)
      : scenario_(scenario),
        assembly_(assembly),
        analytic_(analytic),
        session_(session),
        blocks_(session.blocks()),
        window_(choose_window(
            blocks_, scenario.timeline.empty() ? scenario.run.warm_up : scenario.run.warm_up)) {
    if (!scenario.timeline.empty()) whole_run_after_warm_up();
    seconds_ =
        to_seconds(blocks_.length() * static_cast<std::int64_t>(window_.end - window_.first));
  }

  RunResult result() {
    RunResult r = heading_of(scenario_, analytic_);
    r.converged = session_.converged();
    r.stop_reason = session_.stop_reason();
    r.simulated_s = to_seconds(session_.kernel().now());
    r.events = session_.kernel().events();
    r.timeline = session_.notes();
    for (std::size_t p = 0; p < assembly_.rebuilds.size(); ++p) {
      if (assembly_.rebuilds[p] == nullptr) continue;
      for (RebuildResult& rebuild :
           assembly_.rebuilds[p]->results(scenario_.array.pools[p].name, session_.kernel().now())) {
        r.rebuilds.push_back(std::move(rebuild));
      }
    }
    if (!scenario_.timeline.empty()) {
      r.warnings.emplace_back("no confidence intervals: the phases of a timeline differ");
    }
    for (const TimelineEntry& e : scenario_.timeline) {
      if (Time{e.at} >= session_.kernel().now()) {
        r.warnings.push_back("the run ended before " + format_duration(e.at) + ": " + e.what +
                             " never happened");
      }
    }
    r.warm_up_s = to_seconds(blocks_.length() * static_cast<std::int64_t>(window_.first));
    r.window_s = seconds_;
    if (blocks_.all().empty()) {
      for (const WorkloadConfig& w : scenario_.workloads) r.streams.push_back(describe_stream(w));
      r.warnings.emplace_back(
          "the run ended before its first block was full: nothing was measured");
      return r;
    }
    for (std::size_t s = 0; s < scenario_.workloads.size(); ++s) r.streams.push_back(stream(s));
    for (const StreamResult& s : r.streams) r.ios += s.all.ios;
    add_stations(r);
    add_checks(r);
    add_series(r);
    add_phases(r);
    if (!window_.settled && scenario_.timeline.empty()) {
      r.warnings.emplace_back("the warm-up did not end within the first half of the run");
    }
    if (session_.kernel().overflowed()) declare_unstable(r);
    return r;
  }

 private:
  // A timeline's phases are all wanted: only the start of an empty system is cut.
  void whole_run_after_warm_up() {
    const Time first{scenario_.timeline.front().at};
    const auto until = static_cast<std::size_t>(first.time_since_epoch() / blocks_.length());
    window_.first = std::min(window_.first, until / 2);
    window_.settled = true;
    const std::size_t usable = window_.end - window_.first;
    window_.batch_blocks = std::max<std::size_t>(1, usable / 40);
    window_.first = window_.end - usable / window_.batch_blocks * window_.batch_blocks;
  }

  // The phases of a timeline differ: the spread between batches is no uncertainty.
  static void drop_intervals(ResponseResult& r) {
    r.iops.half_width = 0;
    r.bandwidth_bytes_per_s.half_width = 0;
    r.mean_s.half_width = 0;
    for (Percentile& p : r.percentiles) {
      if (p.value_s) p.value_s->half_width = 0;
    }
  }

  StreamResult stream(std::size_t index) const {
    StreamResult s = describe_stream(scenario_.workloads[index]);
    s.all = response_of(blocks_, window_, index, 2);
    s.read = response_of(blocks_, window_, index, 0);
    s.write = response_of(blocks_, window_, index, 1);
    if (!scenario_.timeline.empty()) {
      for (ResponseResult* r : {&s.all, &s.read, &s.write}) drop_intervals(*r);
    }
    const DirectionRecord total = total_of(blocks_, window_, index, 2);
    double sum = 0;
    for (std::size_t i = 0; i < stage_count && total.ios > 0; ++i) {
      const double mean =
          total.stages_ps[i] / static_cast<double>(total.ios) / picoseconds_per_second;
      s.stages.push_back({stage_names[i], mean});
      sum += mean;
    }
    s.unexplained_s = s.all.mean_s.value - sum;
    // Stages are summed in single precision: below a millionth of the mean it is rounding.
    if (std::fabs(s.unexplained_s) < 1e-6 * s.all.mean_s.value) s.unexplained_s = 0;
    double area = 0;
    for (std::size_t b = window_.first; b < window_.end; ++b) {
      area += blocks_.all()[b].streams[index].outstanding_ps;
    }
    s.mean_outstanding = area / picoseconds_per_second / seconds_;
    const double law = s.all.iops.value * s.all.mean_s.value;
    s.littles_law_ratio = law > 0 ? s.mean_outstanding / law : 1;
    return s;
  }

  void add_stations(RunResult& r) {
    const System& system = assembly_.system();
    std::vector<double> highest;
    std::vector<double> utilisation;
    const auto& before = blocks_.before(window_.first);
    const auto& after = blocks_.all()[window_.end - 1].at_end;
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      const StationGroup& group = system.groups[static_cast<GroupId>(g)];
      StationResult s =
          station_result(group, before[g], after[g], seconds_, static_cast<double>(r.ios));
      const double throughput = static_cast<double>(r.ios) / seconds_;
      utilisation.push_back(s.utilisation);
      highest.push_back(throughput > 0 ? s.utilisation_highest / throughput : 0);
      if (group.kind == GroupKind::scheduled && s.utilisation > 0) {
        highest.back() /= reserve_of_sorting(group, s.queue_length / group.queues / s.utilisation);
      }
      if (group.share_only) highest.back() = 0;
      // Not on any path; dies that only program are visited by nobody, but busy.
      if (after[g].arrivals == 0 && after[g].busy.count() == 0) continue;
      r.stations.push_back(std::move(s));
    }
    r.bottleneck = find_bottleneck(system, highest, utilisation);
    for (const StationResult& s : r.stations) {
      if (s.name == r.bottleneck.station) r.bottleneck.utilisation = s.utilisation_highest;
    }
    r.power = power_of(scenario_, assembly_, utilisation);
  }

  void add_checks(RunResult& r) const {
    SelfCheck& c = r.self_check;
    for (const StreamResult& s : r.streams) {
      if (std::fabs(s.littles_law_ratio - 1) > std::fabs(c.littles_law_ratio - 1)) {
        c.littles_law_ratio = s.littles_law_ratio;
      }
    }
    const double throughput = static_cast<double>(r.ios) / seconds_;
    for (const StationResult& s : r.stations) {
      if (s.utilisation > 1 + 1e-9) c.failures.push_back(s.name + ": utilisation above 1");
      const double visits = s.throughput * s.service_time_s / (s.queues * s.servers_each);
      if (s.throughput > 0) {
        c.utilisation_law_worst =
            std::max(c.utilisation_law_worst, std::fabs(s.utilisation - visits));
      }
      // Edges: what is present at the ends of the window against what passed through it.
      if (s.throughput * seconds_ > 1000 && s.queue_length < 0.01 * s.throughput * seconds_) {
        c.littles_law_station_worst =
            std::max(c.littles_law_station_worst, std::fabs(s.littles_law_ratio - 1));
      }
    }
    for (std::size_t s = 0; s < r.streams.size(); ++s) {
      c.ios_in_flight += static_cast<std::uint64_t>(session_.recorder().in_flight(s));
      check_outstanding(r.streams[s], s, c);
    }
    c.ios_in = session_.recorder().submitted_in_run();
    c.ios_out = session_.recorder().completed_in_run();
    const bool steady = scenario_.timeline.empty() && r.converged;
    if (steady && std::fabs(c.littles_law_ratio - 1) > 0.02)
      c.failures.emplace_back("Little's law of a stream");
    if (steady && c.littles_law_station_worst > 0.05)
      c.failures.emplace_back("Little's law of a station");
    if (steady && c.utilisation_law_worst > 0.01) c.failures.emplace_back("the utilisation law");
    if (c.ios_in != c.ios_out + c.ios_in_flight)
      c.failures.emplace_back("I/Os in = out + in flight");
    // The bound of several workloads together depends on their shares, which only the run knows.
    const bool one = r.streams.size() == 1;
    if (one && steady && throughput > r.bounds.saturation_iops * 1.02 && analytic_.stable) {
      c.failures.emplace_back("throughput above the analytic bound");
    }
    c.passed = c.failures.empty();
  }

  // A closed stream without think time keeps exactly its number outstanding.
  void check_outstanding(const StreamResult& s, std::size_t index, SelfCheck& c) const {
    const WorkloadConfig& w = scenario_.workloads[index];
    if (s.open || w.thinktime.count() > 0 || !scenario_.timeline.empty()) return;
    if (session_.recorder().in_flight(index) != s.outstanding) {
      c.failures.push_back(s.name + ": in flight differs from iodepth x numjobs");
    }
  }

  void add_series(RunResult& r) const {
    double at = 0;
    const double length =
        to_seconds(blocks_.length()) / static_cast<double>(Blocks::slices_per_block);
    for (const Block& block : blocks_.all()) {
      for (const Slice& slice : block.slices) {
        const auto n = static_cast<double>(slice.ios);
        r.series.push_back(
            {at, length, n / length, n > 0 ? slice.response_ps / n / picoseconds_per_second : 0});
        at += length;
      }
    }
  }

  // Whole blocks between two events; a phase shorter than a block is left out.
  void add_phases(RunResult& r) const {
    if (scenario_.timeline.empty()) return;
    std::vector<std::pair<Duration, std::string>> starts{
        {blocks_.length() * static_cast<std::int64_t>(window_.first), "start"}};
    // What happened, a rebuild's begin and end included, is in the notes, in order.
    for (const TimelineNote& note : session_.notes()) {
      const Duration at = from_seconds(note.at_s);
      if (at == starts.back().first && starts.size() > 1) {
        starts.back().second += ", " + note.what;
      } else {
        starts.emplace_back(at, note.what);
      }
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const Duration from = starts[i].first;
      const Duration to = i + 1 < starts.size() ? starts[i + 1].first : Duration::max();
      Window w = window_;
      w.first =
          static_cast<std::size_t>((from + blocks_.length() - Duration{1}) / blocks_.length());
      w.end = std::min(window_.end, static_cast<std::size_t>(to / blocks_.length()));
      if (w.end > w.first) r.phases.push_back(phase(starts[i].second, w));
    }
  }

  [[nodiscard]] Phase phase(const std::string& what, const Window& w) const {
    DirectionRecord all;
    for (std::size_t s = 0; s < scenario_.workloads.size(); ++s)
      all.merge(total_of(blocks_, w, s, 2));
    const double length = to_seconds(blocks_.length());
    const auto n = static_cast<double>(all.ios);
    Phase p;
    p.what = what;
    p.start_s = length * static_cast<double>(w.first);
    p.length_s = length * static_cast<double>(w.end - w.first);
    p.iops = n / p.length_s;
    p.mean_s = n > 0 ? all.response_ps / n / picoseconds_per_second : 0;
    p.p99_s = percentile_s(all.histogram, 0.99);
    return p;
  }

  void declare_unstable(RunResult& r) const {
    double offered = 0;
    for (StreamResult& s : r.streams) {
      if (!s.open) continue;
      s.stable = false;
      offered += s.offered_iops;
    }
    r.verdict = "unstable: offered " + format_count(offered) + " IOPS, limit " +
                format_count(r.bottleneck.limit_iops) + " at " + r.bottleneck.station;
  }

  const Scenario& scenario_;
  const Assembly& assembly_;
  const AnalyticAnswer& analytic_;
  const Session& session_;
  const Blocks& blocks_;
  Window window_;
  double seconds_ = 0;
};

// ---- The analytic answer -----------------------------------------------------------------------

void add_analytic_stations(RunResult& r, const Assembly& assembly, const AnalyticAnswer& a) {
  const System& system = assembly.system();
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    const GroupDemand& d = a.demands.groups[g];
    if (d.highest_queue_s <= 0) continue;
    const StationGroup& group = system.groups[static_cast<GroupId>(g)];
    StationResult s;
    s.name = group.name;
    s.kind = "fcfs";
    s.queues = static_cast<int>(group.queues);
    s.servers_each = group.servers_each;
    s.demand_s = d.foreground_s + d.background_s;
    s.utilisation_highest = a.utilisation[g];
    s.utilisation = std::min(1.0, a.throughput * s.demand_s / (s.queues * s.servers_each));
    s.throughput = std::min(a.throughput, a.bottleneck.limit_iops);
    s.service_time_s = s.demand_s;  // of all visits of an I/O together
    s.residence_time_s = a.stable ? a.residence_s[g] : 0;
    s.queue_length = a.stable ? a.throughput * a.residence_s[g] : 0;
    r.stations.push_back(std::move(s));
  }
}

RunResult analytic_result(const Scenario& scenario, const Assembly& assembly,
                          const AnalyticAnswer& a) {
  RunResult r = heading_of(scenario, a);
  r.fidelity = "analytic";
  r.stop_reason = a.bounds.method;
  double total = 0;
  for (const WorkloadConfig& w : scenario.workloads) {
    total += w.arrival == Arrival::closed ? static_cast<double>(w.outstanding()) : w.rate_iops;
  }
  for (const WorkloadConfig& w : scenario.workloads) {
    StreamResult s = describe_stream(w);
    const bool closed = w.arrival == Arrival::closed;
    const double share = (closed ? static_cast<double>(w.outstanding()) : w.rate_iops) / total;
    s.stable = a.stable;
    const double reached =
        a.stable ? a.throughput : std::min(a.throughput, a.bottleneck.limit_iops);
    s.all.iops.value = reached * share;
    s.all.bandwidth_bytes_per_s.value = s.all.iops.value * static_cast<double>(s.block_bytes);
    if (a.stable) {
      s.all.mean_s.value = a.response_s;
      s.mean_outstanding = s.all.iops.value * a.response_s;
    }
    r.streams.push_back(std::move(s));
  }
  add_analytic_stations(r, assembly, a);
  r.power = power_of(scenario, assembly, a.utilisation);
  if (scenario.workloads.size() > 1) {
    r.warnings.emplace_back("analytic: several workloads share one mean service demand");
  }
  if (!scenario.timeline.empty()) r.warnings.emplace_back("analytic: the timeline is not followed");
  return r;
}

// ---- The answer of flows -----------------------------------------------------------------------

RunResult flow_result(const Scenario& scenario, const AnalyticAnswer& a, FlowAnswer flow) {
  RunResult r = heading_of(scenario, a);
  r.fidelity = "flow";
  r.converged = flow.complete;
  r.stop_reason = std::move(flow.stop_reason);
  r.simulated_s = r.window_s = flow.seconds;
  r.timeline = std::move(flow.notes);
  r.phases = std::move(flow.phases);
  r.rebuilds = std::move(flow.rebuilds);
  double total = 0;
  const auto weight = [](const WorkloadConfig& w) {
    return w.arrival == Arrival::closed ? static_cast<double>(w.outstanding()) : w.rate_iops;
  };
  for (const WorkloadConfig& w : scenario.workloads) total += weight(w);
  for (const WorkloadConfig& w : scenario.workloads) {
    StreamResult s = describe_stream(w);
    const double ios = flow.ios * weight(w) / total;
    s.all.ios = static_cast<std::uint64_t>(ios);
    s.all.iops.value = flow.seconds > 0 ? ios / flow.seconds : 0;
    s.all.bandwidth_bytes_per_s.value = s.all.iops.value * static_cast<double>(s.block_bytes);
    // By Little's law; of an open load nothing is known.
    s.all.mean_s.value = s.all.iops.value > 0 && !s.open
                             ? static_cast<double>(s.outstanding) / s.all.iops.value
                             : std::numeric_limits<double>::quiet_NaN();
    r.ios += s.all.ios;
    r.streams.push_back(std::move(s));
  }
  r.warnings.emplace_back("flow: rates of fluid sharing; response times by Little's law only");
  return r;
}

void declare_unstable(RunResult& r, const AnalyticAnswer& a) {
  r.verdict = "unstable: offered " + format_count(a.offered_iops) + " IOPS, limit " +
              format_count(a.bottleneck.limit_iops) + " at " + a.bottleneck.station;
  r.converged = false;
  r.stop_reason =
      "the offered load exceeds the limit of a station; a latency would grow without end";
  r.bounds.mva_iops = a.bottleneck.limit_iops;
  r.bounds.mva_mean_s = 0;
}

}  // namespace

RunResult run_scenario(const Scenario& scenario, const RunOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  const Platform platform = load_simgrid_platform(platform_of(scenario));
  Assembly assembly = build_system(scenario, platform);
  const AnalyticAnswer analytic = solve_analytic(scenario, assembly);
  RunResult result;
  if (!analytic.stable) {
    result = analytic_result(scenario, assembly, analytic);
    constexpr const char* names[] = {"io", "flow", "analytic"};
    result.fidelity = names[static_cast<int>(options.fidelity)];
    declare_unstable(result, analytic);
  } else if (options.fidelity == Fidelity::analytic) {
    result = analytic_result(scenario, assembly, analytic);
  } else if (options.fidelity == Fidelity::flow) {
    result = flow_result(scenario, analytic, run_flow(scenario, assembly));
  } else {
    Session session(scenario, assembly, analytic, options);
    session.run();
    result = Answer(scenario, assembly, analytic, session).result();
  }
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

void mark_curve(SweepResult& sweep) {
  std::vector<LoadPoint> curve;
  for (const SweepResult::Point& point : sweep.points) {
    double iops = 0;
    double weighted = 0;
    for (const StreamResult& s : point.result.streams) {
      if (!s.stable) continue;  // a load beyond the limit is no point of the curve
      iops += s.all.iops.value;
      weighted += s.all.iops.value * s.all.mean_s.value;
    }
    curve.push_back({iops, iops > 0 ? weighted / iops : 0});
  }
  sweep.knee = knee_index(curve);
  sweep.saturation = saturation_index(curve);
}

}  // namespace storcast
