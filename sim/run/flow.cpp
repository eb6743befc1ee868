#include "sim/run/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sim/platform/simgrid_flow.hpp"
#include "sim/run/flow_sharing.hpp"
#include "sim/run/flow_stations.hpp"

namespace storcast {
namespace {

constexpr int parts_of_a_rebuild = 8;
constexpr int sampled_rows = 256;
constexpr int most_phases = 1'000'000;
constexpr double longest_s = 9e6;  // the range of Time
constexpr double instant_s = 1e-9;
constexpr double rounding = 1e-3;  // of a row

// A rebuild that goes on, in parts.
struct Course {
  std::size_t pool = 0;
  std::vector<Io> rows;  // start rows, for measuring
  int window = 1;        // rows in flight
  double begins_s = 0;
  int part = -1;       // -1: it has not begun
  double left = 0;     // rows of this part that hold something
  Demands demands{};   // of a row
  double least_s = 0;  // between two rows, by its rate limit
};

class FlowRun {
 public:
  FlowRun(const Scenario& scenario, Assembly& assembly)
      : scenario_(scenario), assembly_(assembly), stations_(assembly) {
    limit_s_ = to_seconds(scenario.run.simulated);
    begin_phase("start");
  }

  FlowAnswer run() {
    const double typical_s = std::max(limit_s_ / 8, longest_rebuild_s() / parts_of_a_rebuild);
    run_flows(stations_.servers(), typical_s, [this](const FlowProgress& p) { return next(p); });
    end_phase();
    answer_.seconds = now_s_;
    for (const Phase& p : answer_.phases) answer_.ios += p.iops * p.length_s;
    for (std::size_t p = 0; p < assembly_.rebuilds.size(); ++p) {
      if (assembly_.rebuilds[p] == nullptr) continue;
      for (RebuildResult& r :
           assembly_.rebuilds[p]->results(scenario_.array.pools[p].name, now())) {
        answer_.rebuilds.push_back(std::move(r));
      }
    }
    if (answer_.stop_reason.empty()) {
      answer_.stop_reason = "end of the flow, " + format_duration(from_seconds(now_s_));
    }
    return std::move(answer_);
  }

 private:
  [[nodiscard]] Time now() const { return Time{from_seconds(std::min(now_s_, longest_s))}; }

  // By order of magnitude: of one drive at 100 MB/s.
  [[nodiscard]] double longest_rebuild_s() const {
    double longest = 0;
    for (std::size_t p = 0; p < assembly_.rebuilds.size(); ++p) {
      if (assembly_.rebuilds[p] == nullptr) continue;
      const Bytes drive = scenario_.array.pools[p].drive_capacity();
      longest = std::max(longest, static_cast<double>(drive.value) / 1e8);
    }
    return longest;
  }

  std::optional<FlowPhase> next(const FlowProgress& last) {
    take(last);
    INVARIANT(++phases_ < most_phases, "a flow moves on");
    while (next_entry_ < scenario_.timeline.size() && due(scenario_.timeline[next_entry_].at)) {
      act(scenario_.timeline[next_entry_++]);
      if (!answer_.complete) return std::nullopt;
    }
    start_waiting();
    for (Course& c : courses_) {
      if (c.part < 0 && c.begins_s <= now_s_ + instant_s) begin(c);
    }
    if (now_s_ >= limit_s_ - instant_s && courses_.empty()) return std::nullopt;
    if (now_s_ >= longest_s) {
      answer_.stop_reason = "limit of 9,000,000 s reached";
      return std::nullopt;
    }
    return phase();
  }

  // What the last phase has done.
  void take(const FlowProgress& last) {
    now_s_ += last.took_s;
    if (last.units.empty()) return;
    client_ios_ += last.units[0];
    std::size_t f = 1;
    for (Course& c : courses_) {
      if (c.part >= 0) c.left -= last.units[f++];
    }
    for (Course& c : courses_) {
      if (c.part < 0 || c.left > rounding) continue;
      ++c.part;
      c.part < parts_of_a_rebuild ? set_part(c) : end(c);
    }
    std::erase_if(courses_, [](const Course& c) { return c.part >= parts_of_a_rebuild; });
  }

  [[nodiscard]] bool due(Duration at) const { return to_seconds(at) <= now_s_ + instant_s; }

  void act(const TimelineEntry& e) {
    note(e.what);
    Stream& stream = assembly_.system().streams[e.workload];
    switch (e.kind) {
      case TimelineEntry::Kind::iodepth:
        scenario_.workloads[e.workload].iodepth = static_cast<int>(e.value);
        stream.per_connection = static_cast<std::uint32_t>(e.value);
        break;
      case TimelineEntry::Kind::rate:
        scenario_.workloads[e.workload].rate_iops = e.value;
        stream.interarrival_ps = picoseconds_per_second / e.value;
        break;
      case TimelineEntry::Kind::mix:
        stream.read_fraction = e.value / 100;
        break;
      case TimelineEntry::Kind::fail_drive:
        fail_drive(e);
        break;
      case TimelineEntry::Kind::fail_controller:
        INVARIANT(false, "a timeline that cannot be followed was refused");
    }
    clients_.reset();
  }

