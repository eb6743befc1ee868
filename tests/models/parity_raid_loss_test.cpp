// Losses and rebuilds of parity sets, on contents that find out what is stale or unreadable.
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "models/parity_raid.hpp"
#include "tests/support/raid_contents.hpp"
#include "tests/support/raid_geometry.hpp"
#include "tests/support/raid_plan.hpp"

using namespace storcast;
using testing::below;
using testing::layout;
using testing::plan_of;
using testing::RaidContents;
using testing::random_layout;

namespace {

// Rows after which the layout of rotating levels repeats; for declustered sets, one permutation.
std::uint64_t repeat_rows(const RaidLayout& l) {
  const RaidStripeMap map(l);
  return l.family == RaidFamily::declustered ? map.period_rows() / 64 : map.period_rows();
}

Extent random_extent(std::mt19937_64& random, const RaidContents& set, std::uint64_t most) {
  const std::uint64_t blocks = 1 + below(random, std::min(most, set.data_blocks()));
  return {below(random, set.data_blocks() - blocks + 1), static_cast<std::uint32_t>(blocks)};
}

void some_traffic(std::mt19937_64& random, RaidContents& set, const RaidLayout& l, int ios) {
  const auto row = static_cast<std::uint64_t>(l.data * l.groups) * 3;
  for (int i = 0; i < ios; ++i) {
    set.write(random_extent(random, set, i % 2 == 0 ? 4 : 2 * row));
    set.read(random_extent(random, set, i % 2 == 0 ? 4 : 2 * row));
  }
}

// Everything is readable, a strip of three blocks at a time; the members that were asked.
std::size_t read_all(const RaidContents& set) {
  std::size_t asked = 0;
  for (std::uint64_t at = 0; at < set.data_blocks(); at += 3) asked += set.read({at, 3});
  return asked;
}

template <class Each>
void each_combination(int n, int k, std::vector<std::uint32_t>& chosen, Each each, int from = 0) {
  if (k == 0) return each(chosen);
  for (int i = from; i <= n - k; ++i) {
    chosen.push_back(static_cast<std::uint32_t>(i));
    each_combination(n, k - 1, chosen, each, i + 1);
    chosen.pop_back();
  }
}

int most_in_a_group(const RaidLayout& l, const std::vector<std::uint32_t>& drives) {
  std::vector<int> lost(static_cast<std::size_t>(l.groups));
  for (const std::uint32_t d : drives) ++lost[d / static_cast<std::uint32_t>(l.group_drives())];
  return *std::max_element(lost.begin(), lost.end());
}

const std::vector<RaidLayout>& small_layouts() {
  static const std::vector<RaidLayout> all{
      layout("raid5", 3),        layout("raid5", 5),         layout("raid6", 4),
      layout("raid6", 7),        layout("raid50", 8, 2),     layout("raid60", 10, 2),
      layout("raid5ee", 5),      layout("raid6ee", 8, 1, 2), layout("raid50ee", 10, 2),
      layout("raid60ee", 12, 2), layout("3+1", 7, 1, 1),     layout("2+2", 6)};
  return all;
}

}  // namespace

TEST_CASE("every tolerated loss is readable and writable, every one beyond is data loss") {
  std::mt19937_64 random(12);
  for (const RaidLayout& l : small_layouts()) {
    for (int lost = 1; lost <= l.parity + 1; ++lost) {
      std::vector<std::uint32_t> none;
      each_combination(l.drives, lost, none, [&](const std::vector<std::uint32_t>& drives) {
        RaidContents set(l, 3, repeat_rows(l));
        for (const std::uint32_t d : drives) set.fail(d);
        const int strips = set.fewest_strips();
        const bool tolerated = most_in_a_group(l, drives) <= l.parity;
        CHECK(set.raid.lost() == drives.size());
        if (tolerated) CHECK_FALSE(set.raid.data_lost());
        if (strips < l.data) CHECK(set.raid.data_lost());
        // Only an EE set with many spares, or a wide declustered one, may survive more.
        const bool rotating = l.family != RaidFamily::declustered;
        if (rotating) CHECK(set.raid.data_lost() == (strips < l.data));
        if (l.spares == 0 && rotating) CHECK(set.raid.data_lost() == !tolerated);
        if (set.raid.data_lost()) return;
        CHECK_NOTHROW(read_all(set));
        CHECK_NOTHROW(some_traffic(random, set, l, 4));
        CHECK(set.fewest_strips() >= l.data);
      });
    }
  }
}

