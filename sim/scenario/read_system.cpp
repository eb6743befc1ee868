// The reader of a scenario's `system`: hosts, fabric, the array with controllers, pools, volumes.
#include <algorithm>
#include <array>

#include "sim/scenario/reading.hpp"

namespace storcast {
namespace {

struct Level {
  const char* word;
  RaidLevel level;
  int least_drives;
};
constexpr std::array<Level, 5> levels{{{"raid0", RaidLevel::raid0, 1},
                                       {"raid1", RaidLevel::raid1, 2},
                                       {"raid5", RaidLevel::raid5, 3},
                                       {"raid6", RaidLevel::raid6, 4},
                                       {"raid10", RaidLevel::raid10, 4}}};

}  // namespace

std::string name_of(RaidLevel level) { return levels[static_cast<std::size_t>(level)].word; }

namespace reading {
namespace {

struct PoolPart {
  RaidLevel raid{};
  int drives = 0;
  Bytes strip{};
  std::string controller;
};

const Schema<PoolPart>& pool_schema() {
  static const Schema<PoolPart> sheet = [] {
    std::vector<std::pair<std::string, RaidLevel>> words;
    for (const Level& level : levels) words.emplace_back(level.word, level.level);
    return Schema<PoolPart>("pool", "Drives under one RAID level.")
        .choice(&PoolPart::raid, std::nullopt, {"raid", "level", ""}, words)
        .required(&PoolPart::drives, {"drives", "drives of the set", ""}, {1, 1024})
        .optional(&PoolPart::strip, Bytes{65536}, {"strip", "strip on each drive", ""},
                  {4096, 16 << 20})
        .required(&PoolPart::controller, {"controller", "its owner", ""})
        .allow("drive");
  }();
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

void read_hosts(const ConfigNode& hosts, Scenario& scenario, Problems& problems, ReadLog& log) {
  if (hosts.entries().size() > most_hosts) {
    complain(hosts, "at most " + std::to_string(most_hosts) + " hosts are modelled", problems);
    return;
  }
  for (const ConfigEntry& entry : hosts.entries()) {
    check_name(entry, problems);
    HostConfig host;
    host.name = entry.key;
    host.params = host_schema().read(entry.value, problems, &log);
    if (entry.value.is_map()) {
      if (const ConfigNode* ports = map_at(entry.value, "ports", problems)) {
        host.ports = ports_schema().read(*ports, problems, &log);
      }
    }
    scenario.hosts.push_back(std::move(host));
  }
}

void read_fabric(const ConfigNode& fabric, Scenario& scenario, Problems& problems, ReadLog& log) {
  check_keys(fabric, {"kind", "protocol", "stack"}, problems);
  const ConfigNode* kind = fabric.find("kind");
  if (kind != nullptr && kind->text() != "direct") {
    complain(*kind, "'" + kind->text() + "' fabrics are not modelled yet", problems, {"direct"});
  }
  const ConfigNode* protocol = fabric.find("protocol");
  const std::vector<std::string> words{"nvme_rdma", "nvme_tcp"};
  if (protocol == nullptr) {
    problems.add(fabric.where(), "", fabric.path() + ".protocol is missing", words);
    return;
  }
  if (std::find(words.begin(), words.end(), protocol->text()) == words.end()) {
    complain(*protocol, "'" + protocol->text() + "' is not a protocol that is modelled", problems,
             nearest(protocol->text(), words));
    return;
  }
  scenario.fabric.protocol = protocol->text();
  if (const ConfigNode* stack = map_at(fabric, "stack", problems)) {
    scenario.fabric.stack = protocol_schema().read(*stack, problems, &log);
    const bool roce = scenario.fabric.stack.transport == Transport::roce;
    const ConfigNode* transport = stack->find("transport");
    if (transport != nullptr && problems.empty() && roce != (protocol->text() == "nvme_rdma")) {
      complain(*protocol,
               "protocol and stack do not agree: the stack's transport is " +
                   std::string(roce ? "roce" : "tcp"),
               problems);
    }
  }
}

void read_drive(const ConfigNode& pool, PoolConfig& config, Problems& problems, ReadLog& log) {
  const ConfigNode* drive = map_at(pool, "drive", problems);
  if (drive == nullptr) return;
  const ConfigNode* model = drive->find("model");
  const std::vector<std::string> words{"ssd", "null_drive"};
  if (model == nullptr || std::find(words.begin(), words.end(), model->text()) == words.end()) {
    complain(model == nullptr ? *drive : *model,
             model == nullptr ? "model is missing: which drive model these values are for"
                              : "'" + model->text() + "' is not a drive model",
             problems, words);
    return;
  }
  std::vector<ConfigEntry> values;
  for (const ConfigEntry& entry : drive->entries()) {
    if (entry.key != "model") values.push_back(entry);
  }
  const ConfigNode sheet =
      with_path(ConfigNode::map(std::move(values), drive->where()), drive->path());
  if (model->text() == "ssd") {
    config.drive = Ssd::schema().read(sheet, problems, &log);
  } else {
    config.drive = NullDrive::schema().read(sheet, problems, &log);
  }
}

std::int64_t capacity_of(const PoolConfig& pool) {
  return std::visit([](const auto& params) { return params.capacity.value; }, pool.drive);
}

std::int64_t data_drives(const PoolConfig& pool) {
  switch (pool.level) {
    case RaidLevel::raid0:
      return pool.drives;
    case RaidLevel::raid1:
      return 1;
    case RaidLevel::raid5:
      return pool.drives - 1;
    case RaidLevel::raid6:
      return pool.drives - 2;
    case RaidLevel::raid10:
      return pool.drives / 2;
  }
  return 0;
}

void check_pool(const ConfigNode& node, const PoolConfig& pool, Problems& problems) {
  const ConfigNode* drives = node.find("drives");
  if (drives == nullptr) return;
  const Level& level = levels[static_cast<std::size_t>(pool.level)];
  if (pool.drives < level.least_drives) {
    complain(*drives,
             std::string(level.word) + " needs at least " + std::to_string(level.least_drives) +
                 " drives",
             problems);
  }
  if (pool.level == RaidLevel::raid10 && pool.drives % 2 != 0) {
    complain(*drives, "raid10 needs an even number of drives", problems);
  }
  if (pool.level == RaidLevel::raid1 && pool.drives > 2) {
    complain(*drives, "raid1 is one pair; for more drives use raid10", problems, {"2"});
  }
  const ConfigNode* strip = node.find("strip");
  if (strip != nullptr && pool.strip.value % 4096 != 0) {
    complain(*strip, "a strip is a multiple of 4KiB", problems);
  }
}

void read_pools(const ConfigNode& pools, Scenario& scenario, Problems& problems, ReadLog& log) {
  if (pools.entries().size() > most_pools) {
    complain(pools, "at most " + std::to_string(most_pools) + " pools are modelled", problems);
    return;
  }
  std::vector<std::string> controllers;
  for (const auto& c : scenario.array.controllers) controllers.push_back(c.name);
  for (const ConfigEntry& entry : pools.entries()) {
    check_name(entry, problems);
    const std::size_t before = problems.list().size();
    const PoolPart part = pool_schema().read(entry.value, problems, &log);
    PoolConfig pool;
    pool.name = entry.key;
    pool.level = part.raid;
    pool.drives = part.drives;
    pool.strip = part.strip;
    std::string rule;
    pool.layout = raid_layout({name_of(pool.level), pool.drives}, rule);  // check_pool complains
    if (!entry.value.is_map()) continue;
    read_drive(entry.value, pool, problems, log);
    if (problems.list().size() == before) check_pool(entry.value, pool, problems);
    const auto owner = std::find(controllers.begin(), controllers.end(), part.controller);
    const ConfigNode* named = entry.value.find("controller");
    if (named != nullptr && named->is_scalar() && owner == controllers.end() &&
        !controllers.empty()) {
      complain(*named, "there is no controller '" + part.controller + "'", problems,
               nearest(part.controller, controllers));
    } else {
      pool.controller = static_cast<std::size_t>(owner - controllers.begin());
    }
    scenario.array.pools.push_back(std::move(pool));
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
  if (static_cast<double>(part.size.value) * part.per_pool > most_pool_bytes) {
    complain(volumes, "the volumes of a pool hold at most 100PB", problems);
  }
  for (const PoolConfig& pool : scenario.array.pools) {
    const Bytes usable{data_drives(pool) * capacity_of(pool)};
    const double wanted = static_cast<double>(part.size.value) * part.per_pool;
    if (wanted > static_cast<double>(usable.value)) {
      complain(volumes,
               std::to_string(part.per_pool) + " volumes of " + format_bytes(part.size) +
                   " do not fit into pool " + pool.name + ": " + name_of(pool.level) + " of " +
                   std::to_string(pool.drives) + " drives holds " + format_bytes(usable),
               problems);
    }
  }
}

void read_array(const ConfigNode& array, Scenario& scenario, Problems& problems, ReadLog& log) {
  check_keys(array, {"controllers", "cache", "chassis", "pools", "volumes"}, problems);
  if (const ConfigNode* controllers = map_at(array, "controllers", problems)) {
    for (const ConfigEntry& entry : controllers->entries()) {
      check_name(entry, problems);
      scenario.array.controllers.push_back(
          {entry.key, controller_schema().read(entry.value, problems, &log)});
    }
    if (scenario.array.controllers.size() > 2) {
      complain(*controllers, "an array has one or two controllers", problems);
    }
  }
  if (const ConfigNode* cache = map_at(array, "cache", problems)) {
    scenario.array.cache = cache_schema().read(*cache, problems, &log);
  }
  const ConfigNode* chassis = array.find("chassis");
  if (chassis != nullptr) scenario.array.chassis = chassis_schema().read(*chassis, problems, &log);
  if (const ConfigNode* pools = map_at(array, "pools", problems)) {
    read_pools(*pools, scenario, problems, log);
  }
  if (const ConfigNode* volumes = map_at(array, "volumes", problems)) {
    read_volumes(*volumes, scenario, problems, log);
  }
}

}  // namespace

void read_system(const ConfigNode& system, Scenario& scenario, Problems& problems, ReadLog& log) {
  check_keys(system, {"hosts", "fabric", "arrays"}, problems);
  if (const ConfigNode* hosts = map_at(system, "hosts", problems)) {
    read_hosts(*hosts, scenario, problems, log);
  }
  if (const ConfigNode* fabric = map_at(system, "fabric", problems)) {
    read_fabric(*fabric, scenario, problems, log);
  }
  if (const ConfigNode* arrays = map_at(system, "arrays", problems)) {
    if (arrays->entries().size() > 1) complain(*arrays, "one array is modelled", problems);
    check_name(arrays->entries().front(), problems);
    scenario.array.name = arrays->entries().front().key;
    const ConfigNode& array = arrays->entries().front().value;
    if (!array.is_map()) {
      complain(array, "a map is wanted", problems);
    } else {
      read_array(array, scenario, problems, log);
    }
  }
}

}  // namespace reading
}  // namespace storcast
