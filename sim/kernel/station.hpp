// Stations: where I/Os wait and are served.
//
// FcfsStation is the Lindley recursion: start = max(arrival, free), departure = start + service. It
// is exact for first come, first served because arrivals are processed in time order, and it fixes
// a departure at the arrival: pre-emption and failures in mid-service need PriorityStation, and a
// change of the scenario (failover, drive loss) acts on later arrivals.
// MultiServerStation is the same recursion for c servers and one line (Kiefer-Wolfowitz).
// PriorityStation keeps an explicit line per priority: non-preemptive, lower number first.
// TokenPool holds what is finite but has no service time: dirty pages, commands, credits.
//
// Totals are promises made at the arrival: busy time and residence include what lies after `now`.
// busy_until() takes the part after `now` off again, so that no utilisation exceeds 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"
#include "sim/kernel/io.hpp"

namespace storcast {

struct StationTotals {
  std::uint64_t arrivals = 0;
  Duration busy{};       // of all servers
  Duration residence{};  // waiting and service, summed over arrivals
};

class FcfsStation {
 public:
  // Returns the departure. Arrivals must come in time order.
  Time serve(Time arrival, Duration service) noexcept {
    const Time start = std::max(arrival, free_at_);
    free_at_ = start + service;
    totals_.busy += service;
    totals_.residence += free_at_ - arrival;
    ++totals_.arrivals;
    return free_at_;
  }
  // The parts of serve(), for a model that decides itself when a service starts (a die with a
  // program): service from `start` on, at or after free_at(); one visit in all.
  Time occupy(Time start, Duration service) noexcept {
    free_at_ = start + service;
    totals_.busy += service;
    return free_at_;
  }
  void count(Time arrival, Time departure) noexcept {
    totals_.residence += departure - arrival;
    ++totals_.arrivals;
  }
  // The server stands still: what is promised is later by `pause`.
  void hold(Duration pause) noexcept {
    free_at_ += pause;
    totals_.busy += pause;
  }
  [[nodiscard]] Time free_at() const noexcept { return free_at_; }
  [[nodiscard]] const StationTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] Duration busy_until(Time now) const noexcept {
    return totals_.busy - std::max(Duration{0}, free_at_ - now);
  }

 private:
  Time free_at_{};
  StationTotals totals_;
};
static_assert(sizeof(FcfsStation) == 32);

class MultiServerStation {
 public:
  static constexpr int most_servers = 256;
  explicit MultiServerStation(int servers) : free_at_(static_cast<std::size_t>(servers)) {}

  Time serve(Time arrival, Duration service) noexcept {
    auto first = std::min_element(free_at_.begin(), free_at_.end());
    const Time start = std::max(arrival, *first);
    *first = start + service;
    totals_.busy += service;
    totals_.residence += *first - arrival;
    ++totals_.arrivals;
    return *first;
  }
  [[nodiscard]] int servers() const noexcept { return static_cast<int>(free_at_.size()); }
  [[nodiscard]] const StationTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] Duration busy_until(Time now) const noexcept {
    Duration promised{0};
    for (const Time t : free_at_) promised += std::max(Duration{0}, t - now);
    return totals_.busy - promised;
  }

 private:
  std::vector<Time> free_at_;
  StationTotals totals_;
};

// I/Os that wait in order of arrival, linked through Io::next.
struct WaitingLine {
  IoId first = IoId::none;
  IoId last = IoId::none;

  [[nodiscard]] bool empty() const noexcept { return first == IoId::none; }
  void push(IoPool& pool, IoId id) noexcept {
    pool[id].next = IoId::none;
    (empty() ? first : pool[last].next) = id;
    last = id;
  }
  // Precondition: not empty.
  IoId pop(IoPool& pool) noexcept {
    const IoId id = first;
    first = pool[id].next;
    if (first == IoId::none) last = IoId::none;
    return id;
  }
  // Precondition: `id` waits here.
  void remove(IoPool& pool, IoId id) noexcept {
    IoId before = IoId::none;
    for (IoId at = first; at != id; at = pool[at].next) before = at;
    (before == IoId::none ? first : pool[before].next) = pool[id].next;
    if (last == id) last = before;
  }
};

