// Messages of block and file protocols on the wire, all headers and gaps included.
//
// Model: a command is a message to the target; its data and its response are messages back. A
// message of s bytes needs ceil(s / payload of a frame) frames; each adds its headers.
//   Ethernet 38 B a frame (14 + 4 FCS + 8 preamble + 12 gap); TCP/IPv4 with time stamps 52;
//   RoCEv2 44 (20 IP, 8 UDP, 12 BTH, 4 iCRC) and 16 RETH on the first packet of a transfer.
//   Fibre Channel: 2,048 B of data in a frame of SOF 4, header 24, CRC 4, EOF 4, and six idle words
//   before the next one: 60.
// Over that lie the command sets:
//   NVMe/TCP: command 72, response 24, data header 24, R2T 24. NVMe/RDMA: 64 and 16.
//   iSCSI: a 48 B header on each PDU, data PDUs of 256 KiB at the most, the status in the last
//   Data-In. iSER: 28 B more on command and response, data by RDMA.
//   FCP: command 32, XFER_RDY 12, response 24. FC-NVMe: 96, 12, 32, in the same phases.
//   NFS 4.1 and SMB 3 over TCP: calls and replies of 130 to 250 B, the data of a write in the call.
// Worked numbers: a 4 KiB read over NVMe/TCP at MTU 1500 is 4,096 + 24 + 24 bytes in 3 segments =
// 4,414 bytes on the wire, efficiency 0.928; RoCE at a path MTU of 1,024 carries at most 0.926 of
// the line; 32GFC carries 0.9715 x 3.4 GB/s = 3.30 GB/s, and 0.79 million 4 KiB reads a second.
//
// Parameters: transport, command set, MTU. Scope and limits: no loss, no congestion control, no
// digests; acknowledgements of TCP and R_RDY of Fibre Channel are not charged; file protocols
// without metadata calls. References: NVM Express TCP transport 1.0; RFC 7143 (iSCSI), RFC 7145
// (iSER); InfiniBand annex A17 (RoCEv2); INCITS FC-FS-5, FCP-4, FC-NVMe-2; RFC 8881; MS-SMB2;
// modelling brief 6.2, 6.3. Validation: tests/models/protocol_test.cpp.
#pragma once

#include <cstdint>

namespace storcast {

enum class Transport : std::uint8_t { tcp, roce, fc };
enum class CommandSet : std::uint8_t { nvme, scsi, nfs, smb };

// Sizes of a command set's messages over a transport, in bytes.
struct Pdus {
  std::int64_t command = 0, response = 0, request = 0;
  std::int64_t data_header = 0;
  std::int64_t most_data = 0;  // of one data PDU; 0: any
  bool status_with_data = false;
};

constexpr Pdus pdus_of(Transport transport, CommandSet commands) {
  switch (commands) {
    case CommandSet::nvme:
      if (transport == Transport::tcp) return {72, 24, 24, 24, 0, false};
      if (transport == Transport::fc) return {96, 32, 12, 0, 0, false};
      return {64, 16, 16, 0, 0, false};
    case CommandSet::scsi:
      if (transport == Transport::tcp) return {48, 48, 48, 48, 256 << 10, true};
      if (transport == Transport::fc) return {32, 24, 12, 0, 0, false};
      return {76, 76, 16, 0, 0, false};
    case CommandSet::nfs:
      return {200, 130, 0, 130, 0, true};
    case CommandSet::smb:
      return {117, 80, 0, 84, 0, true};
  }
  return {};
}

// Bytes of messages on the wire.
class Wire {
 public:
  // `mtu`: of Ethernet; Fibre Channel has frames of its own.
  Wire(Transport transport, std::int64_t mtu, CommandSet commands = CommandSet::nvme)
      : transport_(transport), mtu_(mtu), pdus_(pdus_of(transport, commands)) {}

  [[nodiscard]] std::int64_t command() const { return message(pdus_.command); }
  [[nodiscard]] std::int64_t command_with_data(std::int64_t data) const {
    return message(pdus_.command + data);
  }
  [[nodiscard]] std::int64_t response() const { return message(pdus_.response); }
  // Data of a read and the response behind them.
  [[nodiscard]] std::int64_t read_data(std::int64_t data) const {
    if (transport_ == Transport::roce) return message(data) + rdma_header + response();
    if (transport_ == Transport::fc) return message(data) + response();
    return message(with_headers(data) + (pdus_.status_with_data ? 0 : pdus_.response));
  }
  // The target asks for the data of a write.
  [[nodiscard]] std::int64_t request_data() const { return message(pdus_.request); }
  [[nodiscard]] std::int64_t write_data(std::int64_t data) const {
    return message(with_headers(data));
  }
  // Largest payload of a segment or frame.
  [[nodiscard]] std::int64_t segment() const {
    if (transport_ == Transport::fc) return 2048;
    if (transport_ == Transport::tcp) return mtu_ - 52;
    // RoCE path MTUs are powers of two below the Ethernet MTU less the headers.
    std::int64_t path_mtu = 256;
    while (path_mtu * 2 + 60 <= mtu_ && path_mtu < 4096) path_mtu *= 2;
    return path_mtu;
  }
  [[nodiscard]] double efficiency() const {  // of long transfers
    return static_cast<double>(segment()) / static_cast<double>(segment() + headers());
  }

 private:
  static constexpr std::int64_t rdma_header = 16;
  [[nodiscard]] std::int64_t headers() const {
    if (transport_ == Transport::fc) return 60;
    return 38 + (transport_ == Transport::tcp ? 52 : 44);
  }
  [[nodiscard]] std::int64_t with_headers(std::int64_t data) const {
    const std::int64_t pdus =
        pdus_.most_data == 0 ? 1 : (data + pdus_.most_data - 1) / pdus_.most_data;
    return data + pdus * pdus_.data_header;
  }
  [[nodiscard]] std::int64_t message(std::int64_t bytes) const {
    return bytes + (bytes + segment() - 1) / segment() * headers();
  }
  Transport transport_;
  std::int64_t mtu_;
  Pdus pdus_;
};

}  // namespace storcast
