// Block and file protocols as round trips, messages and CPU cost at both ends.
//
// Model: what a message occupies of a link is told by models/protocol_wire.hpp. A read is one round
// trip. A write whose data fit into the command travels with it; a larger one waits for the target
// to ask: R2T over TCP, XFER_RDY over Fibre Channel, an RDMA READ over RDMA, one more round trip;
// FCP and FC-NVMe ask always (in_capsule 0). A queue pair has at most rdma_read_depth such RDMA
// READs under way; a queue takes at most queue_depth commands, the rest waits at the host. CPU
// cost: fixed + per 4 KiB page at the target for reads and writes, and per I/O and per byte at the
// initiator.
//
// Parameters: schema() below; sizes of messages are standards. Scope and limits: no loss, no
// congestion control, no digests. References: see protocol_wire.hpp; Linux nvmet and nvme-rdma
// (queue sizes); modelling brief 5.2, 5.3, 6.2. Validation: tests/models/protocol_test.cpp (the
// brief's ceilings and exchanges).
#pragma once

#include <cstdint>

#include "models/protocol_wire.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"
#include "sim/kernel/io.hpp"

namespace storcast {

struct ProtocolParams {
  Transport transport{};
  CommandSet commands{};
  Duration target_read{}, target_write{};            // per command
  Duration target_read_page{}, target_write_page{};  // per 4 KiB page
  Duration initiator{};                              // per I/O, submission and completion
  double initiator_receive_ns_per_byte = 0;
  double initiator_send_ns_per_byte = 0;
  Bytes in_capsule{};
  int queue_depth = 1024;    // commands of a connection under way
  int rdma_read_depth = 16;  // of them fetching their data by RDMA
};

inline const Schema<ProtocolParams>& protocol_schema() {
  using P = ProtocolParams;
  static const Schema<P> sheet =
      Schema<P>("protocol", "A protocol: transport, commands, CPU cost at both ends.")
          .choice(&P::transport, std::nullopt, {"transport", "what carries it", ""},
                  {{"tcp", Transport::tcp}, {"roce", Transport::roce}, {"fc", Transport::fc}})
          .choice(&P::commands, std::optional(CommandSet::nvme),
                  {"commands", "the command set over it", ""},
                  {{"nvme", CommandSet::nvme},
                   {"scsi", CommandSet::scsi},
                   {"nfs", CommandSet::nfs},
                   {"smb", CommandSet::smb}})
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
                    {0, 1 << 20})
          .optional(&P::queue_depth, 1024,
                    {"queue_depth", "commands of a connection under way at the most", ""},
                    {1, 65536})
          .optional(&P::rdma_read_depth, 16,
                    {"rdma_read_depth", "RDMA READs of a connection under way at the most", ""},
                    {1, 1024})
          .check(
              [](const P& p) {
                const bool file = p.commands == CommandSet::nfs || p.commands == CommandSet::smb;
                return !file || p.transport == Transport::tcp;
              },
              "commands nfs and smb go over the transport tcp")
          .check([](const P& p) { return p.transport != Transport::fc || p.in_capsule == Bytes{}; },
                 "over transport fc the target asks for the data of every write: in_capsule is 0B");
  return sheet;
}

// Core time of a command at the target.
inline Duration target_cost(const ProtocolParams& p, Direction direction, std::int64_t bytes) {
  const std::int64_t pages = (bytes + 4095) / 4096;
  return direction == Direction::read ? p.target_read + p.target_read_page * pages
                                      : p.target_write + p.target_write_page * pages;
}

}  // namespace storcast
