#include "models/raid.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "models/mirror_raid.hpp"
#include "models/parity_raid.hpp"

using namespace storcast;

TEST_CASE("Divider agrees with the divide instruction while numerator x divisor < 2^64") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t divisor = 1 + random() % (i % 2 == 0 ? 64 : 64 * 1024 * 1024 - 1);
    const Divider by(divisor);
    CHECK(by.divisor() == divisor);
    const std::uint64_t most = ~std::uint64_t{0} / divisor;
    for (int k = 0; k < 20; ++k) {
      // Random magnitudes, and the neighbours of multiples, where a rounded reciprocal errs first.
      std::uint64_t n = random() % most >> (random() % 60);
      if (k % 4 == 0) n = n / divisor * divisor;
      if (k % 4 == 1 && n >= divisor) n = n / divisor * divisor - 1;
      if (by.quotient(n) != n / divisor) FAIL(n << " / " << divisor);
    }
  }
}

TEST_CASE("Divider by the drives of a row is exact for every numerator below 2^58") {
  std::mt19937_64 random(2);
  for (std::uint64_t divisor = 1; divisor <= 64; ++divisor) {
    const Divider by(divisor);
    for (int k = 0; k < 2000; ++k) {
      const std::uint64_t n = random() >> 6;
      if (by.quotient(n) != n / divisor) FAIL(n << " / " << divisor);
    }
    const std::uint64_t last = (std::uint64_t{1} << 58) - 1;
    CHECK(by.quotient(last) == last / divisor);
  }
}

TEST_CASE("Divider refuses zero and divisors of 2^26 and more") {
  CHECK_THROWS_AS(Divider(0), InvariantError);
  CHECK_THROWS_AS(Divider(std::uint64_t{1} << 26), InvariantError);
  CHECK_NOTHROW(Divider((std::uint64_t{1} << 26) - 1));
}

TEST_CASE("planners refuse sets that are no sets") {
  CHECK_THROWS_AS(ParityRaid(3, 2, 128), InvariantError);
  CHECK_THROWS_AS(ParityRaid(6, 3, 128), InvariantError);
  CHECK_THROWS_AS(ParityRaid(6, 0, 128), InvariantError);
  CHECK_THROWS_AS(MirrorRaid(5, 2, 128), InvariantError);
  CHECK_THROWS_AS(MirrorRaid(1, 2, 128), InvariantError);
  CHECK_NOTHROW(ParityRaid(3, 1, 8));
  CHECK_NOTHROW(MirrorRaid(1, 1, 8));
}
