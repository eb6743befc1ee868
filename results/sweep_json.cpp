// sweep_json of sweep.hpp; apart from the table because only the writers of JSON see its library.
#include <nlohmann/json.hpp>

#include "results/summary_json.hpp"
#include "results/sweep.hpp"
#include "results/version.hpp"
#include "sim/base/error.hpp"

namespace storcast {
namespace {

using Json = nlohmann::ordered_json;

Json mark_object(const SweepResult& sweep, std::optional<std::size_t> point) {
  if (!point) return nullptr;
  INVARIANT(*point < sweep.points.size(), "the marks of a sweep are points of it");
  return Json{{"point", *point}, {"value", sweep.points[*point].value}};
}

}  // namespace

std::string sweep_json(const SweepResult& sweep) {
  Json object = Json::object();
  object["storcast"] = std::string(version);
  object["schema"] = result_schema;
  object["scenario"] = sweep.scenario;
  object["path"] = sweep.path;
  object["knee"] = mark_object(sweep, sweep.knee);
  object["saturation"] = mark_object(sweep, sweep.saturation);
  object["points"] = Json::array();
  for (const auto& point : sweep.points) {
    Json entry = Json::object();
    entry["value"] = point.value;
    entry["result"] = summary_object(point.result);
    object["points"].push_back(std::move(entry));
  }
  return json_text(object);
}

}  // namespace storcast