// One server's totals as integrals over time: exact, no promises about the future.
class Presence {
 public:
  void arrive(Time now) noexcept {
    advance(now);
    ++totals_.arrivals;
    ++present_;
  }
  void start(Time now) noexcept {
    advance(now);
    busy_ = true;
  }
  // `busy`: another service follows at once.
  void depart(Time now, bool busy = false) noexcept {
    advance(now);
    --present_;
    busy_ = busy;
  }
  [[nodiscard]] bool busy() const noexcept { return busy_; }
  [[nodiscard]] std::int64_t present() const noexcept { return present_; }
  // Up to the last arrival, start or departure.
  [[nodiscard]] const StationTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] StationTotals totals_at(Time now) const noexcept {
    StationTotals totals = totals_;
    totals.busy = busy_until(now);
    totals.residence += (now - last_change_) * present_;
    return totals;
  }
  [[nodiscard]] Duration busy_until(Time now) const noexcept {
    return totals_.busy + (busy_ ? now - last_change_ : Duration{0});
  }

 private:
  void advance(Time now) noexcept {
    const Duration passed = now - last_change_;
    if (busy_) totals_.busy += passed;
    totals_.residence += passed * present_;
    last_change_ = now;
  }
  bool busy_ = false;
  std::int64_t present_ = 0;
  Time last_change_{};
  StationTotals totals_;
};

class PriorityStation {
 public:
  static constexpr int priorities = 4;  // 0 is served first

  // True: the server was idle and the service of `id` starts now. False: the I/O waits here.
  bool arrive(IoPool& pool, IoId id, int priority, Time now) noexcept {
    presence_.arrive(now);
    if (!presence_.busy()) {
      presence_.start(now);
      return true;
    }
    lines_[static_cast<std::size_t>(priority)].push(pool, id);
    return false;
  }
  // The service in progress ends. Returns the I/O whose service starts now, or none.
  IoId depart(IoPool& pool, Time now) noexcept {
    for (WaitingLine& line : lines_) {
      if (line.empty()) continue;
      presence_.depart(now, true);
      return line.pop(pool);
    }
    presence_.depart(now);
    return IoId::none;
  }
  // Exact up to the last arrival or departure; residence is the integral of the number present.
  [[nodiscard]] const StationTotals& totals() const noexcept { return presence_.totals(); }
  [[nodiscard]] Duration busy_until(Time now) const noexcept { return presence_.busy_until(now); }

 private:
  std::array<WaitingLine, priorities> lines_{};
  Presence presence_;
};

class TokenPool {
 public:
  explicit TokenPool(std::int64_t tokens) : capacity_(tokens), free_(tokens) {}

  // True: seized. False: the I/O waits in the pool, first come, first served.
  bool seize(IoPool& pool, IoId id, std::int64_t tokens) noexcept {
    if (line_.empty() && free_ >= tokens) {
      free_ -= tokens;
      return true;
    }
    line_.push(pool, id);
    return false;
  }
  void release(std::int64_t tokens) noexcept { free_ += tokens; }
  [[nodiscard]] IoId first_waiter() const noexcept { return line_.first; }
  // Gives the first waiter its tokens and takes it from the line; false if too few are free.
  bool admit_first(IoPool& pool, std::int64_t tokens) noexcept {
    if (free_ < tokens) return false;
    free_ -= tokens;
    line_.pop(pool);
    return true;
  }
  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::int64_t in_use() const noexcept { return capacity_ - free_; }

 private:
  std::int64_t capacity_;
  std::int64_t free_;
  WaitingLine line_;
};

}  // namespace storcast
