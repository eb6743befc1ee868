// The data sheet of an NVMe drive.
//
// Model, Parameters, Scope and limits, References, Validation: see models/ssd.hpp; this file holds
// its parameters, with their ranges and the rules between them.
#pragma once

#include <cstdint>
#include <optional>

#include "models/drive.hpp"
#include "models/ssd_amplification.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

enum class SsdJitter : std::uint8_t { triangular, exponential };

struct SsdParams {
  Bytes capacity{}, raw_capacity{};
  int dies = 0, channels = 8;
  Duration die_read{}, fixed_read{};
  SsdJitter jitter{};
  double jitter_cv = 0, retry = 0, retry_rare = 0;
  Bytes read_unit{};
  double read_iops_max = 0;
  Bandwidth channel_rate{}, read_rate{}, write_rate{};
  Duration write_acknowledge{};
  Bytes write_buffer{}, mapping_unit{};
  double write_efficiency = 1, sequential_amplification = 1;
  SsdCondition condition{};
  Bytes written{};
  Bytes program_unit{}, erase_block{};
  Duration program_time{}, erase_time{}, program_suspend{}, erase_suspend{}, suspend_limit{};
  Bytes slc_capacity{};
  std::optional<Bandwidth> slc_rate{};
  double folding = 1;
  Watts power_idle{}, power_read{}, power_write{};
  std::optional<Watts> power_cap{};
  DriveInterface interface {};
};

// Spare over usable capacity. Precondition: both are positive.
inline double spare_ratio(const SsdParams& p) {
  return static_cast<double>((p.raw_capacity - p.capacity).value) /
         static_cast<double>(p.capacity.value);
}

