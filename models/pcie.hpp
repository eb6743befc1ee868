// The payload rate of a PCI Express link.
//
// Model: transfers per second x lanes x 128/130 (line code) / 8 x MPS / (MPS + 24): each packet of
// at most MPS bytes carries 24 bytes of header, sequence number and checks. Gen4 x4 with 256-byte
// packets: 16 GT/s x 4 x 0.9846 / 8 x 0.9143 = 7.20 GB/s.
//
// Parameters: generation, lanes, largest payload.
// Scope and limits: one direction; no flow control, acknowledgements or read requests (about 1 %).
// Generations 3 to 5 (the line code of 1 and 2 is another, from 6 on packets are fixed units).
// References: Intel application note 708 (packet overhead 20 to 28 bytes).
// Validation: tests/models/pcie_test.cpp, tests/validation/ssd_test.cpp.
#pragma once

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace storcast {

// Bytes of payload a second. generation 3 to 5; lanes 1 to 16; largest payload 128 to 4096 bytes.
inline Bandwidth pcie_rate(int generation, int lanes, int largest_payload = 256) {
  INVARIANT(generation >= 3 && generation <= 5, "PCIe generations 3 to 5 are known");
  INVARIANT(lanes >= 1 && lanes <= 16, "a link has 1 to 16 lanes");
  INVARIANT(largest_payload >= 128 && largest_payload <= 4096,
            "the largest payload is 128 to 4096 bytes");
  constexpr double overhead = 24;
  const double transfers = 8e9 * static_cast<double>(1 << (generation - 3));
  return {transfers * lanes * 128 / 130 / 8 * largest_payload / (largest_payload + overhead)};
}

}  // namespace storcast
