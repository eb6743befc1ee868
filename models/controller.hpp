// An array controller: cores, software cost of volume, cache and RAID layers, mirroring, failover.
//
// Model: K cores are separate single-server queues. A connection (a job's queue to a volume) is
// bound to one core of the controller that owns the volume, round robin over jobs and volumes:
// static flow affinity, not one queue of K servers. A command costs the protocol's share
// (models/protocol.hpp) and the array software's: fixed + per 4 KiB page, for reads and writes.
// Half of a read's fixed cost comes before the drives, half and the pages after them. Of a write,
// `acknowledge_share` comes before the acknowledgement, the rest is destage: it has to be done for
// every write, so it limits the sustained rate, but nobody waits for it. Parity arithmetic is
// charged by the byte. Each command outstanding at the controller adds `outstanding_cost` to the
// work of every other (contexts and buffers that no longer fit the processor's caches): this is the
// slow decline of throughput beyond saturation. Failover: for `failover_pause` nobody serves the
// failed controller's volumes, then its peer does.
//
// Parameters: schema() below. `read_factor`, `write_factor` and `outstanding_cost` are what a
// profile adjusts to measurements; the catalogue leaves them at 1, 1 and 0. Scope and limits: no
// memory bandwidth, no lock growth with cores, no interrupt moderation. References: modelling
// brief 5.2, 5.3, 6.5; Linux kernel RAID6 benchmarks (parity rates). Validation:
// tests/models/controller_test.cpp, tests/validation/xn4226d_test.cpp.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"
#include "sim/kernel/io.hpp"

namespace storcast {

struct ControllerParams {
  int cores = 0;
  Duration read_fixed{}, read_page{}, write_fixed{}, write_page{};
  double read_factor = 1, write_factor = 1;
  Duration outstanding_cost{};
  double sequential_discount = 1;
  double acknowledge_share = 0.5;
  Bandwidth parity_update{}, parity_generate{}, parity_recover{};
  Duration failover_pause{};
  Watts cpu_idle{}, cpu_busy{}, board{};
};

inline const Schema<ControllerParams>& controller_schema() {
  using P = ControllerParams;
  static const Schema<P> sheet =
      Schema<P>("controller", "An array controller: cores and the cost of the array's software.")
          .required(&P::cores, {"cores", "cores that serve I/O", ""}, {1, 256})
          .optional(&P::read_fixed, from_seconds(8e-6),
                    {"read_fixed", "software cost of a read command", ""}, {0, 1e-2})
          .optional(&P::read_page, from_seconds(1e-6),
                    {"read_page", "software cost of each 4 KiB read", ""}, {0, 1e-3})
          .optional(&P::write_fixed, from_seconds(40e-6),
                    {"write_fixed", "software cost of a write command, destage included", ""},
                    {0, 1e-2})
          .optional(&P::write_page, from_seconds(3.5e-6),
                    {"write_page", "software cost of each 4 KiB written, destage included", ""},
                    {0, 1e-3})
          .optional(&P::read_factor, 1.0,
                    {"read_factor", "software cost of reads, relative to the above", ""}, {0.1, 10})
          .optional(&P::write_factor, 1.0,
                    {"write_factor", "software cost of writes, relative to the above", ""},
                    {0.1, 10})
          .optional(&P::outstanding_cost, Duration{0},
                    {"outstanding_cost",
                     "cost that each command outstanding at the controller adds to a command", ""},
                    {0, 1e-7})
          .optional(&P::sequential_discount, 0.85,
                    {"sequential_discount", "cost of a page in a sequential stream, relative", ""},
                    {0.1, 1.5})
          .optional(&P::acknowledge_share, 0.5,
                    {"acknowledge_share", "share of a write's software cost before its response",
                     "fraction"},
                    {0.05, 1})
          .optional(&P::parity_update, Bandwidth{12e9},
                    {"parity_update", "parity of small writes, per core", ""}, {1e8, 1e12})
          .optional(&P::parity_generate, Bandwidth{30e9},
                    {"parity_generate", "parity of full stripes, per core", ""}, {1e8, 1e12})
          .optional(&P::parity_recover, Bandwidth{15e9},
                    {"parity_recover", "recovery of lost data, per core", ""}, {1e8, 1e12})
          .optional(&P::failover_pause, from_seconds(10),
                    {"failover_pause", "time without service when a controller fails", ""},
                    {0, 600})
          .optional(&P::cpu_idle, Watts{9}, {"cpu_idle", "processor power when idle", ""},
                    {0, 1000})
          .optional(&P::cpu_busy, Watts{25}, {"cpu_busy", "processor power, all cores busy", ""},
                    {0, 1000})
          .optional(&P::board, Watts{65}, {"board", "board, memory and adapters", ""}, {0, 1000})
          .check([](const P& p) { return p.cpu_busy >= p.cpu_idle; },
                 "cpu_busy must be at least cpu_idle");
  return sheet;
}

// Core time of the array's software, in the parts of a command.
struct SoftwareCost {
  Duration before;  // reads: until the drives are asked; writes: until the acknowledgement
  Duration after;   // reads: when the drives have answered; writes: destage
};

inline Duration scaled(Duration d, double factor) {
  return Duration{static_cast<std::int64_t>(static_cast<double>(d.count()) * factor + 0.5)};
}

inline SoftwareCost software_cost(const ControllerParams& p, Direction direction,
                                  std::int64_t bytes, bool sequential) {
  const auto pages =
      static_cast<double>((bytes + 4095) / 4096) * (sequential ? p.sequential_discount : 1.0);
  if (direction == Direction::read) {
    const Duration fixed = scaled(p.read_fixed, p.read_factor);
    return {fixed / 2, fixed - fixed / 2 + scaled(p.read_page, p.read_factor * pages)};
  }
  const Duration total =
      scaled(p.write_fixed, p.write_factor) + scaled(p.write_page, p.write_factor * pages);
  const Duration before = scaled(total, p.acknowledge_share);
  return {before, total - before};
}

}  // namespace storcast
