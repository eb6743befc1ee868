// From recorded numbers to conclusions: warm-up, confidence intervals, percentiles, curves.
//
// Warm-up: MSER-5 (White, Cobb, Spratt, "A comparison of five steady-state truncation heuristics
// for simulation", WSC 2000). Precision: non-overlapping batch means with Student's t (Law,
// "Simulation Modeling and Analysis", ch. 9). Percentiles: told only where at least 100 samples lie
// beyond. Knee of a measured curve: the load that maximises throughput / response time ("power",
// Kleinrock 1979). Left out: spectral methods, and correlation between batches (lag1 shows it, the
// caller lengthens the batches).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/stats/histogram.hpp"

namespace storcast {

// Index of the first observation to keep (a multiple of 5): the truncation that minimises the
// squared standard error of the mean of what is left. Absent: the series has fewer than 10 batches
// of 5, or the minimum lies beyond its first half; both mean "run longer". Values must be finite.
[[nodiscard]] std::optional<std::size_t> mser5_truncation(std::span<const double> series);

struct BatchStatistics {
  double mean = 0;
  double half_width = 0;  // of the 95 % confidence interval of the mean
  double lag1 = 0;        // autocorrelation of neighbouring batch means; 0 if all are equal
  int batches = 0;
};

// The mean of equally long batches with its interval; needs at least two batches. The interval is
// trustworthy while |lag1| is small (below 0.2 for 20 to 40 batches).
[[nodiscard]] BatchStatistics batch_means(std::span<const double> batch_values);

// 97.5 % quantile of Student's t, the factor of a two-sided 95 % interval; error below 1e-4.
// degrees_of_freedom >= 1.
[[nodiscard]] double student_t_975(int degrees_of_freedom);

// Averages neighbours into `into` equally long batches, 1 <= into <= values. If it does not divide
// their number, the first (size mod into) values, nearest to the warm-up, are left out.
[[nodiscard]] std::vector<double> merge_batches(std::span<const double> values, int into);

// The number of samples from which on 100 lie beyond quantile q, 0 <= q < 1: p99.99 needs
// 1,000,000.
[[nodiscard]] std::uint64_t samples_needed(double q);

// The quantile in seconds, absent if the histogram holds fewer than samples_needed(q).
[[nodiscard]] std::optional<double> percentile_s(const Histogram& histogram, double q);

// "p99.99 needs 1,000,000 samples, 214,000 seen"
[[nodiscard]] std::string refusal(double q, std::uint64_t seen);

// "p50", "p99.9"; 0 <= q < 1
[[nodiscard]] std::string percentile_name(double q);

// One measured load: completions per second and mean response time in seconds.
struct LoadPoint {
  double throughput = 0;
  double response_time_s = 0;
};

// The point that maximises throughput / response time (the first of equals). Points without a
// positive finite response time (unstable loads) do not count; absent with fewer than 3 that do.
[[nodiscard]] std::optional<std::size_t> knee_index(std::span<const LoadPoint> curve);

// The first point within 5 % of the highest throughput; absent if no point has any throughput.
[[nodiscard]] std::optional<std::size_t> saturation_index(std::span<const LoadPoint> curve);

}  // namespace storcast
