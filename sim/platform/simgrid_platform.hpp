// The Platform as SimGrid sees it: hosts, links and routes go into a SimGrid zone (or come from a
// SimGrid platform file), SimGrid's routing is asked for each route, and values come back.
//
// Bandwidths, cores and powers come back exactly; latencies to the picosecond.
// Source: SimGrid 3.32 (s4u). Limits: availability and bandwidth profiles of a file are not read,
// of several power states the first counts, and a Wi-Fi link is refused.
#pragma once

#include "sim/platform/platform.hpp"

namespace storcast {

// Builds the platform. Nodes and links keep the order of the config; those of a file are sorted by
// name (a SPLITDUPLEX link "x" is its halves "x_UP" and "x_DOWN"; loopbacks are left out).
// Ranges: cores >= 1; bandwidth > 0; 0 <= latency <= 1000 s; power >= 0; all finite; one route at
// most per pair of endpoints, with a link at least.
// Throws std::invalid_argument with one line per problem, naming the part; also for a file that
// SimGrid does not accept. Creates a SimgridEngine of its own: not to be called while one lives.
[[nodiscard]] Platform load_simgrid_platform(const PlatformConfig& config);

}  // namespace storcast
