// A GPU as RAID engine (GRAID SupremeRAID class): only writes cross its PCIe link.
//
// Model: reads go from the drives to the host and pass the card by; they cost nothing but the
// host's own work. A write's new data cross the card's link to have their parity computed; a small
// write (read-modify-write) brings the old data and the old parities along: (2 + p) bytes inbound
// for each byte, 12,288 for 4 KiB on RAID 5. A full stripe brings one byte for each byte. So reads
// and writes have different bottlenecks: X = min(X_r / f, X_w / (1 - f)) for a share f of reads.
// The link carries `efficiency` of its payload rate: reads of small blocks by the card's engine
// keep it less busy than long transfers. The
// card itself takes data in at `write_path` at the most. A lost strip is recovered by the card: its
// d others cross the link. Worked numbers: Gen4 x8, 14.4 GB/s of payload x 0.86 = 12.4 GB/s; /
// 12,288 = 1.01 million small writes a second; 12.4 GB/s of full stripes.
//
// Parameters: schema() below. Scope and limits: the card's kernels are never the limit, the way out
// of the card carries less than the way in and is not modelled; neighbours of sequential writes are
// joined to whole stripes. References: GRAID SR-1010 in StorageReview's StarWind test (measured
// 975k small writes, 11.4 GB/s, in a Gen4 x8 slot); modelling brief 4.4. Validation:
// tests/models/engine_test.cpp, tests/validation/engines_test.cpp.
#pragma once

#include <algorithm>

#include "models/engine.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

struct GpuParams {
  Bandwidth link{};
  double link_efficiency = 1;
  Bandwidth write_path{};  // of the card itself
  Duration latency{};
};

class GpuEngine {
 public:
  using Params = GpuParams;

  static const Schema<Params>& schema() {
    using P = GpuParams;
    static const Schema<P> sheet =
        Schema<P>("gpu", "A GPU that computes parity behind its PCIe link.")
            .optional(&P::link, Bandwidth{14.4e9},
                      {"link", "payload rate of its PCIe link, to the card", ""}, {1e8, 1e12})
            .optional(&P::link_efficiency, 0.86,
                      {"link_efficiency", "share of it that its transfers reach", "fraction"},
                      {0.1, 1})
            .optional(&P::write_path, Bandwidth{1e12},
                      {"write_path", "rate at which the card itself takes data in", ""},
                      {1e8, 1e12})
            .optional(&P::latency, from_seconds(30e-6),
                      {"latency", "of a write: hand-over to the card and back", ""}, {0, 1e-3});
    return sheet;
  }

  static GpuEngine install(System& system, const std::string& name, const Params& p) {
    GpuEngine engine(p);
    engine.link_ = system.add_single(name + ".link_in");
    return engine;
  }

  // Bytes that a write brings to the card.
  [[nodiscard]] static std::int64_t inbound(const EngineIo& io) {
    if (io.parity == 0) return 0;
    return io.sequential ? io.bytes : io.bytes * (2 + io.parity);
  }

  void append_read(PathBuilder&, const EngineIo&) const {}
  void append_recovery(PathBuilder& path, const EngineIo& io) const {
    const std::int64_t bytes = std::min(io.bytes, io.strip_bytes) * io.data;
    path.note("card: recovery").visit(link_, {Bytes{bytes} / rate()}, p_.latency);
  }
  void append_write(PathBuilder&, const EngineIo&) const {}
  void append_parity(PathBuilder& path, const EngineIo& io) const {
    if (io.parity == 0) return;
    path.note("card: link").visit(link_, {Bytes{inbound(io)} / rate()}, p_.latency);
  }
  void append_write_end(PathBuilder&, const EngineIo&) const {}

 private:
  explicit GpuEngine(const Params& p) : p_(p) {}
  [[nodiscard]] Bandwidth rate() const {
    return {std::min(p_.link.value * p_.link_efficiency, p_.write_path.value)};
  }
  Params p_;
  GroupId link_{};
};
static_assert(RaidEngine<GpuEngine>);

}  // namespace storcast
