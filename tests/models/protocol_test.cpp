#include "models/protocol.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sheet.hpp"

using namespace storcast;

TEST_CASE("long transfers reach the ceilings of their headers") {
  CHECK(Wire(Transport::tcp, 1500).efficiency() == Approx(0.9415).margin(5e-5));
  CHECK(Wire(Transport::tcp, 9000).efficiency() == Approx(0.9900).margin(5e-5));
  CHECK(Wire(Transport::roce, 1500).efficiency() == Approx(0.9259).margin(5e-5));
  CHECK(Wire(Transport::roce, 2200).efficiency() == Approx(0.9615).margin(5e-5));
  CHECK(Wire(Transport::roce, 9000).efficiency() == Approx(0.9804).margin(5e-5));
}

TEST_CASE("the path MTU of RoCE is the power of two that fits under the Ethernet MTU") {
  CHECK(Wire(Transport::roce, 576).segment() == 512);
  CHECK(Wire(Transport::roce, 1500).segment() == 1024);
  CHECK(Wire(Transport::roce, 4200).segment() == 4096);
  CHECK(Wire(Transport::roce, 9600).segment() == 4096);
  CHECK(Wire(Transport::tcp, 1500).segment() == 1448);
}

TEST_CASE("reads over TCP take the segments that NVMe/TCP needs") {
  const Wire small(Transport::tcp, 1500);
  CHECK(small.read_data(4096) == 4414);
  CHECK(small.read_data(16384) == 16384 + 48 + 12 * 90);
  CHECK(small.read_data(65536) == 65536 + 48 + 46 * 90);
  CHECK(small.read_data(1 << 20) == (1 << 20) + 48 + 725 * 90);
  const Wire jumbo(Transport::tcp, 9000);
  CHECK(jumbo.read_data(4096) == 4096 + 48 + 90);
  CHECK(jumbo.read_data(65536) == 65536 + 48 + 8 * 90);
  CHECK(jumbo.read_data(1 << 20) == (1 << 20) + 48 + 118 * 90);
  CHECK(4096.0 / static_cast<double>(small.read_data(4096)) == Approx(0.928).margin(5e-4));
  CHECK(65536.0 / static_cast<double>(small.read_data(65536)) == Approx(0.940).margin(5e-4));
}

TEST_CASE("commands, responses and requests for data are single small messages") {
  const Wire tcp(Transport::tcp, 1500);
  CHECK(tcp.command() == 72 + 90);
  CHECK(tcp.response() == 24 + 90);
  CHECK(tcp.request_data() == 24 + 90);
  CHECK(tcp.command_with_data(4096) == 72 + 4096 + 3 * 90);
  CHECK(tcp.write_data(65536) == 65536 + 24 + 46 * 90);
  const Wire roce(Transport::roce, 1500);
  CHECK(roce.command() == 64 + 82);
  CHECK(roce.response() == 16 + 82);
  CHECK(roce.request_data() == 16 + 82);
  CHECK(roce.read_data(4096) == 4096 + 4 * 82 + 16 + 16 + 82);
}

TEST_CASE("the target's cost is its fixed part and its pages, by direction") {
  ProtocolParams p;
  p.target_read = from_seconds(1e-6);
  p.target_read_page = from_seconds(20e-9);
  p.target_write = from_seconds(3.1e-6);
  p.target_write_page = from_seconds(800e-9);
  CHECK(target_cost(p, Direction::read, 4096) == from_seconds(1.02e-6));
  CHECK(target_cost(p, Direction::read, 65536) == from_seconds(1.32e-6));
  CHECK(target_cost(p, Direction::write, 4097) == from_seconds(4.7e-6));
}

TEST_CASE("the protocol's data sheet refuses what lies outside its ranges") {
  const std::string good =
      "transport: tcp\ntarget_read: 1us\ntarget_write: 1us\ntarget_read_page: 1ns\n"
      "target_write_page: 1ns\ninitiator: 1us\nin_capsule: 4KiB\n";
  for (const char* line : {"transport: carrier_pigeon", "target_read: 2ms", "target_write: 2ms",
                           "target_read_page: 1ms", "target_write_page: 1ms", "initiator: 1s",
                           "initiator_receive: 11", "initiator_send: -1", "in_capsule: 2MiB",
                           "digest: yes", "commands: scuzzy", "transport: fc", "queue_depth: 0",
                           "queue_depth: 1e6", "rdma_read_depth: 0", "rdma_read_depth: 2000"}) {
    CHECK(testing::refuses(protocol_schema(), good, line) == "");
  }
  std::string roce = good;
  roce.replace(roce.find("tcp"), 3, "roce");
  for (const char* line : {"commands: nfs", "commands: smb"}) {
    CHECK(testing::refuses(protocol_schema(), roce, line) == "");
  }
}

TEST_CASE("Fibre Channel carries 0.97 of its data rate") {
  const Wire fc(Transport::fc, 1500, CommandSet::scsi);
  CHECK(fc.efficiency() == Approx(0.9715).margin(5e-5));
  // 32GFC: 3.30 GB/s, 0.79 million 4 KiB reads a second and port.
  CHECK(3.4e9 * fc.efficiency() == Approx(3.30e9).epsilon(0.01));
  CHECK(3.4e9 / static_cast<double>(fc.read_data(4096)) == Approx(0.79e6).epsilon(0.01));
}

TEST_CASE("a write over Fibre Channel is a command, XFER_RDY, data and a response") {
  const Wire scsi(Transport::fc, 1500, CommandSet::scsi);
  CHECK(scsi.command() == 32 + 60);
  CHECK(scsi.request_data() == 12 + 60);
  CHECK(scsi.write_data(4096) == 4096 + 2 * 60);
  CHECK(scsi.response() == 24 + 60);
  const Wire nvme(Transport::fc, 1500, CommandSet::nvme);
  CHECK(nvme.command() == 96 + 60);
  CHECK(nvme.request_data() == 12 + 60);
}

TEST_CASE("iSCSI has a header on each PDU of 256 KiB and the status in the last") {
  const Wire wire(Transport::tcp, 1500, CommandSet::scsi);
  CHECK(wire.command() == 48 + 90);
  CHECK(wire.read_data(4096) == 4096 + 48 + 3 * 90);
  CHECK(wire.read_data(1 << 20) == (1 << 20) + 4 * 48 + 725 * 90);
  CHECK(wire.write_data(1 << 20) == (1 << 20) + 4 * 48 + 725 * 90);
  CHECK(wire.request_data() == 48 + 90);
}

TEST_CASE("iSER sends 28 bytes more with commands, its data by RDMA") {
  const Wire wire(Transport::roce, 1500, CommandSet::scsi);
  CHECK(wire.command() == 76 + 82);
  CHECK(wire.write_data(4096) == 4096 + 4 * 82);
}

TEST_CASE("file protocols carry a write's data in its call") {
  const Wire nfs(Transport::tcp, 9000, CommandSet::nfs);
  CHECK(nfs.command_with_data(4096) == 200 + 4096 + 90);
  CHECK(nfs.read_data(4096) == 4096 + 130 + 90);
  const Wire smb(Transport::tcp, 9000, CommandSet::smb);
  CHECK(smb.command() == 117 + 90);
  CHECK(smb.read_data(4096) == 4096 + 84 + 90);
}
