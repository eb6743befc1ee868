#include "models/pcie.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

TEST_CASE("a link's payload rate doubles with the generation and with the lanes") {
  CHECK(pcie_rate(4, 4).value == Approx(2 * pcie_rate(3, 4).value));
  CHECK(pcie_rate(5, 8).value == Approx(2 * pcie_rate(5, 4).value));
  CHECK(pcie_rate(4, 4).value == Approx(16e9 * 4 * 128 / 130 / 8 * 256 / 280));
  CHECK(pcie_rate(4, 4, 128).value < pcie_rate(4, 4, 256).value);
}

TEST_CASE("links that do not exist are our mistake") {
  CHECK_THROWS_AS(pcie_rate(2, 4), InvariantError);
  CHECK_THROWS_AS(pcie_rate(6, 4), InvariantError);
  CHECK_THROWS_AS(pcie_rate(4, 0), InvariantError);
  CHECK_THROWS_AS(pcie_rate(4, 32), InvariantError);
  CHECK_THROWS_AS(pcie_rate(4, 4, 64), InvariantError);
  CHECK_THROWS_AS(pcie_rate(4, 4, 8192), InvariantError);
}
