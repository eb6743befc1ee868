// The event loop: one switch, no allocation.
//
// Kernel owns the clock, the pending events and the I/Os in flight of one run. run_until() executes
// every event before the horizon. Nothing that is reachable from it allocates, throws, logs or
// looks up a name; what can fail (an open workload beyond capacity that fills the I/O pool) sets
// overflowed() and ends the loop. Changes of the scenario (a load, a drive, a controller) act
// between two calls of run_until().
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/event_queue.hpp"
#include "sim/kernel/io.hpp"
#include "sim/kernel/system.hpp"
#include "sim/stats/recorder.hpp"

namespace storcast {

class Kernel {
 public:
  // The system and the recorder must outlive the kernel.
  Kernel(System& system, Recorder& recorder, std::uint64_t seed);

  // Submits the first I/Os of every stream at time 0. Call once, before run_until().
  void start();
  // Executes all events at times < horizon and advances the clock to it.
  void run_until(Time horizon) noexcept;

  [[nodiscard]] Time now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return ios_.in_use(); }
  [[nodiscard]] const LockTable& locks() const noexcept { return locks_; }
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }
  [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }

  // Changes of the load, effective now. A closed stream that shrinks lets I/Os leave as they
  // complete.
  void set_iodepth(StreamId stream, std::uint32_t per_connection);
  void set_interarrival(StreamId stream, double mean_ps) noexcept;
  void set_read_fraction(StreamId stream, double fraction) noexcept;

  // Starts a copy of `io`, of no workload, at `at`, not before now(). Its path ends in retire.
  void start_background(const Io& io, Time at);

  // Calls f(time of the event, I/O) for each I/O that waits for one; the step before Io::step is
  // the visit in progress. I/Os that wait for their connection to open visit no station and are
  // left out.
  template <class F>
  void for_each_pending(F&& f) const {
    queue_.for_each([&](Time at, IoId id) {
      const Io& io = ios_[id];
      const bool at_gate = system_.steps[io.step].kind == StepKind::visit_gated &&
                           at == system_.connections[io.connection].open_at;
      if (!at_gate) f(at, io);
    });
  }

 private:
  void advance(IoId id, Time t) noexcept;            // takes steps until the I/O waits
  inline void take_steps(IoId id, Time t) noexcept;  // its body, inlined into the event loop
  inline void serve(FcfsStation& station, const Step& step, Io& io, IoId id, Time t) noexcept;
  void submit(Io& io, Time t) noexcept;
  void arrive(Io& generator, IoId id, Time t) noexcept;
  bool respond(IoId id, Time t, bool reuse) noexcept;
  bool fork(IoId id, const Step& step, Time t) noexcept;
  void arrive_scheduled(IoId id, const Step& step, Time t) noexcept;
  void leave_scheduled(IoId id, const Step& step, Time t) noexcept;
  void start_scheduled(std::uint32_t target, std::uint32_t drive, std::uint16_t schedule,
                       Time t) noexcept;
  bool lock(IoId id, const Step& step, Time t) noexcept;
  void unlock(IoId id, const Step& step, Time t) noexcept;
  void detach(IoId id, const Step& step, Time t) noexcept;
  void release_tokens(TokenPool& pool, std::uint32_t tokens, Time t) noexcept;
  std::uint64_t address(const Stream& stream, std::size_t index, const Io& io,
                        std::uint32_t blocks) noexcept;
  std::uint32_t servers_of(const Step& step, const Io& io) const noexcept;
  TokenPool& pool_of(const Step& step, const Io& io) noexcept;
  inline Duration service(const Step& step, const Io& io) noexcept;
  Time visit_dies(const Step& step, const Io& io, std::uint32_t first, Time t) noexcept;
  void start_connection(std::size_t stream, std::uint32_t connection, std::uint32_t count);

  System& system_;
  Recorder& recorder_;
  EventQueue queue_;
  IoPool ios_;
  MemberPlan plan_;
  LockTable locks_;
  LockKeys keys_;
  std::vector<Rng> stream_rngs_;            // addresses, sizes, directions, arrivals
  std::vector<Rng> shape_rngs_;             // service times
  std::vector<std::uint64_t> cursors_;      // next address of a sequential connection
  std::vector<std::uint32_t> round_robin_;  // next connection of an open stream
  Rng decision_rng_;
  Time now_{};
  std::uint64_t events_ = 0;
  bool overflowed_ = false;
};

}  // namespace storcast
