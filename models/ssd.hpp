// An NVMe solid-state drive.
//
// Model: a command processor (one queue, deterministic 1/IOPS_max) hands a read to the dies that
// hold it: k = ceil(size / read_unit) neighbours of one chosen by a hash of the page, separate
// queues, all at once. Each senses its unit (t_R with jitter) and sends it over its channel; with
// more units than channels the last one waits for the others; then the drive's link carries the
// data. With N reads of one unit outstanding at random the dies alone give X = N D / ((N + D - 1)
// t). Jitter: t_R (1 + cv T), T a triangle that falls from its mode to 3 standard deviations above
// it; with probability `retry` 40 to 150 us more, with `retry_rare` 300 us more.
//
// A write crosses the link and is acknowledged from the protected buffer. The buffer drains at
// write_efficiency x write_rate / amplification: once the backlog exceeds the buffer a write waits
// for room, so microseconds first, then the sustained rate. What the drain has collected goes to
// the dies as programs of program_unit, copies of garbage collection and an erase for every
// erase_block among them; they occupy the dies, and a read that finds one waits for its residual or
// until it is suspended. The read tail under writes is the outcome of that; nothing is added.
// Probability of delay: X_w WA t_program / (D program_unit). Amplification follows `condition` and
// what was written since (models/ssd_amplification.hpp). A random write smaller than mapping_unit
// programs all of it. While an SLC cache has room, writes go at slc_rate; when it is full each byte
// is programmed `folding` times; idle time empties it. power_cap scales the rates so that idle +
// (full - idle) x use stays below it.
//
// Parameters: schema() in models/ssd_schema.hpp.
// Scope and limits: no flush, no trim, no thermal limit. Sequential writes leave `condition` as it
// is. Channels are contended for within one read only; the reads of a partial mapping unit cost no
// die time. A power cap is kept for reads alone and for writes alone, not for a mixture.
// References: L. Xiang, B. Kurkoski, arXiv 1110.4245; flash times: ISSCC 2018-2021; suspend
// latencies: MQSim (CMU-SAFARI/MQSim, ssdconfig.xml); balanced closed network, Lazowska et al.
// 1984. Validation: tests/models/ssd_test.cpp, tests/validation/ssd_test.cpp.
#pragma once

#include <cmath>
#include <string>

#include "models/drive.hpp"
#include "models/ssd_amplification.hpp"
#include "models/ssd_schema.hpp"

namespace storcast {

class Ssd {
 public:
  using Params = SsdParams;
  static const Schema<Params>& schema() { return ssd_schema(); }

  // Precondition: the parameters passed the schema.
  static Ssd install(System& system, const std::string& name, std::uint32_t count,
                     const Params& params) {
    Ssd drive;
    drive.params_ = capped(params);
    drive.processor_ = system.add_per_drive(name + ".processors", count);
    drive.dies_ =
        system.add_per_address(name + ".dies", count, static_cast<std::uint32_t>(params.dies));
    drive.link_ = system.add_per_drive(name + ".links", count);
    drive.link_in_ = system.add_per_drive(name + ".links_in", count);
    drive.drain_ = system.add_per_drive(name + ".flash_writes", count);
    drive.flash_ = system.add_flash(drive.dies_, drive.drain_, flash_traits(drive.params_));
    drive.shape_ = system.add_shape(read_shape(params));
    return drive;
  }

  void append_read(PathBuilder& path) const { append_stream_read(path, 0); }
  // `passed_over`: bytes that a sequential stream reads ahead in vain for each byte it delivers (a
  // RAID set's parity lies between its data).
  void append_stream_read(PathBuilder& path, double passed_over) const {
    const Params& p = params_;
    path.note("drive: command")
        .visit(processor_, {from_seconds(1 / p.read_iops_max)}, p.fixed_read)
        .note("drive: die")
        .visit_dies(flash_, {p.die_read, 1e12 / p.channel_rate.value, shape_})
        .chained()
        .note("drive: link")
        .visit(link_, {{}, (1 + passed_over) * 1e12 / p.read_rate.value});
  }

  void append_write(PathBuilder& path, bool sequential) const {
    path.note("drive: link")
        .visit(link_in_, {{}, 1e12 / params_.read_rate.value})
        .note("drive: write buffer")
        .write_flash(flash_, sequential, params_.write_acknowledge);
  }

