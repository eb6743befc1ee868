// Pending events: a two-level timing wheel (a calendar queue whose buckets are sorted when opened).
//
// A heap costs log4(n) cache lines for each event; this costs a constant. Time is cut into slots of
// 2^k ps, about one event long; 4,096 slots make a lap. An event of the current lap hangs in its
// slot's list; one of the next 4,096 laps in its lap's list, and is dealt out when the lap begins;
// a later one waits in a plain heap. A bitmap finds the next slot that is not empty. A slot is
// sorted when it is opened, so the order is exactly that of a heap: by time, ties in the order in
// which they were scheduled. An I/O has at most one pending event, so the lists are links between
// I/Os and nothing is ever allocated. Worked number: 400,000 IOPS at 8 events each are 3.2 million
// events a second, a slot of 2^18 ps = 262 ns holds 0.8 of them on average, a lap is 1.07 ms.
//
// The slot's length is a hint; if slots turn out crowded, the wheel is re-dealt with a shorter one,
// as long as that helps (events at equal times stay together whatever the length). The order of
// events, and so every result, does not depend on it. Reference: R. Brown, Calendar queues, CACM 31
// (1988); Varghese and Lauck, Timing wheels (1987).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"

namespace storcast {

struct Event {
  Time at;
  std::uint32_t sequence;
  IoId io;
};
static_assert(sizeof(Event) == 16);

class EventQueue {
 public:
  // At most `capacity` I/Os, with ids below it. `spacing`: expected mean time between events.
  EventQueue(std::size_t capacity, Duration spacing);

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // Precondition: at >= the time of the last event popped; the I/O has no pending event.
  void push(Time at, IoId io) noexcept {
    ++size_;
    const Event event{at, sequence_++, io};
    const std::uint64_t slot = slot_of(at);
    if (slot < next_slot_) {
      insert_open(event);
    } else if ((slot >> lap_log2) == lap_) {
      link_slot(static_cast<std::uint32_t>(slot & slot_mask), event);
    } else {
      push_later(event, slot >> lap_log2);
    }
  }
  // Time of the next event. Precondition: not empty.
  [[nodiscard]] Time top_time() noexcept {
    if (open_count_ == 0) open_next();
    return open_[open_count_ - 1].at;
  }
  // Precondition: not empty.
  Event pop() noexcept {
    if (open_count_ == 0) open_next();
    --size_;
    return open_[--open_count_];
  }
  // Takes the next event if its time is before `horizon`.
  bool pop_before(Time horizon, Event& event) noexcept {
    if (open_count_ == 0) {
      if (size_ == 0) return false;
      open_next();
    }
    event = open_[open_count_ - 1];
    if (event.at >= horizon) return false;
    --open_count_;
    --size_;
    return true;
  }
  // Before many events at times >= `at` (at least the last one popped) are pushed at once: puts
  // what is open back, so that they are sorted together instead of inserted one by one.
  void reopen(Time at) noexcept;
  // Where the I/Os lie (64 bytes each, by id): their lines are fetched ahead of their events.
  void fetch_from(const void* ios) noexcept { ios_ = static_cast<const char*>(ios); }

  // Calls f(time, io) for every pending event, in no particular order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < open_count_; ++i) f(open_[i].at, open_[i].io);
    const auto walk = [&](std::uint32_t head) {
      for (; head != nil; head = nodes_[head].next) {
        f(nodes_[head].at, static_cast<IoId>(head));
      }
    };
    for (const std::uint32_t head : slots_) walk(head);
    for (const std::uint32_t head : laps_) walk(head);
    for (std::size_t i = 0; i < far_count_; ++i) f(far_[i].at, far_[i].io);
  }

 private:
  static constexpr int lap_log2 = 12;
  static constexpr std::uint32_t slots_per_lap = 1u << lap_log2;
  static constexpr std::uint64_t slot_mask = slots_per_lap - 1;
  static constexpr std::uint32_t nil = 0xffffffff;

  struct Node {
    Time at;
    std::uint32_t sequence;
    std::uint32_t next;
  };
  // One bit for each list of a level, and one for each word of those bits.
  struct Bitmap {
    std::array<std::uint64_t, slots_per_lap / 64> words{};
    std::uint64_t summary = 0;
    void set(std::uint32_t i) noexcept {
      words[i >> 6] |= 1ull << (i & 63);
      summary |= 1ull << (i >> 6);
    }
    void clear(std::uint32_t i) noexcept {
      words[i >> 6] &= ~(1ull << (i & 63));
      if (words[i >> 6] == 0) summary &= ~(1ull << (i >> 6));
    }
    // The first set bit at or after i, or slots_per_lap.
    [[nodiscard]] std::uint32_t next(std::uint32_t i) const noexcept {
      if (i >= slots_per_lap) return slots_per_lap;
      const std::uint64_t word = words[i >> 6] >> (i & 63);
      if (word != 0) return i + static_cast<std::uint32_t>(std::countr_zero(word));
      const std::uint32_t w = (i >> 6) + 1;
      if (w >= 64) return slots_per_lap;
      const std::uint64_t rest = summary >> w;
      if (rest == 0) return slots_per_lap;
      const std::uint32_t found = w + static_cast<std::uint32_t>(std::countr_zero(rest));
      return found * 64 + static_cast<std::uint32_t>(std::countr_zero(words[found]));
    }
  };

  static bool before(const Event& a, const Event& b) noexcept {
    return a.at < b.at || (a.at == b.at && static_cast<std::int32_t>(a.sequence - b.sequence) < 0);
  }
  [[nodiscard]] std::uint64_t slot_of(Time at) const noexcept {
    return static_cast<std::uint64_t>(at.time_since_epoch().count()) >> slot_log2_;
  }
  void link_slot(std::uint32_t slot, const Event& event) noexcept {
    const auto id = static_cast<std::uint32_t>(event.io);
    nodes_[id] = {event.at, event.sequence, slots_[slot]};
    slots_[slot] = id;
    slot_bits_.set(slot);
  }
  // The open slot is kept in descending order, so that its last event is the next one.
  void insert_open(const Event& event) noexcept {
    std::size_t i = open_count_++;
    while (i > 0 && before(open_[i - 1], event)) {
      open_[i] = open_[i - 1];
      --i;
    }
    open_[i] = event;
  }
  void push_later(const Event& event, std::uint64_t lap) noexcept;
  void open_next() noexcept;
  void next_lap() noexcept;
  void deal(std::uint32_t head) noexcept;
  void adapt() noexcept;
  void fetch(std::uint32_t id) const noexcept {
    if (ios_ != nullptr) __builtin_prefetch(ios_ + static_cast<std::size_t>(id) * 64);
  }

  const char* ios_ = nullptr;
  int slot_log2_;
  std::uint32_t sequence_ = 0;
  std::uint64_t next_slot_ = 0;  // events of earlier slots are in open_
  std::uint64_t lap_ = 0;        // the lap that slots_ hold
  std::size_t size_ = 0;
  std::size_t open_count_ = 0;
  std::vector<Event> open_;
  std::vector<Node> nodes_;  // by I/O
  std::array<std::uint32_t, slots_per_lap> slots_;
  std::array<std::uint32_t, slots_per_lap> laps_;
  Bitmap slot_bits_, lap_bits_;
  std::vector<Event> far_;  // binary heap, earliest first
  std::size_t far_count_ = 0;
  std::uint64_t opened_ = 0, dealt_ = 0;  // since the slot's length was last looked at
  double crowd_ = 0;                      // events a slot when it was last shortened; 0: never
};

}  // namespace storcast
