// The half of yaml_node.hpp that knows no YAML library: the tree, its paths, --set, overlay, dump.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/text.hpp"
#include "sim/config/yaml_node.hpp"

namespace storcast {

// Write access for the functions of this file; see the declaration in yaml_node.hpp.
struct ConfigEdit {
  using StepPtr = std::shared_ptr<const ConfigNode::Step>;

  static ConfigNode make(ConfigNode::Kind kind, Position where) {
    ConfigNode node;
    node.kind_ = kind;
    node.where_ = std::move(where);
    return node;
  }
  static std::vector<ConfigEntry>& entries(ConfigNode& node) { return node.entries_; }
  static std::vector<ConfigNode>& items(ConfigNode& node) { return node.items_; }
  static StepPtr step(const ConfigNode& node) { return node.step_; }
  static StepPtr below(const StepPtr& parent, std::string name) {
    return std::make_shared<const ConfigNode::Step>(ConfigNode::Step{parent, std::move(name)});
  }

  // Gives a tree its paths anew. Recursion is bounded by the depth of what parse_yaml lets in.
  static void root_at(ConfigNode& node, StepPtr step) {
    node.step_ = std::move(step);
    for (auto& entry : node.entries_) root_at(entry.value, below(node.step_, entry.key));
    std::size_t index = 0;
    for (auto& item : node.items_) root_at(item, below(node.step_, std::to_string(index++)));
  }

  // Marks a tree as given on the command line.
  static void place_at(ConfigNode& node, const Position& where) {
    node.where_ = where;
    for (auto& entry : node.entries_) {
      entry.where = where;
      place_at(entry.value, where);
    }
    for (auto& item : node.items_) place_at(item, where);
  }
};

std::string ConfigNode::path() const {
  std::vector<const std::string*> names;
  for (const Step* step = step_.get(); step != nullptr; step = step->parent.get()) {
    names.push_back(&step->name);
  }
  std::string out;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!out.empty()) out += '.';
    out += **name;
  }
  return out;
}

