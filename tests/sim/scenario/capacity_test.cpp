#include "sim/scenario/capacity.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/small_scenario.hpp"

using namespace storcast;

namespace {

// The set of most examples: drives of 1,000,000,000,000 bytes of which 100,000,000 are kept for
// metadata. With strips of 64 KiB a drive has
//   (1,000,000,000,000 - 100,000,000) / 65,536 = 15,257,263.18... so 15,257,263 rows,
// 15,257,263 x 65,536 = 999,899,987,968 bytes; 999,900,000,000 - 999,899,987,968 = 12,032 remain.
constexpr std::int64_t row_bytes = 999'899'987'968;

struct Set {
  RaidWords words;
  int hot_spares = 0;
  Bytes drive{1'000'000'000'000};
  Bytes formatting{100'000'000};
  Bytes strip{65536};
};

Ledger ledger_of(const Set& set, int volumes = 0, Bytes size = {}) {
  PoolConfig pool;
  pool.raid = set.words.level;
  std::string rule;
  pool.layout = raid_layout(set.words, rule);
  INFO(rule);
  REQUIRE(pool.layout.drives > 0);
  pool.drives = pool.layout.drives;
  pool.hot_spares = set.hot_spares;
  pool.strip = set.strip;
  pool.formatting = set.formatting;
  NullDrive::Params drive;
  drive.capacity = set.drive;
  pool.drive = drive;
  return capacity_of(pool, volumes, size).ledger;
}

struct Expected {
  Set set;
  std::int64_t raw, hot_spares, formatting, remainder, woven_spares, redundancy, usable;
};

void check(const Expected& e) {
  INFO(e.set.words.level << " of " << e.set.words.drives << " drives, groups " << e.set.words.groups
                         << ", woven " << e.set.words.woven_spares);
  const Ledger l = ledger_of(e.set);
  CHECK(l.raw.value == e.raw);
  CHECK(l.hot_spares.value == e.hot_spares);
  CHECK(l.formatting.value == e.formatting);
  CHECK(l.remainder.value == e.remainder);
  CHECK(l.woven_spares.value == e.woven_spares);
  CHECK(l.redundancy.value == e.redundancy);
  CHECK(l.usable.value == e.usable);
}

constexpr std::int64_t tb = 1'000'000'000'000;

}  // namespace

