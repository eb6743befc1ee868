#include "sim/kernel/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

// The time since the last mark belongs to the step's stage.
inline void account(Io& io, const Step& step, Time t) noexcept {
  io.stages[static_cast<std::size_t>(step.stage)] += static_cast<float>((t - io.mark).count());
  io.mark = t;
}

// Fibonacci hashing of the 4 KiB page: neighbours spread evenly over the queues.
inline std::uint32_t hash_of_page(std::uint64_t lba) noexcept {
  return static_cast<std::uint32_t>(((lba >> 3) * 0x9e3779b97f4a7c15ull) >> 32);
}

inline std::uint32_t reduce(std::uint32_t hash, std::uint32_t n) noexcept {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(hash) * n) >> 32);
}

}  // namespace

Kernel::Kernel(System& system, Recorder& recorder, std::uint64_t seed)
    : system_(system),
      recorder_(recorder),
      queue_(system.io_capacity + system.streams.size(), system.event_spacing),
      ios_(system.io_capacity + system.streams.size()),
      plan_(system.most_members),
      locks_(system.locks_at_once),
      keys_(system.most_locks),
      cursors_(system.connections.size()),
      round_robin_(system.streams.size()),
      decision_rng_(seed, "decisions") {
  queue_.fetch_from(&ios_[IoId{}]);
  for (const Stream& stream : system.streams)
    stream_rngs_.emplace_back(seed, "stream " + stream.name);
  for (std::size_t i = 0; i < system.shapes.size(); ++i) {
    shape_rngs_.emplace_back(seed, "service shape " + std::to_string(i));
  }
}

void Kernel::start() {
  for (std::size_t i = 0; i < system_.streams.size(); ++i) {
    const Stream& stream = system_.streams[i];
    // Sequential jobs start evenly spaced over their volume.
    for (std::uint32_t c = 0; c < stream.connections; ++c) {
      const std::uint64_t units = stream.span_blocks / stream.alignment_blocks;
      cursors_[stream.first_connection + c] =
          units * c / stream.connections * stream.alignment_blocks;
    }
    if (stream.open) {
      const IoId id = ios_.acquire();
      INVARIANT(id != IoId::none, "the pool has room for the generators");
      Io& io = ios_[id];
      io = Io{};
      io.stream = static_cast<std::uint8_t>(i);
      io.step = stream.first_step;
      const double gap = stream.interarrival_ps *
                         system_.shapes[index_of(stream.interarrival)].draw(stream_rngs_[i]);
      queue_.push(now_ + Duration{static_cast<std::int64_t>(gap)}, id);
      continue;
    }
    for (std::uint32_t c = 0; c < stream.connections; ++c) {
      start_connection(i, stream.first_connection + c, stream.per_connection);
    }
  }
}

void Kernel::start_connection(std::size_t stream, std::uint32_t connection, std::uint32_t count) {
  for (std::uint32_t k = 0; k < count; ++k) {
    const IoId id = ios_.acquire();
    if (id == IoId::none) {
      overflowed_ = true;
      return;
    }
    Io& io = ios_[id];
    io = Io{};
    io.stream = static_cast<std::uint8_t>(stream);
    io.connection = static_cast<std::uint16_t>(connection);
    io.step = system_.streams[stream].first_step;
    queue_.push(now_, id);
  }
}

void Kernel::set_iodepth(StreamId id, std::uint32_t per_connection) {
  Stream& stream = system_.streams[index_of(id)];
  INVARIANT(!stream.open, "an iodepth belongs to a closed stream");
  queue_.reopen(now_);
  for (std::uint32_t c = 0; c < stream.connections; ++c) {
    Connection& connection = system_.connections[stream.first_connection + c];
    const std::uint32_t target = stream.per_connection;
    if (per_connection >= target) {
      const std::uint32_t kept = std::min(connection.surplus, per_connection - target);
      connection.surplus -= kept;
      start_connection(index_of(id), stream.first_connection + c, per_connection - target - kept);
    } else {
      connection.surplus += target - per_connection;
    }
  }
  stream.per_connection = per_connection;
}

void Kernel::start_background(const Io& io, Time at) {
  INVARIANT(at >= now_, "nothing starts in the past");
  const IoId id = ios_.acquire();
  if (id == IoId::none) {
    overflowed_ = true;
    return;
  }
  ios_[id] = io;
  ios_[id].mark = at;
  queue_.reopen(now_);
  queue_.push(at, id);
}

