#include "models/catalog.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "models/cache.hpp"
#include "models/chassis.hpp"
#include "models/controller.hpp"
#include "models/engine_gpu.hpp"
#include "models/engine_md.hpp"
#include "models/engine_roc.hpp"
#include "models/hdd.hpp"
#include "models/host.hpp"
#include "models/null_drive.hpp"
#include "models/protocol.hpp"
#include "models/rebuild.hpp"
#include "models/sas.hpp"
#include "models/ssd.hpp"
#include "sim/base/text.hpp"

#ifndef STORCAST_SOURCE_DIR
#define STORCAST_SOURCE_DIR "."
#endif

namespace storcast {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_use = 8;

template <class Params>
ModelInfo info_of(const Schema<Params>& sheet) {
  return {sheet.name(), sheet.summary(), sheet.fields(), sheet.describe()};
}

// The kind of product that belongs where `use` stands: drives for "...pools.a.drive.use" and
// "...controllers.a.use" is one of controllers. Empty if any product may stand there.
std::string kind_wanted(const std::string& path, const std::vector<std::string>& names) {
  const std::vector<std::string> parts = split(path, '.');
  const auto part = [&](std::size_t from_end) {
    return parts.size() > from_end ? parts[parts.size() - 1 - from_end] : std::string{};
  };
  std::vector<std::string> candidates{part(2), part(1) + "s"};
  // Names are free: a pool may be called hosts, a host drive.
  if (part(2) == "fabric") candidates = {"protocols"};
  if (part(3) == "pools") candidates = {part(1) == "engine" ? "engines" : "drives"};
  for (const std::string& kind : candidates) {
    const bool known = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.starts_with(kind + "/");
    });
    if (known) return kind;
  }
  return {};
}

ConfigNode without(const ConfigNode& map, std::initializer_list<std::string_view> keys) {
  std::vector<ConfigEntry> kept;
  for (const ConfigEntry& entry : map.entries()) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) kept.push_back(entry);
  }
  return with_path(ConfigNode::map(std::move(kept), map.where()), map.path());
}

}  // namespace

std::vector<ModelInfo> all_models() {
  return {info_of(host_schema()),       info_of(ports_schema()),      info_of(protocol_schema()),
          info_of(controller_schema()), info_of(cache_schema()),      info_of(Ssd::schema()),
          info_of(Hdd::schema()),       info_of(NullDrive::schema()), info_of(chassis_schema()),
          info_of(sas_schema()),        info_of(local_schema()),      info_of(MdEngine::schema()),
          info_of(RocEngine::schema()), info_of(GpuEngine::schema()), info_of(rebuild_schema())};
}

std::string checkout_folder() {
  const char* root = std::getenv("STORCAST_ROOT");
  return root != nullptr ? root : STORCAST_SOURCE_DIR;
}

Catalog::Catalog(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder_, ignored)) {
    if (entry.path().extension() != ".yaml") continue;
    names_.push_back(fs::relative(entry.path(), folder_).replace_extension().generic_string());
  }
  std::sort(names_.begin(), names_.end());
}

Catalog Catalog::standard() {
  return Catalog((fs::path(checkout_folder()) / "models/catalog").string());
}

ConfigNode Catalog::load(const std::string& name, const ConfigNode& used_at,
                         Problems& problems) const {
  const std::string kind = kind_wanted(used_at.path(), names_);
  const bool known = std::binary_search(names_.begin(), names_.end(), name);
  if (!known || !name.starts_with(kind.empty() ? kind : kind + "/")) {
    std::vector<std::string> fitting;
    std::copy_if(names_.begin(), names_.end(), std::back_inserter(fitting),
                 [&](const auto& n) { return n.starts_with(kind.empty() ? kind : kind + "/"); });
    problems.add(used_at.where(), name,
                 used_at.path() + ": '" + name + "' is " +
                     (known ? "no product of the kind wanted here, " + kind
                            : "not a product of the catalogue"),
                 nearest(name, fitting));
    return {};
  }
  const ConfigNode whole = load_yaml((fs::path(folder_) / (name + ".yaml")).string(), problems);
  if (!whole.is_map()) return {};
  return without(whole, {"product", "notes"});
}

std::string Catalog::text(const std::string& name) const {
  if (!std::binary_search(names_.begin(), names_.end(), name)) return {};
  std::ifstream in(fs::path(folder_) / (name + ".yaml"));
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string Catalog::heading(const std::string& name) const {
  Problems ignored;
  const ConfigNode whole = load_yaml((fs::path(folder_) / (name + ".yaml")).string(), ignored);
  const ConfigNode* product = whole.find("product");
  return product != nullptr ? product->text() : std::string{};
}

ConfigNode Catalog::expand(const ConfigNode& tree, Problems& problems) const {
  return with_path(expand_at(tree, 0, problems), tree.path());
}

ConfigNode Catalog::expand_at(const ConfigNode& node, int depth, Problems& problems) const {
  if (node.is_list()) {
    std::vector<ConfigNode> items;
    for (const ConfigNode& item : node.items()) items.push_back(expand_at(item, depth, problems));
    return ConfigNode::list(std::move(items), node.where());
  }
  if (!node.is_map()) return node;
  ConfigNode merged = node;
  int uses = 0;
  while (const ConfigNode* use = merged.find("use")) {
    if (!use->is_scalar()) {
      problems.add(use->where(), "", use->path() + ": the name of a product is wanted", {});
      return {};
    }
    if (depth + ++uses > deepest_use) {
      problems.add(use->where(), use->text(), use->path() + ": products use each other too deeply");
      return {};
    }
    const ConfigNode product = load(use->text(), *use, problems);
    if (!product.is_map()) break;  // `use` stays, so that nobody misses what it would have brought
    merged = overlay(with_path(product, node.path()), without(merged, {"use"}));
    if (!merged.is_map()) return {};
  }
  std::vector<ConfigEntry> entries;
  for (const ConfigEntry& entry : merged.entries()) {
    entries.push_back({entry.key, entry.where, expand_at(entry.value, depth + uses, problems)});
  }
  return ConfigNode::map(std::move(entries), merged.where());
}

}  // namespace storcast