  [[nodiscard]] Bytes capacity() const { return params_.capacity; }
  [[nodiscard]] double spare_ratio() const { return storcast::spare_ratio(params_); }
  // With a power cap: what is left of the full powers.
  [[nodiscard]] DrivePower power() const {
    return {params_.power_idle, params_.power_read, params_.power_write};
  }
  [[nodiscard]] GroupId busiest() const { return link_; }
  [[nodiscard]] FlashId flash() const { return flash_; }

  // The die's time: mean 1 for t_R, with the retries in the tail.
  static Shape read_shape(const Params& p) {
    if (p.jitter == SsdJitter::exponential) return Shape::exponential();
    const double t = to_seconds(p.die_read);
    const double width = p.jitter_cv * t * std::sqrt(18.0);  // of the triangle: 3 sqrt(2) sigma
    const double from = t - width / 3;
    const auto triangle = [&](double x) {  // distribution function
      const double left = std::fmin(1, std::fmax(0, 1 - (x - from) / width));
      return 1 - left * left;
    };
    const auto area = [&](double x) {  // integral of the distribution function, by the width
      const double u = std::fmax(0, (x - from) / width);
      const double left = std::fmax(0, 1 - u);
      return u - (1 - left * left * left) / 3;
    };
    const auto retried = [&](double x) {  // uniformly 40 to 150 us later
      return (area(x - 40e-6) - area(x - 150e-6)) * width / 110e-6;
    };
    const auto cdf = [&](double x) {
      return (1 - p.retry - p.retry_rare) * triangle(x) + p.retry * retried(x) +
             p.retry_rare * triangle(x - 300e-6);
    };
    return Shape::from_quantile([&](double q) {
      double low = from;
      double high = from + width + 301e-6;
      for (int i = 0; i < 60; ++i) {
        const double x = 0.5 * (low + high);
        (cdf(x) < q ? low : high) = x;
      }
      return high;
    });
  }

  static FlashTraits flash_traits(const Params& p) {
    FlashTraits f;
    f.dies = static_cast<std::uint32_t>(p.dies);
    f.read_blocks = static_cast<std::uint32_t>(p.read_unit.value / block_bytes);
    f.channels = static_cast<std::uint32_t>(p.channels);
    f.program_bytes = static_cast<double>(p.program_unit.value);
    f.program = {p.program_time, p.program_suspend, p.suspend_limit};
    f.erase = {p.erase_time, p.erase_suspend, p.suspend_limit};
    // Copies are read by planes together: program_unit is three or four pages of each plane.
    f.copy_read = p.die_read * (p.program_unit.value / (4 * p.read_unit.value));
    f.programs_per_erase = static_cast<std::uint32_t>(p.erase_block.value / p.program_unit.value);
    f.ps_per_byte_sequential = picoseconds_per_second / p.write_rate.value;
    f.ps_per_byte = f.ps_per_byte_sequential / p.write_efficiency;
    f.buffer_bytes = static_cast<double>(p.write_buffer.value);
    f.mapping_bytes = static_cast<double>(p.mapping_unit.value);
    f.sequential_amplification = p.sequential_amplification;
    const AmplificationCourse course = amplification_course(p.condition, storcast::spare_ratio(p));
    f.amplification = course.points;
    f.step_bytes = course.step * static_cast<double>(p.capacity.value);
    f.written_before = static_cast<double>(p.written.value);
    f.cache_bytes = static_cast<double>(p.slc_capacity.value);
    f.cache_ps_per_byte = p.slc_rate ? picoseconds_per_second / p.slc_rate->value : 0;
    f.folding = p.folding;
    return f;
  }

  // The parameters with every rate at what the power cap leaves of it.
  static Params capped(Params p) {
    if (!p.power_cap) return p;
    const auto left = [&](Watts full) {
      const double room = p.power_cap->value - p.power_idle.value;
      return full <= *p.power_cap ? 1.0 : room / (full.value - p.power_idle.value);
    };
    const double reading = left(p.power_read);
    const double writing = left(p.power_write);
    p.read_rate.value *= reading;
    p.read_iops_max *= reading;
    p.write_rate.value *= writing;
    if (p.slc_rate) p.slc_rate->value *= writing;
    p.power_read = std::min(p.power_read, *p.power_cap);
    p.power_write = std::min(p.power_write, *p.power_cap);
    return p;
  }

 private:
  Params params_;
  GroupId processor_{}, dies_{}, link_{}, link_in_{}, drain_{};
  FlashId flash_{};
  ShapeId shape_{};
};
static_assert(DriveModel<Ssd>);

}  // namespace storcast
