#include "models/parity_raid.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "tests/support/raid_plan.hpp"

using namespace storcast;
using testing::plan_of;
using testing::touched_by;

namespace {

struct Set {
  int drives, parity;
  std::uint32_t strip;
};
constexpr Set sets[] = {{3, 1, 8}, {5, 1, 128}, {4, 2, 8}, {6, 2, 128}, {13, 2, 128}, {24, 1, 24}};

std::uint64_t below(std::mt19937_64& random, std::uint64_t n) { return random() % n; }

Extent random_extent(std::mt19937_64& random, const Set& s) {
  const auto row = static_cast<std::uint64_t>(s.drives - s.parity) * s.strip;
  return {below(random, 1'000'000 * row), static_cast<std::uint32_t>(1 + below(random, 3 * row))};
}

// md's left-symmetric layout with plain division: drive of parity i and of data k in a row.
std::uint32_t parity_home(const Set& s, std::uint64_t row, int i) {
  const auto n = static_cast<std::uint64_t>(s.drives);
  return static_cast<std::uint32_t>((n - 1 - row % n + static_cast<std::uint64_t>(i)) % n);
}
std::pair<std::uint32_t, std::uint64_t> home(const Set& s, std::uint64_t block) {
  const auto n = static_cast<std::uint64_t>(s.drives);
  const auto d = n - static_cast<std::uint64_t>(s.parity);
  const std::uint64_t chunk = block / s.strip;
  const std::uint64_t row = chunk / d;
  const std::uint64_t drive =
      (parity_home(s, row, 0) + static_cast<std::uint64_t>(s.parity) + chunk % d) % n;
  return {static_cast<std::uint32_t>(drive), row * s.strip + block % s.strip};
}

bool is_parity(const Set& s, std::uint32_t drive, std::uint64_t drive_block) {
  for (int i = 0; i < s.parity; ++i) {
    if (parity_home(s, drive_block / s.strip, i) == drive) return true;
  }
  return false;
}

ParityRaid make(const Set& s, std::initializer_list<unsigned> failed = {}) {
  ParityRaid raid(s.drives, s.parity, s.strip);
  for (const unsigned drive : failed) raid.fail(static_cast<DriveId>(drive));
  return raid;
}

std::uint32_t drive_of(const ParityRaid& raid, std::uint64_t row, int strip) {
  return raid.map().place(raid.map().stripe(0, row), static_cast<std::uint32_t>(strip)).drive;
}

std::pair<std::size_t, std::size_t> cost(const ParityRaid& raid, Extent extent) {
  return {plan_of(raid, extent, RaidPhase::write_reads).size(),
          plan_of(raid, extent, RaidPhase::write_writes).size()};
}

}  // namespace

TEST_CASE("parity and data strips of a row lie on different drives, all of them") {
  for (const Set& s : sets) {
    const ParityRaid raid = make(s);
    for (std::uint64_t row = 0; row < 200; ++row) {
      std::set<std::uint32_t> drives;
      for (int i = 0; i < s.parity; ++i) {
        CHECK(drive_of(raid, row, i) == parity_home(s, row, i));
        drives.insert(drive_of(raid, row, i));
      }
      for (int k = s.parity; k < s.drives; ++k) drives.insert(drive_of(raid, row, k));
      CHECK(drives.size() == static_cast<std::size_t>(s.drives));
    }
  }
}

TEST_CASE("a write touches each block of data once, and parity only where parity lies") {
  std::mt19937_64 random(6);
  for (const Set& s : sets) {
    const ParityRaid raid = make(s);
    for (int i = 0; i < 200; ++i) {
      const Extent extent = random_extent(random, s);
      auto touched = touched_by(plan_of(raid, extent, RaidPhase::write_writes));
      std::set<std::pair<std::uint64_t, std::uint64_t>> changed;  // (row, offset in the strip)
      for (std::uint64_t b = extent.first; b < extent.first + extent.blocks; ++b) {
        const auto place = home(s, b);
        changed.insert({place.second / s.strip, place.second % s.strip});
        const auto found = touched.find(place);
        if (found == touched.end() || found->second != 1) FAIL("block " << b);
        touched.erase(found);
      }
      for (const auto& [row, offset] : changed) {  // each with all its parity
        for (int p = 0; p < s.parity; ++p) {
          if (!touched.contains({parity_home(s, row, p), row * s.strip + offset})) FAIL("parity");
        }
      }
      for (const auto& [place, times] : touched) {
        if (times != 1 || !is_parity(s, place.first, place.second)) FAIL("not data, not parity");
      }
    }
  }
}

