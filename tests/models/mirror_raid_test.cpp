#include "models/mirror_raid.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "tests/support/raid_geometry.hpp"
#include "tests/support/raid_plan.hpp"

using namespace storcast;
using testing::plan_of;
using testing::touched_by;

namespace {

struct Case {
  int drives, copies;
  std::uint32_t strip;
};
constexpr Case cases[] = {{1, 1, 8}, {7, 1, 128}, {2, 2, 128}, {4, 2, 8}, {12, 2, 24}, {9, 3, 128}};

// Where block b lies, written down a second time and with plain division.
std::pair<std::uint32_t, std::uint64_t> home(const Case& c, std::uint64_t b) {
  const auto sets = static_cast<std::uint64_t>(c.drives / c.copies);
  const std::uint64_t chunk = b / c.strip;
  return {static_cast<std::uint32_t>(chunk % sets) * static_cast<std::uint32_t>(c.copies),
          chunk / sets * c.strip + b % c.strip};
}

}  // namespace

TEST_CASE("a write touches each block once on every copy and nothing else") {
  std::mt19937_64 random(2);
  for (const Case& c : cases) {
    const MirrorRaid raid(c.drives, c.copies, c.strip);
    for (int i = 0; i < 300; ++i) {
      const Extent extent{random() >> (30 + random() % 20),
                          static_cast<std::uint32_t>(1 + random() % (c.strip * 5))};
      const auto touched = touched_by(plan_of(raid, extent, RaidPhase::write_writes));
      CHECK(touched.size() == extent.blocks * static_cast<std::size_t>(c.copies));
      for (std::uint64_t b = extent.first; b < extent.first + extent.blocks; ++b) {
        const auto [drive, at] = home(c, b);
        for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(c.copies); ++k) {
          const auto found = touched.find({drive + k, at});
          if (found == touched.end() || found->second != 1) FAIL(b << " copy " << k);
        }
      }
    }
  }
}

TEST_CASE("a read touches each block once on one of its copies") {
  std::mt19937_64 random(3);
  for (const Case& c : cases) {
    const MirrorRaid raid(c.drives, c.copies, c.strip);
    for (int i = 0; i < 300; ++i) {
      const Extent extent{random() >> 30, static_cast<std::uint32_t>(1 + random() % (c.strip * 5))};
      const auto ios = plan_of(raid, extent, RaidPhase::read);
      std::uint64_t b = extent.first;
      for (const MemberIo& io : ios) {
        for (std::uint32_t k = 0; k < io.blocks; ++k, ++b) {
          const auto [drive, at] = home(c, b);
          const auto d = static_cast<std::uint32_t>(index_of(io.drive));
          if (d < drive || d >= drive + static_cast<std::uint32_t>(c.copies) || io.lba + k != at) {
            FAIL(b);
          }
        }
      }
      CHECK(b == extent.first + extent.blocks);
    }
  }
}

TEST_CASE("a RAID 10 write of k strips is 2k writes and needs no reads") {
  const MirrorRaid raid(8, 2, 128);
  for (std::uint32_t k = 1; k <= 6; ++k) {
    CHECK(plan_of(raid, {1280, k * 128}, RaidPhase::write_writes).size() == 2 * k);
    CHECK(plan_of(raid, {1280, k * 128}, RaidPhase::write_reads).empty());
    CHECK(plan_of(raid, {1280, k * 128}, RaidPhase::read).size() == k);
  }
}

TEST_CASE("uniform random reads and writes load all members equally") {
  std::mt19937_64 random(4);
  for (const Case& c : cases) {
    const MirrorRaid raid(c.drives, c.copies, c.strip);
    for (const RaidPhase phase : {RaidPhase::read, RaidPhase::write_writes}) {
      std::vector<int> load(static_cast<std::size_t>(c.drives));
      int total = 0;
      for (int i = 0; i < 40'000; ++i) {
        for (const MemberIo& io : plan_of(raid, {random() % (1u << 28) * 8, 8}, phase)) {
          ++load[index_of(io.drive)];
          ++total;
        }
      }
      const double mean = static_cast<double>(total) / c.drives;
      for (const int n : load) CHECK(std::fabs(n - mean) < 5 * std::sqrt(mean));
    }
  }
}

TEST_CASE("after a loss reads take a copy that is left and writes skip the lost one") {
  MirrorRaid raid(4, 2, 128);
  raid.fail(DriveId{2});
  CHECK_FALSE(raid.data_lost());
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const Extent extent{random() % (1u << 28), 8};
    for (const RaidPhase phase : {RaidPhase::read, RaidPhase::write_writes}) {
      const auto ios = plan_of(raid, extent, phase);
      CHECK_FALSE(ios.empty());
      for (const MemberIo& io : ios) CHECK(io.drive != DriveId{2});
    }
  }
  raid.fail(DriveId{0});
  CHECK_FALSE(raid.data_lost());
  raid.fail(DriveId{3});
  CHECK(raid.data_lost());
}

