// An NVMe solid-state drive, first form.
//
// Model: a command processor (one queue, deterministic 1/IOPS_max) hands each read to one of D
// dies, chosen by a hash of the page (separate queues); the die senses the page (t_R with jitter)
// and sends it over its channel; the drive's link then carries it. With N reads outstanding at
// random the dies alone give X = N D / ((N + D - 1) t). A write crosses the link, is taken into the
// protected write buffer and acknowledged; the buffer drains at the sequential write rate divided
// by the write amplification, and once the backlog exceeds the buffer a write waits for room:
// microseconds first, then the sustained rate. Write amplification of uniform random writes in the
// steady state is the closed form of Xiang and Kurkoski, WA = (1+r)/(1+r + W0(-(1+r) e^-(1+r))), r
// the ratio of spare to usable capacity: r = 0.145 gives 4.13, and a drive of 3.5 GB/s then 207,000
// writes of 4 KiB a second. Read jitter: lognormal about t_R, with two rare retries (1e-3: +90 us;
// 1e-4: +300 us).
//
// Parameters: schema() below.
// Scope and limits: a read occupies one die whatever its size; programs do not delay reads; no
// flush, no trim, no thermal or power cap.
// References: L. Xiang, B. Kurkoski, arXiv 1110.4245; balanced closed network, Lazowska et al.
// 1984. Validation: tests/models/ssd_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "models/drive.hpp"

namespace storcast {

// Write amplification of uniform random writes in the steady state. Precondition: spare_ratio > 0.
inline double write_amplification(double spare_ratio) {
  // x = (1+r) + W0(-(1+r) e^-(1+r)) solves x = (1+r) (1 - e^(-x)); bisection on (0, 1+r).
  const double a = 1 + spare_ratio;
  double low = 1e-12;
  double high = a;
  for (int i = 0; i < 200; ++i) {
    const double x = 0.5 * (low + high);
    (a * (1 - std::exp(-x)) > x ? low : high) = x;
  }
  return a / (0.5 * (low + high));
}

class Ssd {
 public:
  struct Params {
    Bytes capacity{}, raw_capacity{}, write_buffer{};
    int dies = 0;
    Duration die_read{}, fixed_read{}, write_acknowledge{};
    double jitter_cv = 0;
    double read_iops_max = 0;
    Bandwidth channel_rate{}, read_rate{}, write_rate{};
    double sequential_amplification = 1;
    Watts power_idle{}, power_read{}, power_write{};
    DriveInterface interface {};
  };

  static const Schema<Params>& schema() {
    static const Schema<Params> sheet =
        Schema<Params>("ssd", "An NVMe drive: parallel dies behind a command processor and a link.")
            .required(&Params::capacity, {"capacity", "usable capacity", ""}, {1e9, 1e15})
            .required(&Params::raw_capacity, {"raw_capacity", "flash behind it", ""}, {1e9, 2e15})
            .required(&Params::dies, {"dies", "dies that work in parallel", ""}, {1, 4096})
            .optional(&Params::die_read, from_seconds(50e-6),
                      {"die_read", "time of a die to sense a page (t_R)", ""}, {1e-6, 1e-3})
            .required(
                &Params::fixed_read,
                {"fixed_read", "firmware and interface time of a read apart from the rest", ""},
                {0, 1e-3})
            .optional(&Params::jitter_cv, 0.12,
                      {"jitter_cv", "coefficient of variation of the die's time", ""}, {0.01, 1})
            .required(&Params::read_iops_max,
                      {"read_iops_max", "limit of the command processor", "count"}, {1e3, 1e8})
            .optional(&Params::channel_rate, Bandwidth{1.6e9},
                      {"channel_rate", "rate of a flash channel", ""}, {1e8, 1e10})
            .required(&Params::read_rate, {"read_rate", "sequential read rate", ""}, {1e8, 1e11})
            .required(&Params::write_rate, {"write_rate", "sequential write rate", ""}, {1e7, 1e11})
            .required(&Params::write_acknowledge,
                      {"write_acknowledge", "time to take a write into the buffer", ""},
                      {1e-6, 1e-3})
            .optional(&Params::write_buffer, Bytes{32 << 20},
                      {"write_buffer", "protected write buffer", ""}, {65536, 4e9})
            .optional(&Params::sequential_amplification, 1.05,
                      {"sequential_amplification", "write amplification of sequential writes", ""},
                      {1, 2})
            .optional(&Params::power_idle, Watts{5}, {"power_idle", "power when idle", ""},
                      {0, 100})
            .optional(&Params::power_read, Watts{10}, {"power_read", "power when reading", ""},
                      {0, 100})
            .optional(&Params::power_write, Watts{14}, {"power_write", "power when writing", ""},
                      {0, 100})
            .choice(&Params::interface, DriveInterface::nvme,
                    {"interface", "what it is plugged into", ""},
                    {{"nvme", DriveInterface::nvme},
                     {"sas", DriveInterface::sas},
                     {"sata", DriveInterface::sata}})
            .check(
                [](const Params& p) {
                  return static_cast<double>(p.raw_capacity.value) >=
                         1.01 * static_cast<double>(p.capacity.value);
                },
                "raw_capacity must exceed capacity by at least 1 %: the difference is the spare "
                "area");
    return sheet;
  }

