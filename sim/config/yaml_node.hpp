// Text to a tree: the door to YAML. A ConfigNode is our own read-only value that knows for each
// part its place in the text (file, line, column) and in the tree ("workloads.main.rw", list items
// by index), so that every later complaint can name both. No type of yaml-cpp leaves yaml_node.cpp.
//
// Read: one document of maps, lists and scalars, anchors and aliases. Refused, with a Problem:
// tags, merge keys, several documents, duplicate keys, keys that are no words, control characters.
// Limits: 4 MiB of text; maps and lists 64 deep; 100,000 nodes and 4 MiB of scalars after aliases
// are expanded; 100,000 of the characters [ { and , together; keys of 200 bytes. Source: YAML 1.2
// (yaml.org/spec/1.2.2) as yaml-cpp 0.7 understands it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"

namespace storcast {

inline constexpr std::size_t max_yaml_bytes = 4u << 20;
inline constexpr std::size_t max_yaml_nodes = 100'000;
inline constexpr int max_yaml_depth = 64;
inline constexpr std::size_t max_yaml_key_bytes = 200;

struct ConfigEntry;

class ConfigNode {
 public:
  enum class Kind { null, scalar, list, map };

  ConfigNode() = default;  // null, nowhere

  // Nodes made by hand (tests, catalogues); the path is empty until with_path() sets it.
  static ConfigNode null(Position where);
  static ConfigNode scalar(std::string text, Position where = {});
  static ConfigNode list(std::vector<ConfigNode> items, Position where = {});
  static ConfigNode map(std::vector<ConfigEntry> entries, Position where = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_null() const noexcept { return kind_ == Kind::null; }
  [[nodiscard]] bool is_scalar() const noexcept { return kind_ == Kind::scalar; }
  [[nodiscard]] bool is_list() const noexcept { return kind_ == Kind::list; }
  [[nodiscard]] bool is_map() const noexcept { return kind_ == Kind::map; }

  // Where the node's text begins; an alias keeps the place of its anchor.
  [[nodiscard]] const Position& where() const noexcept { return where_; }
  // "system.arrays.array.pools.a.drives.3"; empty at the root. Put together on each call.
  [[nodiscard]] std::string path() const;
  // The scalar's text without quotes; empty for the other kinds.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // The map's entries in the order of the text; empty for the other kinds.
  [[nodiscard]] const std::vector<ConfigEntry>& entries() const noexcept { return entries_; }
  // The list's items; empty for the other kinds.
  [[nodiscard]] const std::vector<ConfigNode>& items() const noexcept { return items_; }
  // The value of a map's key, or nullptr (always nullptr for the other kinds).
  [[nodiscard]] const ConfigNode* find(std::string_view key) const noexcept;

 private:
  friend struct ConfigEdit;  // write access for the functions of yaml_tree.cpp
  struct Step {              // a path, shared by all nodes below it
    std::shared_ptr<const Step> parent;
    std::string name;
  };

  Kind kind_ = Kind::null;
  Position where_;
  std::shared_ptr<const Step> step_;
  std::string text_;
  std::vector<ConfigEntry> entries_;
  std::vector<ConfigNode> items_;
};

struct ConfigEntry {
  std::string key;
  Position where;  // of the key
  ConfigNode value;
};

// "nothing", "a value", "a list", "a map": for messages.
[[nodiscard]] std::string_view kind_in_words(ConfigNode::Kind kind) noexcept;

// Reads one document. `name` is the file of the positions. Whatever cannot be read becomes a
// Problem (all of a document's at once, except that nothing is read beyond a syntax error or a
// limit) and the node returned is null or incomplete: check problems.empty() first. Never throws
// for bad text.
[[nodiscard]] ConfigNode parse_yaml(std::string_view text, const std::string& name,
                                    Problems& problems);

// The same for a regular file of at most 4 MiB. A missing, unreadable or empty file, a directory
// and a device are Problems.
[[nodiscard]] ConfigNode load_yaml(const std::string& file, Problems& problems);

// --set workloads.main.iodepth=32: sets the value at a dotted path, list items by index, and
// creates missing maps on the way (nothing, "key:", counts as missing). The value is read as YAML;
// no text at all is null. Positions of what is set: file "--set", no line. A path through a value,
// an index out of range and a value that cannot be read are Problems; the tree then stays as it
// was.
void set_value(ConfigNode& root, std::string_view dotted_path, std::string_view yaml_value,
               Problems& problems);

// `base` with `over` laid on top: maps merge key by key to any depth, anything else of `over`
// (null included) replaces what `base` has. A map with the key "value" is one datum with its
// provenance and is replaced as a whole: a new value must not inherit an old source. The order of
// `base` is kept and new keys follow; every part keeps its position; paths are those of `over`.
[[nodiscard]] ConfigNode overlay(const ConfigNode& base, const ConfigNode& over);

// The same tree rooted at another dotted path: a catalogue entry moves to where it is used.
[[nodiscard]] ConfigNode with_path(ConfigNode node, std::string_view dotted_path);

// Canonical text: block maps and lists, two spaces, quotes only where the text would be read
// differently without. parse_yaml(to_yaml(n)) has the kinds, keys and texts of n.
[[nodiscard]] std::string to_yaml(const ConfigNode& node);

}  // namespace storcast
