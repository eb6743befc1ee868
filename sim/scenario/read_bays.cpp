// Where drives are plugged in: the chains of shelves, and whether every drive finds its bay.
#include <algorithm>

#include "sim/scenario/reading.hpp"

namespace storcast::reading {
namespace {

// A drive model without the key fits every bay.
DriveInterface interface_of(const DriveParams& drive) {
  return std::visit(
      [](const auto& params) {
        if constexpr (requires { params.interface; }) {
          return params.interface;
        } else {
          return DriveInterface::any;
        }
      },
      drive);
}

// A set of bays: the chassis or one chain of shelves.
struct Bays {
  std::string name;  // "the chassis"
  std::string key;   // what to change
  DriveInterface takes{};
  std::optional<std::int64_t> count;
};

void check_plugs(const ConfigNode& pools, const PoolConfig& pool, const Bays& bays,
                 Problems& problems) {
  const DriveInterface drive = interface_of(pool.drive);
  const DriveInterface spare = interface_of(pool.spare_drive.value_or(pool.drive));
  const ConfigNode& node = place(pools, pool.name);
  for (const auto& [key, plug] : {std::pair{"drive", drive}, std::pair{"spare_drive", spare}}) {
    if (node.find(key) == nullptr || bay_takes(bays.takes, plug)) continue;
    const std::string bay = name_of(bays.takes);
    complain(place(node, key),
             "drives of pool " + pool.name + " have " + name_of(plug) + " plugs, the bays take " +
                 bay + (bays.takes == DriveInterface::sas ? " and sata" : "") + " (" + bays.key +
                 ")",
             problems);
  }
}

// Pools in `shelf` (none: the chassis) against its bays.
void check_one(const ConfigNode& pools, const ArrayConfig& array, std::optional<std::size_t> shelf,
               const Bays& bays, Problems& problems) {
  int members = 0;
  int spares = 0;
  for (const PoolConfig& pool : array.pools) {
    if (pool.shelf != shelf) continue;
    members += pool.drives;
    spares += pool.hot_spares;
    check_plugs(pools, pool, bays, problems);
  }
  if (members + spares <= *bays.count) return;
  complain(pools,
           std::to_string(members + spares) + " drives, of which " + std::to_string(spares) +
               (spares == 1 ? " is a hot spare" : " are hot spares") + ", do not go into the " +
               std::to_string(*bays.count) + " bays of " + bays.name,
           problems);
}

}  // namespace

void read_shelves(const ConfigNode& array, Scenario& scenario, Problems& problems, ReadLog& log) {
  if (array.find("shelves") == nullptr) return;
  const ConfigNode* shelves = map_at(array, "shelves", problems);
  if (shelves == nullptr) return;
  std::int64_t count = 0;
  std::int64_t bays = scenario.array.chassis.bays.value_or(0);
  for (const ConfigEntry& entry : shelves->entries()) {
    check_name(entry, problems);
    scenario.array.shelves.push_back({entry.key, sas_schema().read(entry.value, problems, &log)});
    count += scenario.array.shelves.back().params.shelves;
    bays += scenario.array.shelves.back().params.bays_in_all();
  }
  if (count > most_shelves) {
    complain(*shelves,
             std::to_string(count) + " shelves: at most " + std::to_string(most_shelves) +
                 " stand behind an array",
             problems);
  } else if (bays > most_bays) {
    complain(*shelves,
             std::to_string(bays) + " bays with the chassis: at most " + std::to_string(most_bays) +
                 " belong to an array",
             problems);
  }
}

std::optional<std::size_t> find_shelf(const ConfigNode& pool,
                                      const std::optional<std::string>& name,
                                      const ArrayConfig& array, Problems& problems) {
  if (!name) return std::nullopt;
  std::vector<std::string> names;
  for (const ShelfConfig& shelf : array.shelves) names.push_back(shelf.name);
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found == names.end()) {
    complain(place(pool, "shelf"), "there is no shelf '" + *name + "'", problems,
             nearest(*name, names));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - names.begin());
}

void check_bays(const ConfigNode& pools, const ArrayConfig& array, Problems& problems) {
  const ChassisParams& chassis = array.chassis;
  if (chassis.bays) {
    check_one(pools, array, std::nullopt,
              {"the chassis", "chassis.bay_interface", chassis.bay_interface, *chassis.bays},
              problems);
  }
  for (std::size_t s = 0; s < array.shelves.size(); ++s) {
    const ShelfConfig& shelf = array.shelves[s];
    check_one(
        pools, array, s,
        {"shelf " + shelf.name, "a SAS shelf", DriveInterface::sas, shelf.params.bays_in_all()},
        problems);
  }
}

}  // namespace storcast::reading
