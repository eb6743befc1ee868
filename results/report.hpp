// The answer of a run as text, for a person on the phone with a customer.
//
// Order: the headline (how much, how fast, limited by what), streams, stations by utilisation, the
// bottleneck and what would stop it next, where the time of one I/O goes, analytic bounds beside
// the simulation, power, self-check, and what the answer rests on. Never more digits than are known
// (see known.hpp). A stream that is offered more than the limit has no response times, and says so.
// Limits: columns are code points; below 80 columns the tables keep 80.
#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace storcast {

struct ReportOptions {
  bool colour = false;   // ANSI escapes; without it not one escape byte is written
  int width = 100;       // columns of the terminal; narrower than 80 counts as 80
  bool unicode = true;   // false: ASCII only
  bool verbose = false;  // all stations and assumptions, not only the first
};

// The first line of the report, without colour and not wrapped: "354k IOPS, 1.38GiB/s (1.45GB/s),
// mean 5.8 ms, p99 9.1 ms; limited by array.controller_a.cores". A station limits from 90 %
// utilisation on; below that the line names the busiest. Unstable: the verdict.
[[nodiscard]] std::string headline(const RunResult& result, bool unicode = true);

// The whole report; ends with a line end. Never throws for what a result contains.
[[nodiscard]] std::string report(const RunResult& result, const ReportOptions& options = {});

}  // namespace storcast
