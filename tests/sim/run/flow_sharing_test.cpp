#include "sim/run/flow_sharing.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

namespace {

// `seconds` at the one station.
SharingClass at_one_station(double seconds, double customers, bool background = false) {
  SharingClass c;
  c.seconds = {seconds};
  c.visits = {1};
  c.stages = {{0, 1, seconds, 1, 1}};
  c.customers = customers;
  c.background = background;
  return c;
}

}  // namespace

TEST_CASE("alone, rows take no notice of each other until the station is full") {
  SharingClass rows = at_one_station(0.01, 2, true);
  rows.other_s = 0.03;
  CHECK(shared_rates({rows}, {1})[0] == Approx(50).epsilon(1e-4));  // 2 / 40 ms
  rows.customers = 8;
  CHECK(shared_rates({rows}, {1})[0] == Approx(100).epsilon(1e-4));  // 1 / 10 ms
  rows.most_rate = 20;
  CHECK(shared_rates({rows}, {1})[0] == Approx(20).epsilon(1e-4));
}

TEST_CASE("alone, clients are a closed network of one class") {
  // Schweitzer's own fixed point of 4 customers, one station of 10 ms and 30 ms elsewhere:
  // X (Z + S (1 + 3/4 Q)) = 4, Q = X S (1 + 3/4 Q).
  SharingClass c = at_one_station(0.01, 4);
  c.other_s = 0.03;
  const double x = shared_rates({c}, {1})[0];
  const double q = x * 0.01 / (1 - 0.75 * x * 0.01);
  CHECK(x * 0.03 + q == Approx(4).epsilon(1e-3));
}

TEST_CASE("at a full station classes share by their numbers, whatever else they do") {
  const auto x = shared_rates({at_one_station(0.01, 30), at_one_station(0.01, 10, true)}, {1});
  CHECK(x[0] + x[1] == Approx(100).epsilon(0.01));
  CHECK(x[0] / x[1] == Approx(3).epsilon(0.05));
}

TEST_CASE("an open load gets what it offers and the rows what is left") {
  SharingClass open = at_one_station(0.01, 0);
  open.rate = 60;
  const auto x = shared_rates({open, at_one_station(0.01, 64, true)}, {1});
  CHECK(x[0] == Approx(60));
  CHECK(x[1] == Approx(40).epsilon(0.02));
}

TEST_CASE("the mean of the largest of p is the harmonic number") {
  CHECK(mean_of_largest(0) == Approx(1));
  CHECK(mean_of_largest(1) == Approx(1));
  CHECK(mean_of_largest(4) == Approx(25.0 / 12));
}
