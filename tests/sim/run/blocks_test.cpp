#include "sim/run/blocks.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

namespace {

Block block(std::uint64_t ios) {
  Block b;
  b.streams.resize(2);
  b.streams[0].directions[0].ios = ios;
  b.streams[1].directions[1].ios = 1;
  b.streams[0].submitted = ios;
  for (std::size_t i = 0; i < Blocks::slices_per_block; ++i) b.slices.push_back({ios, 2.0});
  GroupSnapshot at_end;
  at_end.arrivals = ios;
  b.at_end = {at_end};
  return b;
}

}  // namespace

TEST_CASE("a block counts the I/Os of all streams and directions") { CHECK(block(5).ios() == 6); }

TEST_CASE("blocks are merged in pairs when the most are full, and the length doubles") {
  Blocks blocks(from_seconds(1));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < Blocks::most - 1; ++i) {
    blocks.add(block(i));
    sum += i + 1;
  }
  CHECK(blocks.all().size() == Blocks::most - 1);
  CHECK(blocks.length() == from_seconds(1));
  blocks.add(block(Blocks::most - 1));
  sum += Blocks::most;
  REQUIRE(blocks.all().size() == Blocks::most / 2);
  CHECK(blocks.length() == from_seconds(2));
  std::uint64_t after = 0;
  for (const Block& b : blocks.all()) after += b.ios();
  CHECK(after == sum);
  CHECK(blocks.all()[3].streams[0].directions[0].ios == 6 + 7);
}

TEST_CASE("merged blocks keep eight slices, each the sum of two neighbours") {
  Blocks blocks(from_seconds(1));
  for (std::uint64_t i = 0; i < Blocks::most; ++i) blocks.add(block(i));
  const Block& b = blocks.all()[1];  // of blocks 2 and 3
  REQUIRE(b.slices.size() == Blocks::slices_per_block);
  CHECK(b.slices[0].ios == 4);
  CHECK(b.slices[3].ios == 4);
  CHECK(b.slices[4].ios == 6);
  CHECK(b.slices[7].response_ps == 4.0);
}

TEST_CASE("a merged block ends where its second half ended and begins where the one before ended") {
  Blocks blocks(from_seconds(1));
  GroupSnapshot start;
  start.arrivals = 1000;
  blocks.set_start({start});
  for (std::uint64_t i = 0; i < Blocks::most; ++i) blocks.add(block(i));
  CHECK(blocks.all()[4].at_end[0].arrivals == 9);
  CHECK(blocks.before(0)[0].arrivals == 1000);
  CHECK(blocks.before(4)[0].arrivals == 7);
}
