#include "sim/config/yaml_node.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace storcast {
namespace {

using Catch::Contains;

ConfigNode parsed(std::string_view text) {
  Problems problems;
  ConfigNode node = parse_yaml(text, "t.yaml", problems);
  for (const auto& problem : problems.list()) INFO(describe(problem));
  REQUIRE(problems.empty());
  return node;
}

// The only problem of a text, as the line that the user sees.
std::string problem_of(std::string_view text) {
  Problems problems;
  static_cast<void>(parse_yaml(text, "t.yaml", problems));
  REQUIRE(problems.list().size() == 1);
  return describe(problems.list().front());
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The node at a dotted path that must exist.
const ConfigNode& at(const ConfigNode& root, const std::string& path) {
  const ConfigNode* node = &root;
  std::string name;
  for (const char c : path + '.') {
    if (c != '.') {
      name += c;
      continue;
    }
    node = node->is_list() ? &node->items().at(std::stoul(name)) : node->find(name);
    REQUIRE(node != nullptr);
    name.clear();
  }
  return *node;
}

// A file for one test case.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / "storcast_yaml_node_test.yaml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string load_problem(const std::string& file) {
  Problems problems;
  static_cast<void>(load_yaml(file, problems));
  REQUIRE(problems.list().size() == 1);
  CHECK(problems.list().front().where.file == file);
  return problems.list().front().rule;
}

std::string set_problem(ConfigNode& root, std::string_view path, std::string_view value) {
  Problems problems;
  const std::string before = to_yaml(root);
  set_value(root, path, value, problems);
  CHECK(to_yaml(root) == before);
  REQUIRE(problems.list().size() == 1);
  return describe(problems.list().front());
}

ConfigNode with_set(ConfigNode root, std::string_view path, std::string_view value) {
  Problems problems;
  set_value(root, path, value, problems);
  for (const auto& problem : problems.list()) INFO(describe(problem));
  REQUIRE(problems.empty());
  return root;
}

}  // namespace

TEST_CASE("maps, lists, scalars and nothing are told apart") {
  const auto root = parsed("a: {b: 1}\nc: [x, \"y z\"]\nd:\ne: ~\nf: ''\n");
  CHECK(root.is_map());
  CHECK(at(root, "a").is_map());
  CHECK(at(root, "a.b").text() == "1");
  CHECK(at(root, "c").is_list());
  CHECK(at(root, "c.1").text() == "y z");
  CHECK(at(root, "d").is_null());
  CHECK(at(root, "e").is_null());
  CHECK(at(root, "f").is_scalar());
  CHECK(root.find("g") == nullptr);
  CHECK(at(root, "a.b").find("x") == nullptr);
}

TEST_CASE("a quoted null is a text") { CHECK(at(parsed("a: \"null\""), "a").text() == "null"); }

TEST_CASE("each node knows its place in the text and in the tree") {
  const auto root = parsed("a:\n  b:\n    - x\n    - {c: y}\n");
  const auto& c = at(root, "a.b.1.c");
  CHECK(c.path() == "a.b.1.c");
  CHECK(root.path().empty());
  CHECK(c.where().file == "t.yaml");
  CHECK(c.where().line == 4);
  CHECK(c.where().column == 11);
  CHECK(at(root, "a.b.1").entries().front().where.column == 8);
  CHECK(root.entries().front().where.line == 1);
}

TEST_CASE("entries keep the order of the text") {
  const auto root = parsed("z: 1\na: 2\nm: 3\n");
  CHECK(root.entries()[0].key == "z");
  CHECK(root.entries()[1].key == "a");
  CHECK(root.entries()[2].key == "m");
}

TEST_CASE("an alias is a copy with a path of its own and the anchor's place") {
  const auto root = parsed("a: &x {k: 1}\nb: *x\nc: &n\nd: [*n, &s t, *s]\n");
  CHECK(at(root, "b.k").text() == "1");
  CHECK(at(root, "b.k").path() == "b.k");
  CHECK(at(root, "b.k").where().line == 1);
  CHECK(at(root, "d.0").is_null());
  CHECK(at(root, "d.2").text() == "t");
}

