// Pending events: a four-ary heap of 16-byte events, aligned so that four siblings share a cache
// line. Ties in time are served in the order in which they were scheduled.
#pragma once

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
  EventQueue(std::size_t capacity, Duration) : heap_(capacity + 8) {}
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  Time top_time() noexcept { return heap_[0].at; }
  void push(Time at, IoId io) noexcept {
    std::size_t i = size_++;
    const Event e{at, sequence_++, io};
    while (i > 0) {
      const std::size_t p = (i - 1) / 4;
      if (!before(e, heap_[p])) break;
      heap_[i] = heap_[p];
      i = p;
    }
    heap_[i] = e;
  }
  Event pop() noexcept {
    const Event top = heap_[0];
    const Event e = heap_[--size_];
    std::size_t i = 0;
    for (;;) {
      const std::size_t c = 4 * i + 1;
      if (c >= size_) break;
      std::size_t best = c;
      const std::size_t end = c + 4 < size_ ? c + 4 : size_;
      for (std::size_t k = c + 1; k < end; ++k) best = before(heap_[k], heap_[best]) ? k : best;
      if (!before(heap_[best], e)) break;
      heap_[i] = heap_[best];
      i = best;
    }
    heap_[i] = e;
    return top;
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < size_; ++i) f(heap_[i].at, heap_[i].io);
  }

 private:
  static bool before(const Event& a, const Event& b) noexcept {
    return a.at < b.at || (a.at == b.at && static_cast<std::int32_t>(a.sequence - b.sequence) < 0);
  }
  std::vector<Event> heap_;
  std::size_t size_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace storcast
