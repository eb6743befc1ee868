// A pool of small drives with known service times that loses one, for tests of rebuilds: short
// enough to be simulated to its end by I/Os and by flows.
#pragma once

#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast::testing {

inline const std::string rebuild_text = R"(storcast: 1
name: rebuild
system:
  hosts:
    host:
      use: hosts/generic-server
      ports: {count: 2, rate: 25Gb/s, mtu: 9000}
  fabric: {kind: direct, protocol: nvme_rdma}
  arrays:
    array:
      use: arrays/generic-dual-controller
      cache: {size: 1MiB}
      pools:
        a:
          raid: raid6
          drives: 8
          hot_spares: 1
          strip: 64KiB
          formatting: 0B
          controller: a
          drive: {model: null_drive, service_time: 400us, capacity: 500MB}
          rebuild: {window: 8}
      volumes: {per_pool: 2, size: 1GB}
workloads:
  main: {host: host, rw: randread, bs: 4KiB, iodepth: 1, numjobs: 1, thinktime: 1s}
run:
  seed: 1
  limit: {simulated: 5s, ios: 100M}
timeline:
  - {at: 1s, fail: system.arrays.array.pools.a.drives.3}
)";

inline const std::string rebuilt_pool = "system.arrays.array.pools.a";

inline Scenario rebuilding(const std::vector<Override>& sets = {}) {
  return parse_scenario(rebuild_text, "rebuild.yaml", sets);
}

inline RunResult run_rebuild(const std::vector<Override>& sets = {},
                             Fidelity fidelity = Fidelity::io) {
  RunOptions options;
  options.fidelity = fidelity;
  options.under_simgrid = false;
  return run_scenario(rebuilding(sets), options);
}

// Seconds from the first row to the last.
inline double rebuild_seconds(const RebuildResult& r) { return *r.ends_s - *r.begins_s; }

}  // namespace storcast::testing
