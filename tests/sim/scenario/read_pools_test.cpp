#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/scenario/sheets.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small;

namespace {

const std::string array = "system.arrays.array";
const std::string pool_a = array + ".pools.a";

// The only problem of the changed small scenario, rule and accepted words, as the user sees them.
std::string refusal(const std::vector<Override>& sets) {
  try {
    static_cast<void>(small(sets));
  } catch (const ScenarioError& error) {
    INFO(error.what());
    REQUIRE(error.problems().size() == 1);
    return error.problems()[0].rule;
  }
  return "accepted";
}

std::string with(const std::string& key, const std::string& value) {
  return refusal({{pool_a + "." + key, value}});
}

// The level with so many drives, volumes small enough for any set.
std::string level(const std::string& raid, const std::string& drives,
                  std::vector<Override> more = {}) {
  more.push_back({pool_a + ".raid", raid});
  more.push_back({pool_a + ".drives", drives});
  more.push_back({array + ".volumes.size", "1GiB"});
  return refusal(more);
}

std::string sas_array(const std::vector<Override>& more) {
  std::vector<Override> sets{{array + ".use", "arrays/qsan-xn8024d"}};
  sets.insert(sets.end(), more.begin(), more.end());
  return refusal(sets);
}

}  // namespace

TEST_CASE("every level reads to its layout") {
  struct Read {
    const char *raid, *drives;
    RaidFamily family;
    int groups, copies, data, parity, spares;
  };
  for (const Read& r : std::vector<Read>{{"raid0", "6", RaidFamily::striped, 1, 1, 6, 0, 0},
                                         {"raid1", "2", RaidFamily::mirrored, 1, 2, 1, 0, 0},
                                         {"raid10", "6", RaidFamily::mirrored, 1, 2, 1, 0, 0},
                                         {"raid5", "6", RaidFamily::parity, 1, 1, 5, 1, 0},
                                         {"raid6", "6", RaidFamily::parity, 1, 1, 4, 2, 0},
                                         {"raid50", "12", RaidFamily::parity, 2, 1, 5, 1, 0},
                                         {"raid60", "12", RaidFamily::parity, 2, 1, 4, 2, 0},
                                         {"raid5ee", "6", RaidFamily::woven, 1, 1, 4, 1, 1},
                                         {"raid6ee", "6", RaidFamily::woven, 1, 1, 3, 2, 1},
                                         {"raid50ee", "12", RaidFamily::woven, 2, 1, 4, 1, 1},
                                         {"raid60ee", "12", RaidFamily::woven, 2, 1, 3, 2, 1},
                                         {"8+2", "24", RaidFamily::declustered, 1, 1, 8, 2, 0}}) {
    INFO(r.raid);
    const Scenario s = small({{pool_a + ".raid", r.raid},
                              {pool_a + ".drives", r.drives},
                              {array + ".volumes.size", "1GiB"}});
    const PoolConfig& pool = s.array.pools[0];
    CHECK(pool.raid == r.raid);
    CHECK(std::to_string(pool.drives) == r.drives);
    CHECK(pool.layout.drives == pool.drives);
    CHECK(pool.layout.family == r.family);
    CHECK(pool.layout.groups == r.groups);
    CHECK(pool.layout.copies == r.copies);
    CHECK(pool.layout.data == r.data);
    CHECK(pool.layout.parity == r.parity);
    CHECK(pool.layout.spares == r.spares);
  }
}

