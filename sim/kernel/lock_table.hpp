// Locks by number: who holds which, and who waits for it, first come, first served.
//
// A RAID set lets one writer at a time into a stripe: between its reads of old data and parity and
// its last write nobody else may change them (Linux md: stripe_head). An I/O over several stripes
// takes their locks in growing order, so that no two of them can wait for each other.
// The table is hashed, with a chain of nodes in each bucket; nodes are reserved when the system is
// built, one for each lock that can be held at once. A lock that nobody holds has no node.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/kernel/io.hpp"
#include "sim/kernel/station.hpp"

namespace storcast {

// The locks of one I/O, in growing order. Storage is reserved when the system is built.
class LockKeys {
 public:
  explicit LockKeys(std::size_t capacity) : keys_(capacity) {}
  void clear() noexcept { size_ = 0; }
  // Precondition: size() < capacity.
  void push(std::uint64_t key) noexcept { keys_[size_++] = key; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept { return keys_[i]; }

 private:
  std::vector<std::uint64_t> keys_;
  std::size_t size_ = 0;
};

class LockTable {
 public:
  explicit LockTable(std::size_t locks)
      : heads_(std::bit_ceil(locks + 1), nobody),
        nodes_(locks),
        shift_(64 - std::countr_zero(heads_.size())) {
    for (std::size_t i = locks; i-- > 0;) {
      nodes_[i].next = free_;
      free_ = static_cast<std::uint32_t>(i);
    }
  }

  // True: held now. False: `id` waits, linked through Io::next.
  bool acquire(IoPool& pool, IoId id, std::uint64_t key) noexcept {
    ++acquired_;
    std::uint32_t& head = heads_[bucket(key)];
    for (std::uint32_t n = head; n != nobody; n = nodes_[n].next) {
      if (nodes_[n].key != key) continue;
      nodes_[n].line.push(pool, id);
      ++waited_;
      return false;
    }
    const std::uint32_t fresh = free_;
    free_ = nodes_[fresh].next;
    nodes_[fresh] = {key, {}, head};
    head = fresh;
    ++held_;
    return true;
  }
  // The I/O that holds the lock from now on, or none. Precondition: it is held.
  IoId release(IoPool& pool, std::uint64_t key) noexcept {
    std::uint32_t* link = &heads_[bucket(key)];
    while (nodes_[*link].key != key) link = &nodes_[*link].next;
    Node& node = nodes_[*link];
    if (!node.line.empty()) return node.line.pop(pool);
    const std::uint32_t gone = *link;
    *link = node.next;
    node.next = free_;
    free_ = gone;
    --held_;
    return IoId::none;
  }
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return nodes_.size(); }
  // Of all that were asked for: how many had to wait.
  [[nodiscard]] std::uint64_t acquired() const noexcept { return acquired_; }
  [[nodiscard]] std::uint64_t waited() const noexcept { return waited_; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct Node {
    std::uint64_t key = 0;
    WaitingLine line;
    std::uint32_t next = nobody;
  };
  [[nodiscard]] std::size_t bucket(std::uint64_t key) const noexcept {
    return shift_ == 64 ? 0 : (key * 0x9e3779b97f4a7c15ull) >> shift_;
  }

  std::vector<std::uint32_t> heads_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = nobody;
  int shift_;
  std::size_t held_ = 0;
  std::uint64_t acquired_ = 0, waited_ = 0;
};

}  // namespace storcast
