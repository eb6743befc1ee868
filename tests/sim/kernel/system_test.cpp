#include "sim/kernel/system.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

TEST_CASE("groups lie one after the other in the table of their kind") {
  System system;
  system.connections.resize(3);
  const GroupId single = system.add_single("single");
  const GroupId cores = system.add_per_connection("cores", 4, system.add_route_table(7));
  const GroupId drives = system.add_per_drive("drives", 5);
  const GroupId dies = system.add_per_address("dies", 5, 8);
  const GroupId servers = system.add_servers("servers", 6);
  const GroupId priority = system.add_priority("priority");
  CHECK(system.groups[single].first == 0);
  CHECK(system.groups[cores].first == 1);
  CHECK(system.groups[cores].queues == 4);
  CHECK(system.groups[drives].first == 5);
  CHECK(system.groups[dies].first == 10);
  CHECK(system.groups[dies].queues == 40);
  CHECK(system.groups[dies].queues_per_drive == 8);
  CHECK(system.stations.size() == 50);
  CHECK(system.groups[servers].kind == GroupKind::servers);
  CHECK(system.groups[servers].servers_each == 6);
  CHECK(system.server_stations.at(system.groups[servers].first).servers() == 6);
  CHECK(system.groups[priority].kind == GroupKind::priority);
  CHECK(system.priority_stations.size() == 1);
  CHECK(system.groups.size() == 6);
}

TEST_CASE("a route table has a row for each connection, filled as asked") {
  System system;
  system.connections.resize(3);
  const std::uint32_t first = system.add_route_table(7);
  const std::uint32_t second = system.add_route_table();
  CHECK(first == 0);
  CHECK(second == 3);
  CHECK(system.routes == std::vector<std::uint32_t>{7, 7, 7, 0, 0, 0});
}

TEST_CASE("deterministic shapes share number 0, others get their own") {
  System system;
  CHECK(index_of(system.add_shape(Shape::deterministic())) == 0);
  const ShapeId exponential = system.add_shape(Shape::exponential());
  CHECK(index_of(exponential) == 1);
  CHECK(system.shapes[1].coefficient_of_variation() == Approx(1.0).epsilon(0.01));
  CHECK(system.shapes.size() == 2);
}

TEST_CASE("pools, plans, decisions and services are numbered in the order of their addition") {
  System system;
  CHECK(index_of(system.add_pool("first", 3)) == 0);
  CHECK(index_of(system.add_pool("second", 4)) == 1);
  CHECK(system.pools[1].capacity() == 4);
  CHECK(system.pool_names == std::vector<std::string>{"first", "second"});
  auto plan = [](const Io&, int, MemberPlan&) {};
  auto decide = [](const Io&, Time, Rng&) { return true; };
  auto service = [](const Io&, Time, Rng&) { return Duration{5}; };
  CHECK(static_cast<int>(system.add_plan(Plan(plan))) == 0);
  CHECK(static_cast<int>(system.add_decision(Decide(decide))) == 0);
  CHECK(static_cast<int>(system.add_decision(Decide(decide))) == 1);
  CHECK(static_cast<int>(system.add_service(ServiceTime(service))) == 0);
  Rng rng(1, "system");
  CHECK(system.decisions[1](Io{}, Time{}, rng));
  CHECK(system.services[0](Io{}, Time{}, rng) == Duration{5});
}
