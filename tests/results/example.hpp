// One finished run as the tests of results/ see it: the numbers of the example result of the
// design, a closed 70/30 workload, nearly saturated.
#pragma once

#include <string>
#include <vector>

#include "sim/run/result.hpp"

namespace storcast {

inline ResponseResult example_response(std::uint64_t ios, double iops, double mean_s) {
  ResponseResult response;
  response.ios = ios;
  response.iops = {iops, iops * 0.0042};
  response.bandwidth_bytes_per_s = {iops * 4096, iops * 0.0042 * 4096};
  response.mean_s = {mean_s, mean_s * 0.004};
  const auto known = [&](double q, double factor, double half) {
    response.percentiles.push_back({q, Estimate{mean_s * factor, mean_s * half}, ""});
  };
  known(0.5, 0.95, 0.004);
  known(0.9, 1.46, 0.007);
  known(0.95, 1.6, 0.010);
  known(0.99, 1.93, 0.020);
  known(0.999, 2.38, 0.051);
  response.percentiles.push_back(
      {0.9999, std::nullopt, "p99.99 needs 1,000,000 samples, 445,400 seen"});
  response.histogram.add_cell(Histogram::cell_of(from_seconds(mean_s)), ios - 1);
  response.histogram.add(from_seconds(mean_s * 2));
  return response;
}

inline StreamResult example_stream() {
  StreamResult stream;
  stream.name = "main";
  stream.rw = "randrw";
  stream.block_bytes = 4096;
  stream.outstanding = 2048;
  stream.all = example_response(445400, 262000, 0.00782);
  stream.read = example_response(311780, 183400, 0.0071);
  stream.write = example_response(133620, 78600, 0.0095);
  stream.stages = {{"host", 1.1e-05},
                   {"fabric", 1.6e-05},
                   {"controller", 0.007133},
                   {"raid_and_drives", 0.00066}};
  stream.mean_outstanding = 2048;
  stream.littles_law_ratio = 1.0002;
  return stream;
}

inline StationResult example_station(std::string name, double utilisation, double residence_s) {
  StationResult station;
  station.name = std::move(name);
  station.kind = "fcfs";
  station.queues = 4;
  station.utilisation = utilisation;
  station.utilisation_highest = utilisation * 1.004;
  station.throughput = 131000;
  station.service_time_s = 1.52e-05;
  station.residence_time_s = residence_s;
  station.queue_length = 537;
  station.demand_s = 1.52e-05;
  return station;
}

inline RunResult example_result() {
  RunResult result;
  result.scenario = "QSAN XN4226D over NVMe/RDMA";
  result.scenario_text = "storcast: 1\nname: QSAN XN4226D over NVMe/RDMA\n";
  result.stop_reason = "wanted precision reached";
  result.simulated_s = 1.9;
  result.warm_up_s = 0.2;
  result.window_s = 1.7;
  result.ios = 445400;
  result.events = 9800000;
  result.streams = {example_stream()};
  result.stations = {example_station("host.ports", 0.046, 1.1e-05),
                     example_station("array.controller_a.cores", 0.993, 0.0041),
                     example_station("array.pools.a.drives", 0.31, 0.00012)};
  result.bottleneck = {"array.controller_a.cores", 0.993, 265000, "host.ports", 5700000, 20.5};
  result.bounds = {265000, 96, 263500, 0.00777, "approximate MVA"};
  result.self_check = {1.0002, 0.0003, 0.0004, 447448, 445400, 2048, true, {}};
  result.power = {540, 790, 812};
  result.assumptions = {"drive: class default, not the tested model"};
  result.adjusted = {"controller.cost_per_command: 8 us -> 16 us"};
  result.warnings = {"volumes of pool a are larger than the pool"};
  result.timeline = {{1.2, "drive 3 of pool a failed"}};
  result.series = {{0, 0.1, 250000, 0.0080}, {0.1, 0.1, 262000, 0.0078}};
  result.wall_s = 0.8;
  return result;
}

// Queue depths 1 to 512 against a limit of 265k IOPS: R = max(90 us, N / X) smoothed.
inline SweepResult example_sweep() {
  SweepResult sweep;
  sweep.path = "workloads.main.iodepth";
  sweep.scenario = "QSAN XN4226D over NVMe/RDMA";
  for (const int depth : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}) {
    const double mean_s = 9.0e-05 + depth / 265000.0;
    SweepResult::Point point{std::to_string(depth), example_result()};
    StreamResult& stream = point.result.streams[0];
    stream.outstanding = depth;
    stream.all = example_response(100000, depth / mean_s, mean_s);
    point.result.bottleneck.utilisation = depth / mean_s / 265000;
    sweep.points.push_back(point);
  }
  sweep.knee = 4;
  sweep.saturation = 9;
  return sweep;
}

}  // namespace storcast
