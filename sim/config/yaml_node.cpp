#include "sim/config/yaml_node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>
// The parser's events rather than its tree: they carry positions, keep an alias apart from what it
// stands for, and let us stop at a limit before the memory is taken.
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace storcast {
namespace {

// Ends the parsing: there are enough problems.
struct Stop {};

// Ends the parsing with a problem that makes the rest of the document meaningless.
struct Fatal {
  YAML::Mark mark;
  std::string rule;
};

// Builds the tree from the parser's events. Counts nodes and text, so that a document of aliases of
// aliases ("billion laughs") ends at the limit and not at the end of the memory.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& name, Problems& problems) : name_(name), problems_(problems) {}

  // The tree, without paths yet.
  ConfigNode take() { return std::move(root_); }
  // Notes a problem of the node that is being read.
  void add(const YAML::Mark& mark, const std::string& text, const std::string& rule);

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Fatal{mark, "a second document begins; one file holds one"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, true);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Size {
    std::size_t nodes = 0;
    std::size_t bytes = 0;  // of scalars and keys
  };
  // A list or map that is being read.
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    bool is_map = false;
    bool has_key = false;  // the next node is the value of `key`
    bool refused = false;  // ... a key that is a problem: its value is read and dropped
    int depth = 1;         // levels of maps and lists, this one included
    Size before;           // what had been counted when it began
    std::string key;
    Position key_where;
    std::set<std::string> keys;
    std::vector<ConfigEntry> entries;
    std::vector<ConfigNode> items;
  };
  struct Anchored {
    ConfigNode node;
    Size size;
    int depth = 0;
  };

  [[nodiscard]] Position position(const YAML::Mark& mark) const {
    return {name_, mark.line + 1, mark.column + 1};
  }
  [[nodiscard]] bool expects_key() const {
    return !frames_.empty() && frames_.back().is_map && !frames_.back().has_key;
  }
  [[nodiscard]] std::string path_here() const;
  static void count(Size& total, Size more, const YAML::Mark& mark);
  void check_tag(const YAML::Mark& mark, const std::string& tag);
  void key(const YAML::Mark& mark, const std::string& word, bool plain);
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool is_map);
  void close();
  void place(ConfigNode node, int depth);
  void keep(YAML::anchor_t anchor, Anchored what, const YAML::Mark& mark);

  const std::string& name_;
  Problems& problems_;
  int documents_ = 0;
  Size counted_;   // the tree
  Size anchored_;  // the copies behind anchors, which may nest
  ConfigNode root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
};

void TreeBuilder::add(const YAML::Mark& mark, const std::string& text, const std::string& rule) {
  const std::string path = path_here();
  problems_.add(position(mark), text, path.empty() ? rule : path + ": " + rule);
  if (problems_.full()) throw Stop{};
}

std::string TreeBuilder::path_here() const {
  std::string path;
  for (const auto& frame : frames_) {
    if (frame.is_map && !frame.has_key) continue;
    if (!path.empty()) path += '.';
    path += frame.is_map ? frame.key : std::to_string(frame.items.size());
  }
  return path;
}

void TreeBuilder::count(Size& total, Size more, const YAML::Mark& mark) {
  total.nodes += more.nodes;
  total.bytes += more.bytes;
  if (total.nodes > max_yaml_nodes) {
    throw Fatal{mark, fmt::format("more than {} nodes, with aliases expanded", max_yaml_nodes)};
  }
  if (total.bytes > max_yaml_bytes) {
    throw Fatal{mark, "more than 4 MiB of text, with aliases expanded"};
  }
}

// yaml-cpp marks a plain scalar "?" and a quoted one "!"; anything else was written by the user.
void TreeBuilder::check_tag(const YAML::Mark& mark, const std::string& tag) {
  if (tag.empty() || tag == "?" || tag == "!") return;
  add(mark, tag, fmt::format("the tag {} is not read; leave it out", quote(tag)));
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (expects_key()) return key(mark, "", true);
  count(counted_, {1, 0}, mark);
  ConfigNode node = ConfigNode::null(position(mark));
  if (anchor != 0) keep(anchor, {node, {1, 0}, 0}, mark);
  place(std::move(node), 0);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  check_tag(mark, tag);
  // Escapes ("\0") can bring in what the text of the file may not contain.
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return c == 0x7f ||
           (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r');
  });
  if (control) add(mark, text, fmt::format("{} contains a control character", quote(text)));
  const Size size{expects_key() ? 0u : 1u, text.size()};
  count(counted_, size, mark);
  if (expects_key()) {
    if (anchor != 0) add(mark, text, "an anchor (&) belongs to a value, not to a key");
    return key(mark, text, tag == "?");
  }
  ConfigNode node = ConfigNode::scalar(text, position(mark));
  if (anchor != 0) keep(anchor, {node, size, 0}, mark);
  place(std::move(node), 0);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (expects_key()) throw Fatal{mark, "a key must be a word, not an alias (*)"};
  const auto found = anchors_.find(anchor);
  // An anchor is kept when its node ends: one that is not there yet would contain itself.
  if (found == anchors_.end()) throw Fatal{mark, "an alias (*) stands inside its own anchor (&)"};
  const Anchored& anchored = found->second;
  if (static_cast<int>(frames_.size()) + anchored.depth > max_yaml_depth) {
    throw Fatal{mark, fmt::format("nested more than {} levels deep", max_yaml_depth)};
  }
  count(counted_, anchored.size, mark);
  place(anchored.node, anchored.depth);
}

