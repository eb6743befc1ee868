#include "models/rebuild.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

TEST_CASE("a priority is a window, and a window beats the priority's") {
  RebuildParams p;
  CHECK(rebuild_window(p) == 8);
  p.priority = RebuildPriority::low;
  CHECK(rebuild_window(p) == 2);
  p.priority = RebuildPriority::high;
  CHECK(rebuild_window(p) == 32);
  p.window = 5;
  CHECK(rebuild_window(p) == 5);
}

TEST_CASE("rows in flight keep the window at the busiest drive") {
  RebuildParams p;
  CHECK(rebuild_rows_in_flight(p, 1) == 8);
  CHECK(rebuild_rows_in_flight(p, 9.0 / 23) == 20);
  CHECK(rebuild_rows_in_flight(p, 3) == 3);
  CHECK(rebuild_rows_in_flight(p, 100) == 1);
  CHECK(rebuild_rows_in_flight(p, 1e-6) == most_rebuild_rows);
}

TEST_CASE("a rate limit spaces the rows by what they cost the busiest drive") {
  RebuildParams p;
  CHECK(rebuild_row_time(p, Bytes{65536}, 1).count() == 0);
  p.rate_limit = Bandwidth{65.536e6};
  CHECK(to_seconds(rebuild_row_time(p, Bytes{65536}, 1)) == Approx(1e-3));
  CHECK(to_seconds(rebuild_row_time(p, Bytes{65536}, 0.4)) == Approx(0.4e-3));
}