const ConfigNode* ConfigNode::find(std::string_view key) const noexcept {
  for (const auto& entry : entries_) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

ConfigNode ConfigNode::null(Position where) {
  return ConfigEdit::make(Kind::null, std::move(where));
}

ConfigNode ConfigNode::scalar(std::string text, Position where) {
  ConfigNode node = ConfigEdit::make(Kind::scalar, std::move(where));
  node.text_ = std::move(text);
  return node;
}

ConfigNode ConfigNode::list(std::vector<ConfigNode> items, Position where) {
  ConfigNode node = ConfigEdit::make(Kind::list, std::move(where));
  node.items_ = std::move(items);
  return node;
}

ConfigNode ConfigNode::map(std::vector<ConfigEntry> entries, Position where) {
  ConfigNode node = ConfigEdit::make(Kind::map, std::move(where));
  node.entries_ = std::move(entries);
  return node;
}

std::string_view kind_in_words(ConfigNode::Kind kind) noexcept {
  switch (kind) {
    case ConfigNode::Kind::null:
      return "nothing";
    case ConfigNode::Kind::scalar:
      return "a value";
    case ConfigNode::Kind::list:
      return "a list";
    case ConfigNode::Kind::map:
      return "a map";
  }
  return "";
}

ConfigNode with_path(ConfigNode node, std::string_view dotted_path) {
  ConfigEdit::StepPtr root;
  if (!dotted_path.empty()) root = ConfigEdit::below(nullptr, std::string(dotted_path));
  ConfigEdit::root_at(node, std::move(root));
  return node;
}

namespace {

// --- overlay

bool is_datum(const ConfigNode& node) { return node.is_map() && node.find("value") != nullptr; }

ConfigNode merged(const ConfigNode& base, const ConfigNode& over) {
  if (!base.is_map() || !over.is_map() || is_datum(base) || is_datum(over)) return over;
  ConfigNode out = base;
  auto& entries = ConfigEdit::entries(out);
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < base.entries().size(); ++i) places[base.entries()[i].key] = i;
  for (const auto& entry : over.entries()) {
    const auto place = places.find(entry.key);
    if (place == places.end()) {
      entries.push_back(entry);
    } else {
      const ConfigEntry& old = base.entries()[place->second];
      entries[place->second] = {entry.key, entry.where, merged(old.value, entry.value)};
    }
  }
  return out;
}

// --- --set

// Levels of maps and lists in a tree.
int depth_of(const ConfigNode& node) {
  if (!node.is_map() && !node.is_list()) return 0;
  int below = 0;
  for (const auto& entry : node.entries()) below = std::max(below, depth_of(entry.value));
  for (const auto& item : node.items()) below = std::max(below, depth_of(item));
  return below + 1;
}

// The rule that a path breaks by itself; empty: none.
std::string path_rule(const std::vector<std::string>& names, int value_depth) {
  if (static_cast<int>(names.size()) + value_depth > max_yaml_depth) {
    return fmt::format("a path leads at most {} levels deep", max_yaml_depth);
  }
  for (const auto& name : names) {
    if (name.empty()) return "a path is words with one dot between them: workloads.main.rw";
    if (name.size() > max_yaml_key_bytes) {
      return fmt::format("a key has at most {} bytes", max_yaml_key_bytes);
    }
  }
  return "";
}

// Reads the value of --set; nullopt after a Problem.
std::optional<ConfigNode> read_set_value(std::string_view path, std::string_view text,
                                         const Position& where, Problems& problems) {
  ConfigNode value = ConfigNode::null(where);
  if (text.find_first_not_of(" \t") == std::string_view::npos || text == "~" || text == "null") {
    return value;
  }
  Problems of_value;
  value = parse_yaml(text, where.file, of_value);
  for (const auto& problem : of_value.list()) {
    problems.add(where, problem.text, fmt::format("{}: in {}: {}", path, quote(text), problem.rule),
                 problem.accepted);
  }
  if (!of_value.empty()) return std::nullopt;
  ConfigEdit::place_at(value, where);
  return value;
}

// What stands under `name` in a list; nullptr after a Problem.
ConfigNode* list_item(ConfigNode& list, const std::string& name, const std::string& at,
                      std::string_view path, const Position& where, Problems& problems) {
  auto& items = ConfigEdit::items(list);
  std::size_t index = 0;
  const char* end = name.data() + name.size();
  const auto result = std::from_chars(name.data(), end, index);
  if (result.ec == std::errc{} && result.ptr == end && index < items.size()) return &items[index];
  const std::string have =
      items.empty() ? "is an empty list"
                    : fmt::format("is a list with the indices 0 to {}", items.size() - 1);
  problems.add(where, name,
               fmt::format("{}: {} {}; {} is none of them", path, at.empty() ? "the root" : at,
                           have, quote(name)));
  return nullptr;
}

// The node at the path, made if it is missing; nullptr after a Problem.
ConfigNode* node_at(ConfigNode& root, const std::vector<std::string>& names, std::string_view path,
                    const Position& where, Problems& problems) {
  ConfigNode* node = &root;
  std::string at;
  for (const auto& name : names) {
    if (node->is_scalar()) {
      problems.add(where, name,
                   fmt::format("{}: {} is the value {} and has nothing below it", path,
                               at.empty() ? "the root" : at, quote(node->text())));
      return nullptr;
    }
    if (node->is_list()) {
      node = list_item(*node, name, at, path, where, problems);
      if (node == nullptr) return nullptr;
    } else {
      if (node->is_null()) *node = ConfigNode::map({}, where);
      auto& entries = ConfigEdit::entries(*node);
      std::size_t i = 0;
      while (i < entries.size() && entries[i].key != name) ++i;
      if (i == entries.size()) entries.push_back({name, where, {}});
      node = &entries[i].value;
    }
    at += (at.empty() ? "" : ".") + name;
  }
  return node;
}

// --- dump

// Whether a text without quotes would be read as the same scalar: a cautious subset of YAML's rule.
bool is_plain(const std::string& text) {
  if (text.empty() || text.back() == ' ') return false;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (!letter(text.front()) && text.front() != '_') return false;
  for (const char c : text) {
    if (!letter(c) && std::string_view(" _-+./%()").find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::string scalar_text(const std::string& text) {
  if (is_plain(text)) return text;
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// YAML gives the key without quotes 1,024 characters; ours have 200 bytes, four times that escaped.
void write(const ConfigNode& node, int indent, std::string& out) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  if (node.is_null()) {
    out += " ~\n";
  } else if (node.is_scalar()) {
    out += ' ' + scalar_text(node.text()) + '\n';
  } else if (node.entries().empty() && node.items().empty()) {
    out += node.is_map() ? " {}\n" : " []\n";
  } else {
    out += '\n';
    for (const auto& entry : node.entries()) {
      out += margin + scalar_text(entry.key) + ':';
      write(entry.value, indent + 2, out);
    }
    for (const auto& item : node.items()) {
      out += margin + '-';
      write(item, indent + 2, out);
    }
  }
}

}  // namespace

ConfigNode overlay(const ConfigNode& base, const ConfigNode& over) {
  ConfigNode out = merged(base, over);
  ConfigEdit::root_at(out, ConfigEdit::step(over));
  return out;
}

void set_value(ConfigNode& root, std::string_view dotted_path, std::string_view yaml_value,
               Problems& problems) {
  const Position where{"--set", 0, 0};
  const auto value = read_set_value(dotted_path, yaml_value, where, problems);
  if (!value) return;
  const auto names = split(dotted_path, '.');
  const std::string rule = path_rule(names, depth_of(*value));
  if (!rule.empty()) {
    problems.add(where, std::string(dotted_path), fmt::format("{}: {}", quote(dotted_path), rule));
    return;
  }
  ConfigNode changed = root;
  ConfigNode* node = node_at(changed, names, dotted_path, where, problems);
  if (node == nullptr) return;
  *node = *value;
  ConfigEdit::root_at(changed, ConfigEdit::step(root));
  root = std::move(changed);
}

std::string to_yaml(const ConfigNode& node) {
  std::string out;
  write(node, 0, out);
  // The writer puts a space or a line break before each value; the root has nothing before it.
  return out.substr(1);
}

}  // namespace storcast
