// SAS shelves behind an array: wide ports, expanders, a daisy chain.
//
// Model: a transfer opens a connection, which holds one lane of the controller's wide ports, and of
// every expander on its way, until the data have passed. All shelves of a chain share the ports at
// its head, so these lanes (one line, `ports` x `lanes` servers) are the only place where transfers
// wait; further expanders add their latency. A lane carries lane_rate x encoding x efficiency:
// SAS-3 12 Gb/s x 8/10 = 1.2 GB/s, SAS-4 22.5 Gb/s x 128/150 = 2.4 GB/s; four lanes 4.8 and 9.6
// GB/s. Each controller has ports of its own into every shelf (dual path); with `paths: single`
// only the pool's owner has, and the pool is gone with it.
//
// Parameters: schema() below. Scope and limits: no zoning, no rate matching of slower drives, both
// directions of a lane as one; drives are spread evenly over the shelves, the hop latency is the
// mean over them. References: INCITS 519 (SAS-3), 534 (SAS-4) for rates and encodings; QSAN: up to
// 20 expansion units and 546 bays behind an array. Validation: tests/models/sas_test.cpp.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

enum class SasPaths : std::uint8_t { dual, single };

struct SasParams {
  int shelves = 1, bays = 0, ports = 1, lanes = 4;
  Bandwidth lane_rate{};
  double encoding = 0.8, efficiency = 0.9;
  Duration connection_open{}, hop_latency{};
  SasPaths paths{};

  [[nodiscard]] std::int64_t bays_in_all() const { return std::int64_t{shelves} * bays; }
  // Of one lane, as the transfers see it.
  [[nodiscard]] Bandwidth lane_payload() const { return {lane_rate.value * encoding * efficiency}; }
  // From the controller to a drive of the middle shelf.
  [[nodiscard]] Duration mean_hops() const { return hop_latency * (shelves + 1) / 2; }
};

inline constexpr int most_shelves = 20;
inline constexpr int most_bays = 546;  // of the array's own chassis and all its shelves

inline const Schema<SasParams>& sas_schema() {
  using P = SasParams;
  static const Schema<P> sheet =
      Schema<P>("shelf", "A chain of SAS shelves: wide ports, expanders, bays.")
          .optional(&P::shelves, 1, {"shelves", "shelves in the chain", ""}, {1, most_shelves})
          .required(&P::bays, {"bays", "bays of each shelf", ""}, {1, 120})
          .optional(&P::ports, 1, {"ports", "wide ports of each controller into the chain", ""},
                    {1, 8})
          .optional(&P::lanes, 4, {"lanes", "lanes of a wide port", ""}, {1, 8})
          .optional(&P::lane_rate, Bandwidth{1.5e9},
                    {"lane_rate", "line rate of a lane: 12Gb/s SAS-3, 22.5Gb/s SAS-4", ""},
                    {1e8, 1e10})
          .optional(
              &P::encoding, 0.8,
              {"encoding", "of the line rate that is data: 0.8 SAS-3, 0.853 SAS-4", "fraction"},
              {0.5, 1})
          .optional(&P::efficiency, 0.9,
                    {"efficiency", "of that, what frames and primitives leave", "fraction"},
                    {0.5, 1})
          .optional(&P::connection_open, from_seconds(2e-6),
                    {"connection_open", "lane time to open and close a connection", ""}, {0, 1e-4})
          .optional(&P::hop_latency, from_seconds(0.3e-6),
                    {"hop_latency", "latency of an expander", ""}, {0, 1e-4})
          .choice(&P::paths, std::optional(SasPaths::dual),
                  {"paths", "controllers that reach the shelf", ""},
                  {{"dual", SasPaths::dual}, {"single", SasPaths::single}});
  return sheet;
}

}  // namespace storcast