TEST_CASE("syntax errors name line, column and cause in words") {
  CHECK_THAT(problem_of("a: [1, 2\nb: 3\n"), Contains("t.yaml:") && Contains("not closed"));
  CHECK_THAT(problem_of("a: {b: 1\n"), Contains("'{' is not closed"));
  CHECK_THAT(problem_of("a: b: c\n"), Contains("t.yaml:1:5") && Contains("':' too many"));
  CHECK_THAT(problem_of("a: 1\n   b: 2\n"), Contains("t.yaml:2:"));
  CHECK_THAT(problem_of("a:\n\tb: 1\n"), Contains("t.yaml:2:"));
  CHECK_THAT(problem_of("a: \"x\n"), Contains("quotation mark is not closed"));
  CHECK_THAT(problem_of("a: ]\n"), Contains("closing bracket"));
  CHECK_THAT(problem_of("a: @x\n"), Contains("no value can begin"));
  CHECK_THAT(problem_of("a: *x\n"), Contains("no anchor"));
  CHECK_THAT(problem_of("a: \"\\q\"\n"), Contains("no such escape"));
  CHECK_THAT(problem_of("a: \"\\ud800\"\n"), Contains("escape that is no character"));
}

TEST_CASE("a quotation mark that is open at the end of the text is a problem in every form") {
  for (const char* text : {"a: \"x", "a: \"x\n", "a: \"x\n\n  ", "a: 'x\n", "a: &b \"x\n# y\n",
                           "a: 1\n\"x\n", "a: [\"x\n", "a: \"x\\\"\n"}) {
    INFO(text);
    CHECK_THAT(problem_of(text), Contains("quotation mark is not closed"));
  }
}

TEST_CASE("block texts keep their line breaks at the end of a document") {
  CHECK(at(parsed("a: |\n  x\n  y\n"), "a").text() == "x\ny\n");
  CHECK(at(parsed("a: |-\n  x\n"), "a").text() == "x");
  CHECK(at(parsed("a: |+\n  x\n\n"), "a").text() == "x\n\n");
  CHECK(at(parsed("a: >\n  x\n  y\n...\n"), "a").text() == "x y\n");
  CHECK(at(parsed("a: ...x"), "a").text() == "...x");
}

TEST_CASE("inputs that crashed YAML readers are problems") {
  for (const char* text : {"!2", "{", "[", "{{", "[[", "? [", "&", "*", "!<", "%", "- - ? ", "&a",
                           "[,", "{,", "\"\\", "%TAG ! x\n", ": :", "? ?\n: :"}) {
    Problems problems;
    static_cast<void>(parse_yaml(text, "t.yaml", problems));
    INFO(text);
    CHECK_FALSE(problems.empty());
  }
}

TEST_CASE("a key given twice is a problem that names both lines") {
  CHECK_THAT(problem_of("m:\n  a: 1\n  b: 2\n  a: 3\n"),
             Contains("t.yaml:4:3: m: the key 'a' is given twice; first in line 2"));
}

TEST_CASE("several problems of one document are reported together") {
  Problems problems;
  static_cast<void>(parse_yaml("a: 1\na: 2\nb: !t 3\nb: 4\n", "t.yaml", problems));
  CHECK(problems.list().size() == 3);
}

TEST_CASE("a key must be a word") {
  CHECK_THAT(problem_of("? [a]\n: 1\n"), Contains("where a key must be"));
  CHECK_THAT(problem_of("? {a: b}\n: 1\n"), Contains("where a key must be"));
  CHECK_THAT(problem_of("~: 1\n"), Contains("must not be empty"));
  CHECK_THAT(problem_of("'': 1\n"), Contains("must not be empty"));
  CHECK_THAT(problem_of("a: &x b\n*x : 1\n"), Contains("not an alias"));
  CHECK_THAT(problem_of("&x a: 1\n"), Contains("not to a key"));
  CHECK_THAT(problem_of("a: {<<: {b: 1}}\n"), Contains("merge keys"));
  CHECK_THAT(problem_of(std::string(201, 'k') + ": 1\n"), Contains("more than 200 bytes"));
  CHECK(parsed(std::string(200, 'k') + ": 1\n").entries().size() == 1);
}

TEST_CASE("tags and further documents are refused") {
  CHECK_THAT(problem_of("a: !!str 1\n"), Contains("t.yaml:1:4: a: the tag"));
  CHECK_THAT(problem_of("a: !mine {b: 1}\n"), Contains("tag"));
  CHECK_THAT(problem_of("a: !mine [b]\n"), Contains("tag"));
  CHECK_THAT(problem_of("a: 1\n---\nb: 2\n"), Contains("second document"));
  CHECK(at(parsed("---\na: 1\n...\n"), "a").text() == "1");
}

