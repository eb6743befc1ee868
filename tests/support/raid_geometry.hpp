// Layouts of RAID sets for tests: by words, and at random over all parity levels.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "models/raid_layout.hpp"
#include "sim/base/error.hpp"

namespace storcast::testing {

// 0 to n - 1.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t n) { return random() % n; }

inline RaidLayout layout(const std::string& level, int drives, int groups = 0, int spares = -1) {
  std::string rule;
  const bool one = groups == 1;
  const RaidLayout l = raid_layout({level, drives, one ? 0 : groups, spares}, rule);
  INVARIANT(rule.empty(), rule.c_str());
  return l;
}

inline RaidLayout random_layout(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<int>(testing::below(random, n)); };
  const int parity = 1 + below(2);
  const std::string p = parity == 1 ? "5" : "6";
  const int data = 2 + below(10);
  switch (below(5)) {
    case 0:
      return layout("raid" + p, data + parity);
    case 1: {
      const int groups = 2 + below(3);
      return layout("raid" + p + "0", groups * (data + parity), groups);
    }
    case 2: {
      const int spares = 1 + below(4);
      return layout("raid" + p + "ee", data + parity + spares, 1, spares);
    }
    case 3: {
      const int spares = 1 + below(2);
      const int groups = 2 + below(2);
      return layout("raid" + p + "0ee", groups * (data + parity + spares), groups, spares);
    }
    default: {
      const int spares = below(4);
      const int drives = data + parity + spares + below(12);
      return layout(std::to_string(data) + "+" + std::to_string(parity), drives, 1, spares);
    }
  }
}

}  // namespace storcast::testing
