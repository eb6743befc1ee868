// A host and the ports at both ends of its cables.
//
// Model: cores are separate queues; a job runs on one of them, round robin. An I/O costs the
// initiator's time of its protocol (models/protocol.hpp), half at submission, half at completion,
// and the copies by the byte. Each port is two links, one for each direction; a message occupies
// its link for its bytes on the wire, then takes the adapters' latency at both ends and the
// cable's.
//
// Parameters: the two schemas below. Scope and limits: no system-call detail, no virtual machine,
// no switch; direct cables only. References: modelling brief 6.2 (adapter latency, propagation 5
// ns/m). Validation: tests/models/host_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

struct HostParams {
  int cores = 0;
};
enum class PortKind : std::uint8_t { ethernet, fc };
struct PortsParams {
  PortKind kind{};
  int count = 0;
  Bandwidth rate{};
  std::int64_t mtu = 1500;
  Duration adapter_latency{}, cable_latency{};
  std::optional<int> credits{};  // buffers of the other end, for frames under way; none: enough

  // Rate at which frames of 2,108 B with their gaps leave a port: a frame needs a credit, which
  // comes back after both ways of the cable. Rate is a data rate: 32GFC is 3.4 GB/s.
  [[nodiscard]] Bandwidth credited_rate() const {
    if (!credits) return rate;
    constexpr double frame = 2108;
    const double round_trip = frame / rate.value + 2 * to_seconds(cable_latency);
    return {std::min(rate.value, *credits * frame / round_trip)};
  }
};
// Drives in the host itself: no fabric between.
struct LocalParams {
  Duration host_io{};
};

inline const Schema<LocalParams>& local_schema() {
  static const Schema<LocalParams> sheet =
      Schema<LocalParams>("local", "A fabric of kind local: the host's own drives.")
          .allow("kind")
          .optional(&LocalParams::host_io, from_seconds(2e-6),
                    {"host_io", "core time of an I/O in the host's block layer, both ways", ""},
                    {0, 1e-3});
  return sheet;
}

inline const Schema<HostParams>& host_schema() {
  static const Schema<HostParams> sheet =
      Schema<HostParams>("host", "A host: cores that run jobs.")
          .required(&HostParams::cores, {"cores", "cores", ""}, {1, 1024})
          .allow("ports");
  return sheet;
}

inline const Schema<PortsParams>& ports_schema() {
  using P = PortsParams;
  static const Schema<P> sheet =
      Schema<P>("ports", "Ports of a host, cabled to the array.")
          .choice(&P::kind, std::optional(PortKind::ethernet), {"kind", "what they are", ""},
                  {{"ethernet", PortKind::ethernet}, {"fc", PortKind::fc}})
          .required(&P::count, {"count", "ports", ""}, {1, 64})
          .required(&P::rate, {"rate", "line rate: 25Gb/s, or 32GFC", ""}, {1e7, 1e11})
          .optional(&P::mtu, 1500, {"mtu", "largest Ethernet payload in bytes", ""}, {576, 9600})
          .optional(&P::adapter_latency, from_seconds(1.2e-6),
                    {"adapter_latency", "adapter and PCIe, at each end", ""}, {0, 1e-3})
          .optional(&P::cable_latency, from_seconds(15e-9),
                    {"cable_latency", "propagation (5 ns a metre)", ""}, {0, 2e-3})
          .optional(&P::credits, std::nullopt,
                    {"credits", "of fc ports: buffer-to-buffer credits; none: enough", ""},
                    {1, 65535})
          .check([](const P& p) { return !p.credits || p.kind == PortKind::fc; },
                 "credits belong to ports of kind fc");
  return sheet;
}

}  // namespace storcast
