#include "results/capacity.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/small_scenario.hpp"

using namespace storcast;
using Catch::Matchers::Contains;

TEST_CASE("the capacity table shows each amount in bytes, TB and TiB") {
  const std::string text =
      capacity_report(capacity_of(testing::small({{"system.arrays.array.pools.a.raid", "raid6ee"},
                                                  {"system.arrays.array.pools.a.hot_spares", "2"},
                                                  {"system.arrays.array.chassis.bays", "16"}})));
  CHECK_THAT(text, Contains("Pool a: raid6ee of 6 drives of 7680 GB, 64 KiB strips"));
  CHECK_THAT(text, Contains("61,440,000,000,000        61.440        55.879   100.0 %"));
  CHECK_THAT(text, Contains("2 x 7680 GB"));
  CHECK_THAT(text, Contains("1 of 6 drives of a group"));
  CHECK_THAT(text, Contains("parity, 2 of 5 strips of a stripe"));
  CHECK_THAT(text, Contains("32 MiB of each drive"));
  CHECK_THAT(text, Contains("2 x 1 TiB"));
  CHECK_THAT(text, Contains("All 2 pools"));
  CHECK_THAT(text, Contains("13 drives in 16 bays"));
  CHECK_THAT(text, Contains("assumed: system.arrays.array.pools.a.formatting = 32MiB"));
}

TEST_CASE("one pool has no table of its sum, and without bays none are named") {
  const std::string text = capacity_report(capacity_of(testing::small(
      {{"system.arrays.array.pools",
        "{q: {raid: raid10, drives: 4, controller: a, drive: {use: drives/null-drive}}}"},
       {"system.arrays.array.volumes.size", "1GiB"}})));
  CHECK_THAT(text, !Contains("All"));
  CHECK_THAT(text, Contains("mirror copies"));
  CHECK_THAT(text, Contains("\n4 drives; "));
}
