// The measurement window of a row of blocks: warm-up cut, batches, estimates.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/run/blocks.hpp"
#include "sim/run/result.hpp"
#include "sim/stats/analysis.hpp"

namespace storcast {

// Blocks [first, end) in batches of `batch_blocks`.
struct Window {
  std::size_t first = 0, end = 0;
  std::size_t batch_blocks = 1;
  bool settled = false;  // MSER-5 found the end of the warm-up in the first half

  [[nodiscard]] std::size_t batches() const { return (end - first) / batch_blocks; }
};

// 20 to 40 batches where there are as many blocks; never less warm-up than `least_warm_up`.
[[nodiscard]] Window choose_window(const Blocks& blocks, Duration least_warm_up);

// Directions: 0 read, 1 write, 2 both.
[[nodiscard]] DirectionRecord total_of(const Blocks& blocks, const Window& window,
                                       std::size_t stream, int direction);
// One value for each batch.
[[nodiscard]] std::vector<double> batch_values(
    const Blocks& blocks, const Window& window, std::size_t stream, int direction,
    const std::function<double(const DirectionRecord&, double seconds)>& value);

[[nodiscard]] ResponseResult response_of(const Blocks& blocks, const Window& window,
                                         std::size_t stream, int direction);

// The widest relative half-widths over the streams, and whether each batch is at least two response
// times long.
struct Precision {
  double throughput = 0, mean = 0, p99 = 0;  // infinite if not known yet
  bool long_enough = false;
};
[[nodiscard]] Precision precision_of(const Blocks& blocks, const Window& window);

}  // namespace storcast