TEST_CASE("a read touches each block once, in order, and never parity") {
  std::mt19937_64 random(7);
  for (const Set& s : sets) {
    const ParityRaid raid = make(s);
    for (int i = 0; i < 200; ++i) {
      const Extent extent = random_extent(random, s);
      std::uint64_t b = extent.first;
      for (const MemberIo& io : plan_of(raid, extent, RaidPhase::read)) {
        for (std::uint32_t k = 0; k < io.blocks; ++k, ++b) {
          if (home(s, b) != std::pair{static_cast<std::uint32_t>(index_of(io.drive)), io.lba + k}) {
            FAIL("block " << b);
          }
        }
      }
      CHECK(b == extent.first + extent.blocks);
    }
  }
}

TEST_CASE("a small write on RAID 6 is three reads and three writes, on RAID 5 two and two") {
  CHECK(cost(make({13, 2, 128}), {8 * 12345, 8}) == std::pair<std::size_t, std::size_t>{3, 3});
  CHECK(cost(make({13, 1, 128}), {8 * 12345, 8}) == std::pair<std::size_t, std::size_t>{2, 2});
}

TEST_CASE("writes of k strips cost what the table says") {
  for (const int parity : {1, 2}) {
    const Set s{11 + parity, parity, 128};
    const ParityRaid raid = make(s);
    const std::uint64_t row = 7 * 11 * 128;
    const auto p = static_cast<std::size_t>(parity);
    for (std::size_t k = 1; k <= 11; ++k) {
      INFO("parity " << p << ", k " << k);
      const auto [reads, writes] = cost(raid, {row, static_cast<std::uint32_t>(k * 128)});
      CHECK(writes == k + p);
      CHECK(reads == (k == 11 ? 0 : std::min(k + p, 11 - k)));
    }
  }
}

TEST_CASE("read-modify-write reads old data and parity, reconstruct-write the rest of the row") {
  const Set s{13, 2, 128};
  const ParityRaid raid = make(s);
  const auto modify = touched_by(plan_of(raid, {0, 128}, RaidPhase::write_reads));
  CHECK(modify == touched_by(plan_of(raid, {0, 128}, RaidPhase::write_writes)));
  const auto rest = plan_of(raid, {0, 8 * 128}, RaidPhase::write_reads);
  std::set<std::uint32_t> drives;
  for (const MemberIo& io : rest) drives.insert(static_cast<std::uint32_t>(index_of(io.drive)));
  CHECK(drives == std::set<std::uint32_t>{drive_of(raid, 0, 2 + 8), drive_of(raid, 0, 2 + 9),
                                          drive_of(raid, 0, 2 + 10)});
}

TEST_CASE("what a small write reads it reads before it writes the same members") {
  std::mt19937_64 random(8);
  for (const Set& s : {Set{13, 2, 128}, Set{12, 1, 128}}) {
    const ParityRaid raid = make(s);
    for (int i = 0; i < 500; ++i) {
      const Extent extent{below(random, 1u << 28) * 8, 8};
      CHECK(touched_by(plan_of(raid, extent, RaidPhase::write_reads)) ==
            touched_by(plan_of(raid, extent, RaidPhase::write_writes)));
    }
  }
}

TEST_CASE("joined sequential writes cost (d + p) / d strips written and no reads") {
  for (const Set& s : {Set{13, 2, 128}, Set{5, 1, 128}}) {
    const ParityRaid raid = make(s);
    const auto d = static_cast<std::uint32_t>(s.drives - s.parity);
    std::uint64_t written = 0;
    testing::Touched all;
    const std::uint32_t rows = 26;
    for (std::uint64_t at = 0; at < std::uint64_t{rows} * d * 128; at += 64) {
      const auto ios = plan_of(raid, {at, 64}, RaidPhase::sequential_writes);
      for (const auto& [place, times] : touched_by(ios)) all[place] += times;
      for (const MemberIo& io : ios) written += io.blocks;
    }
    CHECK(written == std::uint64_t{rows} * static_cast<std::uint32_t>(s.drives) * 128);
    CHECK(std::all_of(all.begin(), all.end(), [](const auto& x) { return x.second == 1; }));
  }
}

TEST_CASE("uniform random reads and small writes load all members equally") {
  std::mt19937_64 random(9);
  for (const Set& s : sets) {
    const ParityRaid raid = make(s);
    for (const RaidPhase phase :
         {RaidPhase::read, RaidPhase::write_reads, RaidPhase::write_writes}) {
      std::vector<int> load(static_cast<std::size_t>(s.drives));
      int total = 0;
      for (int i = 0; i < 30'000; ++i) {
        for (const MemberIo& io : plan_of(raid, {below(random, 1u << 28) * 8, 8}, phase)) {
          ++load[index_of(io.drive)];
          ++total;
        }
      }
      const double mean = static_cast<double>(total) / s.drives;
      for (const int n : load) CHECK(std::fabs(n - mean) < 5 * std::sqrt(mean));
    }
  }
}

