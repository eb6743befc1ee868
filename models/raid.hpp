// The words of RAID geometry and what a planner must answer.
//
// Model: a planner maps an extent of a pool to I/Os on its member drives, in phases. A read has one
// phase. A write has two: what must be read first (old data and parity, or the rest of the row),
// then what is written. A planner is a pure function of its geometry and of the set of failed
// drives.
//
// Terms (SNIA): a strip is a run of blocks on one member; a stripe (row) is one strip from each
// member, parity included. d data strips and p parity strips make a row of n = d + p.
//
// A rebuild goes member by member and row by row: the reads that give a strip back, then its write,
// to the drive that has taken the member's place or to the row's woven spare.
//
// Parameters: number of drives, strip size. Scope and limits: one failure domain; what is rebuilt
// when, and how fast, is decided by who asks for the rows.
// References: SNIA Common RAID Disk Data Format; Linux md raid5.c (left-symmetric layout).
// Validation: tests/models/parity_raid_test.cpp, tests/models/mirror_raid_test.cpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "sim/kernel/path.hpp"

namespace storcast {

enum class RaidPhase : std::uint8_t {
  read,
  write_reads,       // of a write: what must be read first
  write_writes,      // of a write: data and parity
  sequential_writes  // of a write that the cache has joined to full stripes with its neighbours
};

// Of one row of a rebuild.
enum class RebuildPhase : std::uint8_t { reads, write };

// What a partial write reads first: the fewer members (read-modify-write if k + p < d - k), or
// always the same unless a lost strip forbids it.
enum class WritePolicy : std::uint8_t { min_reads, rmw, rcw };

// Blocks [first, first + blocks) of a pool.
struct Extent {
  std::uint64_t first = 0;
  std::uint32_t blocks = 0;
};

template <class P>
concept RaidPlanner = requires(const P& raid, P& changing, Extent extent, RaidPhase phase,
                               MemberPlan& out, DriveId drive, std::uint32_t blocks,
                               std::uint64_t row, RebuildPhase rebuild) {
  { raid.plan(extent, phase, out) }
  noexcept->std::same_as<void>;
  { raid.most_members(blocks) } -> std::convertible_to<std::size_t>;  // of any phase
  // Capacity for data on members of so many blocks, and the rows that so many data reach.
  { raid.data_blocks(row) } -> std::same_as<std::uint64_t>;
  { raid.used_rows(row) } -> std::same_as<std::uint64_t>;
  { raid.data_lost() } -> std::convertible_to<bool>;
  { raid.lost() } -> std::convertible_to<std::uint32_t>;  // members not rebuilt
  { raid.lock_key(row) }
  noexcept->std::same_as<std::uint64_t>;  // of a block
  // One row of a member's rebuild; nothing if the row is empty, cannot be rebuilt or has no place
  // to be rebuilt to.
  { raid.rebuild(drive, row, rebuild, out) }
  noexcept->std::same_as<void>;
  { changing.fail(drive) } -> std::same_as<void>;
  { changing.replace(drive) } -> std::same_as<void>;  // an empty drive takes its place
  { changing.set_rebuilt_rows(drive, row) } -> std::same_as<void>;  // rows below are served again
  { changing.rebuilt(drive) } -> std::same_as<void>;                // all of them
};

// Exact division by a constant without a divide instruction, while numerator x divisor < 2^64: the
// rounded-up reciprocal is off by less than divisor / 2^64. (Powers of two are exact throughout.)
class Divider {
 public:
  explicit Divider(std::uint64_t divisor) : divisor_(divisor) {
    INVARIANT(divisor >= 1 && divisor < 64 * 1024 * 1024, "a divisor is small and positive");
    if (divisor > 1) magic_ = ~std::uint64_t{0} / divisor + 1;
  }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t n) const noexcept {
    return divisor_ == 1 ? n : multiply_high(n, magic_);
  }
  [[nodiscard]] std::uint64_t divisor() const noexcept { return divisor_; }

 private:
  std::uint64_t divisor_;
  std::uint64_t magic_ = 0;
};

}  // namespace storcast
