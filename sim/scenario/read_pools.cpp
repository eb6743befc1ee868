// The reader of an array's `pools` and `volumes`: RAID level, drives, spares, what fits.
#include <algorithm>
#include <utility>

#include "sim/scenario/capacity.hpp"
#include "sim/scenario/reading.hpp"
#include "sim/scenario/sheets.hpp"

namespace storcast::reading {
namespace {

struct PoolPart {
  std::string raid, formatting;
  std::optional<std::string> controller, shelf;
  int drives = 0, hot_spares = 0;
  std::optional<int> groups, woven_spares;
  Bytes strip{};
};

const Schema<PoolPart>& pool_schema() {
  using P = PoolPart;
  static const Schema<P> sheet =
      Schema<P>("pool", "Drives under one RAID level.")
          .required(&P::raid, {"raid", "raid0 to raid60, raid5ee to raid60ee, or 8+2", ""})
          .required(&P::drives, {"drives", "drives of the set, woven spares included", ""},
                    {1, 1024})
          .optional(&P::groups, std::nullopt,
                    {"groups", "of raid50, raid60 and their EE forms; none: 2", ""}, {1, 512})
          .optional(&P::woven_spares, std::nullopt,
                    {"woven_spares", "in each group; none: 1 for EE, 0 for 8+2", ""}, {0, 8})
          .optional(&P::hot_spares, 0, {"hot_spares", "drives that stand beside the set", ""},
                    {0, 64})
          .optional(&P::strip, Bytes{65536}, {"strip", "strip on each drive", ""}, {4096, 16 << 20})
          .optional(&P::formatting, format_bytes(default_formatting),
                    {"formatting", "of each drive for metadata: a size or per cent", ""})
          .optional(&P::controller, std::nullopt,
                    {"controller", "its owner; required unless the drives are local", ""})
          .optional(&P::shelf, std::nullopt,
                    {"shelf", "the chain its drives are in; none: the array's own chassis", ""})
          .allow("drive")
          .allow("engine")
          .allow("spare_drive")
          .allow("rebuild");
  return sheet;
}

struct VolumesPart {
  int per_pool = 0;
  Bytes size{};
};

const Schema<VolumesPart>& volumes_schema() {
  static const Schema<VolumesPart> sheet =
      Schema<VolumesPart>("volumes", "Equal volumes in every pool.")
          .required(&VolumesPart::per_pool, {"per_pool", "volumes in each pool", ""}, {1, 1024})
          .required(&VolumesPart::size, {"size", "size of each", ""}, {1 << 20, 1e15});
  return sheet;
}

std::optional<DriveParams> read_drive(const ConfigNode& drive, Problems& problems, ReadLog& log) {
  const ConfigNode* model = drive.find("model");
  const std::vector<std::string> words{"ssd", "hdd", "null_drive"};
  if (model == nullptr || std::find(words.begin(), words.end(), model->text()) == words.end()) {
    if (model == nullptr && drive.find("use") != nullptr) return std::nullopt;
    complain(model == nullptr ? drive : *model,
             model == nullptr ? "model is missing: which drive model these values are for"
                              : "'" + model->text() + "' is not a drive model",
             problems, words);
    return std::nullopt;
  }
  std::vector<ConfigEntry> values;
  for (const ConfigEntry& entry : drive.entries()) {
    if (entry.key != "model") values.push_back(entry);
  }
  const ConfigNode sheet =
      with_path(ConfigNode::map(std::move(values), drive.where()), drive.path());
  if (model->text() == "ssd") return Ssd::schema().read(sheet, problems, &log);
  if (model->text() == "hdd") return Hdd::schema().read(sheet, problems, &log);
  return NullDrive::schema().read(sheet, problems, &log);
}

Bytes capacity_of_drive(const DriveParams& drive) {
  return std::visit([](const auto& params) { return params.capacity; }, drive);
}

// Where the fault lies that `rule` of raid_layout() tells of.
const ConfigNode& culprit(const ConfigNode& pool, const std::string& rule) {
  const auto tells_of = [&](const char* word) { return rule.find(word) != std::string::npos; };
  if (tells_of("not a RAID level") || tells_of("notation")) return place(pool, "raid");
  if (tells_of("needs at least")) return place(pool, "drives");
  if (tells_of("woven") && pool.find("woven_spares") != nullptr) return place(pool, "woven_spares");
  if (tells_of("groups") && pool.find("groups") != nullptr) return place(pool, "groups");
  return place(pool, "drives");
}

void read_layout(const ConfigNode& node, const PoolPart& part, PoolConfig& pool,
                 Problems& problems) {
  std::string rule;
  pool.layout = raid_layout(
      {part.raid, part.drives, part.groups.value_or(0), part.woven_spares.value_or(-1)}, rule);
  if (pool.layout.drives > 0) return;
  std::vector<std::string> accepted;
  if (rule.find("not a RAID level") != std::string::npos) {
    accepted = nearest(part.raid, raid_words());
    accepted.emplace_back("8+2");
  }
  complain(culprit(node, rule), rule, problems, std::move(accepted));
}

// A size, or a share of the drive in per cent.
void read_formatting(const ConfigNode& node, const PoolPart& part, PoolConfig& pool,
                     Problems& problems) {
  const Bytes drive = pool.drive_capacity();
  pool.formatting_assumed = node.find("formatting") == nullptr;
  try {
    pool.formatting = part.formatting.find('%') != std::string::npos
                          ? share_of(drive, parse_fraction(part.formatting))
                          : parse_bytes(part.formatting);
  } catch (const QuantityError& error) {
    complain(place(node, "formatting"), error.what(), problems);
    return;
  }
  if (pool.formatting.value > drive.value / 2) {
    complain(place(node, "formatting"),
             "formatting takes at most half of a drive, not " + format_bytes(pool.formatting) +
                 " of " + format_bytes(drive),
             problems);
  }
}

void check_spares(const ConfigNode& node, const PoolConfig& pool, Problems& problems) {
  if (pool.hot_spares > 0 && pool.layout.family == RaidFamily::striped) {
    complain(place(node, "hot_spares"),
             "raid0 has no redundancy: there is nothing to rebuild a hot spare from", problems);
  }
  if (!pool.spare_drive) return;
  const ConfigNode& spare = place(node, "spare_drive");
  if (pool.hot_spares == 0) {
    complain(spare, "spare_drive goes with hot_spares of 1 or more", problems);
  }
  if (pool.spare_drive->index() != pool.drive.index()) {
    complain(spare,
             "a hot spare is of the same model as its set: " +
                 place(place(node, "drive"), "model").text() + ", not " +
                 place(spare, "model").text(),
             problems);
    return;
  }
  const Bytes size = capacity_of_drive(*pool.spare_drive);
  const Bytes wanted = pool.drive_capacity();
  if (size == wanted) return;
  const bool small = size < wanted;
  complain(spare,
           "a hot spare is as large as the drives of its set, " + format_bytes(wanted) +
               ": one of " + format_bytes(size) +
               (small ? " could not hold what a drive held" : " would leave the excess unused"),
           problems);
}

void check_pool(const ConfigNode& node, const PoolConfig& pool, Problems& problems) {
  check_spares(node, pool, problems);
  if (pool.strip.value % 4096 != 0) {
    complain(place(node, "strip"), "a strip is a multiple of 4KiB", problems);
    return;
  }
  if (pool.formatting <= pool.drive_capacity() &&
      capacity_of(pool, 0, {}).ledger.usable == Bytes{}) {
    complain(place(node, "strip"),
             "a drive of " + format_bytes(pool.drive_capacity()) + " less " +
                 format_bytes(pool.formatting) + " of formatting holds no whole stripe of " +
                 format_bytes(pool.strip) + " strips",
             problems);
  }
}

PoolConfig read_pool(const ConfigNode& node, const ArrayConfig& array, Problems& problems,
                     ReadLog& log) {
  const std::size_t before = problems.count();
  const PoolPart part = pool_schema().read(node, problems, &log);
  const bool words = problems.count() == before;
  PoolConfig pool;
  pool.raid = part.raid;
  pool.drives = part.drives;
  pool.hot_spares = part.hot_spares;
  pool.strip = part.strip;
  if (!node.is_map()) return pool;
  pool.shelf = find_shelf(node, part.shelf, array, problems);
  if (words) read_layout(node, part, pool, problems);
  read_rebuild(node, pool, problems, log);
  std::optional<DriveParams> drive;
  if (const ConfigNode* sheet = map_at(node, "drive", problems)) {
    drive = read_drive(*sheet, problems, log);
  }
  if (node.find("spare_drive") != nullptr) {
    const ConfigNode* spare = map_at(node, "spare_drive", problems);
    if (spare != nullptr) pool.spare_drive = read_drive(*spare, problems, log);
  }
  if (!drive) return pool;  // the catalogue, or a problem above, has said why
  pool.drive = *drive;
  if (problems.count() == before) read_formatting(node, part, pool, problems);
  if (problems.count() == before) check_pool(node, pool, problems);
  return pool;
}

void read_owner(const ConfigNode& pool, const std::vector<ControllerConfig>& controllers,
                PoolConfig& config, Problems& problems) {
  if (!pool.is_map()) return;
  const ConfigNode* named = pool.find("controller");
  if (named == nullptr) {
    problems.add(pool.where(), "", pool.path() + ".controller is missing: its owner");
    return;
  }
  const ConfigNode* value = named->is_map() ? named->find("value") : named;
  if (value == nullptr || !value->is_scalar()) return;
  const auto owner = std::find_if(controllers.begin(), controllers.end(),
                                  [&](const auto& c) { return c.name == value->text(); });
  if (owner != controllers.end() || controllers.empty()) {
    config.controller = static_cast<std::size_t>(owner - controllers.begin());
    return;
  }
  std::vector<std::string> names;
  for (const ControllerConfig& c : controllers) names.push_back(c.name);
  complain(*named, "there is no controller '" + value->text() + "'", problems,
           nearest(value->text(), names));
}

}  // namespace

void read_pools(const ConfigNode& pools, Scenario& scenario, Problems& problems, ReadLog& log) {
  if (pools.entries().size() > most_pools) {
    complain(pools, "at most " + std::to_string(most_pools) + " pools are modelled", problems);
    return;
  }
  int drives = 0;
  for (const ConfigEntry& entry : pools.entries()) {
    check_name(entry, problems);
    PoolConfig pool = read_pool(entry.value, scenario.array, problems, log);
    pool.name = entry.key;
    drives += pool.drives + pool.hot_spares;
    if (entry.value.is_map()) read_engine(entry.value, scenario.fabric.local, pool, problems, log);
    if (!scenario.fabric.local) {
      read_owner(entry.value, scenario.array.controllers, pool, problems);
    }
    scenario.array.pools.push_back(std::move(pool));
  }
  if (drives > most_drives) {
    complain(pools,
             std::to_string(drives) + " drives; at most " + std::to_string(most_drives) +
                 " are modelled",
             problems);
  }
}

void read_volumes(const ConfigNode& volumes, Scenario& scenario, Problems& problems, ReadLog& log) {
  const VolumesPart part = volumes_schema().read(volumes, problems, &log);
  scenario.array.volumes_per_pool = part.per_pool;
  scenario.array.volume_size = part.size;
  if (!problems.empty()) return;
  if (part.size.value % 512 != 0) complain(volumes, "a volume is a multiple of 512B", problems);
  if (scenario.array.pools.size() * static_cast<std::size_t>(part.per_pool) > most_volumes) {
    complain(volumes, "at most " + std::to_string(most_volumes) + " volumes are modelled",
             problems);
  }
  if (part.size.value * part.per_pool > most_pool_bytes) {
    complain(volumes, "the volumes of a pool hold at most 100PB", problems);
  }
  for (const PoolConfig& pool : scenario.array.pools) {
    const Ledger ledger = capacity_of(pool, part.per_pool, part.size).ledger;
    if (ledger.free.value >= 0) continue;
    complain(volumes,
             std::to_string(part.per_pool) + " volumes of " + format_bytes(part.size) +
                 " do not fit into pool " + pool.name + ": " + pool.raid + " of " +
                 std::to_string(pool.drives) + " drives holds " + format_bytes(ledger.usable) +
                 ", " + std::to_string(-ledger.free.value) + " bytes too few (storcast capacity)",
             problems);
  }
}

ModelInfo pool_sheet() { return sheet_of(pool_schema()); }
ModelInfo volumes_sheet() { return sheet_of(volumes_schema()); }

}  // namespace storcast::reading
