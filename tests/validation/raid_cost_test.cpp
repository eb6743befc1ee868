// The cost table of the modelling brief, section 4.2: members read and written by a request that
// covers k of d data strips of one stripe, for every row of the table, several d and all k. Exact.
// The table is printed: ./tests/storcast_tests '[raid_cost]'.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/mirror_raid.hpp"
#include "models/parity_raid.hpp"
#include "tests/support/raid_geometry.hpp"
#include "tests/support/raid_plan.hpp"

using namespace storcast;
using testing::layout;
using testing::plan_of;

namespace {

constexpr std::uint32_t strip = 128;

struct Cost {
  std::size_t reads = 0, writes = 0;
  bool operator==(const Cost&) const = default;
};

struct Row {
  std::string scheme;
  int d = 0, k = 0;
  Cost expected, model;
};

template <class Raid>
Cost read_cost(const Raid& raid, Extent extent) {
  return {plan_of(raid, extent, RaidPhase::read).size(), 0};
}
template <class Raid>
Cost write_cost(const Raid& raid, Extent extent) {
  return {plan_of(raid, extent, RaidPhase::write_reads).size(),
          plan_of(raid, extent, RaidPhase::write_writes).size()};
}

// k whole strips of stripe 7, from data strip `from`.
Extent strips(int d, int k, int from = 0) {
  return {static_cast<std::uint64_t>(7 * d + from) * strip, static_cast<std::uint32_t>(k) * strip};
}

void add_striped(std::vector<Row>& rows, int d) {
  const MirrorRaid raid0(layout("raid0", d), strip);
  const MirrorRaid raid10(layout("raid10", 2 * d), strip);
  for (int k = 1; k <= d; ++k) {
    const auto n = static_cast<std::size_t>(k);
    const Extent extent = strips(d, k);
    rows.push_back({"RAID 0 read", d, k, {n, 0}, read_cost(raid0, extent)});
    rows.push_back({"RAID 0 write", d, k, {0, n}, write_cost(raid0, extent)});
    rows.push_back({"RAID 10 read", d, k, {n, 0}, read_cost(raid10, extent)});
    rows.push_back({"RAID 10 write", d, k, {0, 2 * n}, write_cost(raid10, extent)});
  }
}

void add_writes(std::vector<Row>& rows, const std::string& level, int d, int parity) {
  const auto p = static_cast<std::size_t>(parity);
  const RaidLayout l = layout(level, d + parity);
  const ParityRaid rmw(l, strip, WritePolicy::rmw);
  const ParityRaid rcw(l, strip, WritePolicy::rcw);
  const ParityRaid least(l, strip);
  const std::string name = parity == 1 ? "RAID 5 " : "RAID 6 ";
  for (int k = 1; k < d; ++k) {
    const auto n = static_cast<std::size_t>(k);
    const std::size_t others = static_cast<std::size_t>(d) - n;
    const Extent extent = strips(d, k, (d - k) / 2);
    const bool modify = k + parity < d - k;
    rows.push_back({name + "RMW", d, k, {n + p, n + p}, write_cost(rmw, extent)});
    rows.push_back({name + "RCW", d, k, {others, n + p}, write_cost(rcw, extent)});
    rows.push_back({name + (modify ? "chooses RMW" : "chooses RCW"),
                    d,
                    k,
                    {modify ? n + p : others, n + p},
                    write_cost(least, extent)});
  }
  const auto all = static_cast<std::size_t>(d);
  rows.push_back({name + "full stripe", d, d, {0, all + p}, write_cost(least, strips(d, d))});
  rows.push_back({name + "4 KiB write", d, 1,
                  d - 1 > 1 + parity ? Cost{1 + p, 1 + p} : Cost{all - 1, 1 + p},
                  write_cost(least, {strips(d, 1).first + 16, 8})});
}

void add_degraded(std::vector<Row>& rows, const std::string& level, int d, int parity) {
  const auto p = static_cast<std::size_t>(parity);
  const auto all = static_cast<std::size_t>(d);
  const std::string name = parity == 1 ? "RAID 5 " : "RAID 6 ";
  for (int k = 0; k < d; ++k) {
    ParityRaid raid(layout(level, d + parity), strip);
    const auto stripe = raid.map().stripe(0, 7);
    raid.fail(static_cast<DriveId>(
        raid.map().place(stripe, static_cast<std::uint32_t>(parity + k)).drive));
    rows.push_back({name + "degraded read", d, 1, {all, 0}, read_cost(raid, strips(d, 1, k))});
    rows.push_back(
        {name + "degraded write", d, 1, {all - 1, p}, write_cost(raid, strips(d, 1, k))});
  }
}

// One line for each scheme and d: the k that were compared, the first of them and the deviation.
void print(const std::vector<Row>& rows) {
  fmt::print("\n{:<22} {:>3} {:>7} {:>18} {:>18} {:>10}\n", "scheme, section 4.2", "d", "k",
             "expected r + w", "model r + w", "deviation");
  std::vector<bool> done(rows.size(), false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (done[i]) continue;
    std::string expected, model;
    int least = rows[i].k, most = rows[i].k;
    std::size_t off = 0;
    for (std::size_t j = i; j < rows.size(); ++j) {
      if (rows[j].scheme != rows[i].scheme || rows[j].d != rows[i].d) continue;
      done[j] = true;
      least = std::min(least, rows[j].k);
      most = std::max(most, rows[j].k);
      off += rows[j].expected == rows[j].model ? 0 : 1;
    }
    const auto text = [](const Cost& c) { return fmt::format("{} + {}", c.reads, c.writes); };
    fmt::print("{:<22} {:>3} {:>7} {:>18} {:>18} {:>10}\n", rows[i].scheme, rows[i].d,
               least == most ? fmt::format("{}", least) : fmt::format("{}..{}", least, most),
               text(rows[i].expected), text(rows[i].model),
               off == 0 ? "0" : fmt::format("{} differ", off));
  }
}

}  // namespace

TEST_CASE("members read and written are exactly those of the RAID cost table",
          "[validation][raid_cost]") {
  std::vector<Row> rows;
  for (const int d : {2, 4, 8, 11, 24}) {
    add_striped(rows, d);
    for (const int parity : {1, 2}) {
      const std::string level = parity == 1 ? "raid5" : "raid6";
      add_writes(rows, level, d, parity);
      add_degraded(rows, level, d, parity);
    }
  }
  print(rows);
  fmt::print("{} requests compared; of several k the first is shown\n", rows.size());
  for (const Row& row : rows) {
    INFO(row.scheme << ", d " << row.d << ", k " << row.k);
    CHECK(row.model.reads == row.expected.reads);
    CHECK(row.model.writes == row.expected.writes);
  }
}
