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
  for (const char* line :
       {"transport: carrier_pigeon", "target_read: 2ms", "target_write: 2ms",
        "target_read_page: 1ms", "target_write_page: 1ms", "initiator: 1s", "initiator_receive: 11",
        "initiator_send: -1", "in_capsule: 2MiB", "digest: yes"}) {
    CHECK(testing::refuses(protocol_schema(), good, line) == "");
  }
}
