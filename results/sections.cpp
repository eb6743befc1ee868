#include "results/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/base/units.hpp"

namespace storcast {
namespace {

constexpr std::size_t label_width = 13;
constexpr std::array<double, 6> shown_percentiles{0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
constexpr double only_verbose = 0.9999;

struct Column {
  std::string title;
  const ResponseResult* response;
};

std::vector<Column> columns_of(const StreamResult& stream) {
  if (occurs(stream.read) && occurs(stream.write)) {
    return {{"all", &stream.all}, {"read", &stream.read}, {"write", &stream.write}};
  }
  return {{"", &stream.all}};
}

std::string load_text(const StreamResult& stream, const Page& page) {
  std::string text = page.name(stream.rw) + " " + format_bytes(Bytes{stream.block_bytes}) + ", ";
  if (stream.open) return text + count_text({stream.offered_iops, 0}, page.plain) + " IOPS offered";
  return text +
         grouped_text(static_cast<std::uint64_t>(std::max<std::int64_t>(stream.outstanding, 0))) +
         " outstanding";
}

template <class Cell>
void row(std::string& out, const Page& page, std::string_view label,
         const std::vector<Column>& table, Cell cell) {
  const std::size_t column_width = std::min<std::size_t>(24, (page.width - label_width - 2) / 3);
  std::string line = "  " + pad_right(label, label_width);
  for (const Column& column : table) line += pad_left(cell(column), column_width);
  out += line + "\n";
}

// A percentile of one direction; the reason of a refusal goes to `refusals`.
std::string percentile_cell(const Column& column, double q, const Page& page,
                            std::vector<std::string>& refusals) {
  const Percentile* found = find_percentile(*column.response, q);
  if (found == nullptr) return "-";
  if (found->value_s) return time_text(*found->value_s, page.estimate);
  refusals.push_back(
      (column.title.empty() ? "" : column.title + ": ") +
      page.name(found->refusal.empty() ? percentile_label(q) + " is not known" : found->refusal));
  return "refused";
}

void response_time_rows(const RunResult& result, const StreamResult& stream, const Page& page,
                        std::string& out) {
  const std::vector<Column> table = columns_of(stream);
  row(out, page, "mean", table, [&](const Column& column) -> std::string {
    return response_time_known(stream, *column.response)
               ? time_text(column.response->mean_s, page.estimate)
               : "-";
  });
  if (result.fidelity != "io") return;
  std::vector<std::string> refusals;
  for (const double q : shown_percentiles) {
    const auto listed = [q](const Column& c) { return find_percentile(*c.response, q) != nullptr; };
    if (q == only_verbose && !page.verbose) continue;
    if (std::none_of(table.begin(), table.end(), listed)) continue;
    row(out, page, percentile_label(q), table,
        [&](const Column& column) { return percentile_cell(column, q, page, refusals); });
  }
  for (const std::string& refusal : refusals) {
    out += wrap("  refused: " + refusal, page.width, 4);
  }
}

}  // namespace

void stream_section(const RunResult& result, const StreamResult& stream, const Page& page,
                    std::string& out) {
  const std::vector<Column> table = columns_of(stream);
  out += "\n" + page.ink.heading(shorten(page.name(stream.name), 40, page.unicode)) + "  " +
         load_text(stream, page) + "\n";
  if (table.size() > 1) {
    std::string titles;
    row(titles, page, "", table, [](const Column& column) { return column.title; });
    out += page.ink.faint(titles.substr(0, titles.size() - 1)) + "\n";
  }
  row(out, page, "IOPS", table,
      [&](const Column& column) { return count_text(column.response->iops, page.estimate); });
  row(out, page, "bandwidth", table,
      [](const Column& column) { return bandwidth_text(column.response->bandwidth_bytes_per_s); });
  if (!stream.stable) {
    out += "  " + page.ink.bad("unstable: no response times") + "\n";
  } else if (occurs(stream.all)) {
    response_time_rows(result, stream, page, out);
  }
}

void stage_section(const RunResult&, const StreamResult& stream, const Page& page,
                   std::string& out) {
  if (stream.stages.empty() || !response_time_known(stream, stream.all)) return;
  const double mean = stream.all.mean_s.value;
  if (mean <= 0) return;
  std::size_t name_width = std::string_view("unexplained").size();
  for (const Stage& stage : stream.stages) {
    name_width = std::max(name_width, columns(page.name(stage.name)));
  }
  name_width = std::min<std::size_t>(name_width, 28);
  out += "\n" + page.ink.heading("Where the time of one I/O goes") + "  " +
         shorten(page.name(stream.name), 40, page.unicode) + ", mean " +
         time_text(stream.all.mean_s, page.plain) + "\n";
  const auto line = [&](const std::string& name, double seconds) {
    std::string filled = bar(seconds / mean, page.width - name_width - 23, page.unicode);
    filled.erase(filled.find_last_not_of(' ') + 1);
    out += "  " + pad_right(shorten(name, name_width, page.unicode), name_width) +
           pad_left(time_text({seconds, 0}, page.plain), 10) +
           pad_left(percent_text(seconds / mean), 9) + (filled.empty() ? "" : "  ") +
           page.ink.filled(filled) + "\n";
  };
  for (const Stage& stage : stream.stages) line(page.name(stage.name), stage.mean_s);
  line("unexplained", stream.unexplained_s);
}

void bounds_section(const RunResult& result, const Page& page, std::string& out) {
  const Bounds& bounds = result.bounds;
  if (!(bounds.saturation_iops > 0) && !(bounds.mva_iops > 0)) return;
  const Totals sum = totals(result);
  const bool simulated = result.fidelity == "io";
  const auto beside = [simulated](double value, double bound) -> std::string {
    const double deviation = value / bound - 1;
    if (!simulated || value <= 0 || !std::isfinite(deviation)) return "";
    return fmt::format(" (simulated {:+.1f} %)", deviation * 100);
  };
  const auto count = [&](double value) { return count_text({value, 0}, page.plain); };
  // An open load carries what is offered: its share of the limit is no deviation of the simulation.
  const bool open = std::all_of(result.streams.begin(), result.streams.end(),
                                [](const StreamResult& s) { return s.open; });
  std::string text = fmt::format(
      "  saturation {} IOPS{}", count(bounds.saturation_iops),
      open ? fmt::format(" (the load is {} of it)",
                         percent_text(sum.iops.value / bounds.saturation_iops))
      : result.streams.size() > 1
          // Workloads share the limit in proportions that the formulas only approximate.
          ? " at the formulas' mix of workloads"
          : beside(sum.iops.value, bounds.saturation_iops));
  if (bounds.knee_outstanding > 0 && std::isfinite(bounds.knee_outstanding)) {
    text += fmt::format("; knee at {:.0f} outstanding", std::ceil(bounds.knee_outstanding));
  }
  out += "\n" + page.ink.heading("Analytic bounds") + "\n" + wrap(text, page.width, 4);
  if (!(bounds.mva_iops > 0)) return;
  text =
      fmt::format("  {}: {} IOPS{}", page.name(bounds.method.empty() ? "analytic" : bounds.method),
                  count(bounds.mva_iops), beside(sum.iops.value, bounds.mva_iops));
  if (bounds.mva_mean_s > 0 && sum.stable) {
    text += fmt::format("; mean {}{}", time_text({bounds.mva_mean_s, 0}, page.plain),
                        sum.mean_s ? beside(sum.mean_s->value, bounds.mva_mean_s) : "");
  }
  out += wrap(text, page.width, 4);
}

void power_section(const RunResult& result, const Page& page, std::string& out) {
  const PowerResult& power = result.power;
  if (power.maximum_w <= 0 && power.at_load_w <= 0 && power.idle_w <= 0) return;
  const auto watts = [](double value) {
    return std::isfinite(value) ? format_watts(Watts{value}) : std::string("unknown");
  };
  out += "\n" + page.ink.heading("Power") + "  " + watts(power.idle_w) + " idle, " +
         watts(power.at_load_w) + " at this load, " + watts(power.maximum_w) + " maximum\n";
}

}  // namespace storcast
