#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <filesystem>

#include "models/catalog.hpp"
#include "sim/base/text.hpp"
#include "sim/scenario/protocol_words.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/sheets.hpp"

namespace storcast {
namespace reading {

const ConfigNode& place(const ConfigNode& map, std::string_view key) {
  const ConfigNode* node = map.find(key);
  return node != nullptr ? *node : map;
}

void complain(const ConfigNode& node, const std::string& rule, Problems& problems,
              std::vector<std::string> accepted) {
  problems.add(node.where(), node.text(), node.path() + ": " + rule, std::move(accepted));
}

const ConfigNode* map_at(const ConfigNode& parent, const std::string& key, Problems& problems) {
  const ConfigNode* node = parent.find(key);
  const std::string path = parent.path().empty() ? key : parent.path() + "." + key;
  if (node == nullptr) {
    if (parent.find("use") == nullptr) problems.add(parent.where(), "", path + " is missing");
    return nullptr;
  }
  if (!node->is_map() || node->entries().empty()) {
    complain(*node, "a map is wanted, not " + std::string(kind_in_words(node->kind())), problems);
    return nullptr;
  }
  return node;
}

void check_keys(const ConfigNode& map, const std::vector<std::string>& known, Problems& problems) {
  for (const ConfigEntry& entry : map.entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end() || entry.key == "use") {
      continue;
    }
    const std::string path = map.path().empty() ? entry.key : map.path() + "." + entry.key;
    problems.add(entry.where, entry.key, path + ": unknown key '" + entry.key + "'",
                 nearest(entry.key, known));
  }
}

void check_name(const ConfigEntry& entry, Problems& problems) {
  constexpr std::size_t longest = 40;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  if (!entry.key.empty() && entry.key.size() <= longest &&
      std::all_of(entry.key.begin(), entry.key.end(), fits)) {
    return;
  }
  problems.add(entry.where, entry.key,
               entry.value.path() + ": a name has letters, digits, _ and -, at most 40 in all");
}

}  // namespace reading

