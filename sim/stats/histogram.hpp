// Log-linear latency histogram.
//
// A latency of t picoseconds falls into one of 64 linear cells of its octave: the cell's width is
// at most 1/64 of its lower edge, and the value reported is the cell's middle, so a quantile is off
// by at most 1/128 = 0.78 % (fio uses the same 64 cells an octave). Worked number: 100 us = 1e8 ps
// lies in octave 26 (6.7e7 .. 1.34e8), cells of 1.05 us; every value in that cell is reported as
// its middle, at most 0.52 us away. Histograms of the same type merge by adding counts, which is
// how batches, streams and replications are combined. Values below 64 ps share the first, exact
// cells.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sim/base/units.hpp"

namespace storcast {

class Histogram {
 public:
  static constexpr int cells_per_octave_log2 = 6;
  static constexpr int cells_per_octave = 1 << cells_per_octave_log2;
  static constexpr int octaves = 48;  // up to 2^53 ps = 2.5 h; longer ones are counted in the last
  static constexpr int cell_count = cells_per_octave * octaves;

  static int cell_of(Duration value) noexcept {
    const auto v = static_cast<std::uint64_t>(value.count() < 0 ? 0 : value.count());
    if (v < cells_per_octave) return static_cast<int>(v);
    const int shift = 63 - std::countl_zero(v) - cells_per_octave_log2;
    const int cell = (shift << cells_per_octave_log2) + static_cast<int>(v >> shift);
    return cell < cell_count ? cell : cell_count - 1;
  }
  [[nodiscard]] static Duration lower_edge(int cell) noexcept;
  [[nodiscard]] static Duration middle(int cell) noexcept;

  void add(Duration value) noexcept {
    ++counts_[static_cast<std::size_t>(cell_of(value))];
    ++total_;
  }
  void add_cell(int cell, std::uint64_t count) noexcept {
    counts_[static_cast<std::size_t>(cell)] += static_cast<std::uint32_t>(count);
    total_ += count;
  }
  void merge(const Histogram& other) noexcept;
  void clear() noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t count_in(int cell) const noexcept {
    return counts_[static_cast<std::size_t>(cell)];
  }
  // Smallest recorded value not exceeded by a fraction p of the values; zero if empty.
  [[nodiscard]] Duration quantile(double p) const noexcept;

 private:
  std::array<std::uint32_t, cell_count> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace storcast
