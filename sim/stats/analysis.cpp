#include "sim/stats/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

constexpr std::size_t mser_batch = 5;
constexpr std::size_t mser_least_batches = 10;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string with_separators(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

bool is_measured(const LoadPoint& point) {
  return point.response_time_s > 0 && std::isfinite(point.response_time_s);
}

}  // namespace

// One pass from the end: the mean and the sum of squares of what is kept are updated batch by batch
// (Welford), which is as good as suffix sums in time and does not cancel when the mean is large.
// The statistic of the last few batches is small by chance (two equal neighbours make it zero), the
// known artefact of MSER: truncation points that would keep fewer than 5 batches or less than a
// tenth of the series are not looked at.
std::optional<std::size_t> mser5_truncation(std::span<const double> series) {
  const std::size_t batches = series.size() / mser_batch;
  if (batches < mser_least_batches) return std::nullopt;
  const std::size_t least_kept = std::max<std::size_t>(5, batches / 10);
  double mean = 0;
  double squares = 0;
  double lowest = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t kept = 1; kept <= batches; ++kept) {
    const std::size_t first = batches - kept;
    const double value = mean_of(series.subspan(first * mser_batch, mser_batch));
    INVARIANT(std::isfinite(value), "a series for MSER-5 is finite");
    const double delta = value - mean;
    mean += delta / static_cast<double>(kept);
    squares += delta * (value - mean);
    const double statistic = squares / (static_cast<double>(kept) * static_cast<double>(kept));
    if (kept >= least_kept && statistic <= lowest) {
      lowest = statistic;
      best = first;
    }
  }
  if (best > batches / 2) return std::nullopt;
  return best * mser_batch;
}

BatchStatistics batch_means(std::span<const double> batch_values) {
  INVARIANT(batch_values.size() >= 2, "an interval needs at least two batches");
  const auto n = static_cast<double>(batch_values.size());
  const double mean = mean_of(batch_values);
  double squares = 0;
  double neighbours = 0;
  for (std::size_t i = 0; i < batch_values.size(); ++i) {
    const double deviation = batch_values[i] - mean;
    squares += deviation * deviation;
    if (i > 0) neighbours += deviation * (batch_values[i - 1] - mean);
  }
  const int batches = static_cast<int>(batch_values.size());
  return {.mean = mean,
          .half_width = student_t_975(batches - 1) * std::sqrt(squares / (n - 1) / n),
          .lag1 = squares > 0 ? neighbours / squares : 0.0,
          .batches = batches};
}

// Few degrees of freedom from the table, more by the expansion in 1/v around the normal quantile
// (Abramowitz, Stegun, 26.7.5), whose error at v = 10 is 5e-6 and falls from there.
double student_t_975(int degrees_of_freedom) {
  INVARIANT(degrees_of_freedom >= 1, "Student's t has at least one degree of freedom");
  constexpr std::array table{12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
                             2.446912,  2.364624, 2.306004, 2.262157};
  if (degrees_of_freedom <= static_cast<int>(table.size())) {
    return table[static_cast<std::size_t>(degrees_of_freedom - 1)];
  }
  constexpr double x = 1.959963984540054;
  constexpr double x3 = x * x * x;
  constexpr double x5 = x3 * x * x;
  constexpr double x7 = x5 * x * x;
  constexpr double x9 = x7 * x * x;
  constexpr double g1 = (x3 + x) / 4;
  constexpr double g2 = (5 * x5 + 16 * x3 + 3 * x) / 96;
  constexpr double g3 = (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / 384;
  constexpr double g4 = (79 * x9 + 776 * x7 + 1482 * x5 - 1920 * x3 - 945 * x) / 92160;
  const double v = degrees_of_freedom;
  return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

std::vector<double> merge_batches(std::span<const double> values, int into) {
  INVARIANT(into >= 1 && static_cast<std::size_t>(into) <= values.size(),
            "batches are merged into fewer, at least one");
  const auto groups = static_cast<std::size_t>(into);
  const std::size_t length = values.size() / groups;
  const std::size_t left_out = values.size() % groups;
  std::vector<double> merged(groups);
  for (std::size_t i = 0; i < groups; ++i) {
    merged[i] = mean_of(values.subspan(left_out + i * length, length));
  }
  return merged;
}

std::uint64_t samples_needed(double q) {
  INVARIANT(q >= 0 && q < 1, "a percentile lies in [0, 1)");
  // 1 - 0.9999 is not exactly 1e-4: take back the rounding of q before rounding up.
  const double beyond = 1 - q;
  const double rounding = 2 * std::numeric_limits<double>::epsilon() / beyond;
  const double needed = 100 / beyond;
  return static_cast<std::uint64_t>(std::ceil(needed - std::min(needed * rounding, 0.5)));
}

std::optional<double> percentile_s(const Histogram& histogram, double q) {
  if (histogram.count() < samples_needed(q)) return std::nullopt;
  return to_seconds(histogram.quantile(q));
}

std::string refusal(double q, std::uint64_t seen) {
  return fmt::format("{} needs {} samples, {} seen", percentile_name(q),
                     with_separators(samples_needed(q)), with_separators(seen));
}

std::string percentile_name(double q) {
  INVARIANT(q >= 0 && q < 1, "a percentile lies in [0, 1)");
  return fmt::format("p{:.10g}", 100 * q);
}

std::optional<std::size_t> knee_index(std::span<const LoadPoint> curve) {
  if (std::count_if(curve.begin(), curve.end(), is_measured) < 3) return std::nullopt;
  double highest = -1;
  std::size_t knee = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (!is_measured(curve[i])) continue;
    const double power = curve[i].throughput / curve[i].response_time_s;
    if (power > highest) {
      highest = power;
      knee = i;
    }
  }
  return knee;
}

std::optional<std::size_t> saturation_index(std::span<const LoadPoint> curve) {
  double highest = 0;
  for (const LoadPoint& point : curve) highest = std::max(highest, point.throughput);
  if (!(highest > 0)) return std::nullopt;
  const auto first = std::find_if(curve.begin(), curve.end(), [highest](const LoadPoint& point) {
    return point.throughput >= 0.95 * highest;
  });
  return static_cast<std::size_t>(first - curve.begin());
}

}  // namespace storcast
