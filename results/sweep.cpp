#include "results/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "results/page.hpp"
#include "results/plot.hpp"
#include "sim/base/error.hpp"

namespace storcast {
namespace {

constexpr std::size_t iops_width = 16, bandwidth_width = 23, time_width = 10, busy_width = 9;
constexpr std::size_t figures_width = iops_width + bandwidth_width + 2 * time_width + busy_width;
constexpr double logarithmic_from = 20;  // ratio of the longest to the shortest response time

std::size_t most_value_width(const Page& page) {
  return std::min<std::size_t>(16, page.width - 3 - figures_width);
}

std::size_t value_width(const SweepResult& sweep, const Page& page) {
  std::size_t width = std::string_view("value").size();
  for (const auto& point : sweep.points) width = std::max(width, columns(page.name(point.value)));
  return std::min(width, most_value_width(page));
}

std::string value_text(const SweepResult::Point& point, const Page& page) {
  return shorten(page.name(point.value), most_value_width(page), page.unicode);
}

std::string marks_of(const SweepResult& sweep, std::size_t point) {
  return std::string(sweep.knee == point ? "K" : " ") + (sweep.saturation == point ? "S" : " ");
}

// The name column takes what the others leave, in a narrow terminal a line of its own.
std::string point_row(const SweepResult& sweep, std::size_t index, const Page& page) {
  const RunResult& result = sweep.points[index].result;
  const Totals sum = totals(result);
  const auto time = [&](const std::optional<Estimate>& seconds, const char* otherwise) {
    return seconds ? time_text(*seconds, page.plain) : std::string(otherwise);
  };
  const char* const no_p99 = sum.p99_refusal.empty() ? "-" : "refused";
  const std::size_t width = value_width(sweep, page);
  std::string line =
      marks_of(sweep, index) + " " + pad_left(value_text(sweep.points[index], page), width);
  line += pad_left(count_text(sum.iops, page.estimate), iops_width) +
          pad_left(bandwidth_text(sum.bandwidth_bytes_per_s), bandwidth_width) +
          pad_left(time(sum.mean_s, sum.stable ? "-" : "unstable"), time_width) +
          pad_left(time(sum.p99_s, sum.stable ? no_p99 : "-"), time_width) +
          pad_left(percent_text(result.bottleneck.utilisation), busy_width) + "  ";
  const std::string name = page.name(result.bottleneck.station);
  const std::size_t used = 3 + width + figures_width + 2;
  const std::size_t room = page.width > used ? page.width - used : 0;
  if (room >= 12) return line + shorten(name, room, page.unicode) + "\n";
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n" + std::string(3 + width, ' ') + " " + name + "\n";
}

std::string table(const SweepResult& sweep, const Page& page) {
  const std::size_t width = value_width(sweep, page);
  std::string titles = "   " + pad_left("value", width) + pad_left("IOPS", iops_width) +
                       pad_left("bandwidth", bandwidth_width) + pad_left("mean", time_width) +
                       pad_left("p99", time_width) + pad_left("busy", busy_width);
  if (page.width >= 3 + width + figures_width + 2 + 12) titles += "  bottleneck";
  std::string out = page.ink.faint(titles) + "\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const std::string row = point_row(sweep, i, page);
    const bool stable = totals(sweep.points[i].result).stable;
    const std::string text = row.substr(0, row.size() - 1);
    out += (stable ? text : page.ink.caution(text)) + "\n";
  }
  return out;
}

std::string legend(const SweepResult& sweep, const Page& page) {
  std::string out;
  const auto point = [&](std::optional<std::size_t> index, const char* meaning) {
    if (!index || *index >= sweep.points.size()) return;
    const Totals sum = totals(sweep.points[*index].result);
    out += wrap(fmt::format("{}: at {}, {} IOPS{}", meaning, value_text(sweep.points[*index], page),
                            count_text(sum.iops, page.plain),
                            sum.mean_s ? ", mean " + time_text(*sum.mean_s, page.plain) : ""),
                page.width, 2);
  };
  point(sweep.knee, "K knee, most throughput for its response time");
  point(sweep.saturation, "S saturation, first within 5 % of the highest throughput");
  return out;
}

Plot plot_of(const SweepResult& sweep, const Page& page, std::string title) {
  Plot plot;
  plot.title = std::move(title);
  if (sweep.knee) plot.marks.emplace_back(*sweep.knee, 'K');
  if (sweep.saturation) plot.marks.emplace_back(*sweep.saturation, 'S');
  plot.first_label = value_text(sweep.points.front(), page);
  plot.last_label = sweep.points.size() > 1 ? value_text(sweep.points.back(), page) : "";
  plot.unicode = page.unicode;
  plot.width = std::min<std::size_t>(page.width / 2 - 1, 64);
  return plot;
}

std::string plots(const SweepResult& sweep, const Page& page) {
  Plot throughput = plot_of(sweep, page, "         throughput, IOPS");
  Plot response = plot_of(sweep, page, "         mean response time");
  double least = 0, most = 0;
  for (const auto& point : sweep.points) {
    const Totals sum = totals(point.result);
    throughput.values.push_back(sum.iops.value);
    response.values.push_back(sum.mean_s ? std::optional(sum.mean_s->value) : std::nullopt);
    if (!sum.mean_s || !(sum.mean_s->value > 0)) continue;
    least = least == 0 ? sum.mean_s->value : std::min(least, sum.mean_s->value);
    most = std::max(most, sum.mean_s->value);
  }
  throughput.value_text = [&](double value) { return count_text({value, 0}, page.plain); };
  response.value_text = [&](double value) { return time_text({value, 0}, page.plain); };
  response.logarithmic = least > 0 && most / least > logarithmic_from;
  if (response.logarithmic) response.title += " (logarithmic)";
  const std::vector<std::string> left = draw(throughput), right = draw(response);
  std::string out;
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::string line = left[i] + "  " + right[i];
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void check_marks(const SweepResult& sweep) {
  INVARIANT(!sweep.knee || *sweep.knee < sweep.points.size(), "the knee is a point of the sweep");
  INVARIANT(!sweep.saturation || *sweep.saturation < sweep.points.size(),
            "the saturation point is a point of the sweep");
}

}  // namespace

std::string sweep_report(const SweepResult& sweep, const ReportOptions& options) {
  check_marks(sweep);
  const Page page(options);
  std::string out = page.ink.faint(shorten(page.name(sweep.scenario), page.width, page.unicode));
  out += "\n" +
         page.ink.heading(shorten("Sweep of " + page.name(sweep.path), page.width, page.unicode)) +
         "\n\n";
  if (sweep.points.empty()) return out + "no points\n";
  out += table(sweep, page);
  const std::string marks = legend(sweep, page);
  if (!marks.empty()) out += "\n" + marks;
  return out + "\n" + plots(sweep, page);
}

}  // namespace storcast
