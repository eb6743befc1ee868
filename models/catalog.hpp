// The explicit table of models, and the shelf of named products.
//
// A model is code with a data sheet (Schema); a product is a YAML file below models/catalog/ whose
// values carry their source and confidence. A scenario names a product with `use:
// drives/nvme-gen4-tlc` and overrides what stands beside it. A product may itself use another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/yaml_node.hpp"

namespace storcast {

struct ModelInfo {
  std::string name;
  std::string summary;
  std::vector<FieldInfo> fields;
  std::string sheet;  // the data sheet as text
};
// In the order in which an I/O meets them.
[[nodiscard]] std::vector<ModelInfo> all_models();

// Where catalogue and profiles lie: the environment variable STORCAST_ROOT, else the source tree
// that the program was built from.
[[nodiscard]] std::string checkout_folder();

class Catalog {
 public:
  // `folder`: models/catalog of the checkout.
  explicit Catalog(std::string folder);
  // That of checkout_folder().
  static Catalog standard();

  [[nodiscard]] const std::vector<std::string>& products() const { return names_; }  // "drives/x"
  // The product's map without its heading (product, notes); a Problem at `used_at` and null if it
  // is unknown or of another kind than the place wants (drives under `drive`).
  [[nodiscard]] ConfigNode load(const std::string& name, const ConfigNode& used_at,
                                Problems& problems) const;
  // The product's file as it is, for `describe`. Empty if unknown.
  [[nodiscard]] std::string text(const std::string& name) const;
  // Its one-line heading (the value of `product`).
  [[nodiscard]] std::string heading(const std::string& name) const;

  // The tree with every `use` replaced by the product it names, overridden by what stands beside
  // it. The `use` of an unknown product stays.
  [[nodiscard]] ConfigNode expand(const ConfigNode& tree, Problems& problems) const;

 private:
  [[nodiscard]] ConfigNode expand_at(const ConfigNode& node, int depth, Problems& problems) const;
  std::string folder_;
  std::vector<std::string> names_;
};

}  // namespace storcast
