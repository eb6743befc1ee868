#include "calibration/disk_replay.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace storcast {

namespace {

Duration duration(double ps) { return Duration{std::llround(ps)}; }

SeekCurve seek_curve(const DiskParameters& p, double longer_ps) {
  const double track = p.seek_ps + longer_ps, a = p.seek_root_ps, b = p.seek_linear_ps;
  return SeekCurve(
      {duration(track), duration(track + 8 * a / 15 + b / 3), duration(track + a + b)});
}

DiskTimes disk_times(const std::shared_ptr<const DiskLayout>& layout, const DiskParameters& p) {
  const Bytes capacity{static_cast<std::int64_t>(layout->blocks()) * block_bytes};
  // The rate is that of the tracks; the one given here is not used.
  DiskSurface surface(capacity, 60 * picoseconds_per_second / p.revolution_ps, Bandwidth{1e7}, 1);
  surface.lay_out(layout);
  DiskTimes times{std::move(surface), seek_curve(p, 0), seek_curve(p, p.settle_ps)};
  times.overhead_ps = p.overhead_ps;
  times.interface_ps_per_block = p.interface_ps_per_block;
  times.read_ahead_blocks = p.read_ahead_blocks;
  times.runs = p.runs;
  times.head_switch_ps = p.head_switch_ps;
  times.margin_ps = p.margin_ps;
  times.kept = p.kept;
  times.streams_only = p.streams_only;
  times.track_buffer = p.track_buffer;
  times.keeps_written = p.keeps_written;
  times.least_run = 0;  // each command breaks off reading ahead
  return times;
}

}  // namespace

std::vector<double> issue_times(std::span<const MeasuredRequest> requests, bool interval_before) {
  std::vector<double> issued;
  double now = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i > 0) now += requests[interval_before ? i : i - 1].interval_ps;
    issued.push_back(now);
    now += requests[i].service_ps;
  }
  return issued;
}

std::shared_ptr<const DiskLayout> laid_out(const MeasuredLayout& measured,
                                           const DiskParameters& p) {
  std::vector<DiskZone> zones = measured.layout.zones();
  for (DiskZone& z : zones) {
    if (measured.skews_known) continue;
    z.head_skew = p.head_skew;
    z.cylinder_skew = p.cylinder_skew;
  }
  return std::make_shared<const DiskLayout>(measured.layout.surfaces(), measured.layout.spares(),
                                            std::move(zones));
}

std::vector<double> replay(std::span<const MeasuredRequest> requests,
                           std::span<const double> issued,
                           const std::shared_ptr<const DiskLayout>& layout,
                           const DiskParameters& p) {
  const DiskTimes times = disk_times(layout, p);
  DiskHead head(p.phase, 0, p.runs);
  std::vector<double> predicted;
  predicted.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const MeasuredRequest& m = requests[i];
    const double now = issued[i], to_host = m.blocks * p.interface_ps_per_block;
    const DiskRequest r{m.lba, m.blocks, m.write, now};
    double service = 0;
    if (m.write && p.write_cache) {
      service = p.write_overhead_ps + to_host;
      (void)head.serve(times, r, now + service);
    } else if (m.write) {
      const double later = p.write_overhead_ps - p.overhead_ps;
      service = later + head.serve(times, r, now + later).total_ps;
    } else if (head.take_from_buffer(times, r, now)) {
      service = p.overhead_ps + to_host;
    } else {
      service = std::max(head.serve(times, r, now).total_ps, p.overhead_ps + to_host);
    }
    predicted.push_back(service);
  }
  return predicted;
}

ReplayError compare(std::span<const MeasuredRequest> requests,
                    std::span<const double> predicted_ps) {
  INVARIANT(!requests.empty() && requests.size() == predicted_ps.size(),
            "each request has a prediction");
  constexpr double ps_per_ms = 1e9;
  const auto n = static_cast<double>(requests.size());
  std::vector<double> measured;
  for (const MeasuredRequest& m : requests) measured.push_back(m.service_ps);
  std::vector<double> predicted(predicted_ps.begin(), predicted_ps.end());
  double mean = 0;
  for (const double m : measured) mean += m / n;
  const auto rms = [&](auto difference) {
    double sum = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) sum += std::pow(difference(i), 2);
    return std::sqrt(sum / n) / ps_per_ms;
  };
  ReplayError error{requests.size()};
  error.rms_ms = rms([&](std::size_t i) { return measured[i] - predicted[i]; });
  error.constant_ms = rms([&](std::size_t i) { return measured[i] - mean; });
  std::sort(measured.begin(), measured.end());
  std::sort(predicted.begin(), predicted.end());
  error.demerit_ms = rms([&](std::size_t i) { return measured[i] - predicted[i]; });
  return error;
}

}  // namespace storcast
