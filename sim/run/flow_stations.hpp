// The stations that flows share, as far as loads can differ among the queues of a group: each queue
// of a core group, each drive of a drive group (all its dies together), a group of servers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/system.hpp"
#include "sim/run/analytic.hpp"
#include "sim/run/builder.hpp"

namespace storcast {

class FlowStations {
 public:
  explicit FlowStations(const Assembly& assembly);

  // Of each station.
  [[nodiscard]] const std::vector<double>& servers() const noexcept { return servers_; }
  // Seconds of each station's servers that one I/O, or row, needs.
  [[nodiscard]] std::vector<double> of(const StationDemands& demands) const;
  // The same of clients, whose I/Os fall on the drives of a pool at random: equally on all that are
  // not lost, whatever a sample says.
  [[nodiscard]] std::vector<double> of_clients(const StationDemands& demands) const;

  void lose(std::size_t pool, int drive);
  void regain(std::size_t pool, int drive);

 private:
  struct Row {  // the stations of one group
    const StationGroup* group;
    std::uint32_t first;  // of them
    std::uint32_t count;
    std::uint32_t queues_of;  // queues of the group in each
    int pool = -1;            // of drives
  };

  std::vector<Row> rows_;
  std::vector<double> servers_;
  std::vector<std::vector<bool>> lost_;  // by pool, drive
};

}  // namespace storcast
