#include "sim/kernel/event_queue.hpp"

#include <algorithm>

namespace storcast {
namespace {

constexpr int shortest_slot_log2 = 6;  // 64 ps
constexpr int longest_slot_log2 = 38;  // 0.27 s

int slot_log2_of(Duration spacing) {
  const auto ps = static_cast<std::uint64_t>(std::max<std::int64_t>(spacing.count(), 1));
  return std::clamp(static_cast<int>(std::bit_width(ps)) - 1, shortest_slot_log2,
                    longest_slot_log2);
}

}  // namespace

EventQueue::EventQueue(std::size_t capacity, Duration spacing)
    : slot_log2_(slot_log2_of(spacing)), open_(capacity + 1), nodes_(capacity), far_(capacity) {
  slots_.fill(nil);
  laps_.fill(nil);
}

void EventQueue::push_later(const Event& event, std::uint64_t lap) noexcept {
  if (lap - lap_ < slots_per_lap) {
    const auto index = static_cast<std::uint32_t>(lap & slot_mask);
    const auto id = static_cast<std::uint32_t>(event.io);
    nodes_[id] = {event.at, event.sequence, laps_[index]};
    laps_[index] = id;
    lap_bits_.set(index);
    return;
  }
  far_[far_count_++] = event;
  std::push_heap(far_.begin(), far_.begin() + static_cast<std::ptrdiff_t>(far_count_),
                 [](const Event& a, const Event& b) { return before(b, a); });
}

// Moves the next slot that is not empty into open_. Precondition: open_ is empty, the queue is not.
void EventQueue::open_next() noexcept {
  for (;;) {
    // Nothing of this lap is open before its first slot.
    const std::uint64_t begin = lap_ << lap_log2;
    const std::uint64_t from = next_slot_ > begin ? next_slot_ - begin : 0;
    const std::uint32_t slot =
        slot_bits_.next(static_cast<std::uint32_t>(std::min<std::uint64_t>(from, slots_per_lap)));
    if (slot == slots_per_lap) {
      next_lap();
      if (open_count_ != 0) return;
      continue;
    }
    slot_bits_.clear(slot);
    std::uint32_t head = slots_[slot];
    slots_[slot] = nil;
    next_slot_ = ((lap_ << lap_log2) | slot) + 1;
    const std::uint32_t following = slot_bits_.next(slot + 1);
    if (following != slots_per_lap) fetch(slots_[following]);
    for (; head != nil; head = nodes_[head].next) {
      fetch(head);
      open_[open_count_++] = {nodes_[head].at, nodes_[head].sequence, static_cast<IoId>(head)};
    }
    ++opened_;
    dealt_ += open_count_;
    if (open_count_ > 1) {
      const auto later = [](const Event& a, const Event& b) { return before(b, a); };
      const auto end = open_.begin() + static_cast<std::ptrdiff_t>(open_count_);
      if (open_count_ > 16) {
        std::sort(open_.begin(), end, later);
      } else {
        for (std::size_t i = 1; i < open_count_; ++i) {
          const Event event = open_[i];
          std::size_t k = i;
          for (; k > 0 && later(event, open_[k - 1]); --k) open_[k] = open_[k - 1];
          open_[k] = event;
        }
      }
    }
    return;
  }
}

// Goes on to the next lap that holds an event and deals its events out to slots.
void EventQueue::next_lap() noexcept {
  if (opened_ >= 4096) adapt();
  if (open_count_ != 0) return;
  const auto here = static_cast<std::uint32_t>(lap_ & slot_mask);
  std::uint32_t next = lap_bits_.next(here + 1);
  std::uint64_t distance = next - here;
  if (next == slots_per_lap) {
    next = lap_bits_.next(0);
    distance = next + slots_per_lap - here;
  }
  const bool near = next != slots_per_lap;
  std::uint64_t lap = lap_ + distance;
  if (far_count_ != 0) {
    const std::uint64_t far_lap = slot_of(far_[0].at) >> lap_log2;
    lap = near ? std::min(lap, far_lap) : far_lap;
  }
  lap_ = lap;
  const auto index = static_cast<std::uint32_t>(lap & slot_mask);
  if (lap_bits_.next(index) == index) {
    lap_bits_.clear(index);
    const std::uint32_t head = laps_[index];
    laps_[index] = nil;
    deal(head);
  }
  while (far_count_ != 0 && (slot_of(far_[0].at) >> lap_log2) < lap_ + slots_per_lap) {
    const Event event = far_[0];
    std::pop_heap(far_.begin(), far_.begin() + static_cast<std::ptrdiff_t>(far_count_),
                  [](const Event& a, const Event& b) { return before(b, a); });
    --far_count_;
    const std::uint64_t slot = slot_of(event.at);
    if ((slot >> lap_log2) == lap_) {
      link_slot(static_cast<std::uint32_t>(slot & slot_mask), event);
    } else {
      push_later(event, slot >> lap_log2);
    }
  }
}

void EventQueue::reopen(Time at) noexcept {
  const std::uint64_t begin = lap_ << lap_log2;
  std::uint64_t first = std::max(begin, slot_of(at));
  for (; open_count_ != 0; --open_count_) {
    const Event& event = open_[open_count_ - 1];
    const std::uint64_t slot = std::max(begin, slot_of(event.at));
    first = std::min(first, slot);
    link_slot(static_cast<std::uint32_t>(slot & slot_mask), event);
  }
  next_slot_ = std::min(next_slot_, first);
}

void EventQueue::deal(std::uint32_t head) noexcept {
  while (head != nil) {
    const Node node = nodes_[head];
    link_slot(static_cast<std::uint32_t>(slot_of(node.at) & slot_mask),
              {node.at, node.sequence, static_cast<IoId>(head)});
    head = node.next;
  }
}

// Slots that hold many events cost sorting, empty ones cost nothing. Called between two laps.
void EventQueue::adapt() noexcept {
  const double per_slot = static_cast<double>(dealt_) / static_cast<double>(opened_);
  opened_ = 0;
  dealt_ = 0;
  if (per_slot < 4 || slot_log2_ == shortest_slot_log2) return;
  // Events at equal times do not come apart: if the last cut did not halve the crowd, none will.
  if (crowd_ != 0 && per_slot > crowd_ / 2) return;
  crowd_ = per_slot;
  const int shift = std::min(2, slot_log2_ - shortest_slot_log2);
  // Collect the laps' events into one list, then re-deal them under the new length.
  std::uint32_t all = nil;
  for (std::uint32_t i = lap_bits_.next(0); i < slots_per_lap; i = lap_bits_.next(i + 1)) {
    std::uint32_t head = laps_[i];
    laps_[i] = nil;
    lap_bits_.clear(i);
    while (head != nil) {
      const std::uint32_t next = nodes_[head].next;
      nodes_[head].next = all;
      all = head;
      head = next;
    }
  }
  const std::uint64_t end_of_lap = (lap_ + 1) << lap_log2;
  slot_log2_ -= shift;
  next_slot_ = end_of_lap << shift;
  lap_ = (next_slot_ - 1) >> lap_log2;
  while (all != nil) {
    const Node node = nodes_[all];
    const Event event{node.at, node.sequence, static_cast<IoId>(all)};
    all = node.next;
    const std::uint64_t slot = slot_of(node.at);
    if ((slot >> lap_log2) == lap_) {
      link_slot(static_cast<std::uint32_t>(slot & slot_mask), event);
    } else {
      push_later(event, slot >> lap_log2);
    }
  }
}

}  // namespace storcast