TEST_CASE("a read of a lost strip reads d others of its row, of others nothing more") {
  for (const Set& s : {Set{13, 2, 128}, Set{5, 1, 128}}) {
    const ParityRaid raid = make(s, {3});
    const auto d = static_cast<std::size_t>(s.drives - s.parity);
    int lost = 0;
    for (std::uint64_t chunk = 0; chunk < 300; ++chunk) {
      const Extent extent{chunk * 128 + 16, 8};
      const auto ios = plan_of(raid, extent, RaidPhase::read);
      const bool on_lost = home(s, extent.first).first == 3;
      lost += on_lost ? 1 : 0;
      CHECK(ios.size() == (on_lost ? d : 1));
      std::set<std::size_t> drives;
      for (const MemberIo& io : ios) {
        drives.insert(index_of(io.drive));
        CHECK(io.lba == home(s, extent.first).second);
      }
      CHECK(drives.size() == ios.size());
      CHECK_FALSE(drives.contains(3));
    }
    CHECK(lost > 10);
  }
}

TEST_CASE("with two drives lost RAID 6 still reads every block from d that are left") {
  const Set s{8, 2, 128};
  const ParityRaid raid = make(s, {0, 5});
  CHECK_FALSE(raid.data_lost());
  for (std::uint64_t chunk = 0; chunk < 300; ++chunk) {
    const auto ios = plan_of(raid, {chunk * 128, 128}, RaidPhase::read);
    const auto drive = home(s, chunk * 128).first;
    CHECK(ios.size() == (drive == 0 || drive == 5 ? 6u : 1u));
    for (const MemberIo& io : ios) {
      CHECK(io.drive != DriveId{0});
      CHECK(io.drive != DriveId{5});
    }
  }
}

TEST_CASE("degraded plans touch no lost drive and can always compute the parity they write") {
  std::mt19937_64 random(10);
  for (const Set& s : sets) {
    const ParityRaid one = make(s, {1});
    for (int i = 0; i < 300; ++i) {
      const Extent extent = random_extent(random, s);
      for (const RaidPhase phase : {RaidPhase::read, RaidPhase::write_reads,
                                    RaidPhase::write_writes, RaidPhase::sequential_writes}) {
        for (const MemberIo& io : plan_of(one, extent, phase)) CHECK(io.drive != DriveId{1});
      }
    }
  }
}

TEST_CASE("a degraded small write reads the rest of the row if its own strip is lost") {
  const Set s{13, 2, 128};
  for (std::uint64_t chunk = 0; chunk < 200; ++chunk) {
    const auto [drive, at] = home(s, chunk * 128);
    const ParityRaid raid = make(s, {drive});
    const auto [reads, writes] = cost(raid, {chunk * 128, 8});
    CHECK(reads == 10);  // d - 1 other data strips
    CHECK(writes == 2);  // parity only
  }
}

TEST_CASE("data are lost with one drive more than there is parity") {
  ParityRaid raid6(13, 2, 128);
  raid6.fail(DriveId{1});
  raid6.fail(DriveId{1});
  raid6.fail(DriveId{2});
  CHECK(raid6.lost() == 2);
  CHECK_FALSE(raid6.data_lost());
  raid6.fail(DriveId{12});
  CHECK(raid6.data_lost());
  ParityRaid raid5(3, 1, 128);
  raid5.fail(DriveId{0});
  CHECK_FALSE(raid5.data_lost());
  raid5.fail(DriveId{2});
  CHECK(raid5.data_lost());
  CHECK_THROWS_AS(raid5.fail(DriveId{3}), InvariantError);
}

TEST_CASE("no phase ever has more members than most_members, degraded or not") {
  std::mt19937_64 random(11);
  for (const Set& s : sets) {
    for (int lost = 0; lost <= s.parity + 1 && lost < s.drives; ++lost) {
      ParityRaid raid(s.drives, s.parity, s.strip);
      for (int i = 0; i < lost; ++i) {
        raid.fail(static_cast<DriveId>(below(random, static_cast<std::uint64_t>(s.drives))));
      }
      for (int i = 0; i < 400; ++i) {
        const Extent extent = random_extent(random, s);
        for (const RaidPhase phase : {RaidPhase::read, RaidPhase::write_reads,
                                      RaidPhase::write_writes, RaidPhase::sequential_writes}) {
          CHECK_NOTHROW(plan_of(raid, extent, phase));
        }
      }
    }
  }
}
