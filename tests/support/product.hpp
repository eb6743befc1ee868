// The parameters of a product of the catalogue, for tests of its model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "models/ssd.hpp"

namespace storcast::testing {

// `name` as in models/catalog/drives. Throws InvariantError if it is not a readable SSD.
inline SsdParams ssd_product(const std::string& name) {
  Problems problems;
  const ConfigNode tree = Catalog::standard().expand(
      parse_yaml("drive: {use: drives/" + name + "}", "product", problems), problems);
  std::vector<ConfigEntry> values;
  if (problems.empty()) {
    for (const ConfigEntry& entry : tree.find("drive")->entries()) {
      if (entry.key != "model") values.push_back(entry);
    }
  }
  const SsdParams params =
      Ssd::schema().read(ConfigNode::map(std::move(values), tree.where()), problems);
  if (!problems.empty()) throw InvariantError(describe(problems.list().front()));
  return params;
}

}  // namespace storcast::testing
