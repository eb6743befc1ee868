#include "sim/kernel/flash.hpp"

#include <utility>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

constexpr std::uint32_t dies_looked_at = 4;  // for an idle one, before the drain stands still

Duration picoseconds(double ps) { return Duration{static_cast<std::int64_t>(ps + 0.5)}; }

}  // namespace

Flash::Flash(FlashTraits traits, std::uint32_t drives)
    : traits_(std::move(traits)), drives_(drives), programs_(std::size_t{drives} * traits_.dies) {
  INVARIANT(traits_.dies > 0 && traits_.channels > 0 && traits_.read_blocks > 0,
            "a drive has dies, channels and a unit of reading");
  INVARIANT(traits_.program_bytes > 0 && traits_.mapping_bytes > 0 && traits_.step_bytes > 0 &&
                traits_.programs_per_erase > 0 && !traits_.amplification.empty(),
            "a drive programs, maps and erases in units");
  for (Drive& d : drives_) {
    d.written = traits_.written_before;
    d.copied = static_cast<float>(1 - 1 / amplification_at(d.written));
  }
}

double Flash::amplification_at(double written) const noexcept {
  const auto& course = traits_.amplification;
  const double at = written / traits_.step_bytes;
  const auto last = static_cast<double>(course.size() - 1);
  if (at >= last) return static_cast<double>(course.back());
  const auto i = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(i);
  return static_cast<double>(course[i]) +
         rest * (static_cast<double>(course[i + 1]) - static_cast<double>(course[i]));
}

double Flash::amplification(std::uint32_t drive) const noexcept {
  return amplification_at(drives_[drive].written);
}

// A write smaller than the mapping unit reads the rest of the unit and programs all of it.
double Flash::padded(double bytes) const noexcept {
  const auto units =
      static_cast<std::int64_t>((bytes + traits_.mapping_bytes - 1) / traits_.mapping_bytes);
  return static_cast<double>(units) * traits_.mapping_bytes;
}

Flash::Programmed Flash::programmed(Drive& d, Time drained, Time t, double bytes,
                                    bool sequential) const noexcept {
  const double host = sequential ? bytes : padded(bytes);
  double factor = traits_.sequential_amplification;
  if (!sequential) {
    factor = amplification_at(d.written);
    d.written += host;
  }
  if (traits_.cache_bytes > 0) {
    // What idle time has moved from the cache to its final place.
    const auto idle = static_cast<double>(std::max(Duration{0}, t - drained).count());
    d.cached = std::max(0.0, d.cached - idle / traits_.ps_per_byte);
    if (d.cached + host <= traits_.cache_bytes) {
      d.cached += host;
      d.copied = 0;
      return {host, host * traits_.cache_ps_per_byte};
    }
    factor *= traits_.folding;
  }
  d.copied = sequential ? 0 : static_cast<float>(1 - 1 / factor);
  const double out = host * factor;
  return {out, out * (sequential ? traits_.ps_per_byte_sequential : traits_.ps_per_byte)};
}

Time Flash::write(std::vector<FcfsStation>& stations, std::uint32_t drive, Time t, double bytes,
                  bool sequential) noexcept {
  FcfsStation& drain = stations[traits_.first_drain + drive];
  advance(stations, drive, t);
  Drive& d = drives_[drive];
  const Programmed work = programmed(d, drain.free_at(), t, bytes, sequential);
  const Time drained = drain.serve(t, picoseconds(work.ps));
  d.owed += work.bytes;
  schedule(d, drained, t);
  return std::max(t, drained - picoseconds(traits_.buffer_bytes * work.ps / bytes));
}

void Flash::schedule(Drive& d, Time drained, Time from) noexcept {
  const double beyond = d.owed - traits_.program_bytes;
  d.next_program =
      beyond < 0 ? never : std::max(from, drained - picoseconds(beyond * traits_.ps_per_byte));
  d.quiet_until = std::min(d.quiet_until, d.next_program);
}

std::uint32_t Flash::choose_die(std::uint32_t drive, Time t) const noexcept {
  const DieProgram* programs = &programs_[std::size_t{drive} * traits_.dies];
  std::uint32_t die = drives_[drive].next_die;
  std::uint32_t best = die;
  for (std::uint32_t i = 0; i < dies_looked_at; ++i) {
    if (programs[die].end() <= t) return die;
    if (programs[die].end() < programs[best].end()) best = die;
    if (++die == traits_.dies) die = 0;
  }
  return best;
}

// Starts a program at a die that has none, and every so often an erase at the next one.
void Flash::issue(std::vector<FcfsStation>& stations, std::uint32_t drive,
                  std::uint32_t die) noexcept {
  Drive& d = drives_[drive];
  const Time at = d.next_program;
  const auto begin = [&](std::uint32_t where, const DieProgram::Work& work) {
    const std::size_t i = std::size_t{drive} * traits_.dies + where;
    const Time end = programs_[i].begin(stations[traits_.first_die + i], at, work);
    d.last_end = std::max(d.last_end, end);
    d.next_die = where + 1 == traits_.dies ? 0 : where + 1;
  };
  DieProgram::Work work = traits_.program;
  work.length +=
      picoseconds(static_cast<double>(traits_.copy_read.count()) * static_cast<double>(d.copied));
  begin(die, work);
  d.owed -= traits_.program_bytes;
  if (++d.since_erase < traits_.programs_per_erase) return;
  const std::uint32_t next = choose_die(drive, at);
  if (programs_[std::size_t{drive} * traits_.dies + next].end() > at) return;
  begin(next, traits_.erase);
  d.since_erase = 0;
}

void Flash::advance(std::vector<FcfsStation>& stations, std::uint32_t drive, Time t) noexcept {
  Drive& d = drives_[drive];
  FcfsStation& drain = stations[traits_.first_drain + drive];
  while (d.next_program <= t) {
    const std::uint32_t die = choose_die(drive, d.next_program);
    const Time idle = programs_[std::size_t{drive} * traits_.dies + die].end();
    if (idle > d.next_program) {
      drain.hold(idle - d.next_program);
      d.next_program = idle;
      continue;
    }
    issue(stations, drive, die);
    schedule(d, drain.free_at(), d.next_program);
  }
  d.quiet_until = d.last_end <= t ? d.next_program : Time{};
}

Flash::WriteCost Flash::write_cost(std::uint32_t drive, double bytes,
                                   bool sequential) const noexcept {
  Drive d = drives_[drive];
  d.cached = traits_.cache_bytes;  // what lasts: a full cache
  const Programmed work = programmed(d, Time{}, Time{}, bytes, sequential);
  const double each =
      static_cast<double>(traits_.program.length.count()) +
      static_cast<double>(traits_.copy_read.count()) * static_cast<double>(d.copied) +
      static_cast<double>(traits_.erase.length.count()) / traits_.programs_per_erase;
  return {work.ps, work.bytes / traits_.program_bytes * each};
}

}  // namespace storcast
