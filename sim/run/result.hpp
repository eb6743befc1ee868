// The answer of a run as plain values: what results/ prints, writes and compares.
//
// SI units throughout (seconds, bytes, bytes per second, watts). Every figure that is estimated
// carries its 95 % confidence half-width; what cannot be said is absent (std::nullopt) with the
// reason in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/stats/histogram.hpp"

namespace storcast {

struct Estimate {
  double value = 0;
  double half_width = 0;  // of the 95 % confidence interval; 0: exact or not estimated
};

struct Percentile {
  double q = 0;                     // 0.999
  std::optional<Estimate> value_s;  // absent: fewer than 100 samples lie beyond it
  std::string refusal;              // "p99.99 needs 1,000,000 samples, 214,000 seen"
};

// One direction of a stream, or both together.
struct ResponseResult {
  std::uint64_t ios = 0;  // completed in the window
  Estimate iops;
  Estimate bandwidth_bytes_per_s;
  Estimate mean_s;
  std::vector<Percentile> percentiles;  // p50 p90 p95 p99 p99.9 p99.99
  Histogram histogram;
};

struct Stage {
  std::string name;  // "host", "fabric", "controller", "raid_and_drives", ...
  double mean_s = 0;
};

struct StreamResult {
  std::string name;
  std::string rw;                // fio's word
  std::int64_t block_bytes = 0;  // mean
  bool open = false;
  std::int64_t outstanding = 0;  // closed: iodepth x numjobs in total; open: 0
  double offered_iops = 0;       // open only
  bool stable = true;            // false: offered load beyond the limit; latencies are then absent
  ResponseResult all, read, write;
  std::vector<Stage> stages;  // where the time of one I/O goes; sums to all.mean_s - unexplained
  double unexplained_s = 0;
  double mean_outstanding = 0;   // time average of I/Os in flight
  double littles_law_ratio = 1;  // mean_outstanding / (iops x mean)
};

struct StationResult {
  std::string name;  // "array.controller_a.cores"
  std::string kind;  // "fcfs", "delay", "priority", "pool"
  int queues = 1;    // separate queues
  int servers_each = 1;
  double utilisation = 0;          // mean over the queues, in [0, 1]
  double utilisation_highest = 0;  // of the busiest queue
  double throughput = 0;           // visits per second
  double service_time_s = 0;       // mean per visit
  double residence_time_s = 0;     // mean per visit: waiting and service
  double queue_length = 0;         // mean number present, over all queues
  double demand_s = 0;             // service demand per completed I/O
  double littles_law_ratio = 1;
};

struct Bottleneck {
  std::string station;
  double utilisation = 0;
  double limit_iops = 0;
  std::string next_station;
  double next_limit_iops = 0;
  double headroom = 0;  // next_limit / limit - 1
};

struct Bounds {
  double saturation_iops = 0;
  double knee_outstanding = 0;
  double mva_iops = 0;
  double mva_mean_s = 0;
  std::string method;  // "exact MVA", "approximate MVA", "open network, exponential service"
};

struct SelfCheck {
  double littles_law_ratio = 1;          // worst stream
  double littles_law_station_worst = 0;  // worst |ratio - 1| over stations that matter
  double utilisation_law_worst = 0;      // worst |U - X D / m|
  std::uint64_t ios_in = 0, ios_out = 0, ios_in_flight = 0;  // whole run
  bool passed = true;
  std::vector<std::string> failures;
};

struct PowerResult {
  double idle_w = 0, at_load_w = 0, maximum_w = 0;
};

// What was measured between two entries of the timeline, all streams together.
struct Phase {
  std::string what;  // the entry that begins it: "drive 3 of pool a fails"; "start"
  double start_s = 0, length_s = 0;
  double iops = 0, mean_s = 0;
  std::optional<double> p99_s;  // absent: fewer than 100 samples lie beyond it
};

// One slice of the time series, from the start of the run (warm-up included).
struct SeriesPoint {
  double start_s = 0, length_s = 0;
  double iops = 0, mean_s = 0;
};

struct TimelineNote {
  double at_s = 0;
  std::string what;  // "drive 3 of pool a failed"
};

// What became of a lost drive that a spare was left for.
struct RebuildResult {
  std::string pool;
  int drive = 0;
  std::string into;  // "woven spare", "hot spare"
  double failed_s = 0;
  std::optional<double> begins_s;  // absent: it waited for another rebuild
  std::optional<double> ends_s;    // absent: not before the end of the run
  std::uint64_t rows = 0;          // of the drive, empty ones included
  std::uint64_t rows_done = 0;
  double bytes = 0;                   // written so far
  double bytes_per_s = 0;             // of the writes, on average
  std::optional<double> remaining_s;  // at that rate; absent: done, or nothing to judge by
  bool redundancy_restored = false;   // with it all members of the pool are whole again
};

struct RunResult {
  std::string scenario;  // its name
  std::string scenario_text;
  std::string fidelity = "io";  // io | analytic
  std::uint64_t seed = 1;
  bool converged = true;
  std::string stop_reason;  // "wanted precision reached", "limit of 30 s simulated reached", ...
  double simulated_s = 0, warm_up_s = 0, window_s = 0;
  std::uint64_t ios = 0;     // completed in the window
  std::uint64_t events = 0;  // whole run
  std::vector<StreamResult> streams;
  std::vector<StationResult> stations;
  Bottleneck bottleneck;
  Bounds bounds;
  SelfCheck self_check;
  PowerResult power;
  std::vector<std::string> assumptions;
  std::vector<std::string> adjusted;  // parameters that a profile changed: "… 8 us -> 16 us"
  std::vector<std::string> warnings;
  std::vector<TimelineNote> timeline;
  std::vector<Phase> phases;  // only with a timeline
  std::vector<RebuildResult> rebuilds;
  std::vector<SeriesPoint> series;
  std::string verdict;  // one line: "unstable: offered 300k IOPS, limit 212k at ..." or empty
  double wall_s = 0;    // provenance, outside the same-seed-same-bytes promise; never in JSON
};

// One scenario repeated over the values of one path.
struct SweepResult {
  struct Point {
    std::string value;  // as given: "16", "64KiB", "70%"
    RunResult result;
  };
  std::string path;  // "workloads.main.iodepth"
  std::string scenario;
  std::vector<Point> points;
  std::optional<std::size_t> knee;  // the point that maximises throughput / mean response time
  std::optional<std::size_t> saturation;  // the first point within 5 % of the highest throughput
};

}  // namespace storcast
