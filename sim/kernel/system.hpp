// The compiled scenario: stations, pools, steps, streams as flat tables. Everything with a string
// is cold (groups, notes); the event loop touches integers only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/random.hpp"
#include "sim/kernel/flash.hpp"
#include "sim/kernel/lock_table.hpp"
#include "sim/kernel/path.hpp"
#include "sim/kernel/scheduled_station.hpp"
#include "sim/kernel/station.hpp"

namespace storcast {

enum class GroupKind : std::uint8_t {
  single,      // one FCFS queue
  connection,  // separate FCFS queues, by the connection's route
  drive,       // one FCFS queue for each drive
  address,     // several FCFS queues for each drive, by hash of the address
  servers,     // one line, several servers
  priority,    // one server, a line for each priority
  scheduled    // one server for each drive, a model chooses who is next
};

// Queues that share a name and a purpose: what a report shows as a station.
struct StationGroup {
  std::string name;
  std::string role{};  // "controller cores": groups of one role are alternatives, not stages
  GroupKind kind{};
  std::uint32_t first = 0;   // station index (of its kind's table)
  std::uint32_t queues = 1;  // separate queues
  int servers_each = 1;
  std::uint32_t queues_per_drive = 1;  // address groups
  std::uint32_t route_table = 0;       // connection groups: offset into System::routes
  ScheduleId schedule{};               // scheduled groups
  // Scheduled groups: with n waiting, services are faster by n^gain, n up to most_sorted; the limit
  // of the station is that of most_sorted with gain_at_most.
  double gain = 0, gain_at_most = 0, most_sorted = 1;
  bool share_only = false;  // part of another group's busy time; limits nothing by itself
  std::int32_t flash = -1;  // of dies: index into System::flash
};

// One flow between a job and a volume; what static affinity binds to queues.
struct Connection {
  Time open_at{};             // gated visits wait until then (failover)
  std::uint32_t surplus = 0;  // I/Os that leave at their next completion (load reduced)
  std::uint16_t volume = 0;
  std::uint16_t variant = 0;  // which of the stream's path variants
};

// A choice of size, by cumulative probability.
struct SizeChoice {
  double up_to = 1;
  std::uint32_t blocks = 8;
};

enum class AddressLaw : std::uint8_t { uniform, zipf, pareto, normal, sequential };

// A workload, compiled. Its connections are consecutive.
struct Stream {
  std::string name;
  bool open = false;
  double read_fraction = 1;
  std::vector<SizeChoice> read_sizes, write_sizes;
  // First steps: [variant][direction][size], with sizes_stride sizes for each direction.
  std::vector<std::uint32_t> paths;
  std::uint32_t sizes_stride = 1;
  AddressLaw law = AddressLaw::uniform;
  double law_parameter = 0;
  std::uint32_t alignment_blocks = 8;  // addresses are multiples of it
  std::uint64_t span_blocks = 0;       // of each volume
  std::uint32_t first_connection = 0, connections = 1;
  std::uint32_t per_connection = 1;  // closed: iodepth
  double interarrival_ps = 0;        // open: mean, of the whole stream
  ShapeId interarrival{};            // open
  Duration think{};                  // closed
  std::uint32_t first_step = 0;      // submit or arrive
};

struct System {
  // The event loop's.
  std::vector<Step> steps;
  std::vector<FcfsStation> stations;
  std::vector<MultiServerStation> server_stations;
  std::vector<PriorityStation> priority_stations;
  std::vector<ScheduledStation> scheduled_stations;
  std::vector<TokenPool> pools;
  std::vector<Flash> flash;
  std::vector<std::uint32_t> routes;  // tables: connection -> station or pool
  std::vector<Connection> connections;
  std::vector<Stream> streams;
  std::vector<Shape> shapes{Shape::deterministic()};
  std::vector<Plan> plans;
  std::vector<Decide> decisions;
  std::vector<ServiceTime> services;
  std::vector<Schedule> schedules;
  std::vector<Locks> locks;
  std::size_t most_locks = 1;         // of one I/O
  std::size_t locks_at_once = 0;      // of all I/Os
  std::size_t most_members = 1;       // of one phase of a fork
  std::size_t io_capacity = 1024;     // I/Os and members in flight at the most
  Duration event_spacing{1'000'000};  // hint: mean time between events

  // Cold.
  Table<GroupId, StationGroup> groups;
  std::vector<StepInfo> infos;
  std::vector<std::string> pool_names;
  std::vector<ExpectedService> expectations;  // by ScheduleId
  std::vector<std::shared_ptr<void>> models;  // owners of what the functions above refer to

  GroupId add_single(std::string name);
  GroupId add_per_connection(std::string name, std::uint32_t queues, std::uint32_t route_table);
  GroupId add_per_drive(std::string name, std::uint32_t drives);
  GroupId add_per_address(std::string name, std::uint32_t drives, std::uint32_t queues_per_drive);
  // Flash of `drives` drives: its dies and drains are the given groups.
  FlashId add_flash(GroupId dies, GroupId drains, FlashTraits traits);
  GroupId add_servers(std::string name, int servers);
  GroupId add_priority(std::string name);
  GroupId add_scheduled(std::string name, std::uint32_t drives, ScheduleId schedule);
  PoolId add_pool(std::string name, std::int64_t tokens);
  // A table with a row for each connection; filled by the caller.
  std::uint32_t add_route_table(std::uint32_t fill = 0);
  ShapeId add_shape(Shape shape);
  PlanId add_plan(Plan plan);
  DecideId add_decision(Decide decision);
  LockId add_locks(Locks locks);
  ServiceId add_service(ServiceTime service);
  ScheduleId add_schedule(Schedule schedule, ExpectedService expected);
};

}  // namespace storcast
