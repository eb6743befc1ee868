#include "models/raid_layout.hpp"

#include <catch2/catch.hpp>

using namespace storcast;

namespace {

RaidLayout layout_of(RaidWords words) {
  std::string rule;
  const RaidLayout layout = raid_layout(words, rule);
  INFO(words.level << ": " << rule);
  CHECK(rule.empty());
  CHECK(layout.drives == words.drives);
  return layout;
}

std::string broken(RaidWords words) {
  std::string rule;
  const RaidLayout layout = raid_layout(words, rule);
  CHECK(layout.drives == 0);
  CHECK_FALSE(rule.empty());
  return rule;
}

struct Shape {
  RaidFamily family;
  int groups, copies, data, parity, spares;
};
void check(RaidWords words, Shape want) {
  const RaidLayout got = layout_of(words);
  INFO(words.level);
  CHECK(got.family == want.family);
  CHECK(got.groups == want.groups);
  CHECK(got.copies == want.copies);
  CHECK(got.data == want.data);
  CHECK(got.parity == want.parity);
  CHECK(got.spares == want.spares);
}

}  // namespace

TEST_CASE("every level word makes the stripe that its name promises") {
  check({"raid0", 7}, {RaidFamily::striped, 1, 1, 7, 0, 0});
  check({"raid1", 2}, {RaidFamily::mirrored, 1, 2, 1, 0, 0});
  check({"raid10", 8}, {RaidFamily::mirrored, 1, 2, 1, 0, 0});
  check({"raid5", 5}, {RaidFamily::parity, 1, 1, 4, 1, 0});
  check({"raid6", 13}, {RaidFamily::parity, 1, 1, 11, 2, 0});
  check({"raid50", 12}, {RaidFamily::parity, 2, 1, 5, 1, 0});
  check({"raid60", 24, 3}, {RaidFamily::parity, 3, 1, 6, 2, 0});
  check({"raid5ee", 4}, {RaidFamily::woven, 1, 1, 2, 1, 1});
  check({"raid6ee", 16, 0, 8}, {RaidFamily::woven, 1, 1, 6, 2, 8});
  check({"raid50ee", 24, 0, 2}, {RaidFamily::woven, 2, 1, 9, 1, 2});
  check({"raid60ee", 30, 3}, {RaidFamily::woven, 3, 1, 7, 2, 1});
  check({"8+2", 24, 0, 2}, {RaidFamily::declustered, 1, 1, 8, 2, 2});
  check({"4+1", 5}, {RaidFamily::declustered, 1, 1, 4, 1, 0});
}

TEST_CASE("every listed word is a level and a word that is not listed is none") {
  CHECK(raid_words().size() == 11);
  for (const std::string& word : raid_words()) {
    INFO(word);
    CHECK(layout_of({word, word == "raid1" ? 2 : 24}).drives > 0);
  }
  for (const char* word : {"raid7", "", "RAID5", "raid", "raid5 ", "jbod"}) {
    CHECK(broken({word, 24}) == "'" + std::string(word) + "' is not a RAID level");
  }
}

TEST_CASE("one drive fewer than a level needs names the number it needs") {
  struct Least {
    RaidWords words;
    int least;
  };
  for (const Least& c :
       {Least{{"raid0"}, 1}, Least{{"raid1"}, 2}, Least{{"raid5"}, 3}, Least{{"raid6"}, 4},
        Least{{"raid10"}, 4}, Least{{"raid50"}, 6}, Least{{"raid60"}, 8},
        Least{{"raid50", 0, 4}, 12}, Least{{"raid5ee"}, 4}, Least{{"raid6ee", 0, 0, 3}, 7},
        Least{{"raid50ee"}, 8}, Least{{"raid60ee", 0, 3, 2}, 18}, Least{{"8+2"}, 10},
        Least{{"8+2", 0, 0, 2}, 12}}) {
    RaidWords words = c.words;
    words.drives = c.least;
    layout_of(words);
    words.drives = c.least - 1;
    INFO(words.level);
    CHECK(broken(words).find("needs at least " + std::to_string(c.least) + " drives") !=
          std::string::npos);
  }
}

TEST_CASE("drives that do not make equal groups or whole pairs are refused") {
  CHECK(broken({"raid50", 13}) == "13 drives do not make 2 equal groups");
  CHECK(broken({"raid60ee", 31, 3}) == "31 drives do not make 3 equal groups");
  CHECK(broken({"raid10", 7}) == "raid10 needs an even number of drives");
  CHECK(broken({"raid1", 4}) == "raid1 is one pair; for more drives use raid10");
  CHECK(broken({"raid6", 1025}) == "a set has at most 1024 drives");
}

TEST_CASE("groups and woven spares are refused where the level has none") {
  for (const char* word : {"raid5", "raid6", "raid5ee", "8+2"}) broken({word, 24, 2});
  for (const char* word : {"raid0", "raid10"}) broken({word, 24, 2});
  for (const char* word : {"raid0", "raid10", "raid5", "raid60"}) broken({word, 24, 0, 1});
  CHECK(broken({"raid50", 24, 1}) == "raid50 has at least two groups");
  CHECK(broken({"raid6ee", 24, 0, 0}) == "raid6ee has 1 to 8 woven spares in each group");
  CHECK(broken({"raid6ee", 24, 0, 9}) == "raid6ee has 1 to 8 woven spares in each group");
  CHECK(broken({"8+2", 24, 0, 9}) == "at most 8 spares are woven into a set");
}

TEST_CASE("data+parity notation is two whole numbers with one or two parity strips") {
  for (const char* word : {"8+3", "8+0", "0+1", "65+2", "8+", "+2", "+", "a+1", "8+2+1", "-8+2",
                           "8+-2", "8.5+1", " 8+2", "99999999999999999999+1"}) {
    INFO(word);
    CHECK(broken({word, 100}).find("as in 8+2") != std::string::npos);
  }
}
