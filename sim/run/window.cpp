#include "sim/run/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace storcast {
namespace {

constexpr std::size_t most_batches = 40;
constexpr double z95 = 1.959964;

// Half-width of a quantile from order statistics: ranks n q -+ z sqrt(n q (1 - q)).
double order_half_width(const Histogram& h, double q) {
  const auto n = static_cast<double>(h.count());
  const double spread = z95 * std::sqrt(n * q * (1 - q)) / n;
  const double low = to_seconds(h.quantile(std::max(0.0, q - spread)));
  const double high = to_seconds(h.quantile(std::min(1.0, q + spread)));
  return 0.5 * (high - low);
}

Duration mean_response(const std::vector<Block>& blocks) {
  double ios = 0;
  double response_ps = 0;
  for (const Block& block : blocks) {
    for (const Slice& slice : block.slices) {
      ios += static_cast<double>(slice.ios);
      response_ps += slice.response_ps;
    }
  }
  return Duration{ios > 0 ? static_cast<std::int64_t>(response_ps / ios) : 0};
}

// Of a batch mean. Neighbouring batches that hang together know less than their number says: the
// variance of an AR(1) sequence is larger by (1 + r) / (1 - r), r the correlation at lag one.
double half_width_of(const std::vector<double>& batches) {
  const BatchStatistics b = batch_means(batches);
  constexpr double harmless = 0.2;
  if (b.lag1 < harmless) return b.half_width;
  const double r = std::min(b.lag1, 0.95);
  return b.half_width * std::sqrt((1 + r) / (1 - r));
}

Percentile percentile_of(const Blocks& blocks, const Window& window, std::size_t stream,
                         int direction, const Histogram& all, double q) {
  Percentile p;
  p.q = q;
  const auto value = percentile_s(all, q);
  if (!value) {
    p.refusal = refusal(q, all.count());
    return p;
  }
  // Batch quantiles where each batch has ten samples beyond; order statistics otherwise.
  const double per_batch = static_cast<double>(all.count()) /
                           static_cast<double>(std::max<std::size_t>(1, window.batches()));
  double half_width = order_half_width(all, q);
  if (per_batch * (1 - q) >= 10 && window.batches() >= 2) {
    const auto values = batch_values(
        blocks, window, stream, direction,
        [q](const DirectionRecord& d, double) { return to_seconds(d.histogram.quantile(q)); });
    half_width = std::max(half_width, half_width_of(values));
  }
  // The histogram itself knows a value to half a cell.
  p.value_s = Estimate{*value, std::max(half_width, *value / (2 * Histogram::cells_per_octave))};
  return p;
}

double relative(double half_width, double value) {
  return value > 0 ? half_width / value : std::numeric_limits<double>::infinity();
}

}  // namespace

