// The words of `fabric.protocol`: what each stands for, and the product that is its usual stack.
#pragma once

#include <array>
#include <string_view>

#include "models/protocol_wire.hpp"

namespace storcast::reading {

struct ProtocolWord {
  std::string_view word;
  std::string_view product;
  Transport transport;
  CommandSet commands;
};

inline constexpr std::array protocol_words{
    ProtocolWord{"nvme_rdma", "protocols/nvme-rdma", Transport::roce, CommandSet::nvme},
    ProtocolWord{"nvme_tcp", "protocols/nvme-tcp", Transport::tcp, CommandSet::nvme},
    ProtocolWord{"iscsi", "protocols/iscsi", Transport::tcp, CommandSet::scsi},
    ProtocolWord{"iser", "protocols/iser", Transport::roce, CommandSet::scsi},
    ProtocolWord{"fc_scsi", "protocols/fc-scsi", Transport::fc, CommandSet::scsi},
    ProtocolWord{"fc_nvme", "protocols/fc-nvme", Transport::fc, CommandSet::nvme},
    ProtocolWord{"nfs", "protocols/nfs4", Transport::tcp, CommandSet::nfs},
    ProtocolWord{"smb", "protocols/smb3", Transport::tcp, CommandSet::smb},
    ProtocolWord{"gpudirect", "protocols/gpudirect", Transport::roce, CommandSet::nvme}};

}  // namespace storcast::reading