void Kernel::set_interarrival(StreamId id, double mean_ps) noexcept {
  system_.streams[index_of(id)].interarrival_ps = mean_ps;
}

void Kernel::set_read_fraction(StreamId id, double fraction) noexcept {
  system_.streams[index_of(id)].read_fraction = fraction;
}

std::uint64_t Kernel::address(const Stream& stream, std::size_t index, const Io& io,
                              std::uint32_t blocks) noexcept {
  Rng& rng = stream_rngs_[index];
  if (stream.law == AddressLaw::sequential) {
    std::uint64_t& cursor = cursors_[io.connection];
    if (cursor + blocks > stream.span_blocks) cursor = 0;
    const std::uint64_t lba = cursor;
    cursor += blocks;
    return lba;
  }
  const std::uint64_t units = (stream.span_blocks - blocks) / stream.alignment_blocks + 1;
  if (stream.law == AddressLaw::uniform) return rng.below(units) * stream.alignment_blocks;
  const auto n = static_cast<double>(units);
  double rank = 0;
  if (stream.law == AddressLaw::zipf) {
    // Inverse of the continuous Zipf distribution over 1 .. n.
    const double one_minus = 1 - stream.law_parameter;
    const double u = rng.uniform();
    rank = std::fabs(one_minus) < 1e-9
               ? std::pow(n, u) - 1
               : std::pow((std::pow(n, one_minus) - 1) * u + 1, 1 / one_minus) - 1;
  } else if (stream.law == AddressLaw::pareto) {
    // fio: n * u^(log h / log (1 - h)): a fraction h of the accesses goes outside 1 - h of the
    // span.
    const double h = stream.law_parameter;
    rank = n * std::pow(rng.uniform(), std::log(h) / std::log(1 - h));
  } else {
    // Sum of twelve uniforms: normal to well within what a hot spot needs; parameter in per cent of
    // the span. What falls outside is drawn again.
    do {
      double sum = -6;
      for (int i = 0; i < 12; ++i) sum += rng.uniform();
      rank = n * (0.5 + sum * stream.law_parameter / 100);
    } while (rank < 0 || rank >= n);
    return static_cast<std::uint64_t>(rank) * stream.alignment_blocks;
  }
  // Hot ranks are spread over the span, as fio does: times a prime, modulo the span, so that every
  // address keeps its own rank.
  __extension__ using Wide = unsigned __int128;
  const auto r = static_cast<std::uint64_t>(std::clamp(rank, 0.0, n - 1));
  return static_cast<std::uint64_t>(static_cast<Wide>(r) * 2654435761u % units) *
         stream.alignment_blocks;
}

void Kernel::submit(Io& io, Time t) noexcept {
  const std::size_t index = io.stream;
  const Stream& stream = system_.streams[index];
  Rng& rng = stream_rngs_[index];
  const bool read = stream.read_fraction >= 1 ||
                    (stream.read_fraction > 0 && rng.uniform() < stream.read_fraction);
  const auto& sizes = read ? stream.read_sizes : stream.write_sizes;
  std::uint32_t size = 0;
  if (sizes.size() > 1) {
    const double u = rng.uniform();
    while (size + 1 < sizes.size() && u >= sizes[size].up_to) ++size;
  }
  io.submitted = t;
  io.mark = t;
  io.stages = {};
  io.blocks = sizes[size].blocks;
  io.direction = read ? Direction::read : Direction::write;
  io.lba = address(stream, index, io, io.blocks);
  const std::uint32_t variant = system_.connections[io.connection].variant;
  io.step = stream.paths[(variant * 2 + (read ? 0u : 1u)) * stream.sizes_stride + size];
  recorder_.submitted(index, t);
}

void Kernel::arrive(Io& generator, IoId id, Time t) noexcept {
  const std::size_t index = generator.stream;
  const Stream& stream = system_.streams[index];
  const double gap = stream.interarrival_ps *
                     system_.shapes[index_of(stream.interarrival)].draw(stream_rngs_[index]);
  queue_.push(t + Duration{static_cast<std::int64_t>(gap + 0.5)}, id);
  const IoId fresh = ios_.acquire();
  if (fresh == IoId::none) {
    overflowed_ = true;
    return;
  }
  Io& io = ios_[fresh];
  io.parent = IoId::none;
  io.stream = static_cast<std::uint8_t>(index);
  std::uint32_t& next = round_robin_[index];
  io.connection = static_cast<std::uint16_t>(stream.first_connection + next);
  if (++next == stream.connections) next = 0;
  submit(io, t);
  advance(fresh, t);
}