void TreeBuilder::key(const YAML::Mark& mark, const std::string& word, bool plain) {
  Frame& frame = frames_.back();
  std::string rule;
  if (word.empty()) {
    rule = "a key must not be empty";
  } else if (word.size() > max_yaml_key_bytes) {
    rule = fmt::format("the key {} has more than {} bytes", quote(word), max_yaml_key_bytes);
  } else if (plain && word == "<<") {
    rule = "merge keys (<<) are not read; write the keys out";
  } else if (!frame.keys.insert(word).second) {
    rule = fmt::format("the key {} is given twice", quote(word));
    for (const auto& entry : frame.entries) {
      if (entry.key == word) rule += fmt::format("; first in line {}", entry.where.line);
    }
  }
  frame.refused = !rule.empty();
  if (frame.refused) add(mark, word, rule);
  frame.has_key = true;
  frame.key = frame.refused ? "?" : word;
  frame.key_where = position(mark);
}

void TreeBuilder::open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       bool is_map) {
  if (expects_key())
    throw Fatal{mark, "a list or map stands where a key must be; is a '[' or '{' not closed?"};
  if (static_cast<int>(frames_.size()) >= max_yaml_depth) {
    throw Fatal{mark, fmt::format("nested more than {} levels deep", max_yaml_depth)};
  }
  check_tag(mark, tag);
  Frame frame;
  frame.mark = mark;
  frame.anchor = anchor;
  frame.is_map = is_map;
  frame.before = counted_;
  count(counted_, {1, 0}, mark);
  frames_.push_back(std::move(frame));
}

void TreeBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const Position where = position(frame.mark);
  ConfigNode node = frame.is_map ? ConfigNode::map(std::move(frame.entries), where)
                                 : ConfigNode::list(std::move(frame.items), where);
  if (frame.anchor != 0) {
    const Size size{counted_.nodes - frame.before.nodes, counted_.bytes - frame.before.bytes};
    keep(frame.anchor, {node, size, frame.depth}, frame.mark);
  }
  place(std::move(node), frame.depth);
}

void TreeBuilder::keep(YAML::anchor_t anchor, Anchored what, const YAML::Mark& mark) {
  count(anchored_, what.size, mark);
  anchors_[anchor] = std::move(what);
}

void TreeBuilder::place(ConfigNode node, int depth) {
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  frame.depth = std::max(frame.depth, depth + 1);
  if (!frame.is_map) {
    frame.items.push_back(std::move(node));
    return;
  }
  frame.has_key = false;
  if (frame.refused) return;
  frame.entries.push_back({std::move(frame.key), frame.key_where, std::move(node)});
}

// yaml-cpp's message in the words of somebody who looks at his own file.
std::string reworded(const std::string& message) {
  namespace Msg = YAML::ErrorMsg;
  static const std::array<std::pair<std::string_view, std::string_view>, 18> words{{
      {Msg::END_OF_MAP_FLOW, "a '{' is not closed: '}' or ',' is missing"},
      {Msg::END_OF_SEQ_FLOW, "a '[' is not closed: ']' or ',' is missing"},
      {Msg::END_OF_MAP,
       "the line does not fit the map above it: check the indentation and the ': '"},
      {Msg::END_OF_SEQ,
       "the line does not fit the list above it: check the indentation and the '- '"},
      {Msg::MAP_VALUE, "a ':' too many: two keys in one line, or a wrong indentation"},
      {Msg::MAP_KEY, "a key cannot stand here: check the indentation"},
      {Msg::BLOCK_ENTRY, "a list item ('- ') cannot stand here: check the indentation"},
      {Msg::FLOW_END, "a closing bracket without its opening one"},
      {Msg::EOF_IN_SCALAR, "a quotation mark is not closed"},
      {Msg::DOC_IN_SCALAR, "a quotation mark is not closed"},
      {Msg::TAB_IN_INDENTATION, "indent with spaces, not with tabs"},
      {Msg::UNKNOWN_TOKEN, "no value can begin with this character; put the text into quotes"},
      {Msg::MULTIPLE_ANCHORS, "a value has one anchor (&) at most"},
      {Msg::MULTIPLE_TAGS, "tags (!) are not read; put a text with '!' into quotes"},
      {Msg::END_OF_VERBATIM_TAG, "tags (!) are not read; put a text with '!' into quotes"},
      {Msg::UNKNOWN_ANCHOR, "the alias (*) has no anchor (&) before it"},
      {Msg::INVALID_ESCAPE,
       "no such escape in a text in double quotes; write \\\\ for a backslash"},
      {Msg::INVALID_UNICODE, "an escape that is no character"},
  }};
  for (const auto& [known, meaning] : words) {
    if (message.starts_with(known)) return std::string(meaning);
  }
  return fmt::format("cannot be read as YAML: {}", message);
}