  void fail_drive(const TimelineEntry& e) {
    if (!assembly_.fail_drive(e.pool, e.drive)) {
      note("data loss in pool " + scenario_.array.pools[e.pool].name +
           ": more drives failed than its level tolerates");
      answer_.stop_reason = "data loss at " + format_duration(e.at);
      answer_.complete = false;
      return;
    }
    stations_.lose(e.pool, e.drive);
    if (assembly_.rebuilds[e.pool] != nullptr) assembly_.rebuilds[e.pool]->lost(e.drive, now());
  }

  void start_waiting() {
    for (std::size_t p = 0; p < assembly_.rebuilds.size(); ++p) {
      const Assembly::RebuildLaunch launch = assembly_.next_rebuild(p, now());
      if (launch.ios.empty()) continue;
      Course c;
      c.pool = p;
      c.rows = launch.ios;
      c.window = static_cast<int>(launch.ios.size());
      c.begins_s = std::max(now_s_, to_seconds(launch.at));
      courses_.push_back(std::move(c));
    }
  }

  [[nodiscard]] std::string words(const Course& c) const {
    return rebuild_in_words(*assembly_.rebuilds[c.pool]->running(),
                            scenario_.array.pools[c.pool].name);
  }

  void begin(Course& c) {
    note(words(c) + " begins");
    c.part = 0;
    set_part(c);
  }

  // Rows are measured at the part's begin, clients in its middle.
  void set_part(Course& c) {
    PoolRebuild& rebuild = *assembly_.rebuilds[c.pool];
    const std::uint64_t rows = rebuild.running()->rows;
    const auto row = [&](double part) {
      return static_cast<std::uint64_t>(static_cast<double>(rows) * part / parts_of_a_rebuild);
    };
    rebuild.skip_to(std::max(row(c.part), rebuild.running()->passed), now());
    const auto in_part = static_cast<double>(row(c.part + 1) - row(c.part));
    c.left = std::max(in_part * rebuild.share_of_rows(), 1e-3);
    const int sample = std::clamp(static_cast<int>(c.left / 4), 1, sampled_rows);
    c.demands = measure_row_demands(assembly_, c.rows, sample);
    rebuild.skip_to(std::max(row(c.part + 0.5), rebuild.running()->passed), now());
    c.least_s = to_seconds(rebuild.least_row_time());
    clients_.reset();
  }

  void end(Course& c) {
    PoolRebuild& rebuild = *assembly_.rebuilds[c.pool];
    const std::string what = words(c) + " ends";
    const int drive = rebuild.running()->drive;
    const bool woven = rebuild.running()->woven;
    rebuild.skip_to(rebuild.running()->rows, now());
    if (!woven) stations_.regain(c.pool, drive);
    note(what);
    clients_.reset();
  }

  // ---- Flows -----------------------------------------------------------------------------------

  struct Clients {
    Demands demands;
    double alone = 0;  // I/Os a second, without a rebuild
  };

  const Clients& clients() {
    if (clients_) return *clients_;
    AnalyticAnswer a = solve_analytic(scenario_, assembly_);
    clients_ = Clients{std::move(a.demands), std::max(a.throughput, 1e-9)};
    return *clients_;
  }

  // Drives that one I/O of a pool's level reads at once, when it must recover.
  [[nodiscard]] int fork_of(int pool) const {
    return pool < 0
               ? 1
               : std::max(1, scenario_.array.pools[static_cast<std::size_t>(pool)].layout.data);
  }

  [[nodiscard]] SharingClass class_of(const Demands& demands, const FlowDemands& at,
                                      bool row) const {
    SharingClass c;
    c.seconds = at.seconds;
    c.visits = at.visits;
    c.other_s = demands.delay_s;
    c.background = row;
    for (const FlowStations::Group& g : stations_.groups()) {
      const GroupDemand& d = demands.groups[index_of(g.id)];
      double seconds = 0;
      double visits = 0;
      for (std::uint32_t k = g.first; k < g.first + g.count; ++k) {
        seconds += at.seconds[k];
        visits += at.visits[k];
      }
      if (visits <= 0 || d.foreground_s <= 0) continue;
      SharingClass::Stage stage{g.first, g.count, d.foreground_s / d.parallel, 0, 1};
      stage.visits = stage.service_s / (seconds / visits);
      // A row reads d drives and waits for the slowest, then writes one.
      const int fork = fork_of(g.pool);
      const double slowest = mean_of_largest(fork);
      if (row) stage.slowest = stage.visits > 1.5 ? (slowest + 1) / 2 : slowest;
      if (!row && fork > 1) {
        stage.slowest = 1 + (slowest - 1) * std::min(1.0, (d.parallel - 1) / (fork - 1));
      }
      c.stages.push_back(stage);
    }
    return c;
  }

