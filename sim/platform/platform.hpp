// The hardware around the I/Os as plain values: nodes with cores and power, simplex links, routes.
//
// An endpoint is where a route begins or ends: a node's own name, or "<node>.<port>" for one port
// of a node ("host.port0"), so that a multi-port node has one route per port. A route is
// directional and there is at most one per (from, to) pair; a full-duplex cable is two links.
// Limits: no sharing rule, no variation over time; what a link costs an I/O is the model's matter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"

namespace storcast {

// SimGrid's wattage_per_state of one node: `idle` while no core is busy; otherwise linear in the
// number of busy cores, from `epsilon` (in the limit of none) to `all_cores` (all of them).
struct PowerProfile {
  Watts idle, epsilon, all_cores;
};

struct Platform {
  struct Node {
    std::string name;
    int cores = 1;
    PowerProfile power;  // all zero: the platform says nothing about power
  };
  struct Link {
    std::string name;
    Bandwidth bandwidth;  // bytes per second, > 0
    Duration latency{};   // >= 0
  };
  struct Route {
    std::string from, to;            // endpoints
    std::vector<std::size_t> links;  // indices into Platform::links, in the order of travel
    Duration latency{};              // of the whole route
  };

  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Route> routes;

  // Look-ups by name, for building a system (linear search). Each throws std::out_of_range with
  // the name, or both names of a route, when there is no such part.
  [[nodiscard]] const Route& route(std::string_view from, std::string_view to) const;
  [[nodiscard]] const Node& node(std::string_view name) const;
  [[nodiscard]] const Link& link(std::string_view name) const;
};

// What load_simgrid_platform() builds a Platform from. Either nodes, links and routes with their
// links; or a SimGrid platform file, then nodes and links are empty, and each route names two hosts
// of the file and no links: the file's routing finds them.
struct PlatformConfig {
  struct RouteConfig {
    std::string from, to;
    std::vector<std::string> links;
  };
  std::vector<Platform::Node> nodes;
  std::vector<Platform::Link> links;
  std::vector<RouteConfig> routes;
  std::string simgrid_file;  // SimGrid XML; empty: none
};

}  // namespace storcast
