#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

const std::string pool_a = "system.arrays.array.pools.a";

// All problems of the pool's `rebuild`, a line each, with the accepted words.
std::string refusal(const std::string& rebuild, std::vector<Override> more = {}) {
  more.push_back({pool_a + ".rebuild", rebuild});
  try {
    static_cast<void>(small(more));
  } catch (const ScenarioError& error) {
    std::string all;
    for (const Problem& p : error.problems()) {
      all += (all.empty() ? "" : "\n") + p.rule;
      for (const std::string& word : p.accepted) all += " " + word;
      CHECK_FALSE(p.where.file.empty());
    }
    return all;
  }
  return "accepted";
}

std::vector<std::string> assumed(std::vector<Override> sets) {
  sets.push_back({"timeline", "[{at: 10ms, fail: system.arrays.array.pools.a.drives.1}]"});
  std::vector<std::string> found;
  for (const std::string& line : small(sets).assumptions) {
    if (line.find(".rebuild.") != std::string::npos) found.push_back(line);
  }
  return found;
}

}  // namespace

TEST_CASE("a rebuild is read") {
  const PoolConfig pool =
      small({{pool_a + ".hot_spares", "1"},
             {pool_a + ".rebuild",
              "{window: 4, rate_limit: 200000KiB/s, blocks: used, starts_after: 60s}"}})
          .array.pools[0];
  CHECK(rebuild_window(pool.rebuild) == 4);
  REQUIRE(pool.rebuild.rate_limit);
  CHECK(pool.rebuild.rate_limit->value == Approx(204.8e6));
  CHECK(pool.rebuild.blocks == RebuildBlocks::used);
  CHECK(to_seconds(pool.rebuild.starts_after) == Approx(60));
  CHECK(pool.rebuilds());
  CHECK_FALSE(small().array.pools[0].rebuilds());
  CHECK_FALSE(small({{pool_a + ".hot_spares", "1"}, {pool_a + ".rebuild", "{enabled: false}"}})
                  .array.pools[0]
                  .rebuilds());
  for (const auto& [word, window] : {std::pair{"low", 2}, {"medium", 8}, {"high", 32}}) {
    const Scenario s = small({{pool_a + ".rebuild.priority", word}});
    CHECK(rebuild_window(s.array.pools[0].rebuild) == window);
  }
}

TEST_CASE("what nobody said of a rebuild that happens is an assumption") {
  const std::string path = pool_a + ".rebuild.";
  const Override spare{pool_a + ".hot_spares", "1"};
  CHECK(assumed({}).empty());
  CHECK(assumed({spare, {pool_a + ".rebuild.enabled", "false"}}).empty());
  CHECK(assumed({spare}) ==
        std::vector<std::string>{path + "priority = medium (8 rebuild I/Os outstanding at a drive)",
                                 path + "rate_limit = none", path + "blocks = all (written or not)",
                                 path + "starts_after = 0s"});
  CHECK(assumed({spare, {pool_a + ".rebuild", "{window: 3, blocks: used}"}}).size() == 2);
  CHECK(assumed({spare,
                 {pool_a + ".rebuild",
                  "{priority: low, blocks: all, rate_limit: null, starts_after: 0s}"}})
            .empty());
}

TEST_CASE("each mistake in a rebuild is told with the place and the words that are accepted") {
  const std::string path = pool_a + ".rebuild";
  CHECK(refusal("{window: 4}") == "accepted");
  CHECK(refusal("{window: 0}").starts_with(path + ".window: "));
  CHECK(refusal("{window: 257}").starts_with(path + ".window: "));
  CHECK(refusal("{window: many}").starts_with(path + ".window: "));
  CHECK(refusal("{rate_limit: 0MB/s}").starts_with(path + ".rate_limit: "));
  CHECK(refusal("{rate_limit: -5MB/s}").starts_with(path + ".rate_limit: "));
  CHECK(refusal("{rate_limit: 5MB}").starts_with(path + ".rate_limit: "));
  CHECK(refusal("{starts_after: -1s}").starts_with(path + ".starts_after: "));
  CHECK(refusal("{enabled: perhaps}").starts_with(path + ".enabled: "));
  CHECK(refusal("{priority: highest}").find(" high") != std::string::npos);
  CHECK(refusal("{blocks: thick}").find(" all") != std::string::npos);
  CHECK(refusal("{rate_limt: 5MB/s}").find("rate_limit") != std::string::npos);
  CHECK(refusal("{widow: 5}").find(" window") != std::string::npos);
  CHECK(refusal("{priority: low, window: 3}") ==
        path + ".window: priority and window say the same: one of them is wanted");
  CHECK(refusal("fast").starts_with(path + ": a map is wanted"));
  CHECK(refusal("{window: 4}", {{pool_a + ".raid", "raid0"}}) ==
        path + ": raid0 has no redundancy: there is nothing to rebuild from");
}
