// The shape of a RAID set: which level, how many drives, what a stripe consists of.
//
// Model: a pool's members are `drives` drives in `groups` equal groups that chunks are dealt to in
// turn (RAID 50, 60). In a group, a stripe has `data` data strips and `parity` parity strips, or
// `copies` copies of one strip. Woven spares (5EE, 6EE, 50EE, 60EE, declustered d+p) are strips
// kept free in every row of the group itself: a lost drive is rebuilt into them, and all drives
// serve clients meanwhile. In the EE levels a row spans the whole group (data + parity + spares
// drives); in the declustered notation `8+2` a stripe is narrower than the group and permuted over
// it.
//
// Parameters: the level's word, drives, groups, woven spares. Scope and limits: hot spares stand
// beside the set and are not members. References: SNIA Common RAID Disk Data Format; QSAN on RAID
// EE (up to eight spares woven into a set); OpenZFS dRAID. Validation:
// tests/models/raid_layout_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace storcast {

enum class RaidFamily : std::uint8_t { striped, mirrored, parity, woven, declustered };

struct RaidLayout {
  RaidFamily family{};
  int drives = 0;  // members, woven spares included
  int groups = 1;  // drives % groups == 0
  int copies = 1;  // mirrored
  int data = 1;    // strips of a stripe
  int parity = 0;
  int spares = 0;  // woven, in drives' worth, of each group
  [[nodiscard]] int group_drives() const { return drives / groups; }
};

// What a pool says of its level.
struct RaidWords {
  std::string level;  // "raid6", "raid50ee", "8+2"
  int drives = 0;
  int groups = 0;         // 0: not said; two for raid50, raid60 and their EE forms, else one
  int woven_spares = -1;  // -1: not said; one for EE levels, none else
};

// All level words but the d+p notation, in the order of the manual.
[[nodiscard]] const std::vector<std::string>& raid_words();

// The layout, or an empty one (drives 0) with the broken rule in `rule` ("raid6 needs at least 4
// drives").
[[nodiscard]] RaidLayout raid_layout(const RaidWords& words, std::string& rule);

}  // namespace storcast