Window choose_window(const Blocks& blocks, Duration least_warm_up) {
  const auto& all = blocks.all();
  std::vector<double> throughput;
  std::vector<double> mean;
  for (const Block& block : all) {
    for (const Slice& slice : block.slices) {
      throughput.push_back(static_cast<double>(slice.ios));
      mean.push_back(slice.ios > 0 ? slice.response_ps / static_cast<double>(slice.ios)
                                   : (mean.empty() ? 0.0 : mean.back()));
    }
  }
  const auto trendless = [](const std::vector<double>& series) {
    // The second quarter and the second half agree: no trend is left after a quarter.
    const std::size_t n = series.size();
    const auto mean_of = [&](std::size_t from, std::size_t to) {
      return std::accumulate(series.begin() + static_cast<std::ptrdiff_t>(from),
                             series.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
             static_cast<double>(to - from);
    };
    if (n < 64) return false;
    const double late = mean_of(n / 2, n);
    return late > 0 && std::fabs(mean_of(n / 4, n / 2) / late - 1) < 0.005;
  };
  const auto by_throughput = mser5_truncation(throughput);
  const auto by_mean = mser5_truncation(mean);
  Window w;
  const bool found = by_throughput.has_value() && by_mean.has_value();
  // A nearly periodic run has no minimum of its own; it is settled if it has no trend either.
  w.settled = found || (trendless(throughput) && trendless(mean));
  const std::size_t slices = found ? std::max(*by_throughput, *by_mean) : throughput.size() / 2;
  w.end = all.size();
  w.first = (slices + Blocks::slices_per_block - 1) / Blocks::slices_per_block;
  // Queues move between stations long after throughput looks steady: a closed system holds a
  // constant number. Never less than five response times, as far as half the run allows.
  const Duration half = blocks.length() * static_cast<std::int64_t>(all.size() / 2);
  const Duration settling = std::min(mean_response(all) * 5, half);
  const auto least = static_cast<std::size_t>(
      (std::max(least_warm_up, settling) + blocks.length() - Duration{1}) / blocks.length());
  w.first = std::min(std::max(w.first, least), w.end > 0 ? w.end - 1 : 0);
  const std::size_t usable = w.end - w.first;
  w.batch_blocks = std::max<std::size_t>(1, (usable + most_batches - 1) / most_batches);
  w.first = w.end - usable / w.batch_blocks * w.batch_blocks;
  return w;
}

DirectionRecord total_of(const Blocks& blocks, const Window& window, std::size_t stream,
                         int direction) {
  DirectionRecord total;
  for (std::size_t b = window.first; b < window.end; ++b) {
    const StreamRecord& record = blocks.all()[b].streams[stream];
    if (direction != 1) total.merge(record.directions[0]);
    if (direction != 0) total.merge(record.directions[1]);
  }
  return total;
}

std::vector<double> batch_values(
    const Blocks& blocks, const Window& window, std::size_t stream, int direction,
    const std::function<double(const DirectionRecord&, double seconds)>& value) {
  std::vector<double> values;
  const double seconds =
      to_seconds(blocks.length() * static_cast<std::int64_t>(window.batch_blocks));
  for (std::size_t b = window.first; b < window.end; b += window.batch_blocks) {
    const Window batch{b, b + window.batch_blocks, window.batch_blocks, true};
    values.push_back(value(total_of(blocks, batch, stream, direction), seconds));
  }
  return values;
}

ResponseResult response_of(const Blocks& blocks, const Window& window, std::size_t stream,
                           int direction) {
  ResponseResult r;
  const DirectionRecord total = total_of(blocks, window, stream, direction);
  r.ios = total.ios;
  r.histogram = total.histogram;
  const double seconds =
      to_seconds(blocks.length() * static_cast<std::int64_t>(window.end - window.first));
  if (total.ios == 0 || seconds <= 0) return r;
  const auto n = static_cast<double>(total.ios);
  const auto half_width = [&](const auto& value) {
    return half_width_of(batch_values(blocks, window, stream, direction, value));
  };
  const bool batches = window.batches() >= 2;
  r.iops = {n / seconds, batches ? half_width([](const DirectionRecord& d, double s) {
              return static_cast<double>(d.ios) / s;
            })
                                 : 0};
  r.bandwidth_bytes_per_s = {static_cast<double>(total.bytes) / seconds,
                             batches ? half_width([](const DirectionRecord& d, double s) {
                               return static_cast<double>(d.bytes) / s;
                             })
                                     : 0};
  const double overall = total.response_ps / n / picoseconds_per_second;
  r.mean_s = {overall, batches ? half_width([overall](const DirectionRecord& d, double) {
                return d.ios > 0
                           ? d.response_ps / static_cast<double>(d.ios) / picoseconds_per_second
                           : overall;
              })
                               : 0};
  for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999, 0.9999}) {
    r.percentiles.push_back(percentile_of(blocks, window, stream, direction, total.histogram, q));
  }
  return r;
}

Precision precision_of(const Blocks& blocks, const Window& window) {
  Precision p;
  p.long_enough = true;
  const double batch_s =
      to_seconds(blocks.length() * static_cast<std::int64_t>(window.batch_blocks));
  const std::size_t streams = blocks.all().empty() ? 0 : blocks.all()[0].streams.size();
  for (std::size_t s = 0; s < streams; ++s) {
    const ResponseResult r = response_of(blocks, window, s, 2);
    p.throughput = std::max(p.throughput, relative(r.iops.half_width, r.iops.value));
    p.mean = std::max(p.mean, relative(r.mean_s.half_width, r.mean_s.value));
    const auto& p99 = r.percentiles.size() > 3 ? r.percentiles[3].value_s : std::nullopt;
    p.p99 = std::max(p.p99, p99 ? relative(p99->half_width, p99->value)
                                : std::numeric_limits<double>::infinity());
    p.long_enough = p.long_enough && batch_s >= 2 * r.mean_s.value;
  }
  return p;
}

}  // namespace storcast
