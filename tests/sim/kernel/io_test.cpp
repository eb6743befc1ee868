#include "sim/kernel/io.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace storcast;

TEST_CASE("the pool gives each I/O out once and none when it is exhausted") {
  IoPool pool(3);
  CHECK(pool.capacity() == 3);
  std::set<IoId> seen;
  for (int i = 0; i < 3; ++i) seen.insert(pool.acquire());
  CHECK(seen == std::set<IoId>{IoId{0}, IoId{1}, IoId{2}});
  CHECK(pool.in_use() == 3);
  CHECK(pool.acquire() == IoId::none);
  CHECK(pool.in_use() == 3);
}

TEST_CASE("a released I/O is the next one to be acquired") {
  IoPool pool(4);
  const IoId a = pool.acquire();
  const IoId b = pool.acquire();
  pool.release(a);
  CHECK(pool.in_use() == 1);
  CHECK(pool.acquire() == a);
  pool.release(b);
  pool.release(a);
  CHECK(pool.in_use() == 0);
  std::set<IoId> all;
  for (int i = 0; i < 4; ++i) all.insert(pool.acquire());
  CHECK(all.size() == 4);
  CHECK(all.count(IoId::none) == 0);
}

TEST_CASE("an empty pool has nothing to give") {
  IoPool pool(0);
  CHECK(pool.acquire() == IoId::none);
}

TEST_CASE("an I/O is one cache line, and lines do not straddle") {
  STATIC_REQUIRE(sizeof(Io) == 64);
  STATIC_REQUIRE(alignof(Io) == 64);
  IoPool pool(2);
  const auto address = reinterpret_cast<std::uintptr_t>(&pool[IoId{1}]);
  CHECK(address % 64 == 0);
}