// Length of the UTF-8 sequence at the beginning of `text`; 0 if it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// The first byte that no text file has, as a Problem. yaml-cpp itself replaces or skips such bytes,
// or takes them (0x04) for the end of the file.
bool is_text(std::string_view text, const std::string& name, Problems& problems) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i, 4));
    std::string rule;
    if (length == 0) {
      rule = fmt::format("the byte 0x{:02x} is not UTF-8: this is no text file", c);
    } else if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) {
      rule = fmt::format("the control character 0x{:02x} cannot stand in YAML", c);
    }
    if (!rule.empty()) {
      problems.add({name, line, static_cast<int>(i - line_start) + 1}, "", rule);
      return false;
    }
    i += length;
    if (c != '\n') continue;
    ++line;
    line_start = i;
  }
  return true;
}

ConfigNode parse_text(std::string_view text, const std::string& name, Problems& problems) {
  TreeBuilder builder(name, problems);
  try {
    // yaml-cpp takes an open quotation mark for closed if the text ends with its line. The end mark
    // of a document, which is nothing new to any other text, makes that an error.
    std::istringstream in{std::string(text) + (text.ends_with('\n') ? "...\n" : "\n...\n")};
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
    return with_path(builder.take(), "");
  } catch (const Stop&) {
  } catch (const Fatal& fatal) {
    problems.add({name, fatal.mark.line + 1, fatal.mark.column + 1}, "", fatal.rule);
  } catch (const YAML::Exception& error) {
    const Position where{name, error.mark.line + 1, error.mark.column + 1};
    problems.add(where, "", reworded(error.msg));
  } catch (const std::exception& error) {
    problems.add({name, 0, 0}, "", fmt::format("cannot be read as YAML: {}", error.what()));
  }
  return {};
}

// The bytes of a file, at most one more than the limit; nullopt after a Problem.
std::optional<std::string> file_text(const std::string& file, Problems& problems) {
  const auto refuse = [&](const std::string& rule) {
    problems.add({file, 0, 0}, "", rule);
    return std::nullopt;
  };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (file.empty()) return refuse("the name of a file is empty");
  if (!std::filesystem::exists(status)) return refuse("there is no such file");
  if (std::filesystem::is_directory(status)) return refuse("is a directory, not a file");
  // A device or a pipe may never end.
  if (!std::filesystem::is_regular_file(status)) return refuse("is not a regular file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text(max_yaml_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return refuse("cannot be read to its end");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

ConfigNode parse_yaml(std::string_view text, const std::string& name, Problems& problems) {
  if (text.size() > max_yaml_bytes) {
    problems.add({name, 0, 0}, "", "has more than 4 MiB; a scenario is a few KiB of text");
    return {};
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the byte order mark of UTF-8
  if (!is_text(text, name, problems)) return {};
  // yaml-cpp reads on to the end of an unclosed bracket, at some 250 bytes a token, before it lets
  // us count. Each of these characters begins a node, so a document within the limit has fewer.
  const auto marks = std::count_if(text.begin(), text.end(),
                                   [](char c) { return c == '[' || c == '{' || c == ','; });
  if (static_cast<std::size_t>(marks) > max_yaml_nodes) {
    problems.add({name, 0, 0}, "",
                 fmt::format("more than {} of the characters '[', '{{' and ','", max_yaml_nodes));
    return {};
  }
  Problems found;
  ConfigNode node = parse_text(text, name, found);
  if (found.empty() && node.is_null()) found.add({name, 0, 0}, "", "is empty: it holds no values");
  for (const auto& problem : found.list()) problems.add(problem);
  return node;
}

ConfigNode load_yaml(const std::string& file, Problems& problems) {
  const auto text = file_text(file, problems);
  return text ? parse_yaml(*text, file, problems) : ConfigNode{};
}

}  // namespace storcast