// Records the response of `id`. True: the I/O was submitted anew (only with `reuse`).
bool Kernel::respond(IoId id, Time t, bool reuse) noexcept {
  Io& io = ios_[id];
  const Stream& stream = system_.streams[io.stream];
  recorder_.completed(io.stream, static_cast<std::size_t>(io.direction), io.blocks * block_bytes,
                      t - io.submitted, io.stages, t);
  Connection& connection = system_.connections[io.connection];
  const bool again = !stream.open && connection.surplus == 0;
  if (!stream.open && !again) --connection.surplus;
  if (!again) {
    if (reuse) ios_.release(id);
    return false;
  }
  IoId next = id;
  if (!reuse) {
    next = ios_.acquire();
    if (next == IoId::none) {
      overflowed_ = true;
      return false;
    }
    Io& fresh = ios_[next];
    fresh.parent = IoId::none;
    fresh.stream = io.stream;
    fresh.connection = io.connection;
  }
  if (stream.think.count() > 0) {
    ios_[next].step = stream.first_step;
    queue_.push(t + stream.think, next);
    return false;
  }
  submit(ios_[next], t);
  if (reuse) return true;
  advance(next, t);
  return false;
}

std::uint32_t Kernel::servers_of(const Step& step, const Io& io) const noexcept {
  return step.routed != 0 ? system_.routes[step.target + io.connection] : step.target;
}

TokenPool& Kernel::pool_of(const Step& step, const Io& io) noexcept {
  std::uint32_t index = step.target;
  if (step.routed == 1) index = system_.routes[step.target + io.connection];
  if (step.routed == 2) index = step.target + static_cast<std::uint32_t>(index_of(io.drive));
  return system_.pools[index];
}

void Kernel::release_tokens(TokenPool& pool, std::uint32_t tokens, Time t) noexcept {
  pool.release(tokens);
  while (pool.first_waiter() != IoId::none) {
    const IoId waiter = pool.first_waiter();
    if (!pool.admit_first(ios_, system_.steps[ios_[waiter].step].aux)) return;
    ++ios_[waiter].step;
    queue_.push(t, waiter);
  }
}

// Starts the members of a phase. True: the I/O itself goes on at once (no member, or in person).
bool Kernel::fork(IoId id, const Step& step, Time t) noexcept {
  Io& io = ios_[id];
  plan_.clear();
  system_.plans[step.function](io, static_cast<int>(step.after_ps), plan_);
  const auto members = plan_.ios();
  if (members.empty()) {
    io.step = step.aux + 1;
    return true;
  }
  const std::uint32_t first = io.step + 1;
  if (members.size() == 1 && step.priority != 0) {
    io.drive = members[0].drive;
    io.lba = members[0].lba;
    io.blocks = members[0].blocks;
    io.step = first;
    return true;
  }
  if (ios_.in_use() + members.size() > ios_.capacity()) {
    overflowed_ = true;
    return false;
  }
  io.pending = static_cast<std::uint16_t>(members.size());
  for (const MemberIo& member : members) {
    const IoId child = ios_.acquire();
    Io& m = ios_[child];
    m.parent = id;
    m.mark = t;
    m.lba = member.lba;
    m.blocks = member.blocks;
    m.drive = member.drive;
    m.connection = io.connection;
    m.stream = io.stream;
    m.direction = io.direction;
    m.step = first;
    advance(child, t);
  }
  return false;
}

void Kernel::arrive_scheduled(IoId id, const Step& step, Time t) noexcept {
  Io& io = ios_[id];
  account(io, step, t);  // it waits from now on
  ++io.step;
  const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
  ScheduledStation& station = system_.scheduled_stations[step.target + drive];
  if (station.arrive(ios_, id, step.priority, t)) {
    start_scheduled(step.target, drive, step.function, t);
  }
}

// The I/O goes on first, the server still taken, so that what it submits anew is among the choices.
void Kernel::leave_scheduled(IoId id, const Step& step, Time t) noexcept {
  Io& io = ios_[id];
  const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
  const std::uint32_t target = step.target;
  const std::uint16_t schedule = step.function;
  account(io, step, t);
  ++io.step;
  advance(id, t);
  ScheduledStation& station = system_.scheduled_stations[target + drive];
  station.depart(t);
  if (station.anyone_waits()) start_scheduled(target, drive, schedule, t);
}

