// Dies that read and program, and the write drain that feeds them.
//
// A die's reads lie in an FcfsStation (Lindley recursion); DieProgram beside it is the one program
// or erase that the die has been given. It runs when no read does. A read that finds it running
// waits for the smaller of its residual and the suspend latency, and puts it off by its own stay;
// without suspension (patience 0), or once the program has been put off for as long as it may, the
// read waits for the residual. No events: a read's departure is fixed at its arrival, a program's
// end is a promise that later reads move.
//
// Flash is the drain of a group of drives: what is written enters a queue of constant rate (its
// FcfsStation's free_at is the end of the backlog), and each time the drain has collected the bytes
// of one word-line over all planes, one die gets a program; round robin, the next idle one of a
// few. If none is idle the drain stands still until one is. The drain is advanced when a read or a
// write comes to the drive, at O(1) for each program, so programs start in the order of time. A
// read may be ahead of the clock by its stay at the command processor; a program that falls into
// that gap starts behind the reads of its die. Reference: first come, first served with preemption
// and an overhead, Kleinrock, Queueing Systems II (1976), chapter 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/kernel/station.hpp"

namespace storcast {

class DieProgram {
 public:
  struct Work {
    Duration length{};
    Duration suspend{};   // time until a read can start
    Duration patience{};  // time for which reads may suspend it after its start; 0: never
  };
  // Gives the die some work at `at`, not before the end of the last one. Returns its end.
  Time begin(const FcfsStation& die, Time at, const Work& work) noexcept {
    const Time start = std::max(at, die.free_at());
    end_ = start + work.length;
    patient_until_ = at + work.patience;
    suspend_ = work.suspend;
    busy_ += work.length;
    return end_;
  }
  // One read of the die. Returns its departure; only the die's busy time is counted.
  Time read(FcfsStation& die, Time arrival, Duration service) noexcept {
    const bool die_reads = arrival < die.free_at();
    const Time idle = std::max(arrival, die.free_at());
    if (end_ <= idle) return die.occupy(idle, service);
    const Duration left = end_ - idle;
    if (idle >= patient_until_ || (!die_reads && left <= suspend_)) {
      return die.occupy(end_, service);
    }
    const Duration stay = service + (die_reads ? Duration{0} : suspend_);
    end_ += stay;
    return die.occupy(idle, stay);
  }
  [[nodiscard]] Time end() const noexcept { return end_; }
  // Programs and erases up to `now`; the rest of one lies after the reads.
  [[nodiscard]] Duration busy_until(const FcfsStation& die, Time now) const noexcept {
    return busy_ - std::max(Duration{0}, end_ - std::max(now, die.free_at()));
  }

 private:
  Time end_{};
  Time patient_until_{};
  Duration suspend_{};
  Duration busy_{};
};
static_assert(sizeof(DieProgram) == 32);

// What the drives of a group have in common.
struct FlashTraits {
  std::uint32_t dies = 1;
  std::uint32_t read_blocks = 32;  // of one die operation
  std::uint32_t channels = 1;
  double program_bytes = 196608;  // one word-line over all planes
  DieProgram::Work program, erase;
  Duration copy_read{};  // reads of a program whose data are all copied
  std::uint32_t programs_per_erase = 1;
  double ps_per_byte = 0;             // of the drain, by bytes programmed
  double ps_per_byte_sequential = 0;  // the same for sequential writes
  double buffer_bytes = 0;
  double mapping_bytes = 4096;  // a smaller random write programs as much as this
  double sequential_amplification = 1;
  // Amplification of random writes by bytes written: points `step_bytes` apart, then the last one.
  std::vector<float> amplification{1.0f};
  double step_bytes = 1;
  double written_before = 0;  // at the start of the run
  double cache_bytes = 0;     // SLC cache; 0: none
  double cache_ps_per_byte = 0;
  double folding = 1;  // factor on what is programmed while the cache is full
  std::uint32_t first_die = 0, first_drain = 0;  // stations
};

class Flash {
 public:
  Flash(FlashTraits traits, std::uint32_t drives);

  [[nodiscard]] const FlashTraits& traits() const noexcept { return traits_; }
  // No program runs or starts until t: a read of one unit needs only its die's station.
  [[nodiscard]] bool quiet(std::uint32_t drive, Time t) const noexcept {
    return t < drives_[drive].quiet_until;
  }
  // Starts the programs that are due until t.
  void advance(std::vector<FcfsStation>& stations, std::uint32_t drive, Time t) noexcept;
  // A read of one unit at a die. Precondition: advance() to its arrival.
  Time read(std::vector<FcfsStation>& stations, std::uint32_t drive, std::uint32_t die,
            Time arrival, Duration service) noexcept {
    const std::size_t i = std::size_t{drive} * traits_.dies + die;
    const Time departure = programs_[i].read(stations[traits_.first_die + i], arrival, service);
    Drive& d = drives_[drive];
    d.last_end = std::max(d.last_end, programs_[i].end());
    return departure;
  }
  // A write of `bytes`. Returns when the backlog behind it fits into the buffer.
  Time write(std::vector<FcfsStation>& stations, std::uint32_t drive, Time t, double bytes,
             bool sequential) noexcept;

  // Bytes that a random write programs for each of its own, now.
  [[nodiscard]] double amplification(std::uint32_t drive) const noexcept;
  // Without queueing, for bounds: what a write of `bytes` costs the drain and the dies.
  struct WriteCost {
    double drain_ps = 0, dies_ps = 0;
  };
  [[nodiscard]] WriteCost write_cost(std::uint32_t drive, double bytes,
                                     bool sequential) const noexcept;
  // Programs and erases of all dies of one drive, of one die.
  [[nodiscard]] Duration busy_until(const std::vector<FcfsStation>& stations, std::uint32_t station,
                                    Time now) const noexcept {
    return programs_[station - traits_.first_die].busy_until(stations[station], now);
  }
  [[nodiscard]] std::size_t bytes_each() const noexcept {
    return sizeof(Drive) + traits_.dies * (sizeof(DieProgram) + sizeof(FcfsStation));
  }

 private:
  static constexpr Time never = Time::max();
  struct Drive {
    Time quiet_until = never;
    Time next_program = never;
    Time last_end{};
    double owed = 0;     // bytes in the drain that no program has taken yet
    double written = 0;  // by random writes
    double cached = 0;   // bytes in the SLC cache
    float copied = 0;    // share of what is programmed that garbage collection copies
    std::uint32_t next_die = 0;
    std::uint32_t since_erase = 0;
  };
  struct Programmed {
    double bytes, ps;
  };
  // What a write lets be programmed, and how long the drain takes for it.
  [[nodiscard]] Programmed programmed(Drive& d, Time drained, Time t, double bytes,
                                      bool sequential) const noexcept;
  [[nodiscard]] std::uint32_t choose_die(std::uint32_t drive, Time t) const noexcept;
  [[nodiscard]] double padded(double bytes) const noexcept;
  [[nodiscard]] double amplification_at(double written) const noexcept;
  void issue(std::vector<FcfsStation>& stations, std::uint32_t drive, std::uint32_t die) noexcept;
  void schedule(Drive& d, Time drained, Time from) noexcept;

  FlashTraits traits_;
  std::vector<Drive> drives_;
  std::vector<DieProgram> programs_;
};

}  // namespace storcast