TEST_CASE("RAID 0 loses data with its first drive") {
  MirrorRaid raid(4, 1, 128);
  raid.fail(DriveId{1});
  CHECK(raid.data_lost());
  CHECK_THROWS_AS(raid.fail(DriveId{4}), InvariantError);
}

TEST_CASE("capacity is that of the sets") {
  CHECK(MirrorRaid(8, 2, 128).data_blocks(1000) == 4 * 7 * 128);
  CHECK(MirrorRaid(8, 1, 128).data_blocks(1024) == 8 * 1024);
}

TEST_CASE(
    "mirrors read on while each set has a copy left, and report data loss when one has none") {
  for (const Case& c : {Case{2, 2, 8}, Case{8, 2, 8}, Case{6, 3, 8}, Case{3, 1, 8}}) {
    for (unsigned lost = 0; lost < 1u << c.drives; ++lost) {  // every set of lost drives
      MirrorRaid raid(c.drives, c.copies, c.strip);
      bool gone = false;
      for (int set = 0; set < c.drives / c.copies; ++set) {
        const unsigned all = ((1u << c.copies) - 1) << (set * c.copies);
        gone = gone || (lost & all) == all;
      }
      unsigned count = 0;
      for (unsigned d = 0; d < static_cast<unsigned>(c.drives); ++d) {
        if ((lost >> d & 1) == 0) continue;
        raid.fail(static_cast<DriveId>(d));
        ++count;
      }
      CHECK(raid.lost() == count);
      CHECK(raid.data_lost() == gone);
      if (gone) continue;
      for (std::uint64_t block = 0; block < 400; ++block) {
        const auto reads = plan_of(raid, {block, 1}, RaidPhase::read);
        CHECK(reads.size() == 1);
        CHECK((lost >> index_of(reads[0].drive) & 1) == 0);
        CHECK_FALSE(plan_of(raid, {block, 1}, RaidPhase::write_writes).empty());
      }
    }
  }
}

TEST_CASE("a mirror is copied row by row from a partner to the new drive, which then serves") {
  MirrorRaid raid(testing::layout("raid10", 8), 16);
  MemberPlan out(4);
  raid.fail(DriveId{5});
  raid.rebuild(DriveId{5}, 3, RebuildPhase::reads, out);
  CHECK(out.size() == 0);  // nowhere to
  raid.replace(DriveId{5});
  raid.rebuild(DriveId{5}, 3, RebuildPhase::reads, out);
  raid.rebuild(DriveId{5}, 3, RebuildPhase::write, out);
  REQUIRE(out.size() == 2);
  CHECK(out.ios()[0].drive == DriveId{4});
  CHECK(out.ios()[1].drive == DriveId{5});
  for (const MemberIo& io : out.ios()) CHECK((io.lba == 3 * 16 && io.blocks == 16));
  raid.set_rebuilt_rows(DriveId{5}, 10);
  const Extent below{(9 * 4 + 2) * 16, 16};   // row 9 of drives 4 and 5
  const Extent above{(10 * 4 + 2) * 16, 16};  // row 10
  CHECK(plan_of(raid, below, RaidPhase::write_writes).size() == 2);
  CHECK(plan_of(raid, above, RaidPhase::write_writes).size() == 1);
  CHECK(plan_of(raid, above, RaidPhase::read)[0].drive == DriveId{4});
  raid.rebuilt(DriveId{5});
  CHECK(raid.lost() == 0);
  CHECK(plan_of(raid, above, RaidPhase::write_writes).size() == 2);
  raid.fail(DriveId{4});
  CHECK_FALSE(raid.data_lost());
}

TEST_CASE("a mirror that loses its last whole copy during the rebuild loses data") {
  MirrorRaid raid(4, 2, 16);
  raid.fail(DriveId{0});
  raid.replace(DriveId{0});
  raid.set_rebuilt_rows(DriveId{0}, 1000);
  raid.fail(DriveId{1});
  CHECK(raid.data_lost());
}

TEST_CASE("rows in use and lock keys of mirrors follow the chunks") {
  const MirrorRaid raid(8, 2, 16);
  CHECK(raid.used_rows(1) == 1);
  CHECK(raid.used_rows(4 * 16) == 1);
  CHECK(raid.used_rows(4 * 16 + 1) == 2);
  CHECK(raid.lock_key(15) == 0);
  CHECK(raid.lock_key(16) == 1);
  CHECK_THROWS_AS(MirrorRaid(8, 2, 16).replace(DriveId{1}), InvariantError);
}
