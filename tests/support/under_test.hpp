// Small systems built by hand, run and measured: for the tests of the kernel and of theory.
//
// A load is added with one path that serves both directions and all sizes. measure() runs it: a
// warm-up, then batches of equal simulated time, whose spread gives the standard errors.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/kernel/system.hpp"
#include "sim/stats/analysis.hpp"
#include "sim/stats/recorder.hpp"

namespace storcast::under_test {

inline Duration us(double microseconds) { return from_seconds(microseconds * 1e-6); }
inline Time at_us(double microseconds) { return Time{us(microseconds)}; }

struct Load {
  double arrivals_per_s = 0;  // above 0: open with Poisson arrivals; otherwise closed
  std::uint32_t connections = 1, iodepth = 1;
  Duration think{};
  double read_fraction = 1;
  std::vector<SizeChoice> sizes{{1.0, 8}};
  AddressLaw law = AddressLaw::uniform;
  double law_parameter = 0;
  std::uint64_t span_blocks = 1u << 20;
};

// Adds the load's connections, then its path (`append` may add groups and route tables), then the
// stream. The stream's name is its number.
inline StreamId add_load(System& system, const Load& load,
                         const std::function<void(PathBuilder&)>& append) {
  Stream stream;
  stream.name = std::to_string(system.streams.size());
  stream.open = load.arrivals_per_s > 0;
  stream.read_fraction = load.read_fraction;
  stream.read_sizes = stream.write_sizes = load.sizes;
  stream.law = load.law;
  stream.law_parameter = load.law_parameter;
  stream.span_blocks = load.span_blocks;
  stream.first_connection = static_cast<std::uint32_t>(system.connections.size());
  stream.connections = load.connections;
  stream.per_connection = load.iodepth;
  stream.think = load.think;
  if (stream.open) {
    stream.interarrival_ps = picoseconds_per_second / load.arrivals_per_s;
    stream.interarrival = system.add_shape(Shape::exponential());
  }
  system.connections.resize(system.connections.size() + load.connections);
  PathBuilder path(system);
  append(path);
  stream.sizes_stride = static_cast<std::uint32_t>(load.sizes.size());
  stream.paths.assign(2 * load.sizes.size(), path.finish());
  system.steps.push_back({.kind = stream.open ? StepKind::arrive : StepKind::submit});
  system.infos.push_back({stream.name});
  stream.first_step = static_cast<std::uint32_t>(system.steps.size() - 1);
  system.streams.push_back(std::move(stream));
  return static_cast<StreamId>(system.streams.size() - 1);
}

// A mean with its standard error.
struct Measure {
  double value = 0;
  double standard_error = 0;
  [[nodiscard]] bool within_three_errors_of(double truth) const {
    return std::fabs(value - truth) <= 3 * standard_error;
  }
};

inline double standard_error_of(const std::vector<double>& batches) {
  const BatchStatistics s = batch_means(batches);
  return s.half_width / student_t_975(s.batches - 1);
}

struct Measured {
  std::vector<DirectionRecord> batches;  // both directions of one stream
  DirectionRecord all;
  double batch_s = 0;

  [[nodiscard]] Measure of(double value,
                           const std::function<double(const DirectionRecord&)>& of_batch) const {
    std::vector<double> values;
    for (const DirectionRecord& batch : batches) values.push_back(of_batch(batch));
    return {value, standard_error_of(values)};
  }
  [[nodiscard]] Measure response_s() const {
    const auto mean = [](const DirectionRecord& d) {
      return d.response_ps / static_cast<double>(d.ios) / picoseconds_per_second;
    };
    return of(mean(all), mean);
  }
  [[nodiscard]] Measure throughput() const {
    const double seconds = batch_s;
    const auto rate = [seconds](const DirectionRecord& d) {
      return static_cast<double>(d.ios) / seconds;
    };
    return of(rate(all) / static_cast<double>(batches.size()), rate);
  }
  [[nodiscard]] Measure quantile_s(double q) const {
    const auto quantile = [q](const DirectionRecord& d) {
      return to_seconds(d.histogram.quantile(q));
    };
    return of(quantile(all), quantile);
  }
};

struct MeasurementPlan {
  Duration warm_up{};
  Duration batch{};
  int batches = 30;
};

// Runs the system once and returns the records of every stream.
inline std::vector<Measured> measure(System& system, const MeasurementPlan& plan,
                                     std::uint64_t seed) {
  Recorder recorder(system.streams.size());
  Kernel kernel(system, recorder, seed);
  kernel.start();
  Time now = Time{} + plan.warm_up;
  kernel.run_until(now);
  (void)recorder.take(now);
  std::vector<Measured> measured(system.streams.size());
  for (int b = 0; b < plan.batches; ++b) {
    now += plan.batch;
    kernel.run_until(now);
    const auto streams = recorder.take(now);
    for (std::size_t s = 0; s < streams.size(); ++s) {
      DirectionRecord both = streams[s].directions[0];
      both.merge(streams[s].directions[1]);
      measured[s].all.merge(both);
      measured[s].batches.push_back(std::move(both));
      measured[s].batch_s = to_seconds(plan.batch);
    }
  }
  return measured;
}

}  // namespace storcast::under_test
