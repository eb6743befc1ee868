#include "sim/kernel/system.hpp"

#include <utility>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

GroupId add_fcfs(System& system, StationGroup group, std::uint32_t queues) {
  group.first = static_cast<std::uint32_t>(system.stations.size());
  group.queues = queues;
  system.stations.resize(system.stations.size() + queues);
  return system.groups.add(std::move(group));
}

}  // namespace

GroupId System::add_single(std::string name) {
  return add_fcfs(*this, {.name = std::move(name), .kind = GroupKind::single}, 1);
}

GroupId System::add_per_connection(std::string name, std::uint32_t queues,
                                   std::uint32_t route_table) {
  return add_fcfs(
      *this, {.name = std::move(name), .kind = GroupKind::connection, .route_table = route_table},
      queues);
}

GroupId System::add_per_drive(std::string name, std::uint32_t drives) {
  return add_fcfs(*this, {.name = std::move(name), .kind = GroupKind::drive}, drives);
}

GroupId System::add_per_address(std::string name, std::uint32_t drives,
                                std::uint32_t queues_per_drive) {
  return add_fcfs(
      *this,
      {.name = std::move(name), .kind = GroupKind::address, .queues_per_drive = queues_per_drive},
      drives * queues_per_drive);
}

FlashId System::add_flash(GroupId dies, GroupId drains, FlashTraits traits) {
  StationGroup& group = groups[dies];
  INVARIANT(group.kind == GroupKind::address && groups[drains].kind == GroupKind::drive &&
                group.queues == groups[drains].queues * group.queues_per_drive,
            "each drive has its dies and one drain");
  group.flash = static_cast<std::int32_t>(flash.size());
  traits.dies = group.queues_per_drive;
  traits.first_die = group.first;
  traits.first_drain = groups[drains].first;
  flash.emplace_back(std::move(traits), groups[drains].queues);
  return static_cast<FlashId>(flash.size() - 1);
}

GroupId System::add_servers(std::string name, int servers) {
  server_stations.emplace_back(servers);
  return groups.add({.name = std::move(name),
                     .kind = GroupKind::servers,
                     .first = static_cast<std::uint32_t>(server_stations.size() - 1),
                     .servers_each = servers});
}

GroupId System::add_priority(std::string name) {
  priority_stations.emplace_back();
  return groups.add({.name = std::move(name),
                     .kind = GroupKind::priority,
                     .first = static_cast<std::uint32_t>(priority_stations.size() - 1)});
}

GroupId System::add_scheduled(std::string name, std::uint32_t drives, ScheduleId schedule) {
  const auto first = static_cast<std::uint32_t>(scheduled_stations.size());
  scheduled_stations.resize(first + drives);
  return groups.add({.name = std::move(name),
                     .kind = GroupKind::scheduled,
                     .first = first,
                     .queues = drives,
                     .schedule = schedule});
}

PoolId System::add_pool(std::string name, std::int64_t tokens) {
  pools.emplace_back(tokens);
  pool_names.push_back(std::move(name));
  return static_cast<PoolId>(pools.size() - 1);
}

std::uint32_t System::add_route_table(std::uint32_t fill) {
  const auto offset = static_cast<std::uint32_t>(routes.size());
  routes.resize(routes.size() + connections.size(), fill);
  return offset;
}

ShapeId System::add_shape(Shape shape) {
  if (shape.is_deterministic()) return ShapeId{};
  shapes.push_back(std::move(shape));
  return static_cast<ShapeId>(shapes.size() - 1);
}

PlanId System::add_plan(Plan plan) {
  plans.push_back(plan);
  return static_cast<PlanId>(plans.size() - 1);
}

DecideId System::add_decision(Decide decision) {
  decisions.push_back(decision);
  return static_cast<DecideId>(decisions.size() - 1);
}

LockId System::add_locks(Locks of) {
  locks.push_back(of);
  return static_cast<LockId>(locks.size() - 1);
}

ServiceId System::add_service(ServiceTime service) {
  services.push_back(service);
  return static_cast<ServiceId>(services.size() - 1);
}

ScheduleId System::add_schedule(Schedule schedule, ExpectedService expected) {
  schedules.push_back(schedule);
  expectations.push_back(expected);
  return static_cast<ScheduleId>(schedules.size() - 1);
}

}  // namespace storcast
