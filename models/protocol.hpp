// Block protocols over Ethernet as round trips, bytes on the wire and CPU cost at both ends.
//
// Model: a command is a message to the target, its data and its response messages back. A write
// whose data fit into the command capsule travels with it; a larger one waits for the target to
// ask: a ready-to-transfer PDU over TCP, an RDMA READ request over RDMA (one more round trip). A
// message of s bytes needs ceil(s / MSS) segments; each adds its headers. CPU cost: fixed + per 4
// KiB page, at the target for reads and writes, and per I/O and per byte at the initiator.
//   Ethernet 38 B a frame (14 + 4 FCS + 8 preamble + 12 gap); TCP/IPv4 with time stamps 52;
//   RoCEv2 44 (20 IP, 8 UDP, 12 BTH, 4 iCRC) and 16 RETH on the first packet of a transfer.
//   NVMe/TCP PDUs: command 72, response 24, data header 24, R2T 24.
// Worked numbers: 4 KiB read over TCP at MTU 1500 is 4,096 + 24 + 24 bytes in 3 segments = 4,414
// bytes on the wire, efficiency 0.928; RoCE at a path MTU of 1,024 carries at most 0.926 of the
// line.
//
// Parameters: schema() below; the transports' constants above are standards.
// Scope and limits: no loss, no congestion control, no digests; acknowledgements of TCP not
// charged. References: NVM Express TCP transport 1.0; InfiniBand annex A17 (RoCEv2); modelling
// brief 6.2. Validation: tests/models/protocol_test.cpp (the brief's ceilings).
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"
#include "sim/kernel/io.hpp"

namespace storcast {

enum class Transport : std::uint8_t { tcp, roce };

struct ProtocolParams {
  Transport transport{};
  Duration target_read{}, target_write{};            // per command
  Duration target_read_page{}, target_write_page{};  // per 4 KiB page
  Duration initiator{};                              // per I/O, submission and completion
  double initiator_receive_ns_per_byte = 0;
  double initiator_send_ns_per_byte = 0;
  Bytes in_capsule{};
};

inline const Schema<ProtocolParams>& protocol_schema() {
  using P = ProtocolParams;
  static const Schema<P> sheet =
      Schema<P>("protocol", "A block protocol: CPU cost at both ends, capsule size, transport.")
          .choice(&P::transport, std::nullopt, {"transport", "what carries it", ""},
                  {{"tcp", Transport::tcp}, {"roce", Transport::roce}})
          .required(&P::target_read,
                    {"target_read", "core time of a read command at the target", ""}, {0, 1e-3})
          .required(&P::target_write,
                    {"target_write", "core time of a write command at the target", ""}, {0, 1e-3})
          .required(&P::target_read_page, {"target_read_page", "the same, for each 4 KiB read", ""},
                    {0, 1e-4})
          .required(&P::target_write_page,
                    {"target_write_page", "the same, for each 4 KiB written", ""}, {0, 1e-4})
          .required(&P::initiator, {"initiator", "core time of an I/O at the host, both ways", ""},
                    {0, 1e-3})
          .optional(&P::initiator_receive_ns_per_byte, 0.0,
                    {"initiator_receive", "copy and checksum of received data", "ns/B"}, {0, 10})
          .optional(&P::initiator_send_ns_per_byte, 0.0,
                    {"initiator_send", "copy and checksum of sent data", "ns/B"}, {0, 10})
          .required(&P::in_capsule, {"in_capsule", "most data that travel in the command", ""},
                    {0, 1 << 20});
  return sheet;
}

// Bytes of messages on the wire, all headers and gaps included.
class Wire {
 public:
  Wire(Transport transport, std::int64_t mtu) : transport_(transport), mtu_(mtu) {}

  [[nodiscard]] std::int64_t command() const { return message(is_tcp() ? 72 : 64); }
  [[nodiscard]] std::int64_t command_with_data(std::int64_t data) const {
    return message((is_tcp() ? 72 : 64) + data);
  }
  [[nodiscard]] std::int64_t response() const { return message(is_tcp() ? 24 : 16); }
  // Data of a read and the response behind them.
  [[nodiscard]] std::int64_t read_data(std::int64_t data) const {
    return is_tcp() ? message(24 + data + 24) : message(data) + 16 + response();
  }
  // The target asks for the data of a write.
  [[nodiscard]] std::int64_t request_data() const { return is_tcp() ? message(24) : message(16); }
  [[nodiscard]] std::int64_t write_data(std::int64_t data) const {
    return is_tcp() ? message(24 + data) : message(data);
  }
  // Largest payload of a segment.
  [[nodiscard]] std::int64_t segment() const {
    if (is_tcp()) return mtu_ - 52;
    // RoCE path MTUs are powers of two below the Ethernet MTU less the headers.
    std::int64_t path_mtu = 256;
    while (path_mtu * 2 + 60 <= mtu_ && path_mtu < 4096) path_mtu *= 2;
    return path_mtu;
  }
  [[nodiscard]] double efficiency() const {  // of long transfers
    return static_cast<double>(segment()) / static_cast<double>(segment() + headers());
  }

 private:
  [[nodiscard]] bool is_tcp() const { return transport_ == Transport::tcp; }
  [[nodiscard]] std::int64_t headers() const { return 38 + (is_tcp() ? 52 : 44); }
  [[nodiscard]] std::int64_t message(std::int64_t bytes) const {
    return bytes + (bytes + segment() - 1) / segment() * headers();
  }
  Transport transport_;
  std::int64_t mtu_;
};

// Core time of a command at the target.
inline Duration target_cost(const ProtocolParams& p, Direction direction, std::int64_t bytes) {
  const std::int64_t pages = (bytes + 4095) / 4096;
  return direction == Direction::read ? p.target_read + p.target_read_page * pages
                                      : p.target_write + p.target_write_page * pages;
}

}  // namespace storcast
