// A load sweep: one scenario repeated over the values of one parameter.
//
// The table has a row for each point; K marks the knee (throughput / mean response time is highest:
// Kleinrock's power) and S the saturation point (the first within 5 % of the highest throughput).
// Below it two plots, throughput and mean response time over the points. Figures of a point are
// those of all its streams together: IOPS added, the mean weighted by IOPS, p99 of the slowest
// stream. Limits: points stand at equal steps, whatever their values.
#pragma once

#include <string>

#include "results/report.hpp"
#include "sim/run/result.hpp"

namespace storcast {

// Both throw InvariantError if knee or saturation is no point of the sweep.
//
// Table and plots; ends with a line end. An unstable point has no response times, and says so.
[[nodiscard]] std::string sweep_report(const SweepResult& sweep, const ReportOptions& options = {});

// {storcast, schema, scenario, path, knee, saturation, points: [{value, result}]}; each result has
// the shape of summary_json. knee and saturation are {point, value} or null; points count from 0.
[[nodiscard]] std::string sweep_json(const SweepResult& sweep);

}  // namespace storcast
