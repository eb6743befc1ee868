#include "sim/kernel/lock_table.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

using namespace storcast;

TEST_CASE("a lock that nobody holds is taken, one that is held is waited for in order") {
  IoPool pool(8);
  LockTable locks(4);
  const IoId a = pool.acquire();
  const IoId b = pool.acquire();
  const IoId c = pool.acquire();
  CHECK(locks.acquire(pool, a, 7));
  CHECK_FALSE(locks.acquire(pool, b, 7));
  CHECK_FALSE(locks.acquire(pool, c, 7));
  CHECK(locks.held() == 1);
  CHECK(locks.acquired() == 3);
  CHECK(locks.waited() == 2);
  CHECK(locks.release(pool, 7) == b);
  CHECK(locks.release(pool, 7) == c);
  CHECK(locks.held() == 1);
  CHECK(locks.release(pool, 7) == IoId::none);
  CHECK(locks.held() == 0);
}

TEST_CASE("different locks do not wait for each other, whatever their buckets") {
  IoPool pool(64);
  LockTable locks(64);
  for (std::uint64_t key = 0; key < 64; ++key) {
    CHECK(locks.acquire(pool, pool.acquire(), key << 32 | (key * key)));
  }
  CHECK(locks.held() == locks.capacity());
  for (std::uint64_t key = 64; key-- > 0;) {
    CHECK(locks.release(pool, key << 32 | (key * key)) == IoId::none);
  }
  CHECK(locks.held() == 0);
}

TEST_CASE("a lock table of random use agrees with a map") {
  std::mt19937_64 random(5);
  IoPool pool(2000);
  LockTable locks(100);
  std::map<std::uint64_t, std::vector<IoId>> model;  // the first holds it
  std::size_t holders = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t key = random() % 40;
    if (random() % 2 == 0 && pool.in_use() < 2000) {
      const IoId id = pool.acquire();
      CHECK(locks.acquire(pool, id, key) == model[key].empty());
      model[key].push_back(id);
    } else if (!model[key].empty()) {
      pool.release(model[key].front());
      model[key].erase(model[key].begin());
      CHECK(locks.release(pool, key) == (model[key].empty() ? IoId::none : model[key].front()));
    }
    holders = 0;
    for (const auto& [k, line] : model) holders += line.empty() ? 0 : 1;
    if (locks.held() != holders) break;
  }
  CHECK(locks.held() == holders);
}