void Kernel::start_scheduled(std::uint32_t target, std::uint32_t drive, std::uint16_t schedule,
                             Time t) noexcept {
  ScheduledStation& station = system_.scheduled_stations[target + drive];
  const WaitingLines lines(station, ios_, system_.steps.data());
  const NextService next = system_.schedules[schedule](drive, lines, t);
  station.start(ios_, next.io, next.priority, t);
  queue_.push(t + next.service, next.io);
}

// Io::pending counts the locks that an I/O holds while it asks for them. True: it has them all.
bool Kernel::lock(IoId id, const Step& step, Time t) noexcept {
  Io& io = ios_[id];
  keys_.clear();
  system_.locks[step.function](io, keys_);
  while (io.pending < keys_.size()) {
    const std::uint64_t key = keys_[io.pending];
    ++io.pending;  // when it comes back it holds this one
    if (!locks_.acquire(ios_, id, key)) return false;
  }
  io.pending = 0;
  account(io, step, t);
  ++io.step;
  return true;
}

void Kernel::unlock(IoId id, const Step& step, Time t) noexcept {
  keys_.clear();
  system_.locks[step.function](ios_[id], keys_);
  ++ios_[id].step;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const IoId next = locks_.release(ios_, keys_[i]);
    if (next != IoId::none) queue_.push(t, next);
  }
}

// The last member to detach lets the parent go on behind the join.
void Kernel::detach(IoId id, const Step& step, Time t) noexcept {
  Io& io = ios_[id];
  account(io, step, t);
  ++io.step;
  const IoId parent = io.parent;
  io.parent = IoId::none;
  if (--ios_[parent].pending != 0) return;
  account(ios_[parent], step, t);
  ios_[parent].step = step.aux + 1;
  advance(parent, t);
}

// How the event loop is written: each case of the switch has its own inlined copy of the service,
// so that the processor learns the branches of each kind of step apart.
[[gnu::always_inline]] inline Duration Kernel::service(const Step& step, const Io& io) noexcept {
  double ps =
      step.fixed_ps + static_cast<double>(step.slope) *
                          static_cast<double>(static_cast<std::int64_t>(io.blocks) * block_bytes);
  if (step.shape != 0) ps *= system_.shapes[step.shape].draw(shape_rngs_[step.shape]);
  return Duration{static_cast<std::int64_t>(ps + 0.5)};
}

// One visit to an FCFS station.
[[gnu::always_inline]] inline void Kernel::serve(FcfsStation& station, const Step& step, Io& io,
                                                 IoId id, Time t) noexcept {
  t = station.serve(t, service(step, io)) + Duration{step.after_ps};
  account(io, step, t);
  ++io.step;
  queue_.push(t, id);
}

