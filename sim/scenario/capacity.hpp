// The capacity ledger: from the bytes of the drives to what volumes can have, exact to the byte.
//
// Each drive of a set keeps F bytes for metadata and is cut into rows of one strip of S bytes:
// rows = floor((C - F) / S). In every row a group of n drives has n strips; the woven spares take
// s of them, and stripes of w = d + p strips fill the others one after the other (mirrors: w is
// the number of copies). Only whole stripes count: floor(rows x (n - s) / w) for a group. In all
// levels but the declustered ones n - s is a multiple of w, and nothing is left over by this. So
//
//   raw = usable + redundancy + woven spares + hot spares + formatting + remainder
//   usable = allocated + free
//
// with the remainder (C - F - rows x S) of each drive, and in a declustered set the strips of an
// incomplete stripe. The whole raw size of a hot spare is its own; it is formatted when it joins.
// Worked number: raid6 of 13 drives of 7,680 GB with F = 32 MiB and S = 64 KiB has 117,186,988
// rows, and 84,479,630,901,248 bytes = 11 x rows x S of its 99,840,000,000,000 are usable.
//
// All in integers: a pool has at most 1,088 drives of 1 PB, an array most_drives of them, 4.1e18
// bytes. Left out: thin provisioning, snapshots, compression.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace storcast {

// Bytes kept for metadata on each drive unless the scenario says otherwise: the 32 MB that the SNIA
// Common RAID Disk Data Format keeps at the end of a drive. An assumption for any other format.
inline constexpr Bytes default_formatting{32 << 20};

struct Ledger {
  Bytes raw, usable, redundancy, woven_spares, hot_spares, formatting, remainder;
  Bytes allocated, free;
  Ledger& operator+=(const Ledger& other);
};

struct PoolCapacity {
  std::string name, raid;
  RaidLayout layout;
  int hot_spares = 0;
  Bytes drive, strip, formatting_per_drive;
  std::int64_t rows = 0;     // of each drive
  std::int64_t stripes = 0;  // whole ones, all groups together
  int volumes = 0;
  Bytes volume_size{};
  Ledger ledger;
};

struct ArrayCapacity {
  std::string scenario, array;
  std::vector<PoolCapacity> pools;
  Ledger total;
  int drives = 0;           // hot spares included
  std::optional<int> bays;  // of the chassis, if it says
  std::vector<std::string> assumptions;
};

// A share of a drive in bytes: taken to 1e-9 and rounded up to a byte. Range: 0 to 1.
[[nodiscard]] Bytes share_of(Bytes drive, double share);

// The ledger of a pool with `volumes` volumes of one size. `free` is negative if they do not fit,
// and nothing is usable if a drive holds no whole stripe; the readers refuse both. INVARIANT: the
// layout holds a drive, formatting fits on a drive, the strip is positive.
[[nodiscard]] PoolCapacity capacity_of(const PoolConfig& pool, int volumes, Bytes volume_size);

// All pools of a scenario, and what the figures rest on.
[[nodiscard]] ArrayCapacity capacity_of(const Scenario& scenario);

}  // namespace storcast
