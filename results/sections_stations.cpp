// The sections of the report that speak of stations and of the run as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "results/sections.hpp"
#include "sim/base/units.hpp"

namespace storcast {
namespace {

constexpr std::size_t stations_shown = 10;
constexpr std::size_t assumptions_shown = 12;
constexpr std::size_t bar_width = 9;
constexpr std::size_t wide = 92;  // from here on bars and busiest queues have room

// Widths of the columns, and of all of them but the name.
constexpr std::size_t servers_width = 9, busy_width = 8, busiest_width = 9, visits_width = 9,
                      service_width = 9, residence_width = 10, queue_width = 8;
constexpr std::size_t figures_width =
    servers_width + busy_width + visits_width + service_width + residence_width + queue_width;
constexpr std::size_t wide_figures_width = figures_width + 1 + bar_width + busiest_width;

std::vector<const StationResult*> by_utilisation(const RunResult& result) {
  std::vector<const StationResult*> sorted;
  for (const StationResult& station : result.stations) sorted.push_back(&station);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->utilisation > b->utilisation; });
  return sorted;
}

// Mean number present; what rounds to nothing is told as such.
std::string present_text(double value, const Page& page) {
  if (value > 0 && value < 0.001) return "<0.001";
  return count_text({value, 0}, page.plain);
}

std::string station_line(const StationResult& station, std::size_t name_width, const Page& page) {
  const bool delay = station.kind == "delay";  // as many servers as visitors: never full
  const auto seconds = [&](double value) { return time_text({value, 0}, page.plain); };
  const auto count = [&](double value) { return count_text({value, 0}, page.plain); };
  const std::string servers =
      delay ? "delay" : fmt::format("{} {} {}", station.queues, page.times(), station.servers_each);
  std::string line =
      pad_right(shorten(page.name(station.name), name_width, page.unicode), name_width);
  line += pad_left(servers, servers_width) +
          pad_left(delay ? "-" : percent_text(station.utilisation), busy_width);
  if (page.width >= wide) {
    const std::string filled = bar(delay ? 0 : station.utilisation, bar_width, page.unicode);
    const bool full = station.utilisation >= 0.9 && !delay;
    line += " " + (full ? page.ink.caution(filled) : page.ink.filled(filled)) +
            pad_left(delay ? "-" : percent_text(station.utilisation_highest), busiest_width);
  }
  line += pad_left(count(station.throughput), visits_width) +
          pad_left(seconds(station.service_time_s), service_width) +
          pad_left(seconds(station.residence_time_s), residence_width) +
          pad_left(present_text(station.queue_length, page), queue_width);
  return "  " + line + "\n";
}

std::string more_text(std::size_t count) {
  return fmt::format("  and {} more (--verbose)\n", count);
}

// A list under a label; past `shown` entries only their number is told.
void list(std::string_view label, const std::vector<std::string>& entries, std::size_t shown,
          const Page& page, std::string& out) {
  const std::size_t count = page.verbose ? entries.size() : std::min(shown, entries.size());
  for (std::size_t i = 0; i < count; ++i) {
    out += wrap(fmt::format("  {} {}", label, page.name(entries[i])), page.width, 4);
  }
  if (count < entries.size()) out += more_text(entries.size() - count);
}

std::string window_text(const RunResult& result, const Page& page) {
  const auto seconds = [&](double value) { return time_text({value, 0}, page.plain); };
  return fmt::format("  seed {}; window {} after {} of warm-up cut, {} simulated; {} I/Os",
                     result.seed, seconds(result.window_s), seconds(result.warm_up_s),
                     seconds(result.simulated_s), grouped_text(result.ios));
}

}  // namespace

void station_section(const RunResult& result, const Page& page, std::string& out) {
  if (result.stations.empty()) return;
  const std::vector<const StationResult*> sorted = by_utilisation(result);
  const std::size_t shown = page.verbose ? sorted.size() : std::min(stations_shown, sorted.size());
  std::size_t name_width = std::string_view("Stations").size();
  for (std::size_t i = 0; i < shown; ++i) {
    name_width = std::max(name_width, columns(page.name(sorted[i]->name)));
  }
  const bool has_room = page.width >= wide;
  name_width =
      std::min(name_width, page.width - 2 - (has_room ? wide_figures_width : figures_width));
  std::string titles = pad_left("servers", servers_width) + pad_left("busy", busy_width);
  if (has_room) titles += std::string(bar_width + 1, ' ') + pad_left("busiest", busiest_width);
  titles += pad_left("visits/s", visits_width) + pad_left("service", service_width) +
            pad_left("residence", residence_width) + pad_left("present", queue_width);
  out += "\n" + page.ink.heading(pad_right("Stations", name_width + 2)) + page.ink.faint(titles) +
         "\n";
  for (std::size_t i = 0; i < shown; ++i) out += station_line(*sorted[i], name_width, page);
  if (shown < sorted.size()) {
    out += fmt::format("  and {} more, at most {} busy (--verbose)\n", sorted.size() - shown,
                       percent_text(sorted[shown]->utilisation));
  }
}