[[gnu::always_inline]] inline void Kernel::take_steps(IoId id, Time t) noexcept {
  for (;;) {
    Io& io = ios_[id];
    const Step& step = system_.steps[io.step];
    switch (step.kind) {
      case StepKind::arrive:
        arrive(io, id, t);
        return;
      case StepKind::submit:
        submit(io, t);
        continue;
      case StepKind::visit:
        serve(system_.stations[step.target], step, io, id, t);
        return;
      case StepKind::visit_connection:
        serve(system_.stations[system_.routes[step.target + io.connection]], step, io, id, t);
        return;
      case StepKind::visit_gated: {
        // Waits at the gate, not in the station's line, where others would wait behind it.
        const Time open_at = system_.connections[io.connection].open_at;
        if (t < open_at) {
          queue_.push(open_at, id);
          return;
        }
        FcfsStation& station = system_.stations[system_.routes[step.target + io.connection]];
        double ps = step.fixed_ps;
        if (step.aux != Step::no_pool) {
          const TokenPool& pool = system_.pools[system_.routes[step.aux + io.connection]];
          ps += static_cast<double>(step.slope) * static_cast<double>(pool.in_use());
        }
        t = station.serve(t, Duration{static_cast<std::int64_t>(ps + 0.5)}) +
            Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      }
      case StepKind::visit_drive:
        serve(system_.stations[step.target + index_of(io.drive)], step, io, id, t);
        return;
      case StepKind::pass_drive:
        t = system_.stations[step.target + index_of(io.drive)].serve(t, service(step, io)) +
            Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        continue;
      case StepKind::visit_address:
        serve(system_.stations[step.target + index_of(io.drive) * step.aux +
                               reduce(hash_of_page(io.lba), step.aux)],
              step, io, id, t);
        return;
      case StepKind::visit_dies: {
        Flash& flash = system_.flash[step.function];
        const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
        const std::uint32_t die = reduce(hash_of_page(io.lba), step.aux);
        if (flash.quiet(drive, t) && io.blocks <= flash.traits().read_blocks) [[likely]] {
          serve(system_.stations[step.target + drive * step.aux + die], step, io, id, t);
          return;
        }
        t = visit_dies(step, io, die, t) + Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      }
      case StepKind::visit_servers:
        t = system_.server_stations[servers_of(step, io)].serve(t, service(step, io)) +
            Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      case StepKind::visit_model:
        t = system_.stations[step.target].serve(
                t, system_.services[step.function](io, t, shape_rngs_[0])) +
            Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      case StepKind::visit_priority:
        ++io.step;
        if (system_.priority_stations[step.target].arrive(ios_, id, step.priority, t)) {
          queue_.push(t + service(step, io), id);
        }
        return;
      case StepKind::leave_priority: {
        const IoId next = system_.priority_stations[step.target].depart(ios_, t);
        if (next != IoId::none) {
          const Io& waiting = ios_[next];
          queue_.push(t + service(system_.steps[waiting.step - 1], waiting), next);
        }
        account(io, step, t);
        ++io.step;
        continue;
      }
      case StepKind::post_drive: {
        const double ps = static_cast<double>(step.slope) *
                          static_cast<double>(static_cast<std::int64_t>(io.blocks) * block_bytes);
        const Time drained = system_.stations[step.target + index_of(io.drive)].serve(
            t, Duration{static_cast<std::int64_t>(ps + 0.5)});
        t = std::max(t, drained - Duration{static_cast<std::int64_t>(step.fixed_ps)}) +
            Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      }
      case StepKind::write_flash:
        t = system_.flash[step.function].write(
                system_.stations, static_cast<std::uint32_t>(index_of(io.drive)), t,
                static_cast<double>(io.blocks) * block_bytes, step.priority != 0) +
            Duration{step.after_ps};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      case StepKind::delay:
        t += Duration{static_cast<std::int64_t>(step.fixed_ps)};
        account(io, step, t);
        ++io.step;
        queue_.push(t, id);
        return;
      case StepKind::seize:
        if (!pool_of(step, io).seize(ios_, id, step.aux)) return;
        ++io.step;
        continue;
      case StepKind::release:
        ++io.step;
        release_tokens(pool_of(step, io), step.aux, t);
        continue;
      case StepKind::skip_if:
        io.step = system_.decisions[step.function](io, t, decision_rng_) ? step.aux : io.step + 1;
        continue;
      case StepKind::fork:
        if (!fork(id, step, t)) return;
        continue;
      case StepKind::join: {
        if (io.parent != IoId::none) {
          const std::uint32_t after = io.step + 1;
          const IoId parent = io.parent;
          ios_.release(id);
          if (--ios_[parent].pending != 0) return;
          id = parent;
          ios_[id].step = after;
        } else {
          ++io.step;
        }
        account(ios_[id], step, t);
        continue;
      }
      case StepKind::acknowledge:
        ++io.step;
        respond(id, t, false);
        continue;
      case StepKind::complete:
        if (!respond(id, t, true)) return;
        continue;
      case StepKind::retire:
        ios_.release(id);
        return;
      case StepKind::visit_scheduled:
        arrive_scheduled(id, step, t);
        return;
      case StepKind::leave_scheduled:
        leave_scheduled(id, step, t);
        return;
      case StepKind::lock:
        if (!lock(id, step, t)) return;
        continue;
      case StepKind::unlock:
        unlock(id, step, t);
        continue;
      case StepKind::detach:
        detach(id, step, t);
        continue;
    }
  }
}

void Kernel::advance(IoId id, Time t) noexcept { take_steps(id, t); }

void Kernel::run_until(Time horizon) noexcept {
  Event event{};
  while (!overflowed_ && queue_.pop_before(horizon, event)) {
    now_ = event.at;
    ++events_;
    take_steps(event.io, event.at);
  }
  now_ = std::max(now_, horizon);
}

}  // namespace storcast