TEST_CASE("data loss of a declustered set is found in all rows of the layout's period") {
  const RaidLayout l = layout("3+1", 9, 1, 1);
  const RaidStripeMap map(l);
  std::vector<std::uint32_t> none;
  each_combination(l.drives, 2, none, [&](const std::vector<std::uint32_t>& drives) {
    RaidContents set(l, 1, map.period_rows());
    for (const std::uint32_t d : drives) set.fail(d);
    CHECK(set.raid.data_lost() == (set.fewest_strips() < l.data));
  });
}

TEST_CASE(
    "an EE set rebuilt into its woven spares is whole, read directly and tolerates as before") {
  for (const RaidLayout& l : small_layouts()) {
    if (l.spares == 0) continue;
    for (std::uint32_t lost = 0; lost < static_cast<std::uint32_t>(l.drives); ++lost) {
      RaidContents set(l, 3, repeat_rows(l));
      const std::size_t direct = read_all(set);
      set.fail(lost);
      CHECK(read_all(set) > direct);
      set.rebuild_all(lost);
      CHECK(set.raid.lost() == 0);
      CHECK(set.fewest_served() == l.data + l.parity);
      CHECK(read_all(set) == direct);
      for (std::uint32_t group = 0; group < set.raid.map().groups(); ++group) {
        for (std::uint64_t s = 0; s < set.raid.map().stripes_in(set.rows()); ++s) {
          if (set.raid.lost_strips(group, s) != 0) FAIL("stripe " << s);
        }
      }
      const std::uint32_t next = (lost + 1) % static_cast<std::uint32_t>(l.drives);
      set.fail(next);
      CHECK_FALSE(set.raid.data_lost());
      CHECK_NOTHROW(read_all(set));
    }
  }
}

TEST_CASE(
    "after a rebuild into woven spares the strips of each row lie on distinct living drives") {
  const RaidLayout l = layout("raid6ee", 9, 1, 2);
  RaidContents set(l, 3, repeat_rows(l));
  for (const std::uint32_t lost : {4u, 5u}) {
    set.fail(lost);
    set.rebuild_all(lost);
  }
  for (std::uint64_t row = 0; row < set.rows(); ++row) {
    const Extent extent{row * static_cast<std::uint64_t>(l.data) * 3,
                        static_cast<std::uint32_t>(l.data) * 3};
    std::set<std::size_t> drives;
    for (const MemberIo& io : plan_of(set.raid, extent, RaidPhase::write_writes)) {
      drives.insert(index_of(io.drive));
      CHECK(io.lba == row * 3);
    }
    CHECK(drives.size() == static_cast<std::size_t>(l.data + l.parity));
    CHECK_FALSE(drives.contains(4));
    CHECK_FALSE(drives.contains(5));
  }
}

TEST_CASE("a row of a rebuild is d reads and one write, to the new drive or the row's spare") {
  for (const RaidLayout& l : {layout("raid6", 8), layout("raid5ee", 6), layout("8+2", 13, 1, 1)}) {
    RaidContents set(l, 3, repeat_rows(l));
    set.fail(2);
    if (l.spares == 0) set.replace(2);
    const std::size_t reads = set.rebuild(2, 0, set.rows());
    std::size_t strips = 0;  // of the lost drive; its spare rows hold nothing
    for (std::uint64_t row = 0; row < set.rows(); ++row) {
      strips += set.raid.map().slot(2, row).spare < 0 ? 1 : 0;
    }
    CHECK(reads == strips * static_cast<std::size_t>(l.data));
    const auto share = static_cast<std::uint64_t>(l.drives - l.spares);
    CHECK(strips * static_cast<std::uint64_t>(l.drives) == set.rows() * share);
  }
}

