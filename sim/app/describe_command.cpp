// storcast describe: the data sheets of models and products.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/app/commands.hpp"
#include "sim/scenario/sheets.hpp"

namespace storcast::app {
namespace {

// Models, and the parts of a scenario that are described in the same way.
std::vector<ModelInfo> all_sheets() {
  std::vector<ModelInfo> sheets = all_models();
  for (ModelInfo& sheet : scenario_sheets()) sheets.push_back(std::move(sheet));
  return sheets;
}

// The product that `name` means: itself, or the only one whose last part it is ("null-drive").
std::string product_meant(const std::string& name, const Catalog& catalog) {
  std::string meant;
  for (const std::string& product : catalog.products()) {
    if (product == name) return name;
    if (!product.ends_with("/" + name)) continue;
    if (!meant.empty()) return name;
    meant = product;
  }
  return meant.empty() ? name : meant;
}

void list_all(const Catalog& catalog) {
  fmt::print("Models (storcast describe MODEL prints the parameters):\n");
  for (const ModelInfo& model : all_models())
    fmt::print("  {:<28} {}\n", model.name, model.summary);
  fmt::print("\nParts of a scenario (described in the same way):\n");
  for (const ModelInfo& part : scenario_sheets())
    fmt::print("  {:<28} {}\n", part.name, part.summary);
  fmt::print("\nProducts (use: NAME in a scenario; storcast describe NAME prints the sheet):\n");
  for (const std::string& name : catalog.products()) {
    fmt::print("  {:<28} {}\n", name, catalog.heading(name));
  }
}

// key, value, confidence, source: one row for each value of the sheet.
void print_values(const ConfigNode& node, const std::string& prefix) {
  for (const ConfigEntry& entry : node.entries()) {
    const std::string key = prefix + entry.key;
    const ConfigNode* value = entry.value.find("value");
    if (value == nullptr && entry.value.is_map()) {
      print_values(entry.value, key + ".");
      continue;
    }
    const auto text = [&](const char* name) {
      const ConfigNode* part = entry.value.find(name);
      return part != nullptr ? part->text() : std::string{};
    };
    std::string range;
    if (const ConfigNode* r = entry.value.find("range"); r != nullptr && r->items().size() == 2) {
      range = r->items()[0].text() + " to " + r->items()[1].text();
    }
    fmt::print("  {:<28} {:<12} {:<18} {:<11} {}\n", key,
               value != nullptr ? value->text() : entry.value.text(), range, text("confidence"),
               text("source"));
  }
}

int describe(const std::string& asked) {
  const Catalog catalog = Catalog::standard();
  const std::string name = product_meant(asked, catalog);
  if (name.empty()) {
    list_all(catalog);
    return answered;
  }
  std::vector<std::string> known = catalog.products();
  for (const ModelInfo& model : all_sheets()) {
    known.push_back(model.name);
    if (model.name != name) continue;
    fmt::print("{}", model.sheet);
    return answered;
  }
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    std::string near;
    for (const std::string& word : nearest(name, known)) near += (near.empty() ? "" : ", ") + word;
    tell(fmt::format("'{}' is neither a model nor a product; nearest: {}\n", name, near));
    return mistaken;
  }
  Problems problems;
  const ConfigNode sheet =
      parse_yaml(catalog.text(name), "models/catalog/" + name + ".yaml", problems);
  problems.throw_if_any();
  fmt::print("{}: {}\n", name, catalog.heading(name));
  if (const ConfigNode* notes = sheet.find("notes")) fmt::print("{}\n", notes->text());
  fmt::print("\n  {:<28} {:<12} {:<18} {:<11} {}\n", "parameter", "value", "plausible",
             "confidence", "source");
  std::vector<ConfigEntry> values;
  for (const ConfigEntry& entry : sheet.entries()) {
    if (entry.key != "product" && entry.key != "notes") values.push_back(entry);
  }
  print_values(ConfigNode::map(std::move(values)), "");
  return answered;
}

}  // namespace

void add_describe(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("describe", "models and products, or one of them");
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "a model or a product");
  command->callback([name, &exit_code] { exit_code = describe(*name); });
}

}  // namespace storcast::app
