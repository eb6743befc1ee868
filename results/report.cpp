#include "results/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "results/page.hpp"
#include "results/sections.hpp"

namespace storcast {
namespace {

constexpr double limiting_utilisation = 0.9;  // from here on a station is said to limit

bool any_direction(const StreamResult& stream) {
  return occurs(stream.all) || occurs(stream.read) || occurs(stream.write);
}

std::string unstable_text(const RunResult& result, bool unicode) {
  if (!result.verdict.empty()) return clean(result.verdict, unicode);
  const Notation plain{false, "", 3};
  std::string text = "unstable:";
  for (const StreamResult& stream : result.streams) {
    if (stream.stable) continue;
    text += fmt::format(" {} is offered {} IOPS;", clean(stream.name, unicode),
                        count_text({stream.offered_iops, 0}, plain));
  }
  return text + fmt::format(" the limit is {} IOPS at {}",
                            count_text({result.bottleneck.limit_iops, 0}, plain),
                            clean(result.bottleneck.station, unicode));
}

std::string limited_by(const RunResult& result, bool unicode) {
  if (result.bottleneck.station.empty()) return "";
  const std::string station = clean(result.bottleneck.station, unicode);
  const double utilisation = result.bottleneck.utilisation;
  if (utilisation >= limiting_utilisation) return "; limited by " + station;
  const bool closed = std::all_of(result.streams.begin(), result.streams.end(),
                                  [](const StreamResult& stream) { return !stream.open; });
  return fmt::format("; {}, busiest is {} at {}",
                     closed ? "no station is full" : "the offered load is carried", station,
                     percent_text(utilisation));
}

void answer_section(const RunResult& result, const Page& page, std::string& out) {
  if (!result.scenario.empty()) {
    out += page.ink.faint(shorten(page.name(result.scenario), page.width, page.unicode)) + "\n";
  }
  const bool stable = totals(result).stable;
  std::string text = wrap(headline(result, page.unicode), page.width, 2);
  text.pop_back();
  out += (stable ? page.ink.heading(text) : page.ink.bad(text)) + "\n";
  const auto loud = [&](const std::string& line) {
    std::string wrapped = wrap(line, page.width, 2);
    wrapped.pop_back();
    out += page.ink.bad(wrapped) + "\n";
  };
  if (stable && !result.verdict.empty()) loud(page.name(result.verdict));
  if (!stable) loud("No response times: beyond the limit they grow for as long as the load lasts.");
  if (!result.self_check.passed) loud("SELF-CHECK FAILED: do not use these figures (see below).");
  if (!result.converged) {
    out += page.ink.caution("Not converged: " + (result.stop_reason.empty()
                                                     ? "the wanted precision was not reached"
                                                     : page.name(result.stop_reason))) +
           "\n";
  }
}

}  // namespace

std::string headline(const RunResult& result, bool unicode) {
  const Totals sum = totals(result);
  if (!sum.stable) return unstable_text(result, unicode);
  const bool any = std::any_of(result.streams.begin(), result.streams.end(), any_direction);
  if (!any) return "no I/O was completed in the measurement window";
  const Notation plain{false, "", 3};
  std::string text = fmt::format("{} IOPS, {}", count_text(sum.iops, plain),
                                 bandwidth_text(sum.bandwidth_bytes_per_s));
  if (sum.mean_s) text += ", mean " + time_text(*sum.mean_s, plain);
  if (sum.p99_s) {
    text += ", p99 " + time_text(*sum.p99_s, plain);
    if (result.streams.size() > 1) text += fmt::format(" ({})", clean(sum.p99_stream, unicode));
  }
  return text + limited_by(result, unicode);
}

std::string report(const RunResult& result, const ReportOptions& options) {
  const Page page(options);
  std::string out;
  answer_section(result, page, out);
  for (const StreamResult& stream : result.streams) stream_section(result, stream, page, out);
  station_section(result, page, out);
  bottleneck_section(result, page, out);
  for (const StreamResult& stream : result.streams) stage_section(result, stream, page, out);
  bounds_section(result, page, out);
  power_section(result, page, out);
  self_check_section(result, page, out);
  phases_section(result, page, out);
  rebuilds_section(result, page, out);
  basis_section(result, page, out);
  return out;
}

}  // namespace storcast