void bottleneck_section(const RunResult& result, const Page& page, std::string& out) {
  const Bottleneck& bottleneck = result.bottleneck;
  if (bottleneck.station.empty()) return;
  const auto iops = [&](double value) { return count_text({value, 0}, page.plain) + " IOPS"; };
  std::string text =
      fmt::format("The bottleneck is {}: {} busy, it ends at {}.", page.name(bottleneck.station),
                  percent_text(bottleneck.utilisation), iops(bottleneck.limit_iops));
  if (bottleneck.next_station.empty() || !std::isfinite(bottleneck.headroom)) {
    text += " No other station would stop it.";
  } else {
    const double headroom = bottleneck.headroom;
    const std::string more = headroom < 1 ? percent_text(headroom) + " more"
                             : headroom + 1 >= 1000
                                 ? "more than a thousand times as much"
                                 : fmt::format("{:.3g} times as much", headroom + 1);
    text += fmt::format(" Without it, {} would stop at {}, {}.", page.name(bottleneck.next_station),
                        iops(bottleneck.next_limit_iops), more);
  }
  out += "\n" + wrap(text, page.width, 2);
}

void self_check_section(const RunResult& result, const Page& page, std::string& out) {
  if (result.fidelity == "flow") return;  // nothing was counted
  const SelfCheck& check = result.self_check;
  const std::string balance =
      fmt::format("{} I/Os in = {} out + {} in flight", grouped_text(check.ios_in),
                  grouped_text(check.ios_out), grouped_text(check.ios_in_flight));
  const auto off = [](double deviation) -> std::string {
    return std::isfinite(deviation) ? fmt::format("{:.2g} %", deviation * 100) : "unknown";
  };
  const double ratio = check.littles_law_ratio;
  std::string text =
      result.fidelity == "analytic"
          ? fmt::format("utilisation law within {}", off(check.utilisation_law_worst))
          : fmt::format(
                "Little's law N/(XR) {} (worst stream), stations within {}; "
                "utilisation law within {}; {}",
                std::isfinite(ratio) ? fmt::format("{:.4f}", ratio) : "unknown",
                off(check.littles_law_station_worst), off(check.utilisation_law_worst), balance);
  if (check.passed) {
    out += page.ink.good("Self-check passed") + wrap(": " + text, page.width - 17, 2);
    return;
  }
  out += "\n" + page.ink.bad("SELF-CHECK FAILED") + "\n";
  for (const std::string& failure : check.failures) {
    out += wrap("  " + page.name(failure), page.width, 4);
  }
  out += wrap("  " + text, page.width, 4);
}

void phases_section(const RunResult& result, const Page& page, std::string& out) {
  if (result.phases.empty()) return;
  out += "\n" + page.ink.heading("Phases of the timeline") + "\n";
  out += fmt::format("  {:>9} {:>9} {:>9} {:>10} {:>10}  begins with\n", "from", "length", "IOPS",
                     "mean", "p99");
  for (const Phase& phase : result.phases) {
    const auto time = [&](double seconds) { return time_text({seconds, 0}, page.plain); };
    out += fmt::format("  {:>9} {:>9} {:>9} {:>10} {:>10}  {}\n", time(phase.start_s),
                       time(phase.length_s), format_count(phase.iops),
                       phase.mean_s > 0 ? time(phase.mean_s) : "-",
                       phase.p99_s ? time(*phase.p99_s) : "-", page.name(phase.what));
  }
}

void basis_section(const RunResult& result, const Page& page, std::string& out) {
  out += "\n" + page.ink.heading("What the answer rests on") + "\n";
  if (result.fidelity == "analytic") {
    out += wrap("  fidelity analytic: formulas, no simulation; no percentiles", page.width, 4);
  } else if (result.fidelity == "flow") {
    out += wrap(fmt::format("  fidelity flow: fluid sharing of the stations, no queueing; {}",
                            page.name(result.stop_reason)),
                page.width, 4);
  } else {
    out += wrap(window_text(result, page), page.width, 4);
    out += wrap(fmt::format("  fidelity {}; {}{}", page.name(result.fidelity),
                            result.converged ? "converged" : "not converged",
                            result.stop_reason.empty() ? "" : ": " + page.name(result.stop_reason)),
                page.width, 4);
  }
  for (const TimelineNote& note : result.timeline) {
    out +=
        wrap(fmt::format("  at {} {}", time_text({note.at_s, 0}, page.plain), page.name(note.what)),
             page.width, 4);
  }
  list("adjusted:", result.adjusted, result.adjusted.size(), page, out);
  list("assumed:", result.assumptions, assumptions_shown, page, out);
  std::string warnings;
  list("WARNING:", result.warnings, result.warnings.size(), page, warnings);
  if (!warnings.empty()) {
    warnings.pop_back();
    out += page.ink.caution(warnings) + "\n";
  }
}

}  // namespace storcast
