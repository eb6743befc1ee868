#include "models/catalog.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "sim/scenario/scenario.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
namespace fs = std::filesystem;

namespace {

// A folder of products, gone at the end.
class Shelf {
 public:
  explicit Shelf(const std::string& name) : folder_(fs::temp_directory_path() / name) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Shelf() { fs::remove_all(folder_); }
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / (name + ".yaml")) << text;
  }
  [[nodiscard]] Catalog open() const { return Catalog(folder_.string()); }

 private:
  fs::path folder_;
};

ConfigNode expanded(const Catalog& catalog, const std::string& text, Problems& problems) {
  return catalog.expand(parse_yaml(text, "test.yaml", problems), problems);
}

// Calls f for each leaf with its key.
void each_leaf(const ConfigNode& node, const std::string& key,
               const std::function<void(const ConfigNode&, const std::string&)>& f) {
  if (!node.is_map() || node.find("value") != nullptr) {
    f(node, key);
    return;
  }
  for (const ConfigEntry& entry : node.entries()) each_leaf(entry.value, entry.key, f);
}

std::vector<Override> uses(const std::string& product) {
  const std::string kind = product.substr(0, product.find('/'));
  if (kind == "drives") return {{"system.arrays.array.pools.a.drive.use", product}};
  if (kind == "controllers") return {{"system.arrays.array.controllers.a.use", product}};
  if (kind == "hosts") return {{"system.hosts.host.use", product}};
  if (kind == "arrays") return {{"system.arrays.array.use", product}};
  if (kind == "protocols") {
    // "protocols/nvme-tcp-kernel" is a stack of nvme_tcp, "protocols/nfs4" one of nfs.
    std::string word = product.substr(product.find('/') + 1);
    word = word.substr(0, word.find("-kernel"));
    std::replace(word.begin(), word.end(), '-', '_');
    if (word == "nfs4" || word == "smb3") word.pop_back();
    std::vector<Override> sets{{"system.fabric.protocol", word},
                               {"system.fabric.stack.use", product}};
    if (word.starts_with("fc")) sets.push_back({"system.hosts.host.ports.kind", "fc"});
    return sets;
  }
  if (kind == "engines") return {{"engine of local drives", product}};
  if (kind == "shelves") return {{"system.arrays.array.shelves.s.use", product}};
  return {{"unknown_kind", product}};
}

}  // namespace

TEST_CASE("every product of the catalogue can be used in a scenario") {
  const Catalog catalog = Catalog::standard();
  REQUIRE(catalog.products().size() >= 10);
  for (const std::string& product : catalog.products()) {
    INFO(product);
    CHECK_FALSE(catalog.heading(product).empty());
    CHECK(catalog.text(product).find("product:") != std::string::npos);
    std::vector<Override> sets = uses(product);
    if (product == "arrays/qsan-xn8024d") {
      sets.push_back({"system.arrays.array.pools.a.drive.interface", "sas"});
      sets.push_back({"system.arrays.array.pools.b.drive.interface", "sas"});
    }
    if (product == "drives/null-drive") {
      sets.push_back({"system.arrays.array.volumes.size", "1GiB"});
    }
    if (product.starts_with("engines/")) {
      CHECK_NOTHROW(load_scenario(checkout_folder() + "/scenarios/150_md_local.yaml",
                                  {{"system.arrays.server.pools.p.engine.use", product}}));
      continue;
    }
    CHECK_NOTHROW(testing::small(sets));
  }
}

TEST_CASE("every number of the catalogue has a source and a confidence") {
  const Catalog catalog = Catalog::standard();
  const std::vector<std::string> confidences{"published", "datasheet", "literature", "derived",
                                             "assumption"};
  for (const std::string& product : catalog.products()) {
    Problems problems;
    const ConfigNode at = ConfigNode::scalar("here");
    const ConfigNode values = catalog.load(product, at, problems);
    REQUIRE(problems.empty());
    each_leaf(values, "", [&](const ConfigNode& leaf, const std::string& key) {
      if (key == "model" || key == "use" || (leaf.is_map() && leaf.entries().empty())) return;
      INFO(product << ": " << key);
      REQUIRE(leaf.is_map());
      CHECK((leaf.find("source") != nullptr && !leaf.find("source")->text().empty()));
      const ConfigNode* confidence = leaf.find("confidence");
      REQUIRE(confidence != nullptr);
      CHECK(std::find(confidences.begin(), confidences.end(), confidence->text()) !=
            confidences.end());
    });
  }
}

TEST_CASE("every model describes its parameters") {
  const auto models = all_models();
  REQUIRE(models.size() == 15);
  for (const ModelInfo& model : models) {
    INFO(model.name);
    CHECK_FALSE(model.summary.empty());
    CHECK_FALSE(model.fields.empty());
    for (const FieldInfo& field : model.fields) {
      CHECK_FALSE(field.meaning.empty());
      CHECK(model.sheet.find(field.key) != std::string::npos);
    }
  }
}

