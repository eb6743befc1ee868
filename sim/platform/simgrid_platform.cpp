// Three steps: check the config (SimGrid aborts on much of what is wrong), build the SimGrid
// platform, read the values back. A file is first tried in a child process, because SimGrid ends
// the process on many mistakes in it, from a host without cores to a directory in place of a file.
#include "sim/platform/simgrid_platform.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "sim/platform/simgrid_engine.hpp"
#include "sim/platform/simgrid_rehearsal.hpp"

namespace storcast {
namespace {

namespace s4u = simgrid::s4u;

constexpr const char* wattage_property = "wattage_per_state";

// All problems of a config, one line each.
class Complaints {
 public:
  void add(std::string line) {
    constexpr std::size_t most = 100;
    if (++count_ > most) return;
    text_ += (text_.empty() ? "platform: " : "\nplatform: ") + std::move(line);
  }
  void throw_if_any() const {
    if (count_ > 0) throw std::invalid_argument(text_);
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

void check_node(const Platform::Node& node, Complaints& complaints) {
  if (node.name.empty()) complaints.add("a node has no name");
  if (node.cores < 1) {
    complaints.add(fmt::format("node '{}' has {} cores; at least 1", node.name, node.cores));
  }
  const PowerProfile& power = node.power;
  for (const Watts watts : {power.idle, power.epsilon, power.all_cores}) {
    if (!is_amount(watts.value)) {
      complaints.add(fmt::format("node '{}' has a power of {} W", node.name, watts.value));
    }
  }
}

void check_link(const Platform::Link& link, Complaints& complaints) {
  constexpr Duration longest = std::chrono::seconds{1000};  // a double of seconds is exact to 1 ps
  if (link.name.empty()) complaints.add("a link has no name");
  if (!is_amount(link.bandwidth.value) || link.bandwidth.value == 0) {
    complaints.add(
        fmt::format("link '{}' has a bandwidth of {} B/s", link.name, link.bandwidth.value));
  }
  if (link.latency < Duration{} || link.latency > longest) {
    complaints.add(fmt::format("link '{}' has a latency of {} ps; 0 to 1000 s", link.name,
                               link.latency.count()));
  }
}

template <class Part>
std::unordered_set<std::string> distinct_names(const std::vector<Part>& parts, const char* kind,
                                               Complaints& complaints) {
  std::unordered_set<std::string> names;
  for (const Part& part : parts) {
    if (names.insert(part.name).second) continue;
    complaints.add(fmt::format("{} '{}' is declared twice", kind, part.name));
  }
  return names;
}

// An endpoint is a node, or "<node>.<port>".
bool is_endpoint(const std::string& name, const std::unordered_set<std::string>& nodes) {
  if (nodes.count(name) > 0) return true;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    if (dot + 1 < name.size() && nodes.count(name.substr(0, dot)) > 0) return true;
  }
  return false;
}

std::string describe(const PlatformConfig::RouteConfig& route) {
  return fmt::format("the route from '{}' to '{}'", route.from, route.to);
}

// What holds for the routes of a config and of a file.
void check_pairs(const PlatformConfig& config, Complaints& complaints) {
  std::unordered_map<std::string, std::unordered_set<std::string>> seen;
  for (const auto& route : config.routes) {
    if (route.from == route.to) complaints.add(describe(route) + " leads nowhere");
    if (!seen[route.from].insert(route.to).second) {
      complaints.add(describe(route) + " is declared twice");
    }
  }
}

void check_parts(const PlatformConfig& config) {
  Complaints complaints;
  for (const auto& node : config.nodes) check_node(node, complaints);
  for (const auto& link : config.links) check_link(link, complaints);
  const auto nodes = distinct_names(config.nodes, "node", complaints);
  const auto links = distinct_names(config.links, "link", complaints);
  check_pairs(config, complaints);
  for (const auto& route : config.routes) {
    for (const std::string& end : {route.from, route.to}) {
      if (is_endpoint(end, nodes)) continue;
      complaints.add(fmt::format("{}: no node '{}'", describe(route), end));
    }
    if (route.links.empty()) complaints.add(describe(route) + " has no links");
    for (const std::string& link : route.links) {
      if (links.count(link) > 0) continue;
      complaints.add(fmt::format("{}: no link '{}'", describe(route), link));
    }
  }
  complaints.throw_if_any();
}

void check_file(const PlatformConfig& config) {
  Complaints complaints;
  if (!config.nodes.empty() || !config.links.empty()) {
    complaints.add(fmt::format("nodes and links come from the file '{}', none may be given beside",
                               config.simgrid_file));
  }
  check_pairs(config, complaints);
  for (const auto& route : config.routes) {
    if (!route.links.empty()) complaints.add(describe(route) + " gets its links from the file");
  }
  complaints.throw_if_any();
}

// {:.17g}: the shortest format that brings every double back.
std::string wattage_text(const PowerProfile& power) {
  return fmt::format("{:.17g}:{:.17g}:{:.17g}", power.idle.value, power.epsilon.value,
                     power.all_cores.value);
}

// "idle:epsilon:all_cores", or "idle:all_cores" with epsilon = idle; further states after a comma.
PowerProfile parse_wattage(const std::string& host, const std::string& text) {
  std::array<double, 3> watts{};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + std::min(text.find(','), text.size());
  for (bool more = true; more; ++count) {
    while (at != end && *at == ' ') ++at;
    double value = -1;
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop;
    while (at != end && *at == ' ') ++at;
    more = at != end && *at == ':';
    if (more) ++at;
    if (error != std::errc{} || !is_amount(value) || count == watts.size() ||
        !(more || at == end)) {
      count = 0;
      break;
    }
    watts[count] = value;
  }
  if (count == 2) return {{watts[0]}, {watts[0]}, {watts[1]}};
  if (count == 3) return {{watts[0]}, {watts[1]}, {watts[2]}};
  throw std::invalid_argument(fmt::format("platform: host '{}': {} '{}' is not idle:epsilon:all",
                                          host, wattage_property, text));
}

void build(const PlatformConfig& config) {
  s4u::NetZone* zone = s4u::create_full_zone("storcast");
  // A port is a SimGrid host as well: only hosts can be asked for routes. Speeds play no part.
  std::unordered_map<std::string, s4u::Host*> hosts;
  for (const auto& node : config.nodes) {
    s4u::Host* host = zone->create_host(node.name, 1.0);
    host->set_core_count(node.cores);
    host->set_property(wattage_property, wattage_text(node.power));
    hosts[node.name] = host->seal();
  }
  for (const auto& route : config.routes) {
    for (const std::string& end : {route.from, route.to}) {
      if (hosts.count(end) == 0) hosts[end] = zone->create_host(end, 1.0)->seal();
    }
  }
  std::unordered_map<std::string, s4u::Link*> links;
  for (const auto& link : config.links) {
    s4u::Link* made = zone->create_link(link.name, link.bandwidth.value);
    links[link.name] = made->set_latency(to_seconds(link.latency))->seal();
  }
  for (const auto& route : config.routes) {
    std::vector<s4u::LinkInRoute> travel;
    for (const std::string& link : route.links) travel.emplace_back(links.at(link));
    zone->add_route(hosts.at(route.from)->get_netpoint(), hosts.at(route.to)->get_netpoint(),
                    nullptr, nullptr, travel, false);
  }
  zone->seal();
}

Platform::Node read_node(const s4u::Host& host) {
  const char* wattage = host.get_property(wattage_property);
  return {host.get_name(), host.get_core_count(),
          wattage == nullptr ? PowerProfile{} : parse_wattage(host.get_name(), wattage)};
}

Platform::Link read_link(const s4u::Link& link) {
  if (link.get_sharing_policy() == s4u::Link::SharingPolicy::WIFI) {
    throw std::invalid_argument("platform: link '" + link.get_name() + "' is a Wi-Fi link");
  }
  return {link.get_name(), {link.get_bandwidth()}, from_seconds(link.get_latency())};
}

s4u::Host& host_called(const std::string& name) {
  s4u::Host* host = s4u::Host::by_name_or_null(name);
  if (host == nullptr) throw std::invalid_argument("platform: no host '" + name + "'");
  return *host;
}

void add_routes(const PlatformConfig& config, Platform& platform) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < platform.links.size(); ++i) index[platform.links[i].name] = i;
  for (const auto& route : config.routes) {
    std::vector<s4u::Link*> travel;
    double latency_s = 0;
    host_called(route.from).route_to(&host_called(route.to), travel, &latency_s);
    if (travel.empty()) {
      throw std::invalid_argument("platform: no links on " + describe(route));
    }
    Platform::Route read{route.from, route.to, {}, from_seconds(latency_s)};
    for (const s4u::Link* link : travel) read.links.push_back(index.at(link->get_name()));
    platform.routes.push_back(std::move(read));
  }
}

template <class Part>
void sort_by_name(std::vector<Part>& parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.name < b.name; });
}