namespace ssd_detail {

using P = SsdParams;

inline void add_reads(Schema<P>& sheet) {
  sheet.required(&P::capacity, {"capacity", "usable capacity", ""}, {1e9, 1e15})
      .required(&P::raw_capacity, {"raw_capacity", "flash behind it", ""}, {1e9, 2e15})
      .required(&P::dies, {"dies", "dies that work in parallel", ""}, {1, 4096})
      .optional(&P::channels, 8, {"channels", "flash channels", ""}, {1, 64})
      .optional(&P::die_read, from_seconds(50e-6),
                {"die_read", "time of a die to sense a page (t_R)", ""}, {1e-6, 1e-3})
      .required(&P::fixed_read,
                {"fixed_read", "firmware and interface time of a read apart from the rest", ""},
                {0, 1e-3})
      .choice(&P::jitter, std::optional(SsdJitter::triangular),
              {"jitter", "the law of the die's time; exponential: as queueing laws assume", ""},
              {{"triangular", SsdJitter::triangular}, {"exponential", SsdJitter::exponential}})
      .optional(&P::jitter_cv, 0.12,
                {"jitter_cv", "coefficient of variation of the die's time, triangular", ""},
                {0.01, 0.5})
      .optional(&P::retry, 1e-3,
                {"retry", "share of reads that take 40 to 150 us more", "fraction"}, {0, 0.1})
      .optional(&P::retry_rare, 1e-4,
                {"retry_rare", "share of reads that take 300 us more", "fraction"}, {0, 0.1})
      .optional(&P::read_unit, Bytes{16384},
                {"read_unit", "what one die reads at once, a multiple of 4KiB", ""},
                {4096, 1 << 20})
      .required(&P::read_iops_max, {"read_iops_max", "limit of the command processor", "count"},
                {1e3, 1e8})
      .optional(&P::channel_rate, Bandwidth{1.6e9}, {"channel_rate", "rate of a flash channel", ""},
                {1e8, 1e10})
      .required(&P::read_rate, {"read_rate", "sequential read rate", ""}, {1e8, 1e11});
}

inline void add_writes(Schema<P>& sheet) {
  sheet.required(&P::write_rate, {"write_rate", "sequential write rate", ""}, {1e7, 1e11})
      .required(&P::write_acknowledge,
                {"write_acknowledge", "time to take a write into the buffer", ""}, {1e-6, 1e-3})
      .optional(&P::write_buffer, Bytes{32 << 20},
                {"write_buffer", "write buffer, protected from power loss", ""}, {65536, 4e9})
      .optional(&P::mapping_unit, Bytes{4096},
                {"mapping_unit", "smallest random write without reading, multiple of 4KiB", ""},
                {4096, 1 << 20})
      .optional(&P::write_efficiency, 0.9,
                {"write_efficiency", "of random against sequential programming", ""}, {0.1, 1.1})
      .optional(&P::sequential_amplification, 1.05,
                {"sequential_amplification", "write amplification of sequential writes", ""},
                {1, 2})
      .choice(&P::condition, std::optional(SsdCondition::steady),
              {"condition", "what was written before the run", ""},
              {{"steady", SsdCondition::steady},
               {"sequential_fill", SsdCondition::sequential_fill},
               {"fresh", SsdCondition::fresh}})
      .optional(&P::written, Bytes{0},
                {"written", "random writes between that condition and the run", ""}, {0, 1e17});
}

inline void add_programs(Schema<P>& sheet) {
  sheet
      .optional(&P::program_unit, Bytes{192 << 10},
                {"program_unit", "what a die programs at once: a word-line, all planes", ""},
                {16384, 16 << 20})
      .optional(&P::program_time, from_seconds(1.2e-3),
                {"program_time", "time of a die to program it", ""}, {50e-6, 20e-3})
      .optional(&P::erase_block, Bytes{96 << 20},
                {"erase_block", "what a die erases at once, all planes", ""}, {65536, 4e9})
      .optional(&P::erase_time, from_seconds(5e-3), {"erase_time", "time to erase it", ""},
                {1e-4, 0.1})
      .optional(&P::program_suspend, from_seconds(100e-6),
                {"program_suspend", "until a read can start during a program", ""}, {0, 10e-3})
      .optional(&P::erase_suspend, from_seconds(700e-6),
                {"erase_suspend", "until a read can start during an erase", ""}, {0, 10e-3})
      .optional(&P::suspend_limit, from_seconds(10e-3),
                {"suspend_limit", "how long reads may put off one; 0s: they are not suspended", ""},
                {0, 1})
      .optional(&P::slc_capacity, Bytes{0}, {"slc_capacity", "SLC cache; 0B: none", ""}, {0, 1e13})
      .optional(&P::slc_rate, std::nullopt,
                {"slc_rate", "write rate while that cache has room", ""}, {1e7, 1e11})
      .optional(&P::folding, 2.0, {"folding", "times each byte is programmed while it is full", ""},
                {1, 10});
}

inline void add_power(Schema<P>& sheet) {
  sheet.optional(&P::power_idle, Watts{5}, {"power_idle", "power when idle", ""}, {0, 100})
      .optional(&P::power_read, Watts{10}, {"power_read", "power when reading", ""}, {0, 100})
      .optional(&P::power_write, Watts{14}, {"power_write", "power when writing", ""}, {0, 100})
      .optional(&P::power_cap, std::nullopt,
                {"power_cap", "limit of its power state; the rates are throttled to it", ""},
                {0.1, 100})
      .choice(&P::interface, std::optional(DriveInterface::nvme),
              {"interface", "what it is plugged into", ""},
              {{"nvme", DriveInterface::nvme},
               {"sas", DriveInterface::sas},
               {"sata", DriveInterface::sata}});
}

inline void add_rules(Schema<P>& sheet) {
  const auto multiple = [](Bytes unit) { return unit.value % 4096 == 0; };
  sheet
      .check(
          [](const P& p) {
            return static_cast<double>(p.raw_capacity.value) >=
                   1.01 * static_cast<double>(p.capacity.value);
          },
          "raw_capacity must exceed capacity by at least 1 %: the difference is the spare area")
      .check([=](const P& p) { return multiple(p.read_unit); },
             "read_unit must be a multiple of 4KiB")
      .check([=](const P& p) { return multiple(p.mapping_unit); },
             "mapping_unit must be a multiple of 4KiB")
      .check([](const P& p) { return p.channels * p.channel_rate.value >= p.read_rate.value; },
             "read_rate cannot exceed channels x channel_rate")
      .check([](const P& p) { return p.erase_block.value >= p.program_unit.value; },
             "erase_block must hold at least one program_unit")
      .check([](const P& p) { return p.slc_capacity.value == 0 || p.slc_rate.has_value(); },
             "slc_capacity needs slc_rate: how fast the cache takes writes")
      .check([](const P& p) { return !p.slc_rate || p.slc_rate->value >= p.write_rate.value; },
             "slc_rate must be at least write_rate")
      .check([](const P& p) { return !p.power_cap || p.power_cap->value > p.power_idle.value; },
             "power_cap must exceed power_idle");
}

}  // namespace ssd_detail

inline const Schema<SsdParams>& ssd_schema() {
  static const Schema<SsdParams> sheet = [] {
    Schema<SsdParams> s("ssd",
                        "An NVMe drive: parallel dies behind a command processor and a link.");
    ssd_detail::add_reads(s);
    ssd_detail::add_writes(s);
    ssd_detail::add_programs(s);
    ssd_detail::add_power(s);
    ssd_detail::add_rules(s);
    return s;
  }();
  return sheet;
}

}  // namespace storcast