TEST_CASE("spares, groups, strip and formatting read to what they say, or to their defaults") {
  const PoolConfig plain = small().array.pools[0];
  CHECK(plain.hot_spares == 0);
  CHECK(plain.strip == Bytes{65536});
  CHECK(plain.formatting == Bytes{32 << 20});
  CHECK(plain.formatting_assumed);
  CHECK_FALSE(plain.spare_drive);
  const PoolConfig pool = small({{pool_a + ".raid", "raid60ee"},
                                 {pool_a + ".drives", "21"},
                                 {pool_a + ".groups", "3"},
                                 {pool_a + ".woven_spares", "2"},
                                 {pool_a + ".hot_spares", "3"},
                                 {pool_a + ".strip", "128KiB"},
                                 {pool_a + ".formatting", "0.1%"},
                                 {pool_a + ".spare_drive.use", "drives/nvme-gen4-tlc"}})
                              .array.pools[0];
  CHECK(pool.layout.groups == 3);
  CHECK(pool.layout.spares == 2);
  CHECK(pool.layout.data == 3);
  CHECK(pool.hot_spares == 3);
  CHECK(pool.strip == Bytes{131072});
  CHECK(pool.formatting == Bytes{7'680'000'000});
  CHECK_FALSE(pool.formatting_assumed);
  REQUIRE(pool.spare_drive);
  CHECK(small({{pool_a + ".formatting", "0B"}}).array.pools[0].formatting == Bytes{0});
}

TEST_CASE("each level refuses too few drives, with the number it needs") {
  const std::string at = pool_a + ".drives: ";
  CHECK(level("raid1", "1") == at + "raid1 needs at least 2 drives");
  CHECK(level("raid5", "2") == at + "raid5 needs at least 3 drives");
  CHECK(level("raid6", "3") == at + "raid6 needs at least 4 drives");
  CHECK(level("raid10", "2") == at + "raid10 needs at least 4 drives");
  CHECK(level("raid50", "5") == at + "raid50 needs at least 6 drives in 2 groups");
  CHECK(level("raid60", "7") == at + "raid60 needs at least 8 drives in 2 groups");
  CHECK(level("raid5ee", "3") == at + "raid5ee needs at least 4 drives");
  CHECK(level("raid6ee", "4") == at + "raid6ee needs at least 5 drives");
  CHECK(level("raid50ee", "7") == at + "raid50ee needs at least 8 drives in 2 groups");
  CHECK(level("raid60ee", "9") == at + "raid60ee needs at least 10 drives in 2 groups");
  CHECK(level("8+2", "9") == at + "8+2 needs at least 10 drives");
  CHECK(level("8+2", "10", {{pool_a + ".woven_spares", "1"}}) ==
        at + "8+2 needs at least 11 drives, its woven spares included");
  CHECK(level("raid0", "0") == at + "'0' is out of range: 1 to 1024");
}

TEST_CASE("drives that do not make a set, and spares that a level has not, are refused") {
  CHECK(level("raid1", "4") == pool_a + ".drives: raid1 is one pair; for more drives use raid10");
  CHECK(level("raid10", "5") == pool_a + ".drives: raid10 needs an even number of drives");
  CHECK(level("raid50", "7") == pool_a + ".drives: 7 drives do not make 2 equal groups");
  CHECK(level("raid60", "14", {{pool_a + ".groups", "3"}}) ==
        pool_a + ".groups: 14 drives do not make 3 equal groups");
  CHECK(with("groups", "2") ==
        pool_a + ".groups: raid6 is one group: groups belongs to raid50 and raid60");
  CHECK(level("raid50", "8", {{pool_a + ".groups", "1"}}) ==
        pool_a + ".groups: raid50 has at least two groups");
  CHECK(with("woven_spares", "1") ==
        pool_a + ".woven_spares: raid6 has no woven spares: raid6ee has");
  CHECK(level("raid6ee", "8", {{pool_a + ".woven_spares", "0"}}) ==
        pool_a + ".woven_spares: raid6ee has 1 to 8 woven spares in each group");
  CHECK(with("woven_spares", "9") == pool_a + ".woven_spares: '9' is out of range: 0 to 8");
  CHECK(with("hot_spares", "65") == pool_a + ".hot_spares: '65' is out of range: 0 to 64");
  CHECK(level("raid10", "6", {{pool_a + ".groups", "2"}}) ==
        pool_a + ".groups: raid10 has neither groups nor woven spares");
  CHECK(level("raid0", "6", {{pool_a + ".woven_spares", "1"}}) ==
        pool_a + ".woven_spares: raid0 has neither groups nor woven spares");
  CHECK(level("raid0", "6", {{pool_a + ".hot_spares", "1"}}) ==
        pool_a +
            ".hot_spares: raid0 has no redundancy: there is nothing to rebuild a hot spare "
            "from");
}

TEST_CASE("an unknown level is refused with the nearest words and an example of the notation") {
  try {
    static_cast<void>(small({{pool_a + ".raid", "raid5e"}}));
    FAIL("accepted");
  } catch (const ScenarioError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].rule == pool_a + ".raid: 'raid5e' is not a RAID level");
    CHECK(error.problems()[0].accepted ==
          std::vector<std::string>{"raid5", "raid50", "raid5ee", "raid0", "raid1", "8+2"});
  }
  const std::string shape =
      pool_a +
      ".raid: data+parity notation has 1 to 64 data strips and 1 or 2 parity strips, as in "
      "8+2";
  for (const char* raid : {"8+3", "0+2", "65+2", "8+", "+2", "8+2+1", "a+b", "8+-2"}) {
    INFO(raid);
    CHECK(with("raid", raid) == shape);
  }
}

TEST_CASE("strips and formatting that do not fit a drive are refused") {
  CHECK(with("strip", "6KiB") == pool_a + ".strip: a strip is a multiple of 4KiB");
  CHECK(with("formatting", "51%") ==
        pool_a + ".formatting: formatting takes at most half of a drive, not 3.92 TB of 7680 GB");
  CHECK(with("formatting", "4TB") ==
        pool_a + ".formatting: formatting takes at most half of a drive, not 4 TB of 7680 GB");
  CHECK(with("formatting", "101%").find(pool_a + ".formatting: ") == 0);
  CHECK(with("formatting", "5").find(pool_a + ".formatting: ") == 0);
  const std::string small_drive = "{model: null_drive, service_time: 1us, capacity: 1MB}";
  CHECK(refusal({{pool_a + ".drive", small_drive},
                 {pool_a + ".formatting", "0B"},
                 {pool_a + ".strip", "1MiB"},
                 {array + ".volumes.size", "1GiB"}}) ==
        pool_a +
            ".strip: a drive of 1 MB less 0 B of formatting holds no whole stripe of 1 MiB "
            "strips");
  CHECK(refusal({{pool_a + ".drive", small_drive}}) ==
        pool_a + ": formatting takes at most half of a drive, not 32 MiB of 1 MB");
}