namespace {

namespace fs = std::filesystem;

fs::path profile_folder() { return fs::path(checkout_folder()) / "calibration/profiles"; }

std::vector<std::string> profile_names() {
  std::vector<std::string> names{"none"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(profile_folder(), ignored)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin() + 1, names.end());
  return names;
}

// The paths of the tree that a pattern names; "*" stands for any key.
void match(const ConfigNode& node, const std::vector<std::string>& pattern, std::size_t depth,
           const std::string& so_far, std::vector<std::string>& found) {
  if (depth == pattern.size()) {
    found.push_back(so_far);
    return;
  }
  const bool last = depth + 1 == pattern.size();
  if (last && node.is_map() && pattern[depth] != "*") {
    found.push_back(so_far + "." + pattern[depth]);
    return;
  }
  for (const ConfigEntry& entry : node.entries()) {
    if (pattern[depth] != "*" && pattern[depth] != entry.key) continue;
    match(entry.value, pattern, depth + 1, so_far.empty() ? entry.key : so_far + "." + entry.key,
          found);
  }
}

const ConfigNode* at_path(const ConfigNode& root, const std::string& path) {
  const ConfigNode* node = &root;
  for (const std::string& part : split(path, '.')) {
    node = node->find(part);
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::string value_text(const ConfigNode* node) {
  if (node == nullptr) return "its default";
  const ConfigNode* value = node->find("value");
  return value != nullptr ? value->text() : node->text();
}

// Puts the profile's values into the expanded tree; what the scenario itself says still goes on
// top.
void apply_profile(const ConfigNode& asked, const ConfigNode& scenario, ConfigNode& tree,
                   Scenario& result, Problems& problems) {
  const auto names = profile_names();
  if (!asked.is_scalar() || std::find(names.begin(), names.end(), asked.text()) == names.end()) {
    reading::complain(asked, "'" + asked.text() + "' is not a profile", problems,
                      nearest(asked.text(), names));
    return;
  }
  if (asked.text() == "none") return;
  const ConfigNode profile =
      load_yaml((profile_folder() / (asked.text() + ".yaml")).string(), problems);
  if (!profile.is_map()) return;
  reading::check_keys(profile, {"profile", "source", "points", "valid", "adjust"}, problems);
  const ConfigNode* adjust = reading::map_at(profile, "adjust", problems);
  if (adjust == nullptr) return;
  for (const ConfigEntry& entry : adjust->entries()) {
    std::vector<std::string> paths;
    match(tree, split(entry.key, '.'), 0, "", paths);
    for (const std::string& path : paths) {
      if (at_path(scenario, path) != nullptr) continue;  // the scenario's own word
      const std::string before = value_text(at_path(tree, path));
      set_value(tree, path, entry.value.text(), problems);
      result.adjusted.push_back(path + ": " + before + " -> " + entry.value.text() + " (profile " +
                                asked.text() + ")");
    }
    if (paths.empty()) {
      result.warnings.push_back("profile " + asked.text() + ": nothing matches " + entry.key);
    }
  }
}

void list_assumptions(const ReadLog& log, Scenario& scenario) {
  for (const ReadLogEntry& entry : log) {
    if (entry.confidence != "assumption") continue;
    std::string line = entry.path + " = " + entry.value;
    if (!entry.source.empty()) line += " (" + entry.source + ")";
    scenario.assumptions.push_back(std::move(line));
  }
}

void read_heading(const ConfigNode& root, Scenario& scenario, Problems& problems) {
  reading::check_keys(
      root,
      {"storcast", "name", "description", "profile", "system", "workloads", "run", "timeline"},
      problems);
  const ConfigNode* version = root.find("storcast");
  if (version == nullptr) {
    problems.add(root.where(), "", "storcast is missing: the version of the language, storcast: 1");
  } else if (version->text() != std::to_string(language_version)) {
    reading::complain(*version, "version '" + version->text() + "' of the language is not known",
                      problems, {std::to_string(language_version)});
  }
  for (auto [key, target] :
       {std::pair{"name", &scenario.name}, std::pair{"description", &scenario.description}}) {
    const ConfigNode* node = root.find(key);
    if (node == nullptr) continue;
    if (!node->is_scalar()) {
      reading::complain(*node, "a text is wanted", problems);
      continue;
    }
    *target = node->text();
  }
}

// A fabric that names only its protocol gets that protocol's usual stack.
void add_default_stack(ConfigNode& root, Problems& problems) {
  const ConfigNode* protocol = at_path(root, "system.fabric.protocol");
  // A stack that only overrides some values (--set system.fabric.stack.target_read=2us) still needs
  // one.
  if (protocol == nullptr || at_path(root, "system.fabric.stack.use") != nullptr ||
      at_path(root, "system.fabric.stack.transport") != nullptr) {
    return;
  }
  const std::string asked = protocol->text();  // set_value() below rebuilds the tree
  for (const reading::ProtocolWord& known : reading::protocol_words) {
    if (asked != known.word) continue;
    set_value(root, "system.fabric.stack.use", std::string(known.product), problems);
  }
}

Scenario read_scenario(ConfigNode root, const std::string& file, const std::vector<Override>& sets,
                       Problems& problems) {
  Scenario scenario;
  scenario.file = file;
  scenario.name = fs::path(file).stem().string();
  problems.throw_if_any();
  if (!root.is_map()) {
    problems.add({file, 1, 1}, root.text(), "a scenario is a map that begins with storcast: 1");
    problems.throw_if_any();
  }
  for (const Override& set : sets) set_value(root, set.path, set.value, problems);
  problems.throw_if_any();
  read_heading(root, scenario, problems);
  add_default_stack(root, problems);

  const Catalog catalog = Catalog::standard();
  ConfigNode tree = catalog.expand(root, problems);
  if (!tree.is_map()) problems.throw_if_any();
  if (const ConfigNode* profile = root.find("profile")) {
    apply_profile(*profile, root, tree, scenario, problems);
  }
  ReadLog log;
  const ConfigNode* system = reading::map_at(tree, "system", problems);
  if (system != nullptr) reading::read_system(*system, scenario, problems, log);
  reading::read_run(tree.find("run"), scenario, problems);
  // Workloads name hosts and volumes; without a system every one of them would be unknown.
  if (problems.empty()) {
    const ConfigNode* workloads = reading::map_at(tree, "workloads", problems);
    if (workloads != nullptr) reading::read_workloads(*workloads, scenario, problems);
  } else if (const ConfigNode* workloads = tree.find("workloads")) {
    Scenario aside = scenario;
    Problems of_workloads;
    if (workloads->is_map()) reading::read_workloads(*workloads, aside, of_workloads);
    for (const Problem& p : of_workloads.list()) {
      if (p.rule.find("there is no") == std::string::npos) problems.add(p);
    }
  }
  if (problems.empty()) reading::read_timeline(tree.find("timeline"), scenario, problems);
  if (problems.empty()) reading::check_limits(tree, scenario, problems);
  problems.throw_if_any();
  list_assumptions(log, scenario);
  scenario.text = to_yaml(tree);
  return scenario;
}

}  // namespace

Scenario load_scenario(const std::string& file, const std::vector<Override>& sets) {
  Problems problems;
  ConfigNode root = load_yaml(file, problems);
  return read_scenario(std::move(root), file, sets, problems);
}

Scenario parse_scenario(const std::string& text, const std::string& file,
                        const std::vector<Override>& sets) {
  Problems problems;
  ConfigNode root = parse_yaml(text, file, problems);
  return read_scenario(std::move(root), file, sets, problems);
}

std::vector<ModelInfo> scenario_sheets() {
  std::vector<ModelInfo> sheets{reading::pool_sheet(), reading::volumes_sheet(),
                                reading::workload_sheet()};
  for (ModelInfo& sheet : reading::run_sheets()) sheets.push_back(std::move(sheet));
  return sheets;
}

}  // namespace storcast
