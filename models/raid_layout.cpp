#include "models/raid_layout.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace storcast {
namespace {

constexpr int most_drives = 1024;
constexpr int most_woven_spares = 8;

struct Level {
  const char* word;
  RaidFamily family;
  int parity;
  bool grouped;
};
constexpr Level levels[] = {
    {"raid0", RaidFamily::striped, 0, false},  {"raid1", RaidFamily::mirrored, 0, false},
    {"raid5", RaidFamily::parity, 1, false},   {"raid6", RaidFamily::parity, 2, false},
    {"raid10", RaidFamily::mirrored, 0, true}, {"raid50", RaidFamily::parity, 1, true},
    {"raid60", RaidFamily::parity, 2, true},   {"raid5ee", RaidFamily::woven, 1, false},
    {"raid6ee", RaidFamily::woven, 2, false},  {"raid50ee", RaidFamily::woven, 1, true},
    {"raid60ee", RaidFamily::woven, 2, true}};

struct DataParity {
  int data, parity;
};

std::optional<DataParity> read_notation(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) {
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    return whole && !digits.empty() && digits.front() != '-' ? value : -1;
  };
  return DataParity{number(text.substr(0, plus)), number(text.substr(plus + 1))};
}

std::string needs(const std::string& level, int least) {
  return level + " needs at least " + std::to_string(least) + " drives";
}

RaidLayout declustered(const RaidWords& words, DataParity shape, std::string& rule) {
  const int spares = std::max(words.woven_spares, 0);
  if (shape.data < 1 || shape.data > 64 || (shape.parity != 1 && shape.parity != 2)) {
    rule = "data+parity notation has 1 to 64 data strips and 1 or 2 parity strips, as in 8+2";
  } else if (words.groups > 1) {
    rule = words.level + " is declustered over all drives: groups belongs to raid50 and raid60";
  } else if (spares > most_woven_spares) {
    rule = "at most 8 spares are woven into a set";
  } else if (words.drives < shape.data + shape.parity + spares) {
    rule = needs(words.level, shape.data + shape.parity + spares) +
           (spares > 0 ? ", its woven spares included" : "");
  } else {
    return {RaidFamily::declustered, words.drives, 1, 1, shape.data, shape.parity, spares};
  }
  return {};
}

RaidLayout mirrored(const RaidWords& words, std::string& rule) {
  const bool single = words.level == "raid1";
  const int least = single ? 2 : 4;
  if (words.drives < least) {
    rule = needs(words.level, least);
  } else if (single && words.drives > 2) {
    rule = "raid1 is one pair; for more drives use raid10";
  } else if (words.drives % 2 != 0) {
    rule = "raid10 needs an even number of drives";
  } else if (words.groups > 0 || words.woven_spares > 0) {
    rule = words.level + " has neither groups nor woven spares";
  } else {
    return {RaidFamily::mirrored, words.drives, 1, 2, 1, 0, 0};
  }
  return {};
}

RaidLayout with_parity(const RaidWords& words, const Level& level, std::string& rule) {
  const bool woven = level.family == RaidFamily::woven;
  const int groups = words.groups == 0 ? (level.grouped ? 2 : 1) : words.groups;
  const int spares = woven ? (words.woven_spares < 0 ? 1 : words.woven_spares) : 0;
  const int least = (level.parity + 2 + spares) * groups;
  if (!level.grouped && words.groups > 1) {
    rule = words.level + " is one group: groups belongs to raid50 and raid60";
  } else if (level.grouped && groups < 2) {
    rule = words.level + " has at least two groups";
  } else if (!woven && words.woven_spares > 0) {
    rule = words.level + " has no woven spares: " + words.level + "ee has";
  } else if (woven && (spares < 1 || spares > most_woven_spares)) {
    rule = words.level + " has 1 to 8 woven spares in each group";
  } else if (words.drives < least) {
    rule =
        needs(words.level, least) + (groups > 1 ? " in " + std::to_string(groups) + " groups" : "");
  } else if (words.drives % groups != 0) {
    rule = std::to_string(words.drives) + " drives do not make " + std::to_string(groups) +
           " equal groups";
  } else {
    const int data = words.drives / groups - level.parity - spares;
    return {level.family, words.drives, groups, 1, data, level.parity, spares};
  }
  return {};
}

}  // namespace

const std::vector<std::string>& raid_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (const Level& level : levels) list.emplace_back(level.word);
    return list;
  }();
  return words;
}

RaidLayout raid_layout(const RaidWords& words, std::string& rule) {
  if (words.drives > most_drives) {
    rule = "a set has at most 1024 drives";
    return {};
  }
  if (const auto shape = read_notation(words.level)) return declustered(words, *shape, rule);
  const auto level = std::find_if(std::begin(levels), std::end(levels),
                                  [&](const Level& l) { return words.level == l.word; });
  if (level == std::end(levels)) {
    rule = "'" + words.level + "' is not a RAID level";
    return {};
  }
  switch (level->family) {
    case RaidFamily::striped:
      if (words.drives < 1) {
        rule = needs(words.level, 1);
      } else if (words.groups > 0 || words.woven_spares > 0) {
        rule = "raid0 has neither groups nor woven spares";
      } else {
        return {RaidFamily::striped, words.drives, 1, 1, words.drives, 0, 0};
      }
      return {};
    case RaidFamily::mirrored:
      return mirrored(words, rule);
    default:
      return with_parity(words, *level, rule);
  }
}

}  // namespace storcast