TEST_CASE("what is no text is refused at its first bad byte") {
  using namespace std::string_view_literals;
  CHECK_THAT(problem_of("a: 1\nb: \0\n"sv), Contains("t.yaml:2:4: the control character 0x00"));
  CHECK_THAT(problem_of("a: \x04\n"), Contains("0x04"));
  CHECK_THAT(problem_of("a: \x7f\n"), Contains("0x7f"));
  CHECK_THAT(problem_of("\x7f"
                        "ELF\x02\x01"),
             Contains("t.yaml:1:1"));
  for (const char* bytes : {"\xff", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    CHECK_THAT(problem_of(std::string("a: ") + bytes), Contains("is not UTF-8"));
  }
  CHECK_THAT(problem_of("a: \"\\0\"\n"), Contains("control character"));
  CHECK_THAT(problem_of("a: \"\\x1b\"\n"), Contains("control character"));
}

TEST_CASE("UTF-8 and its byte order mark are read") {
  CHECK(at(parsed("\xef\xbb\xbf"
                  "a: \u00b5s \U0001f600\n"),
           "a")
            .text() == "\u00b5s \U0001f600");
}

TEST_CASE("an empty document is a problem") {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~\n", "%YAML 1.2\n---\n"}) {
    CHECK_THAT(problem_of(text), Contains("is empty"));
  }
}

TEST_CASE("nesting is read 64 levels deep and no deeper, aliases included") {
  const auto nested = [](std::size_t n) { return "a: " + repeated("[", n) + repeated("]", n); };
  CHECK(parsed(nested(63)).is_map());
  CHECK_THAT(problem_of(nested(64)), Contains("more than 64 levels"));
  CHECK_THAT(problem_of(repeated("- ", 1000)), Contains("more than 64 levels"));
  const std::string half = "a: &x " + repeated("[", 40) + repeated("]", 40) + "\nb: ";
  CHECK(parsed(half + repeated("[", 23) + "*x" + repeated("]", 23)).is_map());
  CHECK_THAT(problem_of(half + repeated("[", 24) + "*x" + repeated("]", 24)),
             Contains("more than 64 levels"));
}

TEST_CASE("aliases of aliases end at 100,000 nodes") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeated(", " + before, 8) + "]\n";
  }
  CHECK_THAT(problem_of(text), Contains("more than 100000 nodes"));
}

TEST_CASE("a long text behind many aliases ends at 4 MiB") {
  const std::string text = "a: &a " + std::string(1 << 20, 'x') + "\nb: [*a, *a, *a, *a]\n";
  CHECK_THAT(problem_of(text), Contains("4 MiB"));
}

TEST_CASE("anchors within anchors cannot multiply the memory") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "&a" + std::to_string(i) + " [";
  text += repeated("x,", 5000) + repeated("]", 60);
  CHECK_THAT(problem_of("k: " + text), Contains("more than 100000 nodes"));
}

TEST_CASE("an alias inside its own anchor is a problem") {
  CHECK_THAT(problem_of("a: &x [*x]\n"), Contains("inside its own anchor"));
}