TEST_CASE("rows below the mark of a rebuild are served, rows above are recovered") {
  for (const RaidLayout& l : {layout("raid6", 8), layout("raid6ee", 9)}) {
    RaidContents set(l, 3, repeat_rows(l));
    set.fail(1);
    if (l.spares == 0) set.replace(1);
    const std::uint64_t mark = set.rows() / 2;
    set.rebuild(1, 0, mark);
    for (std::uint64_t at = 0; at < set.data_blocks(); at += 3) {
      const std::uint64_t row = at / 3 / static_cast<std::uint64_t>(l.data);
      const bool recovered = set.read({at, 3}) > 1;
      CHECK(recovered == set.raid.touches_lost({at, 3}));
      if (recovered) CHECK(row >= mark);
    }
    CHECK(set.raid.lost_strips(0, mark - 1) == 0);
    CHECK(set.raid.lost() == 1);
  }
}

TEST_CASE("random writes, losses, replacements and rebuilds never read stale or lose silently") {
  std::mt19937_64 random(14);
  int losses = 0;
  int rebuilds = 0;
  for (int run = 0; run < 150; ++run) {
    const RaidLayout l = random_layout(random);
    if (l.drives > 20) continue;
    const bool rotating = l.family != RaidFamily::declustered;
    const std::uint64_t period = repeat_rows(l);
    const auto policy = static_cast<WritePolicy>(run % 3);
    const std::uint64_t slice = period / static_cast<std::uint64_t>(l.group_drives());
    RaidContents set(l, 3, rotating ? 3 * period : std::min(period, (1 + 100 / slice) * slice),
                     policy);
    INFO("run " << run << ": " << l.drives << " drives, " << l.groups << " groups, " << l.data
                << "+" << l.parity << ", " << l.spares << " spares");
    for (int step = 0; step < 24 && !set.raid.data_lost(); ++step) {
      auto drive = static_cast<std::uint32_t>(below(random, static_cast<std::uint64_t>(l.drives)));
      // Rather a drive that is lost already, or the run ends in data loss at once.
      for (int i = 0; i < 100 && !set.raid.member(static_cast<DriveId>(drive)).lost; ++i) {
        if (static_cast<int>(set.raid.lost()) < l.parity || below(random, 200) == 0) break;
        drive = (drive + 1) % static_cast<std::uint32_t>(l.drives);
      }
      const RaidMember m = set.raid.member(static_cast<DriveId>(drive));
      const std::uint64_t mark = m.replaced ? m.new_rows : m.spare_rows;
      if (!m.lost || (m.replaced && below(random, 4) == 0)) {
        set.fail(drive);
        const bool lost = set.fewest_served() < l.data;
        if (set.fewest_strips() < l.data) CHECK(set.raid.data_lost());
        if (lost) CHECK(set.raid.data_lost());
        if (rotating) CHECK(set.raid.data_lost() == lost);
        losses += lost ? 1 : 0;
        if (set.raid.data_lost()) break;
      } else if (!m.replaced && (m.spare < 0 || mark == RaidMembers::all_rows)) {
        set.replace(drive);
      } else if (mark < set.rows() && below(random, 2) == 0) {
        set.rebuild(drive, mark, std::min(mark + below(random, period), 2 * set.rows() / 3));
      } else {
        set.rebuild_all(drive);
        ++rebuilds;
      }
      some_traffic(random, set, l, 6);
      CHECK(set.fewest_served() >= l.data);
    }
    if (set.raid.data_lost()) continue;
    for (std::uint32_t d = 0; d < static_cast<std::uint32_t>(l.drives); ++d) {
      const RaidMember m = set.raid.member(static_cast<DriveId>(d));
      if (m.lost && !m.replaced) set.replace(d);
    }
    for (std::uint32_t d = 0; d < static_cast<std::uint32_t>(l.drives); ++d) {
      if (set.raid.member(static_cast<DriveId>(d)).lost) set.rebuild_all(d);
    }
    CHECK(set.raid.lost() == 0);
    CHECK(set.fewest_served() == l.data + l.parity);
    read_all(set);
  }
  CHECK(losses > 10);
  CHECK(rebuilds > 200);
}