  // One class for all workloads, with their mean think time; any open one makes it open.
  [[nodiscard]] SharingClass class_of_clients(const FlowDemands& at) {
    SharingClass c = class_of(clients().demands, at, false);
    for (const WorkloadConfig& w : scenario_.workloads) {
      const auto n = static_cast<double>(w.outstanding());
      c.customers += n;
      c.other_s += n * to_seconds(w.thinktime);
      if (w.arrival == Arrival::poisson) c.rate = clients().alone;
    }
    const double think_s = c.other_s - clients().demands.delay_s;
    if (c.customers > 0) c.other_s = clients().demands.delay_s + think_s / c.customers;
    return c;
  }

  FlowPhase phase() {
    const FlowDemands client = stations_.of_clients(clients().demands.stations);
    std::vector<SharingClass> classes{class_of_clients(client)};
    const double alone = shared_rates(classes, stations_.servers())[0];
    std::vector<const Course*> under_way;
    for (const Course& course : courses_) {
      if (course.part < 0) continue;
      under_way.push_back(&course);
      classes.push_back(class_of(course.demands, stations_.of(course.demands.stations), true));
      classes.back().customers = course.window;
      if (course.least_s > 0) classes.back().most_rate = 1 / course.least_s;
    }
    const std::vector<double> rates = shared_rates(classes, stations_.servers());
    FlowPhase phase;
    // The ratio carries over to the exact analysis of the clients alone.
    phase.flows.push_back({pairs(client.seconds), clients().alone * rates[0] / alone, {}, 1});
    for (std::size_t i = 0; i < under_way.size(); ++i) {
      phase.flows.push_back({pairs(classes[i + 1].seconds), rates[i + 1], under_way[i]->left, 1});
    }
    phase.at_most_s = next_change_s() - now_s_;
    return phase;
  }

  [[nodiscard]] static std::vector<std::pair<std::uint32_t, double>> pairs(
      const std::vector<double>& demands) {
    std::vector<std::pair<std::uint32_t, double>> pairs;
    for (std::uint32_t k = 0; k < demands.size(); ++k) {
      if (demands[k] > 0) pairs.emplace_back(k, demands[k]);
    }
    return pairs;
  }

  [[nodiscard]] double next_change_s() const {
    double at = courses_.empty() ? limit_s_ : longest_s;
    if (now_s_ < limit_s_ - instant_s) at = std::min(at, limit_s_);
    if (next_entry_ < scenario_.timeline.size()) {
      at = std::min(at, to_seconds(scenario_.timeline[next_entry_].at));
    }
    for (const Course& c : courses_) {
      if (c.part < 0) at = std::min(at, c.begins_s);
    }
    return std::max(at, now_s_ + instant_s);
  }

  // ---- The record ------------------------------------------------------------------------------

  void begin_phase(const std::string& what) {
    answer_.phases.push_back({what, now_s_, 0, 0, 0, std::nullopt});
    client_ios_ = 0;
  }
  void end_phase() {
    Phase& p = answer_.phases.back();
    p.length_s = now_s_ - p.start_s;
    if (p.length_s <= 0) {
      answer_.phases.pop_back();
      return;
    }
    p.iops = client_ios_ / p.length_s;
    double outstanding = 0;
    double think = 0;
    for (const WorkloadConfig& w : scenario_.workloads) {
      outstanding += static_cast<double>(w.outstanding());
      think += static_cast<double>(w.outstanding()) * to_seconds(w.thinktime);
    }
    if (outstanding <= 0 || p.iops <= 0) return;
    p.mean_s = std::max(0.0, outstanding / p.iops - think / outstanding);
  }
  void note(const std::string& what) {
    answer_.notes.push_back({now_s_, what});
    if (!answer_.phases.empty() && answer_.phases.back().start_s == now_s_ && now_s_ > 0) {
      answer_.phases.back().what += ", " + what;
      return;
    }
    end_phase();
    begin_phase(what);
  }

  Scenario scenario_;  // whose loads the timeline changes
  Assembly& assembly_;
  FlowStations stations_;
  FlowAnswer answer_;
  std::vector<Course> courses_;
  std::optional<Clients> clients_;  // absent: to be measured anew
  std::size_t next_entry_ = 0;
  int phases_ = 0;
  double now_s_ = 0, limit_s_ = 0, client_ios_ = 0;
};

void refuse_what_cannot_flow(const Scenario& scenario) {
  Problems problems;
  for (const TimelineEntry& e : scenario.timeline) {
    if (e.kind != TimelineEntry::Kind::fail_controller) continue;
    problems.add(e.where, e.what,
                 "timeline: --fidelity flow does not follow the failure of a controller: use "
                 "--fidelity io");
  }
  problems.throw_if_any();
}

}  // namespace

FlowAnswer run_flow(const Scenario& scenario, Assembly& assembly) {
  refuse_what_cannot_flow(scenario);
  return FlowRun(scenario, assembly).run();
}

}  // namespace storcast
