// Look-ups of Platform.
#include "sim/platform/platform.hpp"

#include <algorithm>
#include <stdexcept>

namespace storcast {
namespace {

template <class Part>
const Part& find_named(const std::vector<Part>& parts, std::string_view name, const char* kind) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  if (found != parts.end()) return *found;
  throw std::out_of_range("platform: no " + std::string(kind) + " '" + std::string(name) + "'");
}

}  // namespace

const Platform::Route& Platform::route(std::string_view from, std::string_view to) const {
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& route) {
    return route.from == from && route.to == to;
  });
  if (found != routes.end()) return *found;
  throw std::out_of_range("platform: no route from '" + std::string(from) + "' to '" +
                          std::string(to) + "'");
}

const Platform::Node& Platform::node(std::string_view name) const {
  return find_named(nodes, name, "node");
}

const Platform::Link& Platform::link(std::string_view name) const {
  return find_named(links, name, "link");
}

}  // namespace storcast
