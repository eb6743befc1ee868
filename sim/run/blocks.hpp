// The record of a run as a row of blocks of equal length, for warm-up, batches and time series.
//
// A run of unknown length is kept in bounded memory: when `most` blocks are full, neighbours are
// merged and the length doubles. Each block holds the histograms and sums of its streams, eight
// slices of throughput and mean response time (for MSER-5 and the time series), and the totals of
// the stations at its end.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/stats/recorder.hpp"

namespace storcast {

struct GroupSnapshot {
  std::uint64_t arrivals = 0;
  Duration busy{};       // up to now, all queues
  Duration residence{};  // of all arrivals, what lies after now included
  Duration present{};    // the part of it that lies after now
  std::uint64_t present_count = 0;
  std::vector<Duration> busy_by_queue;  // small groups only
};

struct Slice {
  std::uint64_t ios = 0;
  double response_ps = 0;
};

struct Block {
  std::vector<StreamRecord> streams;
  std::vector<Slice> slices;
  std::vector<GroupSnapshot> at_end;

  [[nodiscard]] std::uint64_t ios() const;
};

class Blocks {
 public:
  static constexpr std::size_t most = 128;
  static constexpr std::size_t slices_per_block = 8;

  explicit Blocks(Duration length) : length_(length) {}

  void set_start(std::vector<GroupSnapshot> at_start) { at_start_ = std::move(at_start); }
  void add(Block block);
  [[nodiscard]] const std::vector<Block>& all() const { return blocks_; }
  [[nodiscard]] Duration length() const { return length_; }
  // Totals of the stations at the start of block i.
  [[nodiscard]] const std::vector<GroupSnapshot>& before(std::size_t i) const {
    return i == 0 ? at_start_ : blocks_[i - 1].at_end;
  }

 private:
  Duration length_;
  std::vector<GroupSnapshot> at_start_;
  std::vector<Block> blocks_;
};

}  // namespace storcast
