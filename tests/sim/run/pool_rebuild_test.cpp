#include "sim/run/pool_rebuild.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace storcast;

namespace {

constexpr std::uint32_t strip_blocks = 128;

// A pool of `rows` rows; the test plays the kernel.
struct RebuildUnderTest {
  RebuildUnderTest(const RaidLayout& layout, RebuildParams params, int hot_spares,
                   std::uint64_t rows = 64)
      : raid(layout, strip_blocks),
        rebuild(RebuildPlanner(raid), params, {rows, 0, Bytes{65536}, hot_spares}) {}

  void lose(int drive, double at_s = 0) {
    raid.fail(static_cast<DriveId>(drive));
    rebuild.lost(drive, Time{from_seconds(at_s)});
  }
  // The I/O's next row: its members; empty if none is left.
  std::vector<MemberIo> take(std::uint64_t number) {
    io.lba = number;
    if (rebuild.take_row(io, Time{}, rng)) return {};
    MemberPlan plan(32);
    rebuild.members(io, static_cast<int>(RebuildPhase::reads), plan);
    rebuild.members(io, static_cast<int>(RebuildPhase::write), plan);
    return {plan.ios().begin(), plan.ios().end()};
  }
  void done(std::uint64_t number, double at_s = 0) {
    io.lba = number;
    CHECK(rebuild.row_done(io, Time{from_seconds(at_s)}, rng));
  }
  // All rows, one by one.
  void run_to_the_end() {
    while (!take(0).empty()) done(0);
  }

  ParityRaid raid;
  PoolRebuild rebuild;
  Io io{};
  Rng rng{1, "test"};
};

const RaidLayout raid6{RaidFamily::parity, 6, 1, 1, 4, 2, 0};
const RaidLayout raid6ee{RaidFamily::woven, 7, 1, 1, 4, 2, 1};

}  // namespace

TEST_CASE("a row into a hot spare is d reads and a write to the lost drive's place") {
  RebuildUnderTest t(raid6, {}, 1);
  t.lose(2);
  const auto launch = t.rebuild.start_next(Time{});
  REQUIRE(launch);
  CHECK(launch->ios == 8);
  const auto members = t.take(0);
  REQUIRE(members.size() == 5);
  CHECK(members.back().drive == DriveId{2});
  CHECK(members.back().blocks == strip_blocks);
  CHECK_FALSE(t.rebuild.start_next(Time{}));  // it runs
  CHECK(t.rebuild.shape_of(2).busiest == Approx(1));
}

TEST_CASE("rows below the lowest one in flight are rebuilt, in order") {
  RebuildUnderTest t(raid6, {}, 1);
  t.lose(2);
  REQUIRE(t.rebuild.start_next(Time{}));
  for (const std::uint64_t io : {0, 1, 2}) t.take(io);
  t.done(1);
  CHECK(t.raid.member(DriveId{2}).new_rows == 0);
  t.done(0);
  CHECK(t.raid.member(DriveId{2}).new_rows == 2);
  t.take(0);
  t.done(2);
  CHECK(t.raid.member(DriveId{2}).new_rows == 3);
  CHECK(t.rebuild.jobs()[0].passed == 3);
}

TEST_CASE("with the last row the member is whole and the time is noted") {
  RebuildUnderTest t(raid6, {}, 1);
  t.lose(2, 1);
  REQUIRE(t.rebuild.start_next(Time{from_seconds(1)}));
  for (int row = 0; row < 64; ++row) {
    REQUIRE_FALSE(t.take(0).empty());
    t.done(0, 2);
  }
  const RebuildJob& job = t.rebuild.jobs()[0];
  CHECK(job.done);
  CHECK(job.redundant);
  CHECK(job.written == 64);
  CHECK(to_seconds(job.ended) == Approx(2));
  CHECK(t.raid.lost() == 0);
  CHECK(t.take(0).empty());
  const auto results = t.rebuild.results("a", Time{from_seconds(3)});
  REQUIRE(results.size() == 1);
  CHECK(results[0].bytes == Approx(64 * 65536));
  CHECK(results[0].bytes_per_s == Approx(64 * 65536));
  CHECK_FALSE(results[0].remaining_s);
}

TEST_CASE("a woven spare is taken before a hot one, which is left for the next loss") {
  RebuildUnderTest t(raid6ee, {}, 1);
  t.lose(2);
  CHECK(t.rebuild.jobs()[0].woven);
  REQUIRE(t.rebuild.start_next(Time{}));
  t.lose(4);
  CHECK_FALSE(t.rebuild.jobs()[1].woven);
  CHECK(t.rebuild.jobs()[1].spared);
  CHECK_FALSE(t.rebuild.start_next(Time{}));  // the second waits
  t.run_to_the_end();
  CHECK_FALSE(t.rebuild.jobs()[0].redundant);
  REQUIRE(t.rebuild.start_next(Time{from_seconds(5)}));
  CHECK(to_seconds(t.rebuild.jobs()[1].begins) == Approx(5));
  t.run_to_the_end();
  CHECK(t.rebuild.jobs()[1].redundant);
  CHECK_FALSE(t.raid.data_lost());
  t.lose(5);
  CHECK_FALSE(t.rebuild.jobs()[2].spared);
  CHECK_FALSE(t.rebuild.start_next(Time{from_seconds(9)}));
  CHECK(t.rebuild.results("a", Time{from_seconds(9)}).size() == 2);
}

TEST_CASE("rows in which a drive of a woven set held the spare are passed over") {
  RebuildUnderTest t(raid6ee, {}, 0, 70);
  t.lose(2);
  CHECK(t.rebuild.shape_of(2).share == Approx(6.0 / 7));
  REQUIRE(t.rebuild.start_next(Time{}));
  t.run_to_the_end();
  CHECK(t.rebuild.jobs()[0].written == 60);  // six rows of seven
  CHECK(t.rebuild.jobs()[0].passed == 70);
}

TEST_CASE("a rebuild begins after its delay, and only the rows that are used are its part") {
  RebuildParams p;
  p.starts_after = from_seconds(60);
  p.blocks = RebuildBlocks::used;
  ParityRaid raid(raid6, strip_blocks);
  PoolRebuild rebuild(RebuildPlanner(raid), p, {64, 10 * 4 * strip_blocks, Bytes{65536}, 1});
  raid.fail(DriveId{0});
  rebuild.lost(0, Time{from_seconds(3)});
  const auto launch = rebuild.start_next(Time{from_seconds(3)});
  REQUIRE(launch);
  CHECK(to_seconds(launch->at) == Approx(63));
  CHECK(rebuild.jobs()[0].rows == 10);
}

TEST_CASE("a copy of a mirror is one read and one write") {
  MirrorRaid raid(4, 2, strip_blocks);
  PoolRebuild rebuild(RebuildPlanner(raid), {}, {16, 0, Bytes{65536}, 1});
  raid.fail(DriveId{1});
  rebuild.lost(1, Time{});
  REQUIRE(rebuild.start_next(Time{}));
  const PoolRebuild::RowShape shape = rebuild.shape_of(1);
  CHECK(shape.accesses == std::vector<double>{1, 1, 0, 0});
}
