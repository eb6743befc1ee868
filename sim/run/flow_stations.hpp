// The stations that flows share, as far as loads can differ among the queues of a group: each queue
// of a core group, each drive of a drive group (all its dies together), a group of servers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/system.hpp"
#include "sim/run/analytic.hpp"
#include "sim/run/builder.hpp"

namespace storcast {

// What one I/O, or row, asks of each station.
struct FlowDemands {
  std::vector<double> seconds, visits;  // by station
};

class FlowStations {
 public:
  struct Group {
    GroupId id{};
    std::uint32_t first = 0, count = 0;  // its stations
    std::uint32_t queues_each = 1;       // queues of the group in each
    int pool = -1;                       // of drives
  };

  explicit FlowStations(const Assembly& assembly);

  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  // Of each station.
  [[nodiscard]] const std::vector<double>& servers() const noexcept { return servers_; }
  [[nodiscard]] FlowDemands of(const StationDemands& demands) const;
  // The same of clients, whose I/Os fall on the drives of a pool at random: equally on all that are
  // not lost, whatever a sample says.
  [[nodiscard]] FlowDemands of_clients(const StationDemands& demands) const;

  void lose(std::size_t pool, int drive);
  void regain(std::size_t pool, int drive);

 private:
  [[nodiscard]] std::vector<double> collect(const StationTables& tables) const;
  void spread(std::vector<double>& values) const;

  const System& system_;
  std::vector<Group> groups_;
  std::vector<double> servers_;
  std::vector<std::vector<bool>> lost_;  // by pool, drive
};

}  // namespace storcast
