// The rebuild of a lost drive: how much of it, how fast, and at whose cost.
//
// Model: a lost member is rebuilt row by row: the strips that give its own back are read, the
// arithmetic is done on a core of the controller, the strip is written to a woven spare or to the
// hot spare that has taken the member's place. All of these are I/Os in the queues of the clients.
// So many rows are in flight that the busiest drive has `window` rebuild I/Os outstanding:
//   rows in flight = window / a,   a = rebuild I/Os of a row at the busiest drive, on average.
// a = 1 if a hot spare is filled; with d reads and one write over the n - 1 drives left of a
// declustered set a = (d + 1) / (n - 1). A rate limit r of each member drive lets a row begin every
// strip x a / r, so that a rebuild of H bytes that nothing else holds up takes
//   T = H a / r.
// Worked number: 16 TB at 150 MB/s into a hot spare: 29.6 h; declustered 9+1 over 24 drives with a
// woven spare, H = 16 TB x 23/24, a = 10/23: 12.3 h.
//
// Parameters: schema() below. The words of `priority` are windows of 2, 8 and 32 I/Os.
// Scope and limits: rows of one strip, in order, of one drive of a pool at a time (a second loss
// waits for the first); at most 1,024 rows in flight; an unreadable sector is not modelled; no copy
// back from a woven spare; a hot spare is served like the drives of its set.
// References: Linux md (sync_speed_max 200,000 KiB/s, sync_io_depth 32); OpenZFS dRAID; modelling
// brief 4.3. Validation: tests/models/rebuild_test.cpp, tests/validation/rebuild_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

enum class RebuildPriority : std::uint8_t { low, medium, high };
enum class RebuildBlocks : std::uint8_t { all, used };

struct RebuildParams {
  bool enabled = true;
  RebuildPriority priority = RebuildPriority::medium;
  std::optional<int> window;
  std::optional<Bandwidth> rate_limit;
  RebuildBlocks blocks = RebuildBlocks::all;
  Duration starts_after{};
};

inline const Schema<RebuildParams>& rebuild_schema() {
  using P = RebuildParams;
  static const Schema<P> sheet =
      Schema<P>("rebuild", "Rebuild of lost drives into woven and hot spares.")
          .optional(&P::enabled, true, {"enabled", "whether spares are used during the run", ""})
          .choice(&P::priority, std::optional(RebuildPriority::medium),
                  {"priority", "against clients: a window of 2, 8 or 32", ""},
                  {{"low", RebuildPriority::low},
                   {"medium", RebuildPriority::medium},
                   {"high", RebuildPriority::high}})
          .optional(&P::window, std::nullopt,
                    {"window", "rebuild I/Os outstanding at a drive, in place of priority", ""},
                    {1, 256})
          .optional(&P::rate_limit, std::nullopt,
                    {"rate_limit", "of rebuild I/Os at each member drive; none: no limit", ""},
                    {1e3, 1e12})
          .choice(&P::blocks, std::optional(RebuildBlocks::all),
                  {"blocks", "the whole drive, or the rows that volumes reach", ""},
                  {{"all", RebuildBlocks::all}, {"used", RebuildBlocks::used}})
          .optional(&P::starts_after, Duration{},
                    {"starts_after", "from the failure to the first row", ""}, {0, 1e6});
  return sheet;
}

constexpr int most_rebuild_rows = 1024;

// Rebuild I/Os outstanding at the busiest drive.
[[nodiscard]] inline int rebuild_window(const RebuildParams& p) {
  constexpr int of_priority[] = {2, 8, 32};
  return p.window.value_or(of_priority[static_cast<int>(p.priority)]);
}

// Rows in flight; `accesses`: I/Os of a row at the busiest drive, above 0.
[[nodiscard]] inline int rebuild_rows_in_flight(const RebuildParams& p, double accesses) {
  return std::clamp(static_cast<int>(std::lround(rebuild_window(p) / accesses)), 1,
                    most_rebuild_rows);
}

// The least time between the starts of two rows; 0 without a limit.
[[nodiscard]] inline Duration rebuild_row_time(const RebuildParams& p, Bytes strip,
                                               double accesses) {
  if (!p.rate_limit) return {};
  return from_seconds(static_cast<double>(strip.value) * accesses / p.rate_limit->value);
}

}  // namespace storcast