  static Ssd install(System& system, const std::string& name, std::uint32_t count,
                     const Params& params) {
    Ssd drive;
    drive.params_ = params;
    drive.processor_ = system.add_per_drive(name + ".processors", count);
    drive.dies_ =
        system.add_per_address(name + ".dies", count, static_cast<std::uint32_t>(params.dies));
    drive.link_ = system.add_per_drive(name + ".links", count);
    drive.drain_ = system.add_per_drive(name + ".flash_writes", count);
    drive.shape_ = system.add_shape(read_shape(params));
    return drive;
  }

  void append_read(PathBuilder& path) const {
    const Params& p = params_;
    path.note("drive: command")
        .visit(processor_, {from_seconds(1 / p.read_iops_max)}, p.fixed_read)
        .note("drive: die")
        .visit(dies_, {p.die_read, 1e12 / p.channel_rate.value, shape_})
        .chained()
        .note("drive: link")
        .visit(link_, {{}, 1e12 / p.read_rate.value});
  }

  void append_write(PathBuilder& path, bool sequential) const {
    const double amplification =
        sequential ? params_.sequential_amplification : write_amplification(spare_ratio());
    const double ps_per_byte = 1e12 * amplification / params_.write_rate.value;
    const Duration buffered =
        from_seconds(static_cast<double>(params_.write_buffer.value) * ps_per_byte * 1e-12);
    path.note("drive: link")
        .visit(link_, {{}, 1e12 / params_.read_rate.value})
        .note("drive: write buffer")
        .post(drain_, ps_per_byte, buffered, params_.write_acknowledge);
  }

  [[nodiscard]] Bytes capacity() const { return params_.capacity; }
  [[nodiscard]] double spare_ratio() const {
    return static_cast<double>((params_.raw_capacity - params_.capacity).value) /
           static_cast<double>(params_.capacity.value);
  }
  [[nodiscard]] DrivePower power() const {
    return {params_.power_idle, params_.power_read, params_.power_write};
  }
  [[nodiscard]] GroupId busiest() const { return link_; }

  // The die's time: mean 1 for t_R, with the retries in the tail.
  static Shape read_shape(const Params& p) {
    const double t = to_seconds(p.die_read);
    const double sigma = std::sqrt(std::log1p(p.jitter_cv * p.jitter_cv));
    const auto below = [&](double x) {  // distribution function of the lognormal part, mean t
      return x <= 0 ? 0.0
                    : 0.5 * std::erfc(-(std::log(x / t) / sigma + sigma / 2) / std::sqrt(2.0));
    };
    const auto cdf = [&](double x) {
      return (1 - rare - rarest) * below(x) + rare * below(x - 90e-6) + rarest * below(x - 300e-6);
    };
    return Shape::from_quantile([&](double q) {
      double low = 0;
      double high = t * 20 + 1e-3;
      for (int i = 0; i < 60; ++i) {
        const double x = 0.5 * (low + high);
        (cdf(x) < q ? low : high) = x;
      }
      return high;
    });
  }

 private:
  static constexpr double rare = 1e-3;
  static constexpr double rarest = 1e-4;
  Params params_;
  GroupId processor_{}, dies_{}, link_{}, drain_{};
  ShapeId shape_{};
};
static_assert(DriveModel<Ssd>);

}  // namespace storcast
