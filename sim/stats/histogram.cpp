#include "sim/stats/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

// Cells 0 .. 127 are one picosecond wide; from there the width doubles every 64 cells.
int width_log2(int cell) noexcept {
  return std::max(0, (cell >> Histogram::cells_per_octave_log2) - 1);
}

}  // namespace

Duration Histogram::lower_edge(int cell) noexcept {
  const int shift = width_log2(cell);
  const auto mantissa = static_cast<std::int64_t>(cell - (shift << cells_per_octave_log2));
  return Duration{mantissa << shift};
}

// The middle of the whole picoseconds in the cell: with (width - 1) / 2 instead of width / 2 the
// error stays below 1/128 even for a value on the lower edge.
Duration Histogram::middle(int cell) noexcept {
  const std::int64_t width = std::int64_t{1} << width_log2(cell);
  return lower_edge(cell) + Duration{(width - 1) / 2};
}

void Histogram::merge(const Histogram& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
}

void Histogram::clear() noexcept {
  counts_.fill(0);
  total_ = 0;
}

Duration Histogram::quantile(double p) const noexcept {
  INVARIANT(p >= 0 && p <= 1, "a quantile is asked for a fraction");
  if (total_ == 0) return Duration::zero();
  // 0.07 * 100 is a little above 7 in binary; the factor takes such rounding back, so that the rank
  // is 7 and not 8.
  constexpr double rounding = 1 - 4 * std::numeric_limits<double>::epsilon();
  const double rank = std::ceil(p * static_cast<double>(total_) * rounding);
  const auto wanted = std::clamp(static_cast<std::uint64_t>(rank), std::uint64_t{1}, total_);
  std::uint64_t seen = 0;
  int cell = 0;
  for (; cell < cell_count - 1; ++cell) {
    seen += counts_[static_cast<std::size_t>(cell)];
    if (seen >= wanted) break;
  }
  return middle(cell);
}

}  // namespace storcast
