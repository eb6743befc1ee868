#include "models/raid_stripe_map.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "tests/support/raid_geometry.hpp"

using namespace storcast;
using testing::layout;
using testing::random_layout;

namespace {

using Slot = RaidStripeMap::Slot;

std::vector<RaidLayout> many_layouts() {
  std::vector<RaidLayout> all;
  std::mt19937_64 random(31);
  for (int i = 0; i < 60; ++i) all.push_back(random_layout(random));
  return all;
}

// Strips, parity and spares of each drive over the slices in which a permutation is turned once
// round; also the sum over all drives.
struct Loads {
  std::vector<int> parity, data, spare;
};
Loads loads_of(const RaidStripeMap& map, std::uint64_t rows, int parity) {
  const std::size_t drives = map.group_drives();
  Loads loads{std::vector<int>(drives), std::vector<int>(drives), std::vector<int>(drives)};
  for (std::uint32_t d = 0; d < drives; ++d) {
    for (std::uint64_t row = 0; row < rows; ++row) {
      const Slot slot = map.slot(d, row);
      if (slot.spare >= 0) {
        ++loads.spare[d];
      } else {
        ++(static_cast<int>(slot.strip) < parity ? loads.parity : loads.data)[d];
      }
    }
  }
  return loads;
}

bool equal(const std::vector<int>& load) {
  return std::equal(load.begin() + 1, load.end(), load.begin());
}

// Strips that each survivor reads or writes while one drive is rebuilt: the d strips after the lost
// one, and the first spare.
std::vector<double> rebuild_load(const RaidStripeMap& map, const RaidLayout& l, std::uint32_t lost,
                                 std::uint64_t rows) {
  std::vector<double> load(map.group_drives(), 0);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const Slot slot = map.slot(lost, row);
    if (slot.spare >= 0) continue;
    const auto stripe = map.stripe(slot.group, slot.stripe);
    for (int i = 1; i <= l.data; ++i) {
      ++load[map.place(stripe, (slot.strip + static_cast<std::uint32_t>(i)) % map.width()).drive];
    }
    if (l.spares > 0) ++load[map.spare(stripe, 0)];
  }
  load.erase(load.begin() + lost);
  return load;
}

}  // namespace

TEST_CASE("the strips and spares of a stripe lie on different drives of its group") {
  for (const RaidLayout& l : many_layouts()) {
    const RaidStripeMap map(l);
    for (std::uint32_t group = 0; group < map.groups(); ++group) {
      for (std::uint64_t index = 0; index < 500; ++index) {
        const auto stripe = map.stripe(group, index * 7);
        std::set<std::uint32_t> drives;
        for (std::uint32_t i = 0; i < map.width(); ++i) drives.insert(map.place(stripe, i).drive);
        for (std::uint32_t e = 0; e < map.spares(); ++e) drives.insert(map.spare(stripe, e));
        CHECK(drives.size() == map.width() + map.spares());
        CHECK(*drives.begin() >= group * map.group_drives());
        CHECK(*drives.rbegin() < (group + 1) * map.group_drives());
      }
    }
  }
}

TEST_CASE("slot() is the inverse of place(): every row of every drive has one use") {
  for (const RaidLayout& l : many_layouts()) {
    const RaidStripeMap map(l);
    const std::uint64_t rows = 300;
    std::set<std::pair<std::uint32_t, std::uint64_t>> used;
    for (std::uint32_t group = 0; group < map.groups(); ++group) {
      for (std::uint64_t index = 0; index < map.stripes_in(rows); ++index) {
        const auto stripe = map.stripe(group, index);
        for (std::uint32_t i = 0; i < map.width(); ++i) {
          const auto at = map.place(stripe, i);
          CHECK(at.row < rows);
          CHECK(used.insert({at.drive, at.row}).second);
          const Slot slot = map.slot(at.drive, at.row);
          const bool same =
              slot.spare < 0 && slot.group == group && slot.stripe == index && slot.strip == i;
          if (!same) FAIL("group " << group << " stripe " << index << " strip " << i);
          for (std::uint32_t e = 0; e < map.spares(); ++e) {
            CHECK(map.slot(map.spare(stripe, e), at.row).spare == static_cast<int>(e));
          }
        }
      }
    }
    // What is left free is the spares' share and less than a stripe of each group.
    const auto all = static_cast<std::uint64_t>(l.drives - l.spares * l.groups) * rows;
    CHECK(used.size() <= all);
    CHECK(used.size() + map.width() * map.groups() > all);
  }
}

TEST_CASE("rows_of is the least number of rows that holds so many stripes") {
  for (const RaidLayout& l : many_layouts()) {
    const RaidStripeMap map(l);
    for (std::uint64_t stripes = 1; stripes < 400; ++stripes) {
      const std::uint64_t rows = map.rows_of(stripes);
      CHECK(map.stripes_in(rows) >= stripes);
      CHECK(map.stripes_in(rows - 1) < stripes);
    }
  }
}

TEST_CASE("while a permutation is turned once round all drives hold the same, spares too") {
  for (const RaidLayout& l : many_layouts()) {
    const RaidStripeMap map(l);
    // The rows of one permutation; the rotating levels have only one.
    const std::uint64_t permutations =
        l.family != RaidFamily::declustered ? 1 : (l.group_drives() <= 256 ? 64 : 16);
    const Loads loads = loads_of(map, map.period_rows() / permutations, l.parity);
    CHECK(equal(loads.parity));
    CHECK(equal(loads.data));
    CHECK(equal(loads.spare));
    CHECK(loads.data[0] * l.parity == loads.parity[0] * l.data);
  }
}

