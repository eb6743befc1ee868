// A station that chooses: one server that reorders its waiting line (a hard disk's head).
//
// The I/Os wait in intrusive lines, one for each priority, in order of arrival. Whenever the server
// becomes free a model looks at them and says which is served next and for how long; it is the one
// indirect call of a service. The departing I/O goes on before the model is asked, so that what it
// submits anew at the same instant is among the choices. Little's law, utilisation and totals are
// those of PriorityStation: exact integrals, no promises about the future.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/kernel/path.hpp"
#include "sim/kernel/station.hpp"

namespace storcast {

class ScheduledStation {
 public:
  static constexpr int priorities = 4;  // 0: clients

  // The I/O joins its line. True: the server is idle, somebody must call start().
  bool arrive(IoPool& pool, IoId id, int priority, Time now) noexcept {
    advance(now);
    ++totals_.arrivals;
    ++present_;
    Line& line = lines_[static_cast<std::size_t>(priority)];
    pool[id].next = IoId::none;
    (line.last == IoId::none ? line.first : pool[line.last].next) = id;
    line.last = id;
    return !busy_;
  }
  // Takes a waiting I/O out of its line and serves it. Precondition: it waits in that line and the
  // server is free.
  void start(IoPool& pool, IoId id, int priority, Time now) noexcept {
    advance(now);
    busy_ = true;
    Line& line = lines_[static_cast<std::size_t>(priority)];
    IoId before = IoId::none;
    for (IoId at = line.first; at != id; at = pool[at].next) before = at;
    (before == IoId::none ? line.first : pool[before].next) = pool[id].next;
    if (line.last == id) line.last = before;
  }
  // The service in progress ends.
  void depart(Time now) noexcept {
    advance(now);
    busy_ = false;
    --present_;
  }
  [[nodiscard]] bool anyone_waits() const noexcept { return present_ > (busy_ ? 1 : 0); }
  [[nodiscard]] IoId first(int priority) const noexcept {
    return lines_[static_cast<std::size_t>(priority)].first;
  }
  [[nodiscard]] std::int64_t present() const noexcept { return present_; }
  // Exact up to `now`.
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
  struct Line {
    IoId first = IoId::none;
    IoId last = IoId::none;
  };
  void advance(Time now) noexcept {
    const Duration passed = now - last_change_;
    if (busy_) totals_.busy += passed;
    totals_.residence += passed * present_;
    last_change_ = now;
  }
  std::array<Line, priorities> lines_{};
  bool busy_ = false;
  std::int64_t present_ = 0;
  Time last_change_{};
  StationTotals totals_;
};

// What the model sees of the lines of one drive.
class WaitingLines {
 public:
  WaitingLines(const ScheduledStation& station, const IoPool& pool, const Step* steps) noexcept
      : station_(station), pool_(pool), steps_(steps) {}

  // Calls f(id, I/O, whether it writes) for the I/Os of one priority, oldest first, at most `most`.
  // An I/O waits since Io::mark. Returns how many there were.
  template <class F>
  int for_each(int priority, int most, F&& f) const {
    int seen = 0;
    for (IoId id = station_.first(priority); id != IoId::none && seen < most;
         id = pool_[id].next, ++seen) {
      const Io& io = pool_[id];
      f(id, io, steps_[io.step - 1].aux != 0);
    }
    return seen;
  }

 private:
  const ScheduledStation& station_;
  const IoPool& pool_;
  const Step* steps_;
};

}  // namespace storcast