TEST_CASE("the number of nodes is limited with and without brackets") {
  CHECK(parsed(repeated("- a\n", max_yaml_nodes - 1)).items().size() == max_yaml_nodes - 1);
  CHECK_THAT(problem_of(repeated("- a\n", max_yaml_nodes)), Contains("more than 100000 nodes"));
  CHECK_THAT(problem_of(repeated("[", 1 << 20)), Contains("more than 100000 of the characters"));
  CHECK_THAT(problem_of("[" + repeated("a,", 200'000)), Contains("of the characters"));
}

TEST_CASE("at most 100 problems of one document are kept") {
  Problems problems;
  static_cast<void>(parse_yaml(repeated("a: 1\n", 500), "t.yaml", problems));
  CHECK(problems.list().size() == 100);
}

TEST_CASE("a file is read, and what cannot be read as a file is a problem") {
  {
    const TemporaryFile file("a: 1\n");
    Problems problems;
    const auto root = load_yaml(file.name(), problems);
    CHECK(problems.empty());
    CHECK(at(root, "a").where().file == file.name());
  }
  CHECK_THAT(load_problem("/nonexistent/x.yaml"), Contains("no such file"));
  CHECK_THAT(load_problem("/"), Contains("is a directory"));
  CHECK_THAT(load_problem("/dev/zero"), Contains("not a regular file"));
  CHECK_THAT(load_problem(""), Contains("name of a file is empty"));
  const TemporaryFile empty("");
  CHECK_THAT(load_problem(empty.name()), Contains("is empty"));
  const TemporaryFile large(std::string(max_yaml_bytes + 1, ' '));
  CHECK_THAT(load_problem(large.name()), Contains("more than 4 MiB"));
}

TEST_CASE("--set replaces values, also in lists and by whole maps") {
  const auto root = parsed("w: {main: {iodepth: 1, rw: read}}\nl: [a, {b: c}]\n");
  CHECK(at(with_set(root, "w.main.iodepth", "32"), "w.main.iodepth").text() == "32");
  CHECK(at(with_set(root, "w.main.iodepth", "32"), "w.main.rw").text() == "read");
  CHECK(at(with_set(root, "l.1.b", "d"), "l.1.b").text() == "d");
  CHECK(at(with_set(root, "l.0", "{x: [1, 2]}"), "l.0.x.1").path() == "l.0.x.1");
  CHECK(at(with_set(root, "w.main", "\"a: b\""), "w.main").text() == "a: b");
}

TEST_CASE("--set makes the maps that are missing") {
  const auto root = with_set(parsed("a:\n"), "a.b.c", "1");
  CHECK(at(root, "a.b.c").path() == "a.b.c");
  CHECK(at(with_set(ConfigNode{}, "x.y", "1"), "x.y").text() == "1");
}

TEST_CASE("--set without a text sets nothing") {
  for (const char* text : {"", " ", "~", "null"}) {
    CHECK(at(with_set(parsed("a: 1\n"), "a", text), "a").is_null());
  }
}

TEST_CASE("what --set brings in has the position --set, the rest keeps its own") {
  const auto root = with_set(parsed("a: {b: 1}\nc: 2\n"), "a.b", "{d: 3}");
  CHECK(at(root, "a.b.d").where().file == "--set");
  CHECK(at(root, "a.b.d").where().line == 0);
  CHECK(at(root, "a.b").entries().front().where.file == "--set");
  CHECK(at(root, "c").where().file == "t.yaml");
}

TEST_CASE("a --set that leads nowhere is a problem that says what is there") {
  auto root = parsed("a: {b: 1}\nl: [x, y]\ne: []\n");
  CHECK_THAT(set_problem(root, "a.b.c", "1"),
             Contains("--set: a.b.c: a.b is the value '1' and has nothing below it"));
  CHECK_THAT(set_problem(root, "l.2", "1"), Contains("indices 0 to 1; '2' is none of them"));
  CHECK_THAT(set_problem(root, "l.x", "1"), Contains("'x' is none of them"));
  CHECK_THAT(set_problem(root, "l.-1", "1"), Contains("'-1' is none of them"));
  CHECK_THAT(set_problem(root, "l.99999999999999999999", "1"), Contains("none of them"));
  CHECK_THAT(set_problem(root, "e.0", "1"), Contains("e is an empty list"));
  auto scalar = parsed("x");
  CHECK_THAT(set_problem(scalar, "a", "1"), Contains("the root is the value 'x'"));
}

TEST_CASE("a --set whose path or value cannot be read is a problem") {
  auto root = parsed("a: 1\n");
  for (const char* path : {"", ".", "a.", ".a", "a..b"}) {
    CHECK_THAT(set_problem(root, path, "1"), Contains("one dot between them"));
  }
  CHECK_THAT(set_problem(root, "b", "[1, 2"), Contains("--set: b: in '[1, 2':"));
  CHECK_THAT(set_problem(root, "b", "\xff"), Contains("is not UTF-8"));
  CHECK_THAT(set_problem(root, "b", "!x 1"), Contains("tag"));
  CHECK_THAT(set_problem(root, "b", "# 1"), Contains("is empty"));
  CHECK_THAT(set_problem(root, std::string(201, 'k'), "1"), Contains("at most 200 bytes"));
  CHECK_THAT(set_problem(root, "a" + repeated(".a", 64), "1"), Contains("64 levels"));
  CHECK_THAT(set_problem(root, "a" + repeated(".a", 39), repeated("[", 25) + repeated("]", 25)),
             Contains("64 levels"));
}

TEST_CASE("an overlay merges maps and lets the upper one win") {
  const auto base = parsed("a: {x: 1, y: 2}\nb: [1, 2]\nc: 3\n");
  const auto over = parsed("d: 4\nb: [9]\na: {y: 5, z: 6}\nc:\n");
  const auto merged = overlay(base, over);
  CHECK(to_yaml(merged) == "a:\n  x: 1\n  y: 5\n  z: 6\nb:\n  - 9\nc: ~\nd: 4\n");
  CHECK(at(merged, "a.y").where().line == 3);
  CHECK(at(merged, "a.x").where().line == 1);
}

TEST_CASE("an overlaid value does not inherit the provenance of the old one") {
  const auto base = parsed("t: {value: 50us, source: paper, confidence: published}\n");
  const auto merged = overlay(base, parsed("t: {value: 60us}\n"));
  CHECK(at(merged, "t.value").text() == "60us");
  CHECK(at(merged, "t").find("source") == nullptr);
  CHECK(at(overlay(base, parsed("t: 60us\n")), "t").text() == "60us");
}

TEST_CASE("an overlay has the paths of its upper part") {
  const auto entry = parsed("ports: {count: 2}\nname: x\n");
  const auto scenario = parsed("hosts: {h: {ports: {rate: 1Gb/s}}}\n");
  const auto merged = overlay(entry, at(scenario, "hosts.h"));
  CHECK(at(merged, "ports.count").path() == "hosts.h.ports.count");
  CHECK(at(merged, "ports.rate").path() == "hosts.h.ports.rate");
  CHECK(merged.path() == "hosts.h");
}

TEST_CASE("an overlay of two large maps takes no quadratic time") {
  std::string text;
  for (int i = 0; i < 90'000; ++i) text += "k" + std::to_string(i) + ": v\n";
  const auto node = parsed(text);
  CHECK(overlay(node, node).entries().size() == 90'000);
}

TEST_CASE("a tree can be rooted elsewhere") {
  const auto node = with_path(parsed("a: [x]\n"), "system.arrays.q");
  CHECK(at(node, "a.0").path() == "system.arrays.q.a.0");
  CHECK(at(with_path(node, ""), "a.0").path() == "a.0");
}

TEST_CASE("nodes can be made by hand") {
  const auto node = ConfigNode::map({{"a", {}, ConfigNode::list({ConfigNode::scalar("x")})},
                                     {"b", {}, ConfigNode::null({"f", 1, 2})}});
  CHECK(to_yaml(node) == "a:\n  - x\nb: ~\n");
  CHECK(node.find("b")->where().column == 2);
}

TEST_CASE("the dump is read back as the same tree") {
  const std::vector<std::string> texts{
      "a",    "",      "null", "~",           "a: b",        "- a",   " a",  "a ",     "#x",
      "a #b", "\"q\"", "it's", "back\\slash", "line\nbreak", "tab\t", "[",   "{}",     "*a",
      "&a",   "!t",    "%",    "@",           "`",           "<<",    "---", "...",    "\u00b5s",
      "4KiB", "70%",   "-1",   "1e-6",        "a,b",         "yes",   "?",   "a\r\nb", ":",
      "a:",   "|",     ">",    "%d",          "=",           "NULL"};
  std::vector<ConfigNode> items;
  std::vector<ConfigEntry> entries;
  for (const auto& text : texts) {
    items.push_back(ConfigNode::scalar(text));
    if (!text.empty()) entries.push_back({text, {}, ConfigNode::list({})});
  }
  entries.push_back({"items", {}, ConfigNode::list(items)});
  entries.push_back({"deep", {}, ConfigNode::list({ConfigNode::list({ConfigNode::map({})})})});
  const auto root = ConfigNode::map(entries);
  const auto again = parsed(to_yaml(root));
  REQUIRE(again.entries().size() == entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) CHECK(again.entries()[i].key == entries[i].key);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(at(again, "items." + std::to_string(i)).is_scalar());
    CHECK(at(again, "items." + std::to_string(i)).text() == texts[i]);
  }
  CHECK(at(again, "deep.0.0").is_map());
  CHECK(to_yaml(again) == to_yaml(root));
  CHECK(to_yaml(ConfigNode::scalar("x")) == "x\n");
  CHECK(to_yaml(ConfigNode::map({})) == "{}\n");
}

TEST_CASE("the longest key needs escapes and is still read back") {
  const std::string key(max_yaml_key_bytes, '"');
  const auto root = ConfigNode::map({{key, {}, ConfigNode::scalar("x")}});
  CHECK(at(parsed(to_yaml(root)), key).text() == "x");
}

TEST_CASE("the kinds have names for messages") {
  CHECK(kind_in_words(ConfigNode::Kind::null) == "nothing");
  CHECK(kind_in_words(ConfigNode::Kind::scalar) == "a value");
  CHECK(kind_in_words(ConfigNode::Kind::list) == "a list");
  CHECK(kind_in_words(ConfigNode::Kind::map) == "a map");
}

}  // namespace storcast
