// What the readers of a scenario's parts share. Private to sim/scenario.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/yaml_node.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast::reading {

// The value of a key that must be a map; a Problem and nullptr otherwise. Nothing is missing beside
// a `use` that is still there: it names an unknown product, which the catalogue has said.
const ConfigNode* map_at(const ConfigNode& parent, const std::string& key, Problems& problems);
// Complains of keys that are not among `known` (`use`: as above).
void check_keys(const ConfigNode& map, const std::vector<std::string>& known, Problems& problems);
// The node of a key for a message, or the map itself if it is not written there.
const ConfigNode& place(const ConfigNode& map, std::string_view key);
void complain(const ConfigNode& node, const std::string& rule, Problems& problems,
              std::vector<std::string> accepted = {});

// Complains unless the key is a name: letters, digits, _ and -, at most 40 (reports, paths and
// SimGrid join names with dots).
void check_name(const ConfigEntry& entry, Problems& problems);

void read_system(const ConfigNode& system, Scenario& scenario, Problems& problems, ReadLog& log);
// The pools of the array, whose controllers are read; and its volumes, which must fit into them.
void read_pools(const ConfigNode& pools, Scenario& scenario, Problems& problems, ReadLog& log);
void read_volumes(const ConfigNode& volumes, Scenario& scenario, Problems& problems, ReadLog& log);
// The engine of a pool of local drives; a Problem if it has none, or one that has controllers.
void read_engine(const ConfigNode& pool, bool local, PoolConfig& config, Problems& problems,
                 ReadLog& log);
// Local drives: the host stands for the controllers of an array, which nothing may name.
void read_local(const ConfigNode& system, Scenario& scenario, Problems& problems, ReadLog& log);
// The threads of the pools' engines, for what the host does in the background.
void let_engines_work(ArrayConfig& array);
[[nodiscard]] bool is_local(const ConfigNode& system);
// What a pool says of the rebuild of its drives. Of a pool whose layout is right.
void read_rebuild(const ConfigNode& pool, PoolConfig& config, Problems& problems, ReadLog& log);
// Of a timeline that is read: losses that find no spare, and what nobody said of a rebuild.
void judge_rebuilds(Scenario& scenario);
// The chains of shelves behind the array, if there are any.
void read_shelves(const ConfigNode& array, Scenario& scenario, Problems& problems, ReadLog& log);
// The index of the chain that a pool names; a Problem if there is none of that name.
std::optional<std::size_t> find_shelf(const ConfigNode& pool,
                                      const std::optional<std::string>& name,
                                      const ArrayConfig& array, Problems& problems);
// All drives, hot spares included, must find a bay that takes them, of the chassis or of their
// shelf. Of pools that are right.
void check_bays(const ConfigNode& pools, const ArrayConfig& array, Problems& problems);
void read_workloads(const ConfigNode& workloads, Scenario& scenario, Problems& problems);
void read_run(const ConfigNode* run, Scenario& scenario, Problems& problems);
void read_timeline(const ConfigNode* timeline, Scenario& scenario, Problems& problems);
// Of a scenario that is otherwise right; `tree` tells the positions.
void check_limits(const ConfigNode& tree, const Scenario& scenario, Problems& problems);

}  // namespace storcast::reading
