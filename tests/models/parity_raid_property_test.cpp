// What holds for every parity level on any geometry: RAID 5 to 60, their EE forms, data+parity.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

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

std::size_t reads_of(const RaidLayout& l, WritePolicy policy, Extent extent) {
  return plan_of(ParityRaid(l, 8, policy), extent, RaidPhase::write_reads).size();
}

}  // namespace

TEST_CASE("on any geometry writes reach each block once and parity lies on the right member") {
  std::mt19937_64 random(21);
  for (int run = 0; run < 80; ++run) {
    const RaidLayout l = random_layout(random);
    const std::uint32_t strip = 1 + static_cast<std::uint32_t>(below(random, 8));
    RaidContents set(l, strip, 40, static_cast<WritePolicy>(run % 3));
    INFO(l.drives << " drives, " << l.groups << " groups, " << l.data << "+" << l.parity);
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t row = std::uint64_t{strip} * static_cast<unsigned>(l.data * l.groups);
      const std::uint64_t most = i % 2 == 0 ? 2 * strip : 3 * row;
      const std::uint64_t blocks = 1 + below(random, std::min(most, set.data_blocks()));
      const Extent extent{below(random, set.data_blocks() - blocks + 1),
                          static_cast<std::uint32_t>(blocks)};
      CHECK_NOTHROW(set.write(extent));
      CHECK_NOTHROW(set.read(extent));
    }
    CHECK(set.fewest_strips() == l.data + l.parity);
    CHECK(set.fewest_served() == l.data + l.parity);
  }
}

TEST_CASE("on any geometry joined sequential writes leave all parity up to date and read nothing") {
  std::mt19937_64 random(22);
  for (int run = 0; run < 40; ++run) {
    const RaidLayout l = random_layout(random);
    RaidContents set(l, 4, 30);
    const std::uint64_t row = 4 * static_cast<std::uint64_t>(l.data * l.groups);
    const auto size = static_cast<std::uint32_t>(2 + 2 * below(random, 4));
    for (std::uint64_t at = 0; at < row; at += size) {
      set.write({at, static_cast<std::uint32_t>(std::min<std::uint64_t>(size, row - at))}, false);
    }
    CHECK(set.fewest_strips() == l.data + l.parity);
  }
}

TEST_CASE("on any geometry random reads and small writes load all members equally") {
  std::mt19937_64 random(23);
  for (int run = 0; run < 25; ++run) {
    const RaidLayout l = random_layout(random);
    const ParityRaid raid(l, 8);
    const std::uint64_t blocks = raid.data_blocks(raid.map().period_rows() * 8);
    for (const RaidPhase phase :
         {RaidPhase::read, RaidPhase::write_reads, RaidPhase::write_writes}) {
      std::vector<int> load(static_cast<std::size_t>(l.drives));
      int total = 0;
      for (int i = 0; i < 20'000; ++i) {
        for (const MemberIo& io : plan_of(raid, {below(random, blocks / 4) * 4, 4}, phase)) {
          ++load[index_of(io.drive)];
          ++total;
        }
      }
      const double mean = static_cast<double>(total) / l.drives;
      for (const int n : load) CHECK(std::fabs(n - mean) < 5 * std::sqrt(mean));
    }
  }
}

TEST_CASE("all of a member's capacity is in use and nothing beyond it") {
  std::mt19937_64 random(24);
  for (int run = 0; run < 60; ++run) {
    const RaidLayout l = random_layout(random);
    const std::uint64_t member = 8 * (100 + below(random, 1000)) + below(random, 8);
    const ParityRaid raid(l, 8);
    const std::uint64_t blocks = raid.data_blocks(member);
    const auto active = static_cast<std::uint64_t>(l.group_drives() - l.spares);
    const auto width = static_cast<std::uint64_t>(l.data + l.parity);
    const std::uint64_t stripes = member / 8 * active / width;
    CHECK(blocks == stripes * 8 * static_cast<std::uint64_t>(l.data * l.groups));
    CHECK(raid.used_rows(blocks) <= member / 8);
    std::uint64_t last = 0;
    const auto row = static_cast<std::uint32_t>(8 * l.data * l.groups);
    for (std::uint64_t i = 1; i <= 20 && i * row <= blocks; ++i) {
      for (const MemberIo& io : plan_of(raid, {blocks - i * row, row}, RaidPhase::write_writes)) {
        last = std::max(last, io.lba + io.blocks);
      }
    }
    CHECK(last <= member);
    CHECK(last == raid.used_rows(blocks) * 8);
  }
}

