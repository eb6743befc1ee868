// An I/O in flight and the pool it lives in.
//
// Life cycle: submitted -> visits -> (forked -> members -> joined) -> completed. A member I/O is an
// Io like any other and knows its parent. Response time counts from the intended arrival, so an
// open workload has no coordinated omission. One Io is one cache line; the pool is sized when the
// system is built and never grows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"

namespace storcast {

enum class Direction : std::uint8_t { read, write };

// Addresses count blocks of 512 bytes, as fio and the drives do.
inline constexpr std::int64_t block_bytes = 512;

// Where the time of an I/O goes; the sum over the stages is its response time.
enum class StageId : std::uint8_t { host, fabric, controller, raid_and_drives };
inline constexpr std::size_t stage_count = 4;

struct alignas(64) Io {
  Time submitted{};
  Time mark{};            // end of the last finished stage
  std::uint64_t lba = 0;  // of the volume; of the drive, for a member
  std::uint32_t blocks = 0;
  std::uint32_t step = 0;  // program counter into System::steps
  IoId parent = IoId::none;
  IoId next = IoId::none;                   // link of a waiting line or of the free list
  std::array<float, stage_count> stages{};  // picoseconds spent in each stage so far
  std::uint16_t pending = 0;                // members still to join
  DriveId drive{};                          // of a member
  std::uint16_t connection = 0;             // index into System::connections
  std::uint8_t stream = 0;                  // index into System::streams
  Direction direction{};
};
static_assert(sizeof(Io) == 64);

class IoPool {
 public:
  explicit IoPool(std::size_t capacity) : ios_(capacity) {
    for (std::size_t i = capacity; i-- > 0;) {
      ios_[i].next = free_;
      free_ = static_cast<IoId>(i);
    }
  }
  // none if the pool is exhausted: an open workload that fills it ends the run as unstable.
  IoId acquire() noexcept {
    const IoId id = free_;
    if (id != IoId::none) {
      free_ = ios_[index_of(id)].next;
      ++in_use_;
    }
    return id;
  }
  void release(IoId id) noexcept {
    ios_[index_of(id)].next = free_;
    free_ = id;
    --in_use_;
  }
  Io& operator[](IoId id) noexcept { return ios_[index_of(id)]; }
  const Io& operator[](IoId id) const noexcept { return ios_[index_of(id)]; }
  [[nodiscard]] std::size_t capacity() const noexcept { return ios_.size(); }
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }

 private:
  std::vector<Io> ios_;
  IoId free_ = IoId::none;
  std::size_t in_use_ = 0;
};

}  // namespace storcast
