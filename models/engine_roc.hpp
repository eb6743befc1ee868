// A hardware RAID controller (RAID-on-chip) behind one PCIe link.
//
// Model: one processor takes every command, reads and writes each at a rate of its own, so that
// they share it: 1/X = f/X_r + (1-f)/X_w. All data cross the card's PCIe link, one station for each
// way. Parity is computed on the way and costs no time of its own. Worked numbers: Gen4 x8
// carries 14.4 GB/s of payload; 3 million reads of 4 KiB are 12.3 GB/s.
//
// Parameters: schema() below. Scope and limits: no write-back memory on the card, so that a write
// waits for its drives; the drives' own links are theirs. References: data sheets of 9500 and 9600
// class adapters (3 to 7 million reads, 240 thousand to 1 million RAID 5 writes); modelling brief
// 4.4. Validation: tests/models/engine_test.cpp, tests/validation/engines_test.cpp.
#pragma once

#include "models/engine.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

struct RocParams {
  double read_iops_max = 3e6, write_iops_max = 240e3;
  Bandwidth link{};
};

class RocEngine {
 public:
  using Params = RocParams;

  static const Schema<Params>& schema() {
    using P = RocParams;
    static const Schema<P> sheet =
        Schema<P>("roc", "A hardware RAID controller behind its PCIe link.")
            .optional(&P::read_iops_max, 3e6,
                      {"read_iops_max", "reads a second that its processor takes", "count"},
                      {1e4, 1e8})
            .optional(&P::write_iops_max, 240e3,
                      {"write_iops_max", "writes a second that its processor takes", "count"},
                      {1e3, 1e8})
            .optional(&P::link, Bandwidth{14.4e9},
                      {"link", "payload rate of its PCIe link, each way", ""}, {1e8, 1e12});
    return sheet;
  }

  static RocEngine install(System& system, const std::string& name, const Params& p) {
    RocEngine engine(p);
    engine.processor_ = system.add_single(name + ".processor");
    engine.to_card_ = system.add_single(name + ".link_in");
    engine.from_card_ = system.add_single(name + ".link_out");
    return engine;
  }

  void append_read(PathBuilder& path, const EngineIo& io) const {
    path.note("card: command").visit(processor_, {from_seconds(1 / p_.read_iops_max)});
    path.note("card: data to the host").visit(from_card_, {Bytes{io.bytes} / p_.link});
  }
  void append_recovery(PathBuilder&, const EngineIo&) const {}
  void append_write(PathBuilder& path, const EngineIo& io) const {
    path.note("card: command").visit(processor_, {from_seconds(1 / p_.write_iops_max)});
    path.note("card: data from the host").visit(to_card_, {Bytes{io.bytes} / p_.link});
  }
  void append_parity(PathBuilder&, const EngineIo&) const {}
  void append_write_end(PathBuilder&, const EngineIo&) const {}

 private:
  explicit RocEngine(const Params& p) : p_(p) {}
  Params p_;
  GroupId processor_{}, to_card_{}, from_card_{};
};
static_assert(RaidEngine<RocEngine>);

}  // namespace storcast
