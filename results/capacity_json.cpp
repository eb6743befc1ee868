#include "results/capacity_json.hpp"

#include <nlohmann/json.hpp>

#include "results/summary_json.hpp"
#include "results/version.hpp"

namespace storcast {
namespace {

using Json = nlohmann::ordered_json;

template <class Convert>
Json amounts(const Ledger& l, Convert convert) {
  Json out = Json::object();
  out["raw"] = convert(l.raw.value);
  out["hot_spares"] = convert(l.hot_spares.value);
  out["formatting"] = convert(l.formatting.value);
  out["remainder"] = convert(l.remainder.value);
  out["woven_spares"] = convert(l.woven_spares.value);
  out["redundancy"] = convert(l.redundancy.value);
  out["usable"] = convert(l.usable.value);
  out["allocated"] = convert(l.allocated.value);
  out["free"] = convert(l.free.value);
  return out;
}

void put_ledger(const Ledger& ledger, Json& to) {
  to["bytes"] = amounts(ledger, [](std::int64_t bytes) { return bytes; });
  to["tb"] = amounts(ledger, [](std::int64_t b) { return static_cast<double>(b) / 1e12; });
  to["tib"] =
      amounts(ledger, [](std::int64_t b) { return static_cast<double>(b) / 1099511627776.0; });
}

Json pool_object(const PoolCapacity& pool) {
  Json out = Json::object();
  out["raid"] = pool.raid;
  out["drives"] = pool.layout.drives;
  out["groups"] = pool.layout.groups;
  out["copies"] = pool.layout.copies;
  out["data_strips"] = pool.layout.data;
  out["parity_strips"] = pool.layout.parity;
  out["woven_spares"] = pool.layout.spares;
  out["hot_spares"] = pool.hot_spares;
  out["drive_bytes"] = pool.drive.value;
  out["formatting_bytes_per_drive"] = pool.formatting_per_drive.value;
  out["strip_bytes"] = pool.strip.value;
  out["rows"] = pool.rows;
  out["stripes"] = pool.stripes;
  out["volumes"] = pool.volumes;
  out["volume_bytes"] = pool.volume_size.value;
  put_ledger(pool.ledger, out);
  return out;
}

}  // namespace

std::string capacity_json(const ArrayCapacity& capacity) {
  Json out = Json::object();
  out["storcast"] = version;
  out["schema"] = result_schema;
  out["scenario"] = capacity.scenario;
  out["array"] = capacity.array;
  out["drives"] = capacity.drives;
  out["bays"] = capacity.bays ? Json(*capacity.bays) : Json(nullptr);
  out["pools"] = Json::object();
  for (const PoolCapacity& pool : capacity.pools) out["pools"][pool.name] = pool_object(pool);
  out["total"] = Json::object();
  put_ledger(capacity.total, out["total"]);
  out["assumptions"] = capacity.assumptions;
  return json_text(out) + "\n";
}

}  // namespace storcast