TEST_CASE("a hot spare is as large as the drives of its set and of their model") {
  const auto spare = [](const std::string& sizes) {
    return refusal({{pool_a + ".hot_spares", "1"},
                    {pool_a + ".spare_drive", "{use: drives/nvme-gen4-tlc, " + sizes + "}"}});
  };
  const std::string rule =
      pool_a + ".spare_drive: a hot spare is as large as the drives of its set, 7680 GB: one of ";
  CHECK(spare("capacity: 3840GB") == rule + "3840 GB could not hold what a drive held");
  CHECK(spare("capacity: 7681GB") == rule + "7681 GB would leave the excess unused");
  CHECK(spare("capacity: 7680GB") == "accepted");
  CHECK(refusal({{pool_a + ".hot_spares", "1"},
                 {pool_a + ".spare_drive", "{use: drives/null-drive, capacity: 7680GB}"}}) ==
        pool_a + ".spare_drive: a hot spare is of the same model as its set: ssd, not null_drive");
  CHECK(with("spare_drive", "{use: drives/nvme-gen4-tlc}") ==
        pool_a + ".spare_drive: spare_drive goes with hot_spares of 1 or more");
  CHECK(refusal({{pool_a + ".hot_spares", "1"}, {pool_a + ".spare_drive", "5"}}) ==
        pool_a + ".spare_drive: a map is wanted, not a value");
  CHECK(refusal({{pool_a + ".hot_spares", "1"}, {pool_a + ".spare_drive", "{dies: 4}"}}) ==
        pool_a + ".spare_drive: model is missing: which drive model these values are for");
}

TEST_CASE("drives and hot spares of all pools must find a bay") {
  const Override bays{array + ".chassis.bays", "11"};
  CHECK(refusal({bays}) == "accepted");
  CHECK(refusal({bays, {pool_a + ".hot_spares", "2"}}) ==
        array +
            ".pools: 13 drives, of which 2 are hot spares, do not go into the 11 bays of "
            "the chassis");
  CHECK(refusal({{array + ".use", "arrays/qsan-xn4226d-4c"}, {pool_a + ".drives", "22"}}) ==
        array +
            ".pools: 27 drives, of which 0 are hot spares, do not go into the 26 bays of "
            "the chassis");
}

TEST_CASE("an NVMe drive does not go into a SAS bay, nor a SAS drive into an NVMe bay") {
  const Override sas_a{pool_a + ".drive.interface", "sas"};
  const Override sata_b{array + ".pools.b.drive.interface", "sata"};
  CHECK(sas_array({sas_a, sata_b}) == "accepted");
  CHECK(sas_array({sas_a}) ==
        array +
            ".pools.b.drive: drives of pool b have nvme plugs, the bays take sas and sata "
            "(chassis.bay_interface)");
  CHECK(sas_array({sas_a,
                   sata_b,
                   {pool_a + ".hot_spares", "1"},
                   {pool_a + ".spare_drive.use", "drives/nvme-gen4-tlc"}}) ==
        pool_a +
            ".spare_drive: drives of pool a have nvme plugs, the bays take sas and sata "
            "(chassis.bay_interface)");
  CHECK(refusal({{array + ".use", "arrays/qsan-xn4226d-4c"}, sas_a}) ==
        pool_a +
            ".drive: drives of pool a have sas plugs, the bays take nvme "
            "(chassis.bay_interface)");
}

TEST_CASE("an array has at most 4096 drives") {
  std::vector<Override> sets{{pool_a + ".drives", "1024"}, {array + ".pools.b.drives", "1024"}};
  for (const char* name : {"c", "d", "e"}) {
    sets.push_back({array + ".pools." + name,
                    "{raid: raid0, drives: 1024, controller: a, drive: {use: drives/null-drive}}"});
  }
  CHECK(refusal(sets) == array + ".pools: 5120 drives; at most 4096 are modelled");
}

TEST_CASE("a drive that is not there cannot fail; hot spares are not members") {
  const std::string fail = "[{at: 1s, fail: " + pool_a + ".drives.";
  CHECK(refusal({{"timeline", fail + "5}]"}}) == "accepted");
  CHECK(refusal({{pool_a + ".hot_spares", "2"}, {"timeline", fail + "6}]"}}) ==
        "timeline.0.fail: pool a has drives 0 to 5");
}

TEST_CASE("the parts of a scenario are described like models") {
  std::vector<std::string> names;
  for (const ModelInfo& sheet : scenario_sheets()) {
    names.push_back(sheet.name);
    CHECK_FALSE(sheet.summary.empty());
    CHECK_FALSE(sheet.fields.empty());
  }
  CHECK(names ==
        std::vector<std::string>{"pool", "volumes", "workload", "run", "precision", "limit"});
}
