// Ceilings of links and exchanges of protocols beside the standards' arithmetic (GB/s of payload,
// 10^9; bytes of a message). ./tests/run '[fabric]'.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "models/protocol.hpp"
#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

using namespace storcast;

namespace {

double row(const std::string& what, double expected, double model) {
  const double deviation = model / expected - 1;
  fmt::print("{:<44} {:>10.4g} {:>10.4g} {:>+8.2f} %\n", what, expected, model, deviation * 100);
  return deviation;
}
void heading(const char* title) {
  fmt::print("\n{}\n{:<44} {:>10} {:>10} {:>10}\n", title, "", "expected", "model", "deviation");
}

StreamResult fibre_channel(const std::string& rw, const std::string& bs, const char* protocol) {
  return run_scenario(load_scenario(std::string(STORCAST_SOURCE_DIR) +
                                        "/scenarios/130_fibre_channel_exchanges.yaml",
                                    {{"workloads.main.rw", rw},
                                     {"workloads.main.bs", bs},
                                     {"workloads.main.iodepth", "32"},
                                     {"system.fabric.protocol", protocol},
                                     {"system.arrays.array.controllers.a.cores", "256"},
                                     {"run.limit.ios", "200k"}}))
      .streams.front();
}

}  // namespace

TEST_CASE("Ethernet, RoCE and Fibre Channel carry what their headers leave",
          "[validation][fabric]") {
  heading("Payload rate of long transfers (GB/s)");
  struct Link {
    const char* what;
    Transport transport;
    std::int64_t mtu;
    double line, expected;  // GB/s
  };
  for (const Link& l :
       {Link{"10GbE, TCP, MTU 1500", Transport::tcp, 1500, 1.25, 1.177},
        Link{"10GbE, TCP, MTU 9000", Transport::tcp, 9000, 1.25, 1.238},
        Link{"25GbE, TCP, MTU 1500", Transport::tcp, 1500, 3.125, 2.942},
        Link{"25GbE, TCP, MTU 9000", Transport::tcp, 9000, 3.125, 3.094},
        Link{"25GbE, RoCE, MTU 1500", Transport::roce, 1500, 3.125, 2.893},
        Link{"25GbE, RoCE, MTU 9000", Transport::roce, 9000, 3.125, 3.064},
        Link{"100GbE, TCP, MTU 1500", Transport::tcp, 1500, 12.5, 11.77},
        Link{"100GbE, TCP, MTU 9000", Transport::tcp, 9000, 12.5, 12.38},
        Link{"100GbE, RoCE, MTU 1500", Transport::roce, 1500, 12.5, 11.57},
        Link{"100GbE, RoCE, MTU 9000", Transport::roce, 9000, 12.5, 12.26},
        Link{"32GFC", Transport::fc, 1500, 3.4, 3.30},
        Link{"8 x 32GFC, nominal 25.6 less headers", Transport::fc, 1500, 27.2, 26.4}}) {
    const double model = l.line * Wire(l.transport, l.mtu).efficiency();
    CHECK(std::fabs(row(l.what, l.expected, model)) < 0.01);
  }
}

TEST_CASE("NVMe/TCP reads take the segments of the standard", "[validation][fabric]") {
  heading("Wire efficiency of a read over NVMe/TCP");
  struct Read {
    std::int64_t mtu, bytes;
    double expected;
  };
  for (const Read& r :
       {Read{1500, 4096, 0.928}, Read{1500, 16384, 0.936}, Read{1500, 65536, 0.940},
        Read{1500, 1 << 20, 0.941}, Read{9000, 4096, 0.967}, Read{9000, 16384, 0.986},
        Read{9000, 65536, 0.988}, Read{9000, 1 << 20, 0.990}}) {
    const double model = static_cast<double>(r.bytes) /
                         static_cast<double>(Wire(Transport::tcp, r.mtu).read_data(r.bytes));
    CHECK(std::fabs(row(fmt::format("{} KiB, MTU {}", r.bytes / 1024, r.mtu), r.expected, model)) <
          0.01);
  }
}

TEST_CASE("Fibre Channel simulated: the port is the limit", "[validation][fabric]") {
  heading("One 32GFC port, simulated");
  for (const char* protocol : {"fc_scsi", "fc_nvme"}) {
    const StreamResult large = fibre_channel("randread", "64KiB", protocol);
    CHECK(std::fabs(row(std::string(protocol) + ", 64 KiB reads (GB/s)", 3.30,
                        large.all.bandwidth_bytes_per_s.value / 1e9)) < 0.01);
    const StreamResult small = fibre_channel("randread", "4KiB", protocol);
    CHECK(std::fabs(row(std::string(protocol) + ", 4 KiB reads (IOPS)", 0.79e6,
                        small.all.iops.value)) < 0.01);
  }
}

TEST_CASE("a write over Fibre Channel takes one round trip more than a read",
          "[validation][fabric]") {
  const auto mean = [](const char* rw) {
    return run_scenario(load_scenario(std::string(STORCAST_SOURCE_DIR) +
                                          "/scenarios/130_fibre_channel_exchanges.yaml",
                                      {{"workloads.main.rw", rw},
                                       {"workloads.main.bs", "4KiB"},
                                       {"workloads.main.iodepth", "1"},
                                       {"workloads.main.numjobs", "1"},
                                       {"system.hosts.host.ports.cable_latency", "500us"},
                                       {"run.limit.ios", "20k"}}))
        .streams.front()
        .all.mean_s.value;
  };
  heading("10 km (500 us each way), one outstanding a volume: time on the cable (ms)");
  const double read = mean("randread");
  const double write = mean("randwrite");
  // Beside the cable a read waits for a die, a write for the array's software.
  CHECK(std::fabs(row("read: command, data", 1.0, (read - 75e-6) * 1e3)) < 0.05);
  CHECK(std::fabs(row("write: command, XFER_RDY, data, response", 2.0, (write - 45e-6) * 1e3)) <
        0.05);
}
