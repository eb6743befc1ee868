// What the event loop writes down: per stream and direction a latency histogram, sums and the time
// by stage; per stream the integral of the number in flight. Plain values: stats knows no Io.
//
// The run is cut into blocks. The experiment takes a block out (take) at each boundary; windows,
// batches and time series are sums of blocks.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/stats/histogram.hpp"

namespace storcast {

inline constexpr std::size_t recorded_stages = 4;

struct DirectionRecord {
  std::uint64_t ios = 0;
  std::int64_t bytes = 0;
  double response_ps = 0;  // sum
  std::array<double, recorded_stages> stages_ps{};
  Histogram histogram;

  void merge(const DirectionRecord& other) noexcept {
    ios += other.ios;
    bytes += other.bytes;
    response_ps += other.response_ps;
    for (std::size_t i = 0; i < recorded_stages; ++i) stages_ps[i] += other.stages_ps[i];
    histogram.merge(other.histogram);
  }
};

struct StreamRecord {
  std::array<DirectionRecord, 2> directions;  // read, write
  std::uint64_t submitted = 0;
  double outstanding_ps = 0;  // integral of the number in flight over the block

  void merge(const StreamRecord& other) noexcept {
    for (std::size_t i = 0; i < 2; ++i) directions[i].merge(other.directions[i]);
    submitted += other.submitted;
    outstanding_ps += other.outstanding_ps;
  }
};

class Recorder {
 public:
  explicit Recorder(std::size_t streams) : streams_(streams) {}

  void submitted(std::size_t stream, Time at) noexcept {
    Now& s = streams_[stream];
    ++s.record.submitted;
    ++submitted_;
    ++s.in_flight;
    s.entries_ps += (at - block_start_).count();
  }
  void completed(std::size_t stream, std::size_t direction, std::int64_t bytes, Duration response,
                 const std::array<float, recorded_stages>& stages_ps, Time at) noexcept {
    Now& s = streams_[stream];
    --s.in_flight;
    s.exits_ps += (at - block_start_).count();
    DirectionRecord& d = s.record.directions[direction];
    ++d.ios;
    d.bytes += bytes;
    d.response_ps += static_cast<double>(response.count());
    for (std::size_t i = 0; i < recorded_stages; ++i) {
      d.stages_ps[i] += static_cast<double>(stages_ps[i]);
    }
    d.histogram.add(response);
    ++completed_;
  }

  // Ends the block at `at`: returns what it holds and starts the next one.
  std::vector<StreamRecord> take(Time at) {
    std::vector<StreamRecord> block;
    block.reserve(streams_.size());
    const auto length = static_cast<double>((at - block_start_).count());
    for (Now& s : streams_) {
      // N(t) = N(end) - entries after t + exits after t. Integrated over the block, an entry at
      // time e takes off e, an exit at time x adds x.
      s.record.outstanding_ps = static_cast<double>(s.in_flight) * length +
                                static_cast<double>(s.exits_ps - s.entries_ps);
      block.push_back(std::move(s.record));
      s.record = StreamRecord{};
      s.entries_ps = 0;
      s.exits_ps = 0;
    }
    block_start_ = at;
    return block;
  }
  // What the current block holds so far (outstanding_ps is known only when it is taken).
  [[nodiscard]] const StreamRecord& record(std::size_t stream) const noexcept {
    return streams_[stream].record;
  }
  [[nodiscard]] std::size_t streams() const noexcept { return streams_.size(); }
  [[nodiscard]] std::uint64_t completed_in_run() const noexcept { return completed_; }
  [[nodiscard]] std::uint64_t submitted_in_run() const noexcept { return submitted_; }
  [[nodiscard]] std::int64_t in_flight(std::size_t stream) const noexcept {
    return streams_[stream].in_flight;
  }

 private:
  __extension__ using Wide = __int128;  // sums of picoseconds over a block of any length
  struct Now {
    StreamRecord record;
    std::int64_t in_flight = 0;
    Wide entries_ps = 0, exits_ps = 0;
  };
  std::vector<Now> streams_;
  Time block_start_{};
  std::uint64_t submitted_ = 0, completed_ = 0;
};

}  // namespace storcast
