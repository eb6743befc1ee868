#include "results/capacity_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/version.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using Json = nlohmann::json;

namespace {

// The contract that scripts rely on; a key may be added, none may go.
const std::vector<std::string> of_ledger{"raw",       "hot_spares",   "formatting",
                                         "remainder", "woven_spares", "redundancy",
                                         "usable",    "allocated",    "free"};
const std::vector<std::string> of_pool{
    "raid",          "drives",       "groups",     "copies",      "data_strips",
    "parity_strips", "woven_spares", "hot_spares", "drive_bytes", "formatting_bytes_per_drive",
    "strip_bytes",   "rows",         "stripes",    "volumes",     "volume_bytes"};

}  // namespace

TEST_CASE("the capacity as JSON has every promised key, bytes as whole numbers") {
  const ArrayCapacity capacity = capacity_of(testing::small());
  const Json json = Json::parse(capacity_json(capacity));
  for (const char* key :
       {"storcast", "schema", "scenario", "array", "drives", "bays", "assumptions"}) {
    INFO(key);
    CHECK(json.contains(key));
  }
  CHECK(json["schema"] == result_schema);
  CHECK(json["drives"] == 11);
  CHECK(json["bays"].is_null());
  REQUIRE(json["pools"].size() == 2);
  for (const auto& part : {json["pools"]["a"], json["pools"]["b"], json["total"]}) {
    for (const std::string& key : of_ledger) {
      INFO(key);
      REQUIRE(part["bytes"][key].is_number_integer());
      const auto bytes = part["bytes"][key].get<std::int64_t>();
      CHECK(part["tb"][key].get<double>() == Approx(static_cast<double>(bytes) / 1e12));
      CHECK(part["tib"][key].get<double>() == Approx(static_cast<double>(bytes) / 1099511627776.0));
    }
  }
  for (const std::string& key : of_pool) {
    INFO(key);
    CHECK(json["pools"]["a"].contains(key));
  }
  CHECK(json["pools"]["a"]["raid"] == "raid6");
  CHECK(json["pools"]["a"]["bytes"]["usable"] == capacity.pools[0].ledger.usable.value);
  CHECK(json["total"]["bytes"]["raw"] == capacity.total.raw.value);
  CHECK(capacity_json(capacity).back() == '\n');
}

TEST_CASE("the largest array that is accepted keeps its bytes to the last one") {
  const std::string largest = "{model: null_drive, service_time: 1us, capacity: 1PB}";
  std::vector<Override> sets{{"system.arrays.array.pools.a.drives", "1024"},
                             {"system.arrays.array.pools.b.drives", "1024"},
                             {"system.arrays.array.pools.a.drive", largest},
                             {"system.arrays.array.pools.b.drive", largest}};
  for (const char* name : {"c", "d"}) {
    sets.push_back(
        {std::string("system.arrays.array.pools.") + name,
         "{raid: raid0, drives: 1024, controller: a, formatting: 3B, drive: " + largest + "}"});
  }
  const Json json = Json::parse(capacity_json(capacity_of(testing::small(sets))));
  CHECK(json["total"]["bytes"]["raw"].get<std::int64_t>() == 4'096'000'000'000'000'000);
  // (10^15 - 3) / 65,536 = 15,258,789,062 rows and 32,765 bytes over.
  CHECK(json["pools"]["d"]["bytes"]["remainder"].get<std::int64_t>() == 1024 * 32'765);
}