TEST_CASE("the capacities of a 12-drive set by level, in rows of one strip") {
  const auto strips = [](const RaidLayout& l) {
    return ParityRaid(l, 8).data_blocks(1000 * 8) / 8;
  };
  CHECK(strips(layout("raid5", 12)) == 11'000);
  CHECK(strips(layout("raid6", 12)) == 10'000);
  CHECK(strips(layout("raid50", 12, 3)) == 9'000);
  CHECK(strips(layout("raid60", 12, 2)) == 8'000);
  CHECK(strips(layout("raid5ee", 12)) == 10'000);
  CHECK(strips(layout("raid6ee", 12, 1, 2)) == 8'000);
  CHECK(strips(layout("raid60ee", 12, 2)) == 6'000);
  CHECK(strips(layout("4+1", 12)) == 4 * 2'400);       // 12,000 strips make 2,400 stripes of 5
  CHECK(strips(layout("8+2", 12, 1, 1)) == 8 * 1100);  // 11,000 make 1,100 of 10
}

TEST_CASE("blocks of one stripe have one lock key, stripes different ones, growing") {
  std::mt19937_64 random(25);
  for (int run = 0; run < 30; ++run) {
    const RaidLayout l = random_layout(random);
    const ParityRaid raid(l, 4);
    const auto groups = static_cast<std::uint64_t>(l.groups);
    const auto data = static_cast<std::uint64_t>(l.data);
    std::map<std::uint64_t, std::set<std::uint64_t>> chunks;  // by key
    for (std::uint64_t block = 0; block < 4 * data * groups * 9; ++block) {
      const std::uint64_t chunk = block / 4;
      const std::uint64_t stripe = chunk / groups / data * groups + chunk % groups;
      CHECK(raid.lock_key(block) == stripe);
      chunks[raid.lock_key(block)].insert(chunk);
    }
    CHECK(chunks.size() == 9 * groups);
    for (const auto& [key, of_key] : chunks) CHECK(of_key.size() == data);
  }
}

TEST_CASE("the write policy decides what a partial write reads first") {
  const RaidLayout l = layout("raid6", 13);  // d = 11, p = 2
  for (std::uint32_t k = 1; k <= 10; ++k) {
    const Extent extent{0, k * 8};
    CHECK(reads_of(l, WritePolicy::rmw, extent) == k + 2);
    CHECK(reads_of(l, WritePolicy::rcw, extent) == 11 - k);
    CHECK(reads_of(l, WritePolicy::min_reads, extent) == std::min(k + 2, 11 - k));
  }
  for (const WritePolicy p : {WritePolicy::rmw, WritePolicy::rcw, WritePolicy::min_reads}) {
    CHECK(reads_of(l, p, {0, 88}) == 0);
  }
}

TEST_CASE("equal numbers of reads are taken by reconstruct-write, as the rule k + p < d - k says") {
  const RaidLayout l = layout("raid6", 8);  // d = 6, k = 2: 4 of each
  const ParityRaid raid(l, 8);
  const auto reads = plan_of(raid, {0, 16}, RaidPhase::write_reads);
  CHECK(reads.size() == 4);
  const auto stripe = raid.map().stripe(0, 0);
  for (const MemberIo& io : reads) {
    CHECK(index_of(io.drive) != raid.map().place(stripe, 0).drive);
    CHECK(index_of(io.drive) != raid.map().place(stripe, 1).drive);
  }
}

TEST_CASE("chunks of RAID 50 go to the groups in turn") {
  const RaidLayout l = layout("raid50", 12, 3);
  const ParityRaid raid(l, 8);
  for (std::uint64_t chunk = 0; chunk < 90; ++chunk) {
    const auto ios = plan_of(raid, {chunk * 8, 8}, RaidPhase::read);
    CHECK(ios.size() == 1);
    CHECK(index_of(ios[0].drive) / 4 == chunk % 3);
    CHECK(ios[0].lba == chunk / 9 * 8);
  }
  CHECK(plan_of(raid, {0, 9 * 8}, RaidPhase::write_reads).empty());  // full stripes of all groups
  CHECK(plan_of(raid, {0, 9 * 8}, RaidPhase::write_writes).size() == 12);
  CHECK(plan_of(raid, {0, 8}, RaidPhase::write_reads).size() == 2);
}

TEST_CASE("a degraded read of a whole stripe asks d members, none of them twice") {
  for (const RaidLayout& l : {layout("raid6", 8), layout("8+2", 24)}) {
    ParityRaid raid(l, 8);
    raid.fail(DriveId{2});
    const auto d = static_cast<std::uint32_t>(l.data);
    for (std::uint64_t stripe = 0; stripe < 200; ++stripe) {
      const auto ios = plan_of(raid, {stripe * d * 8, d * 8}, RaidPhase::read);
      CHECK(ios.size() == d);
      std::set<std::size_t> drives;
      for (const MemberIo& io : ios) drives.insert(index_of(io.drive));
      CHECK(drives.size() == d);
      CHECK_FALSE(drives.contains(2));
    }
  }
}

TEST_CASE("on any geometry an extent's locks are those of its blocks, once each and in order") {
  std::mt19937_64 random(24);
  for (int run = 0; run < 200; ++run) {
    const RaidLayout l = random_layout(random);
    const std::uint32_t strip = 1 + static_cast<std::uint32_t>(below(random, 8));
    const ParityRaid raid(l, strip);
    for (int i = 0; i < 20; ++i) {
      const Extent extent{below(random, 5000), static_cast<std::uint32_t>(1 + below(random, 400))};
      std::set<std::uint64_t> expected;
      for (std::uint64_t b = 0; b < extent.blocks; ++b) {
        expected.insert(raid.lock_key(extent.first + b));
      }
      std::vector<std::uint64_t> keys;
      raid.for_each_lock(extent, [&](std::uint64_t key) { keys.push_back(key); });
      CHECK(keys == std::vector<std::uint64_t>(expected.begin(), expected.end()));
      CHECK(keys.size() <= extent.blocks / strip + 2);
    }
  }
}
