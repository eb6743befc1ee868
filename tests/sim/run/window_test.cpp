#include "sim/run/window.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace storcast;

namespace {

// Blocks of 1 s. `ios(i)`, `mean_us(i)`: completions and mean response time of block i.
template <class Ios, class Mean>
Blocks record(std::size_t count, const Ios& ios, const Mean& mean_us) {
  Blocks blocks(from_seconds(1));
  blocks.set_start({});
  for (std::size_t i = 0; i < count; ++i) {
    Block b;
    b.streams.resize(1);
    DirectionRecord& d = b.streams[0].directions[i % 2 == 0 ? 0 : 1];
    d.ios = static_cast<std::uint64_t>(ios(i));
    d.bytes = static_cast<std::int64_t>(d.ios) * 4096;
    d.response_ps = static_cast<double>(d.ios) * mean_us(i) * 1e6;
    for (std::uint64_t k = 0; k < d.ios; ++k) d.histogram.add(from_seconds(mean_us(i) * 1e-6));
    for (std::size_t s = 0; s < Blocks::slices_per_block; ++s) {
      b.slices.push_back({d.ios / 8, d.response_ps / 8});
    }
    blocks.add(std::move(b));
  }
  return blocks;
}
double noise(std::size_t i) {  // +-1 %, the same each time
  std::minstd_rand r(static_cast<unsigned>(i + 1));
  r.discard(3);
  return 1 + (static_cast<double>(r() % 2001) - 1000) * 1e-5;
}
double same(std::size_t) { return 100; }
double steady(std::size_t i) { return 8000 * noise(i); }

}  // namespace

TEST_CASE("a run that is steady from the start is used whole") {
  const Window w = choose_window(record(80, steady, same), {});
  CHECK(w.settled);
  CHECK(w.end == 80);
  CHECK(w.first <= 20);
  CHECK(w.batches() >= 20);
  CHECK(w.batches() <= 40);
  CHECK((w.end - w.first) % w.batch_blocks == 0);
}

TEST_CASE("a transient at the start is cut") {
  const auto ios = [](std::size_t i) { return i < 10 ? 2000.0 : steady(i); };
  const Window w = choose_window(record(80, ios, same), {});
  CHECK(w.settled);
  CHECK(w.first >= 10);
  CHECK(w.first < 40);
}

TEST_CASE("a drift of the response time alone is a transient too") {
  const auto mean = [](std::size_t i) { return i < 15 ? 500.0 : 100.0; };
  CHECK(choose_window(record(80, steady, mean), {}).first >= 15);
}

TEST_CASE("a run that never settles is said to be so") {
  const auto growing = [](std::size_t i) { return 1000.0 * static_cast<double>(i + 1); };
  CHECK_FALSE(choose_window(record(60, growing, growing), {}).settled);
}

TEST_CASE("the warm-up is never shorter than asked for") {
  CHECK(choose_window(record(80, steady, same), from_seconds(30)).first >= 30);
  const Window all = choose_window(record(20, steady, same), from_seconds(1000));
  CHECK(all.first < all.end);  // something is left to be told
}

TEST_CASE("estimates are those of the window, by direction") {
  const Blocks blocks = record(
      40, [](std::size_t) { return 8000.0; }, same);
  const Window w{20, 40, 2, true};
  CHECK(total_of(blocks, w, 0, 2).ios == 20 * 8000);
  CHECK(total_of(blocks, w, 0, 0).ios == 10 * 8000);
  const ResponseResult both = response_of(blocks, w, 0, 2);
  CHECK(both.ios == 160'000);
  CHECK(both.iops.value == Approx(8000));
  CHECK(both.iops.half_width == Approx(0).margin(1e-9));
  CHECK(both.bandwidth_bytes_per_s.value == Approx(8000.0 * 4096));
  CHECK(both.mean_s.value == Approx(100e-6));
  CHECK(response_of(blocks, w, 0, 0).iops.value == Approx(4000));
  REQUIRE(both.percentiles.size() == 6);
  CHECK(both.percentiles[0].value_s->value == Approx(100e-6).epsilon(0.008));
  CHECK_FALSE(both.percentiles[5].value_s.has_value());  // p99.99 needs a million
  CHECK_FALSE(both.percentiles[5].refusal.empty());
}

TEST_CASE("batch values are one for each batch") {
  const Blocks blocks = record(
      12, [](std::size_t i) { return 8.0 * static_cast<double>(i); }, same);
  const auto values =
      batch_values(blocks, {4, 12, 4, true}, 0, 2, [](const DirectionRecord& d, double seconds) {
        return static_cast<double>(d.ios) / seconds;
      });
  REQUIRE(values.size() == 2);
  CHECK(values[0] == Approx(8.0 * (4 + 5 + 6 + 7) / 4));
  CHECK(values[1] == Approx(8.0 * (8 + 9 + 10 + 11) / 4));
}

TEST_CASE("precision is unknown without samples and follows the batches' scatter") {
  const Blocks none = record(
      40, [](std::size_t) { return 0.0; }, same);
  const Precision unknown = precision_of(none, {0, 40, 1, true});
  CHECK(std::isinf(unknown.throughput));
  CHECK(std::isinf(unknown.p99));
  const Precision known = precision_of(record(40, steady, same), {0, 40, 1, true});
  CHECK(known.throughput > 0.0005);
  CHECK(known.throughput < 0.005);  // 0.58 % / sqrt(40) x 2.02
  CHECK(known.long_enough);
  const auto slow = [](std::size_t) { return 0.9e6; };  // responses of 0.9 s in batches of 1 s
  CHECK_FALSE(precision_of(record(40, steady, slow), {0, 40, 1, true}).long_enough);
}
