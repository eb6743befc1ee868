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
    presence_.arrive(now);
    lines_[static_cast<std::size_t>(priority)].push(pool, id);
    return !presence_.busy();
  }
  // Takes a waiting I/O out of its line and serves it. Precondition: it waits in that line and the
  // server is free.
  void start(IoPool& pool, IoId id, int priority, Time now) noexcept {
    presence_.start(now);
    lines_[static_cast<std::size_t>(priority)].remove(pool, id);
  }
  // The service in progress ends.
  void depart(Time now) noexcept { presence_.depart(now); }
  [[nodiscard]] bool anyone_waits() const noexcept {
    return presence_.present() > (presence_.busy() ? 1 : 0);
  }
  [[nodiscard]] IoId first(int priority) const noexcept {
    return lines_[static_cast<std::size_t>(priority)].first;
  }
  [[nodiscard]] std::int64_t present() const noexcept { return presence_.present(); }
  // Exact up to `now`.
  [[nodiscard]] StationTotals totals_at(Time now) const noexcept {
    return presence_.totals_at(now);
  }
  [[nodiscard]] Duration busy_until(Time now) const noexcept { return presence_.busy_until(now); }

 private:
  std::array<WaitingLine, priorities> lines_{};
  Presence presence_;
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
