// The controllers' memory: read cache and mirrored write-back.
//
// Model: a read hits with the probability that its address law gives for a cache of this size; a
// hit needs no drive. A write is acknowledged when the peer holds a copy (mirror link, a little
// work of the peer's core); without a peer, and after its loss, it is acknowledged when one
// controller holds it. Dirty data are limited. Sustained writes find a cache that is already at its
// limit, where each write needs room that a destage has just made: `condition: steady` starts
// there, with a window of `destage_window` for data on their way to the drives. `condition: empty`
// starts with the whole dirty limit free and shows the burst until it is full. Hit ratio, uniform:
// cached share of the addressed span. Zipf: share of accesses that go to the hottest addresses that
// fit, of the continuous law that the generator draws from.
//
// Parameters: schema() below. Scope and limits: perfect frequency-based replacement; destage starts
// at once and overwrites nothing; no read-ahead. References: modelling brief 5.3. Validation:
// tests/models/cache_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"
#include "sim/kernel/system.hpp"

namespace storcast {

enum class CacheCondition : std::uint8_t { steady, empty };

struct CacheParams {
  Bytes size{}, destage_window{};
  double read_share = 0.5, dirty_limit = 0.8;
  CacheCondition condition{};
  Bandwidth mirror_rate{};
  Duration mirror_latency{}, mirror_cost{};
};

inline const Schema<CacheParams>& cache_schema() {
  using P = CacheParams;
  static const Schema<P> sheet =
      Schema<P>("cache", "Memory of each controller: read cache and mirrored write-back.")
          .required(&P::size, {"size", "memory of each controller for the cache", ""},
                    {1 << 20, 1e13})
          .optional(&P::read_share, 0.5, {"read_share", "share that holds data read", "fraction"},
                    {0, 1})
          .optional(&P::dirty_limit, 0.8,
                    {"dirty_limit", "share of the rest that may be dirty", "fraction"}, {0.01, 1})
          .optional(&P::destage_window, Bytes{64 << 20},
                    {"destage_window", "room for data on their way to the drives", ""},
                    {1 << 20, 1e12})
          .choice(&P::condition, std::optional(CacheCondition::steady),
                  {"condition", "how full of dirty data it starts", ""},
                  {{"steady", CacheCondition::steady}, {"empty", CacheCondition::empty}})
          .required(&P::mirror_rate, {"mirror_rate", "link to the peer, each way", ""}, {1e8, 1e12})
          .optional(&P::mirror_latency, from_seconds(3e-6),
                    {"mirror_latency", "latency of that link", ""}, {0, 1e-3})
          .optional(&P::mirror_cost, from_seconds(1e-6),
                    {"mirror_cost", "core time of the peer for each mirrored write", ""},
                    {0, 1e-3});
  return sheet;
}

// Tokens (4 KiB pages) for dirty data of one controller.
inline std::int64_t dirty_pages(const CacheParams& p) {
  const double limit = static_cast<double>(p.size.value) * (1 - p.read_share) * p.dirty_limit;
  const double window = std::min(limit, static_cast<double>(p.destage_window.value));
  return static_cast<std::int64_t>((p.condition == CacheCondition::steady ? window : limit) / 4096);
}

// Share of the accesses that the hottest `cached` of `span` bytes receive; addresses are drawn in
// units of `unit` bytes.
inline double hit_ratio(AddressLaw law, double parameter, double cached, double span,
                        double unit = 4096) {
  const double f = std::clamp(cached / span, 0.0, 1.0);
  if (f >= 1) return 1;
  switch (law) {
    case AddressLaw::sequential:
      return 0;
    case AddressLaw::uniform:
      return f;
    case AddressLaw::zipf: {
      const double n = span / unit;
      const double m = std::max(1.0, n * f);
      const double e = 1 - parameter;
      if (std::fabs(e) < 1e-9) return std::log(m) / std::log(n);
      return (std::pow(m, e) - 1) / (std::pow(n, e) - 1);
    }
    case AddressLaw::pareto:
      return std::pow(f, std::log(1 - parameter) / std::log(parameter));
    case AddressLaw::normal:
      return std::erf(f / 2 / (parameter / 100) / std::sqrt(2.0));
  }
  return 0;
}

// Decides whether a read is answered from the cache.
struct ReadCache {
  double hits = 0;
  bool operator()(const Io&, Time, Rng& rng) const noexcept { return rng.uniform() < hits; }
};

}  // namespace storcast