TEST_CASE("a declustered pool in use up to any row is balanced within 1 % from 20,000 rows on") {
  for (const RaidLayout& l : {layout("8+2", 24, 1, 1), layout("4+1", 13), layout("8+2", 60, 1, 2),
                              layout("16+2", 101, 1, 3), layout("8+2", 546, 1, 4)}) {
    const RaidStripeMap map(l);
    std::mt19937_64 random(5);
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t rows = 20'000 + random() % 20'000;
      const Loads loads = loads_of(map, rows, l.parity);
      const auto [least, most] = std::minmax_element(loads.data.begin(), loads.data.end());
      INFO(l.data << "+" << l.parity << " over " << l.drives << ", " << rows << " rows");
      CHECK(static_cast<double>(*most) / *least < 1.01);
    }
  }
}

TEST_CASE("a declustered rebuild loads the survivors evenly, whichever drive is lost") {
  struct Case {
    RaidLayout layout;
    double within;  // of the mean
  };
  for (const Case& c : {Case{layout("8+2", 24, 1, 1), 0.02}, Case{layout("4+1", 13, 1, 1), 0.02},
                        Case{layout("8+2", 60, 1, 2), 0.04}}) {
    const RaidStripeMap map(c.layout);
    for (const std::uint32_t lost : {0u, 5u, map.group_drives() - 1}) {
      const auto load = rebuild_load(map, c.layout, lost, map.period_rows());
      double mean = 0;
      for (const double x : load) mean += x / static_cast<double>(load.size());
      const auto [least, most] = std::minmax_element(load.begin(), load.end());
      INFO("least " << *least / mean << ", most " << *most / mean);
      CHECK(*most < mean * (1 + c.within));
      CHECK(*least > mean * (1 - c.within));
    }
  }
}

TEST_CASE("RAID 5 and 6 are md's left-symmetric layout, in each group") {
  for (const RaidLayout& l : {layout("raid5", 5), layout("raid6", 13), layout("raid60", 24, 3)}) {
    const RaidStripeMap map(l);
    const std::uint64_t n = map.group_drives();
    for (std::uint32_t group = 0; group < map.groups(); ++group) {
      for (std::uint64_t row = 0; row < 3 * n; ++row) {
        const std::uint64_t p = n - 1 - row % n;
        for (std::uint64_t i = 0; i < n; ++i) {
          const auto at = map.place(map.stripe(group, row), static_cast<std::uint32_t>(i));
          CHECK(at.drive == group * n + (p + i) % n);
          CHECK(at.row == row);
        }
      }
    }
  }
}

TEST_CASE("rows of the EE levels are D..D P (Q) S..S, turned by one drive a row") {
  for (const RaidLayout& l : {layout("raid5ee", 6), layout("raid6ee", 16, 1, 8)}) {
    const RaidStripeMap map(l);
    const auto n = static_cast<std::uint32_t>(l.drives);
    std::vector<std::string> rows;
    for (std::uint64_t row = 0; row <= n; ++row) {
      std::string letters;
      for (std::uint32_t d = 0; d < n; ++d) {
        const Slot slot = map.slot(d, row);
        CHECK((slot.spare >= 0 || slot.stripe == row));
        letters += slot.spare >= 0                            ? 'S'
                   : static_cast<int>(slot.strip) >= l.parity ? 'D'
                                                              : "PQ"[slot.strip];
      }
      rows.push_back(letters);
    }
    std::string vector(static_cast<std::size_t>(l.data), 'D');
    vector += l.parity == 1 ? "P" : "PQ";
    vector.append(static_cast<std::size_t>(l.spares), 'S');
    CHECK((rows[0] + rows[0]).find(vector) != std::string::npos);
    for (std::size_t r = 0; r < n; ++r) {
      CHECK(rows[r + 1] == rows[r].substr(1) + rows[r][0]);
    }
    CHECK(rows[n] == rows[0]);
  }
}

TEST_CASE("a layout is a function of the geometry alone") {
  const RaidLayout l = layout("8+2", 24, 1, 1);
  const RaidStripeMap a(l);
  const RaidStripeMap b(l);
  for (std::uint64_t stripe = 0; stripe < 5000; ++stripe) {
    CHECK(a.place(a.stripe(0, stripe), 3).drive == b.place(b.stripe(0, stripe), 3).drive);
  }
}

TEST_CASE("the stripe map refuses shapes that are none") {
  using Family = RaidFamily;
  CHECK_THROWS_AS(RaidStripeMap({Family::parity, 6, 1, 1, 6, 0, 0}), InvariantError);
  CHECK_THROWS_AS(RaidStripeMap({Family::parity, 6, 1, 1, 4, 1, 0}), InvariantError);
  CHECK_THROWS_AS(RaidStripeMap({Family::parity, 9, 2, 1, 3, 1, 0}), InvariantError);
  CHECK_THROWS_AS(RaidStripeMap({Family::woven, 6, 1, 1, 4, 2, 1}), InvariantError);
  CHECK_THROWS_AS(RaidStripeMap({Family::declustered, 10, 1, 1, 8, 2, 1}), InvariantError);
  CHECK_NOTHROW(RaidStripeMap({Family::declustered, 11, 1, 1, 8, 2, 1}));
}