TEST_CASE("a product fills in what does not stand beside its use") {
  const Shelf shelf("storcast_catalog_fill");
  shelf.put("drives/x",
            "product: X\nnotes: none\nmodel: ssd\ndies: {value: 4, source: s}\nlink: 1\n");
  Problems problems;
  const ConfigNode node =
      expanded(shelf.open(), "drive: {use: drives/x, dies: 8, more: 9}", problems);
  REQUIRE(problems.empty());
  const ConfigNode& drive = *node.find("drive");
  CHECK(drive.find("dies")->text() == "8");
  CHECK(drive.find("link")->text() == "1");
  CHECK(drive.find("more")->text() == "9");
  CHECK(drive.find("use") == nullptr);
  CHECK(drive.find("product") == nullptr);
  CHECK(drive.find("notes") == nullptr);
  CHECK(drive.find("link")->path() == "drive.link");
}

TEST_CASE("a product may use another") {
  const Shelf shelf("storcast_catalog_chain");
  shelf.put("a", "product: A\nuse: b\none: 1\n");
  shelf.put("b", "product: B\none: 2\ntwo: 2\n");
  Problems problems;
  const ConfigNode node = expanded(shelf.open(), "part: {use: a}", problems);
  REQUIRE(problems.empty());
  CHECK(node.find("part")->find("one")->text() == "1");
  CHECK(node.find("part")->find("two")->text() == "2");
}

TEST_CASE("products that use each other in a circle are a problem, not a hang") {
  const Shelf shelf("storcast_catalog_circle");
  shelf.put("a", "product: A\nuse: b\n");
  shelf.put("b", "product: B\nuse: a\n");
  shelf.put("c", "product: C\npart: {use: c}\n");
  for (const char* text : {"part: {use: a}", "part: {use: c}", "list: [{use: a}]"}) {
    Problems problems;
    expanded(shelf.open(), text, problems);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.list().front().rule.find("too deeply") != std::string::npos);
  }
}

TEST_CASE("an unknown product is named with its place and the nearest that exist") {
  Problems problems;
  expanded(Catalog::standard(), "drive:\n  use: drives/nvme-gen4-tlx\n", problems);
  REQUIRE(problems.list().size() == 1);
  const Problem& p = problems.list().front();
  CHECK(p.where.file == "test.yaml");
  CHECK(p.where.line == 2);
  CHECK(p.where.column == 8);
  CHECK(p.accepted.front() == "drives/nvme-gen4-tlc");
  Problems of_path;
  expanded(Catalog::standard(), "drive: {use: ../../etc/passwd}", of_path);
  CHECK(of_path.list().size() == 1);
  Problems of_map;
  expanded(Catalog::standard(), "drive: {use: [a, b]}", of_map);
  CHECK(of_map.list().size() == 1);
}

TEST_CASE("only products of the kind that a place wants are accepted and proposed there") {
  struct Place {
    const char* text;
    const char* rule;
    const char* kind;
  };
  for (const Place& p : std::vector<Place>{
           {"pools: {a: {drive: {use: hosts/dell-r750}}}",
            "pools.a.drive.use: 'hosts/dell-r750' is no product of the kind wanted here, drives",
            "drives/"},
           {"pools: {hosts: {drive: {use: dell-r750}}}",
            "pools.hosts.drive.use: 'dell-r750' is not a product of the catalogue", "drives/"},
           {"pools: {a: {spare_drive: {use: x}}}",
            "pools.a.spare_drive.use: 'x' is not a product of the catalogue", "drives/"},
           {"hosts: {drive: {use: drives/null-drive}}",
            "hosts.drive.use: 'drives/null-drive' is no product of the kind wanted here, hosts",
            "hosts/"},
           {"fabric: {stack: {use: nvme-tcp}}",
            "fabric.stack.use: 'nvme-tcp' is not a product of the catalogue", "protocols/"},
           {"controllers: {a: {use: qsan}}",
            "controllers.a.use: 'qsan' is not a product of the catalogue", "controllers/"},
           {"arrays: {array: {use: qsan}}",
            "arrays.array.use: 'qsan' is not a product of the catalogue", "arrays/"}}) {
    INFO(p.text);
    Problems problems;
    const ConfigNode node =
        expanded(Catalog::standard(), std::string("system: {") + p.text + "}", problems);
    REQUIRE(problems.list().size() == 1);
    const Problem& problem = problems.list().front();
    CHECK(problem.rule == std::string("system.") + p.rule);
    CHECK_FALSE(problem.accepted.empty());
    for (const std::string& word : problem.accepted) CHECK(word.starts_with(p.kind));
  }
}

TEST_CASE("of an unknown product only its name is a problem, not what it would have brought") {
  const std::vector<Override> unknown[] = {
      {{"system.arrays.array.use", "arrays/qsan-xn9"}},
      {{"system.hosts.host", "{use: hosts/none, ports: {count: 2, rate: 25Gb/s}}"}},
      {{"system.arrays.array.pools.a.drive.use", "drives/none"}},
      {{"system.arrays.array.pools.a.drive", "{use: drives/none, dies: 4}"}},
      {{"system.fabric.stack.use", "protocols/none"}}};
  for (const auto& sets : unknown) {
    INFO(sets[0].path << "=" << sets[0].value);
    try {
      static_cast<void>(testing::small(sets));
      FAIL("accepted");
    } catch (const ScenarioError& error) {
      INFO(error.what());
      CHECK(error.problems().size() == 1);
      CHECK(error.problems()[0].rule.find("is not a product") != std::string::npos);
    }
  }
}

TEST_CASE("a catalogue of a folder that does not exist is empty") {
  const Catalog none("/nonexistent/catalogue");
  CHECK(none.products().empty());
  CHECK(none.text("drives/x").empty());
}