Platform load_file(const PlatformConfig& config) {
  const SimgridEngine engine;
  engine->load_platform(config.simgrid_file);
  engine->seal_platform();
  Platform platform;
  Complaints complaints;
  for (const s4u::Host* host : engine->get_all_hosts()) platform.nodes.push_back(read_node(*host));
  for (const s4u::Link* link : engine->get_all_links()) {
    if (link->get_name() == "__loopback__") continue;
    platform.links.push_back(read_link(*link));
    check_link(platform.links.back(), complaints);
  }
  complaints.throw_if_any();
  sort_by_name(platform.nodes);
  sort_by_name(platform.links);
  add_routes(config, platform);
  return platform;
}

Platform load_parts(const PlatformConfig& config) {
  const SimgridEngine engine;
  build(config);
  Platform platform;
  for (const auto& node : config.nodes) platform.nodes.push_back(read_node(host_called(node.name)));
  for (const auto& link : config.links) {
    platform.links.push_back(read_link(*s4u::Link::by_name(link.name)));
  }
  add_routes(config, platform);
  return platform;
}

}  // namespace

Platform load_simgrid_platform(const PlatformConfig& config) {
  if (config.simgrid_file.empty()) {
    check_parts(config);
    return load_parts(config);
  }
  check_file(config);
  rehearse(config.simgrid_file, [&] { load_file(config); });
  return load_file(config);
}

}  // namespace storcast
