// A small complete scenario for tests: one host, two controllers, two pools, one closed load. Tests
// change it with --set (storcast::Override), as a user would.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace storcast::testing {

inline const std::string small_text = R"(storcast: 1
name: small
system:
  hosts:
    host:
      use: hosts/generic-server
      ports: {count: 2, rate: 25Gb/s, mtu: 9000}
  fabric:
    kind: direct
    protocol: nvme_rdma
  arrays:
    array:
      use: arrays/generic-dual-controller
      pools:
        a: {raid: raid6, drives: 6, drive: {use: drives/nvme-gen4-tlc}, controller: a}
        b: {raid: raid5, drives: 5, drive: {use: drives/nvme-gen4-tlc}, controller: b}
      volumes: {per_pool: 2, size: 1TiB}
workloads:
  main:
    host: host
    rw: randread
    bs: 4KiB
    iodepth: 4
    numjobs: 2
run:
  seed: 1
  limit: {simulated: 5s, ios: 100k}
)";

inline Scenario small(const std::vector<Override>& sets = {}) {
  return parse_scenario(small_text, "small.yaml", sets);
}

}  // namespace storcast::testing