TEST_CASE("a strip that lives in a woven spare is copied back: one read, one write a row") {
  const RaidLayout l = layout("raid5ee", 6);
  RaidContents set(l, 3, repeat_rows(l));
  set.fail(3);
  set.rebuild_all(3);
  set.replace(3);
  CHECK(set.rebuild(3, 0, set.rows()) == set.rows() - 1);  // its spare row holds nothing
  set.rebuild_all(3);
  set.fail(0);  // the woven spare is free again
  CHECK(set.raid.member(DriveId{0}).spare == 0);
  set.rebuild_all(0);
  CHECK(set.fewest_strips() == 5);
}

TEST_CASE("a write over a part of a lost strip reads what gives the old strip back") {
  const RaidLayout l = layout("raid5", 6);
  for (std::uint32_t lost = 0; lost < 6; ++lost) {
    RaidContents set(l, 4, 6);
    set.fail(lost);
    for (std::uint64_t first = 0; first + 8 <= set.data_blocks(); ++first) {
      for (const std::uint32_t blocks : {1u, 3u, 5u, 8u}) CHECK_NOTHROW(set.write({first, blocks}));
    }
    CHECK(set.fewest_strips() == 5);
  }
}

TEST_CASE("a stripe whose parity is all lost is written without reading") {
  const ParityRaid whole(layout("raid5", 6), 8);
  for (std::uint64_t row = 0; row < 6; ++row) {
    ParityRaid raid(layout("raid5", 6), 8);
    raid.fail(static_cast<DriveId>(whole.map().place(whole.map().stripe(0, row), 0).drive));
    CHECK(plan_of(raid, {row * 40, 8}, RaidPhase::write_reads).empty());
    CHECK(plan_of(raid, {row * 40, 8}, RaidPhase::write_writes).size() == 1);
  }
}

TEST_CASE("losses and rebuilds that cannot be are refused") {
  ParityRaid raid(layout("raid6", 6), 8);
  CHECK_THROWS_AS(raid.fail(DriveId{6}), InvariantError);
  CHECK_THROWS_AS(raid.replace(DriveId{1}), InvariantError);
  CHECK_THROWS_AS(raid.set_rebuilt_rows(DriveId{1}, 4), InvariantError);
  CHECK_THROWS_AS(raid.rebuilt(DriveId{1}), InvariantError);
  raid.fail(DriveId{1});
  CHECK_THROWS_AS(raid.set_rebuilt_rows(DriveId{1}, 4), InvariantError);  // no spare, no drive
  MemberPlan out(16);
  raid.rebuild(DriveId{1}, 0, RebuildPhase::reads, out);
  raid.rebuild(DriveId{0}, 0, RebuildPhase::reads, out);
  CHECK(out.size() == 0);
  raid.replace(DriveId{1});
  CHECK_THROWS_AS(raid.replace(DriveId{1}), InvariantError);
  raid.set_rebuilt_rows(DriveId{1}, 4);
  CHECK_THROWS_AS(raid.set_rebuilt_rows(DriveId{1}, 3), InvariantError);
  raid.fail(DriveId{1});  // the new drive fails too
  CHECK(raid.lost() == 1);
  CHECK(raid.member(DriveId{1}).new_rows == 0);
  raid.replace(DriveId{1});
  raid.rebuilt(DriveId{1});
  CHECK(raid.lost() == 0);
}
