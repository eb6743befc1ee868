#include "sim/scenario/capacity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace storcast {

Ledger& Ledger::operator+=(const Ledger& other) {
  raw = raw + other.raw;
  usable = usable + other.usable;
  redundancy = redundancy + other.redundancy;
  woven_spares = woven_spares + other.woven_spares;
  hot_spares = hot_spares + other.hot_spares;
  formatting = formatting + other.formatting;
  remainder = remainder + other.remainder;
  allocated = allocated + other.allocated;
  free = free + other.free;
  return *this;
}

Bytes share_of(Bytes drive, double share) {
  INVARIANT(share >= 0 && share <= 1 && drive.value >= 0,
            "a share of a drive is at most the drive");
  constexpr std::int64_t billion = 1'000'000'000;
  const std::int64_t parts = std::llround(share * 1e9);
  // C = q 1e9 + r: both products stay below 2^63 for a drive of up to 9e18 bytes.
  const std::int64_t whole = drive.value / billion * parts;
  return {whole + (drive.value % billion * parts + billion - 1) / billion};
}

PoolCapacity capacity_of(const PoolConfig& pool, int volumes, Bytes volume_size) {
  const RaidLayout& layout = pool.layout;
  const Bytes drive = pool.drive_capacity();
  INVARIANT(layout.drives >= 1 && layout.groups >= 1, "a layout holds a drive");
  INVARIANT(pool.strip.value > 0 && pool.formatting <= drive,
            "a drive is larger than its metadata");
  PoolCapacity c;
  c.name = pool.name;
  c.raid = pool.raid;
  c.layout = layout;
  c.hot_spares = pool.hot_spares;
  c.drive = drive;
  c.strip = pool.strip;
  c.formatting_per_drive = pool.formatting;
  const std::int64_t room = drive.value - pool.formatting.value;
  const std::int64_t active = layout.group_drives() - layout.spares;
  const std::int64_t data = layout.family == RaidFamily::mirrored ? 1 : layout.data;
  const std::int64_t width =
      layout.family == RaidFamily::mirrored ? layout.copies : layout.data + layout.parity;
  c.rows = room / pool.strip.value;
  c.stripes = layout.groups * (c.rows * active / width);
  c.volumes = volumes;
  c.volume_size = volume_size;

  const std::int64_t strip = pool.strip.value;
  Ledger& l = c.ledger;
  l.hot_spares = drive * pool.hot_spares;
  l.raw = drive * layout.drives + l.hot_spares;
  l.formatting = pool.formatting * layout.drives;
  l.woven_spares = {c.rows * layout.spares * layout.groups * strip};
  l.usable = {c.stripes * data * strip};
  l.redundancy = {c.stripes * (width - data) * strip};
  l.remainder = l.raw - l.hot_spares - l.formatting - l.woven_spares - l.usable - l.redundancy;
  l.allocated = volume_size * volumes;
  l.free = l.usable - l.allocated;
  return c;
}

ArrayCapacity capacity_of(const Scenario& scenario) {
  const ArrayConfig& array = scenario.array;
  ArrayCapacity c;
  c.scenario = scenario.name;
  c.array = array.name;
  c.bays = array.chassis.bays;
  for (const PoolConfig& pool : array.pools) {
    c.pools.push_back(capacity_of(pool, array.volumes_per_pool, array.volume_size));
    c.total += c.pools.back().ledger;
    c.drives += pool.drives + pool.hot_spares;
    if (!pool.formatting_assumed) continue;
    c.assumptions.push_back("system.arrays." + array.name + ".pools." + pool.name +
                            ".formatting = 32MiB (SNIA DDF keeps 32 MB of each drive)");
  }
  // Of the scenario's assumptions, those that this answer rests on.
  constexpr std::array<std::string_view, 5> keys{
      ".capacity = ", ".formatting = ", ".strip = ", ".bays = ", ".hot_spares = "};
  for (const std::string& line : scenario.assumptions) {
    if (std::any_of(keys.begin(), keys.end(),
                    [&](std::string_view key) { return line.find(key) != std::string::npos; })) {
      c.assumptions.push_back(line);
    }
  }
  return c;
}

}  // namespace storcast
