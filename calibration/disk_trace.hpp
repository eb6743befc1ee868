// Measured requests of one disk, and the tracks they went to: the texts that the fit reads.
//
// A trace is a line for each request, in the order of time, six columns apart by blanks:
//   R or W, Hit or Miss (what DiskSim expects, not used), first block, blocks of 512 bytes,
//   measured service time in us, interval in us.
// The interval is idle time of the disk: from the completion of the request before to this one, or
// from its completion to the next. Traces differ in that; the fit finds out (see disk_fit.hpp).
//
// A layout is the tables of disk_layout.hpp: lines `surfaces N`, `spares zone|cylinder`,
// `zone FIRST LAST BLOCKS_PER_TRACK SPARES FRONT`, and after a zone `skew FIRST_BLOCK HEAD
// CYLINDER` (in blocks; all zones or none: then the skews are to be fitted) and `slips A B ...`.
// `#` begins a comment.
//
// Errors: a ScenarioError with all that is wrong, each with its line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/disk_layout.hpp"

namespace storcast {

struct MeasuredRequest {
  bool write = false;
  std::uint64_t lba = 0;
  std::uint32_t blocks = 0;
  double service_ps = 0, interval_ps = 0;
};

struct MeasuredLayout {
  DiskLayout layout;
  bool skews_known = false;
};

// A trace for a fit needs this many requests: half of them are fitted to.
inline constexpr std::size_t least_requests = 200;

[[nodiscard]] std::vector<MeasuredRequest> read_disk_trace(const std::string& path);
[[nodiscard]] MeasuredLayout read_disk_layout(const std::string& path);

}  // namespace storcast
