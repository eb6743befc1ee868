#include "models/cache.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "models/null_drive.hpp"
#include "tests/support/drive_bench.hpp"
#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

// A Fibonacci number: with it the generator's spreading of hot pages (a golden-ratio hash) visits
// every page once; with others some pages take the accesses of two.
constexpr std::uint64_t pages = 4181;

// Share of sampled accesses of a law that go to the `cached` pages with the most of them.
double sampled_ratio(AddressLaw law, double parameter, std::size_t cached) {
  const NullDrive::Params instant{from_seconds(1e-6), 0, {1'000'000'000'000}};
  testing::DriveBench<NullDrive> bench(instant, Direction::read, 8, 1);
  struct Count {
    std::map<std::uint64_t, int> seen;
    void operator()(const Io& io, int, MemberPlan& out) noexcept {
      ++seen[io.lba];
      out.push({DriveId{0}, io.lba, io.blocks});
    }
  } count;
  bench.system.plans[0] = Plan(count);
  Stream& stream = bench.system.streams[0];
  stream.law = law;
  stream.law_parameter = parameter;
  stream.span_blocks = pages * 8;
  bench.run(0.5);
  std::vector<int> counts;
  double total = 0;
  for (const auto& [lba, n] : count.seen) {
    counts.push_back(n);
    total += n;
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  double hits = 0;
  for (std::size_t i = 0; i < std::min(cached, counts.size()); ++i) hits += counts[i];
  return hits / total;
}

double told_ratio(AddressLaw law, double parameter, std::size_t cached) {
  return hit_ratio(law, parameter, static_cast<double>(cached) * 4096,
                   static_cast<double>(pages) * 4096);
}

}  // namespace

TEST_CASE("hit ratios are those of the addresses that the generator draws") {
  for (const std::size_t cached : {pages / 20, pages / 4}) {
    for (const auto& [law, parameter] :
         {std::pair{AddressLaw::zipf, 1.1}, std::pair{AddressLaw::zipf, 1.5},
          std::pair{AddressLaw::pareto, 0.1}, std::pair{AddressLaw::pareto, 0.3},
          std::pair{AddressLaw::normal, 5.0}, std::pair{AddressLaw::normal, 15.0}}) {
      INFO("law " << static_cast<int>(law) << ", " << parameter << ", " << cached << " pages");
      CHECK(told_ratio(law, parameter, cached) ==
            Approx(sampled_ratio(law, parameter, cached)).margin(0.02));
    }
  }
}

TEST_CASE("a cache of everything always hits, one of nothing never, a stream never") {
  for (const AddressLaw law :
       {AddressLaw::uniform, AddressLaw::zipf, AddressLaw::pareto, AddressLaw::normal}) {
    const double parameter = law == AddressLaw::zipf ? 1.1 : law == AddressLaw::pareto ? 0.2 : 10;
    CHECK(hit_ratio(law, parameter, 2e9, 1e9) == 1);
    CHECK(hit_ratio(law, parameter, 0, 1e9) == Approx(0).margin(1e-12));
  }
  CHECK(hit_ratio(AddressLaw::sequential, 0, 5e8, 1e9) == 0);
  CHECK(hit_ratio(AddressLaw::uniform, 0, 2.5e8, 1e9) == Approx(0.25));
}

TEST_CASE("hit ratios grow with the cache and stay between 0 and 1") {
  for (const auto& [law, parameter] :
       {std::pair{AddressLaw::uniform, 0.0}, std::pair{AddressLaw::zipf, 0.01},
        std::pair{AddressLaw::zipf, 1.0}, std::pair{AddressLaw::zipf, 5.0},
        std::pair{AddressLaw::pareto, 0.01}, std::pair{AddressLaw::pareto, 0.99},
        std::pair{AddressLaw::normal, 0.1}, std::pair{AddressLaw::normal, 100.0}}) {
    double before = 0;
    for (double share = 0.001; share < 1.01; share += 0.01) {
      const double hits = hit_ratio(law, parameter, share * 1e12, 1e12);
      INFO("law " << static_cast<int>(law) << ", " << parameter << ", " << share);
      CHECK(hits >= before);
      CHECK(hits <= 1);
      before = hits;
    }
  }
}

TEST_CASE("dirty pages: the destage window in the steady state, the whole limit when empty") {
  CacheParams p;
  p.size = {std::int64_t{16} << 30};
  p.read_share = 0.5;
  p.dirty_limit = 0.8;
  p.destage_window = {64 << 20};
  p.condition = CacheCondition::steady;
  CHECK(dirty_pages(p) == (64 << 20) / 4096);
  p.condition = CacheCondition::empty;
  CHECK(dirty_pages(p) ==
        static_cast<std::int64_t>(0.4 * static_cast<double>(p.size.value) / 4096));
  p.condition = CacheCondition::steady;
  p.destage_window = {std::int64_t{1} << 40};
  CHECK(dirty_pages(p) ==
        static_cast<std::int64_t>(0.4 * static_cast<double>(p.size.value) / 4096));
}

TEST_CASE("reads hit with the given probability") {
  Rng rng(1, "test");
  ReadCache cache{0.3};
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += cache(Io{}, {}, rng) ? 1 : 0;
  CHECK(hits == Approx(30'000).margin(5 * 145));
  CHECK_FALSE(ReadCache{0}(Io{}, {}, rng));
  CHECK(ReadCache{1}(Io{}, {}, rng));
}

TEST_CASE("the cache's data sheet refuses what lies outside its ranges") {
  for (const char* line : {"size: 1KiB", "size: 11TB", "read_share: 1.1", "dirty_limit: 0",
                           "destage_window: 4KiB", "condition: full", "mirror_rate: 1MB/s",
                           "mirror_latency: 2ms", "mirror_cost: 2ms", "policy: lru"}) {
    CHECK(testing::refuses(cache_schema(), "size: 16GiB\nmirror_rate: 7GB/s\n", line) == "");
  }
}