TEST_CASE("striped and mirrored sets hold, byte for byte, what pencil and paper say") {
  REQUIRE(15'257'263 * std::int64_t{65'536} == row_bytes);
  // Columns: raw, hot spares, formatting, remainder, woven spares, redundancy, usable.
  // raid0 of 3: three rows' worth, 3 x 999,899,987,968 = 2,999,699,963,904; 3 x 12,032 = 36,096.
  check({{{"raid0", 3}}, 3 * tb, 0, 300'000'000, 36'096, 0, 0, 2'999'699'963'904});
  check({{{"raid0", 1}}, tb, 0, 100'000'000, 12'032, 0, 0, 999'899'987'968});
  // raid1: one drive's rows, and as much again for the copy.
  check({{{"raid1", 2}}, 2 * tb, 0, 200'000'000, 24'064, 0, 999'899'987'968, 999'899'987'968});
  // raid10 of 6: three pairs; 6 x 12,032 = 72,192.
  check({{{"raid10", 6}}, 6 * tb, 0, 600'000'000, 72'192, 0, 2'999'699'963'904, 2'999'699'963'904});
}

TEST_CASE("parity sets hold, byte for byte, what pencil and paper say") {
  // raid5 of 5: 4 x 999,899,987,968 = 3,999,599,951,872 of data, one of parity; 5 x 12,032.
  check({{{"raid5", 5}}, 5 * tb, 0, 500'000'000, 60'160, 0, 999'899'987'968, 3'999'599'951'872});
  // raid6 of 8: 6 x 999,899,987,968 = 5,999,399,927,808; 2 x = 1,999,799,975,936; 8 x 12,032.
  check({{{"raid6", 8}}, 8 * tb, 0, 800'000'000, 96'256, 0, 1'999'799'975'936, 5'999'399'927'808});
  // raid50 of 10 in two groups of 5: 8 of data = 7,999,199,903,744, one of parity in each group.
  check({{{"raid50", 10}},
         10 * tb,
         0,
         1'000'000'000,
         120'320,
         0,
         1'999'799'975'936,
         7'999'199'903'744});
  // raid60 of 18 in three groups of 6: 12 of data = 11,998,799,855,616, 6 of parity.
  check({{{"raid60", 18, 3}},
         18 * tb,
         0,
         1'800'000'000,
         216'576,
         0,
         5'999'399'927'808,
         11'998'799'855'616});
}

TEST_CASE("sets with woven spares hold, byte for byte, what pencil and paper say") {
  // raid5ee of 6, one spare: 4 of data, 1 of parity, 1 of spares.
  check({{{"raid5ee", 6}},
         6 * tb,
         0,
         600'000'000,
         72'192,
         999'899'987'968,
         999'899'987'968,
         3'999'599'951'872});
  // raid6ee of 13, three spares: 8 of data = 7,999,199,903,744, 2 of parity, 3 of spares
  // = 2,999,699,963,904; 13 x 12,032 = 156,416.
  check({{{"raid6ee", 13, 0, 3}},
         13 * tb,
         0,
         1'300'000'000,
         156'416,
         2'999'699'963'904,
         1'999'799'975'936,
         7'999'199'903'744});
  // raid50ee of 12 in two groups of 6, one spare each: 8 of data, 2 of parity, 2 of spares.
  check({{{"raid50ee", 12}},
         12 * tb,
         0,
         1'200'000'000,
         144'384,
         1'999'799'975'936,
         1'999'799'975'936,
         7'999'199'903'744});
  // raid60ee of 24 in two groups of 12, two spares each: 16 of data = 15,998,399,807,488, 4 of
  // parity and 4 of spares = 3,999,599,951,872; 24 x 12,032 = 288,768.
  check({{{"raid60ee", 24, 2, 2}},
         24 * tb,
         0,
         2'400'000'000,
         288'768,
         3'999'599'951'872,
         3'999'599'951'872,
         15'998'399'807'488});
}

TEST_CASE("declustered sets count whole stripes only") {
  // 8+2 over 13 drives with one spare: 15,257,263 rows x 12 strips = 183,087,156 strips
  // = 18,308,715 stripes of 10 and 6 strips over. Data 18,308,715 x 8 x 65,536
  // = 9,599,039,569,920; parity 18,308,715 x 2 x 65,536 = 2,399,759,892,480; spares one a row
  // = 999,899,987,968; remainder 13 x 12,032 + 6 x 65,536 = 156,416 + 393,216 = 549,632.
  check({{{"8+2", 13, 0, 1}},
         13 * tb,
         0,
         1'300'000'000,
         549'632,
         999'899'987'968,
         2'399'759'892'480,
         9'599'039'569'920});
  // 4+1 over 7 drives: 15,257,263 x 7 = 106,800,841 strips = 21,360,168 stripes of 5 and 1 over.
  // Data 21,360,168 x 4 x 65,536 = 5,599,439,880,192; parity 1,399,859,970,048; remainder
  // 7 x 12,032 + 65,536 = 149,760.
  check({{{"4+1", 7}}, 7 * tb, 0, 700'000'000, 149'760, 0, 1'399'859'970'048, 5'599'439'880'192});
  // 4+1 over 5 drives is raid5 of 5.
  check({{{"4+1", 5}}, 5 * tb, 0, 500'000'000, 60'160, 0, 999'899'987'968, 3'999'599'951'872});
}

TEST_CASE("hot spares are raw capacity that nobody else has") {
  // raid6 of 8 as above beside two spares of 1 TB.
  check({{{"raid6", 8}, 2},
         10 * tb,
         2 * tb,
         800'000'000,
         96'256,
         0,
         1'999'799'975'936,
         5'999'399'927'808});
}

TEST_CASE("the QSAN array of scenario 210 holds what its drives leave") {
  // 13 drives of 7,680,000,000,000 bytes less 33,554,432: 7,679,966,445,568 / 65,536 = 117,186,988
  // rows exactly. Usable 11 x 7,679,966,445,568 = 84,479,630,901,248, parity 15,359,932,891,136,
  // formatting 13 x 33,554,432 = 436,207,616; four volumes of 11 TB leave 40,479,630,901,248.
  const Ledger l = ledger_of({{"raid6", 13}, 0, Bytes{7'680'000'000'000}, default_formatting}, 4,
                             Bytes{11'000'000'000'000});
  CHECK(l.raw.value == 99'840'000'000'000);
  CHECK(l.formatting.value == 436'207'616);
  CHECK(l.remainder.value == 0);
  CHECK(l.redundancy.value == 15'359'932'891'136);
  CHECK(l.usable.value == 84'479'630'901'248);
  CHECK(l.allocated.value == 44'000'000'000'000);
  CHECK(l.free.value == 40'479'630'901'248);
}

TEST_CASE("every ledger adds up to its raw capacity, whatever the strip") {
  const std::vector<RaidWords> all{
      {"raid0", 7},          {"raid1", 2},      {"raid5", 7},           {"raid6", 9},
      {"raid10", 10},        {"raid50", 15, 3}, {"raid60", 16, 2},      {"raid5ee", 9, 0, 2},
      {"raid6ee", 14, 0, 8}, {"raid50ee", 16},  {"raid60ee", 30, 3, 2}, {"8+2", 23, 0, 2},
      {"16+2", 1024, 0, 8},  {"1+1", 3}};
  for (const RaidWords& words : all) {
    for (const std::int64_t strip : {4096, 12288, 65536, 1 << 20, 16 << 20}) {
      for (const std::int64_t drive : {1'000'204'886'016, 999'999'999'999'937}) {
        INFO(words.level << ", strip " << strip << ", drive " << drive);
        const Ledger l = ledger_of({words, 3, Bytes{drive}, Bytes{12'345'677}, Bytes{strip}}, 2,
                                   Bytes{1'000'000'512});
        CHECK(l.usable.value + l.redundancy.value + l.woven_spares.value + l.hot_spares.value +
                  l.formatting.value + l.remainder.value ==
              l.raw.value);
        CHECK(l.raw.value == drive * (words.drives + 3));
        CHECK(l.allocated.value + l.free.value == l.usable.value);
        CHECK(l.usable.value % strip == 0);
        CHECK(l.remainder.value >= 0);
        // Less than a strip of each drive and a stripe.
        CHECK(l.remainder.value < strip * (words.drives + 18));
      }
    }
  }
}

TEST_CASE("a share of a drive is rounded up to a whole byte") {
  CHECK(share_of(Bytes{7'680'000'000'000}, 0.01).value == 76'800'000'000);
  CHECK(share_of(Bytes{1'000'000'000'001}, 0.01).value == 10'000'000'001);
  CHECK(share_of(Bytes{3}, 0.5).value == 2);
  CHECK(share_of(Bytes{999'999'999'999'937}, 1).value == 999'999'999'999'937);
  CHECK(share_of(Bytes{1'000}, 0).value == 0);
}

TEST_CASE("the ledger of an array is the sum of its pools") {
  const Scenario s = testing::small({{"system.arrays.array.pools.a.hot_spares", "1"},
                                     {"system.arrays.array.pools.b.formatting", "1GiB"}});
  const ArrayCapacity c = capacity_of(s);
  REQUIRE(c.pools.size() == 2);
  CHECK(c.scenario == "small");
  CHECK(c.array == "array");
  CHECK(c.drives == 12);
  CHECK_FALSE(c.bays);
  CHECK(c.pools[0].name == "a");
  CHECK(c.pools[0].ledger.raw.value == 7 * 7'680'000'000'000);
  CHECK(c.pools[1].ledger.formatting.value == 5 * (std::int64_t{1} << 30));
  CHECK(c.total.raw.value == 12 * 7'680'000'000'000);
  CHECK(c.total.usable.value == c.pools[0].ledger.usable.value + c.pools[1].ledger.usable.value);
  CHECK(c.total.free.value == c.total.usable.value - 4 * (std::int64_t{1} << 40));
  // Only pool a rests on the default formatting.
  REQUIRE(c.assumptions.size() == 1);
  CHECK(c.assumptions[0] ==
        "system.arrays.array.pools.a.formatting = 32MiB (SNIA DDF keeps 32 MB of each drive)");
}

TEST_CASE("scenario 120 holds under each level what its table says") {
  struct Row {
    const char* raid;
    const char* woven;
    std::int64_t usable;
  };
  const std::string pool = "system.arrays.array.pools.a.";
  for (const Row& row : std::vector<Row>{{"raid10", nullptr, 191'999'597'346'816},
                                         {"raid5", nullptr, 367'999'228'248'064},
                                         {"raid6", nullptr, 351'999'261'802'496},
                                         {"raid50", nullptr, 351'999'261'802'496},
                                         {"raid60", nullptr, 319'999'328'911'360},
                                         {"raid5ee", nullptr, 351'999'261'802'496},
                                         {"raid6ee", nullptr, 335'999'295'356'928},
                                         {"raid50ee", nullptr, 319'999'328'911'360},
                                         {"raid60ee", nullptr, 287'999'396'020'224},
                                         {"8+2", nullptr, 307'199'355'650'048},
                                         {"8+2", "1", 294'399'382'126'592}}) {
    INFO(row.raid);
    std::vector<Override> sets{{pool + "raid", row.raid}};
    if (row.woven != nullptr) sets.push_back({pool + "woven_spares", row.woven});
    const Scenario s = load_scenario(
        std::string(STORCAST_SOURCE_DIR) + "/scenarios/120_capacity_of_levels.yaml", sets);
    CHECK(capacity_of(s).total.usable.value == row.usable);
  }
}
