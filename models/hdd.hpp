// A hard disk: one head that serves the request it reaches soonest.
//
// Model: a drive is one server (disk_mechanics.hpp, disk_head.hpp). When it becomes free it takes,
// of at most `queue_depth` commands, the one with the least
//   positioning time + class x handicap - age weight x time waited,
// positioning-time scheduling (SATF) with ageing. Class 0 are clients, 1 and 2 background commands
// (rebuild, scrub), 3 the drive's own cached writes; the handicap puts clients first and the ageing
// sees to it that nothing starves. Reads that find their data in the buffer do not wait for the
// head. With a write cache a write is acknowledged as soon as it has a place there and is written
// later, among up to `write_cache` others. Worked number: 8.2 ms seek, 4.17 ms half a turn, 0.15 ms
// overhead make 80 random reads a second in order of arrival, 173 of 16 outstanding.
//
// Parameters: schema() below.
// Scope and limits: as in the two headers; no remapping, no shingled zones, no NAND beside the
// platters; the write cache counts writes whatever their size, and reads do not look into it. The
// analytic tier takes IOPS(n) = IOPS(1) n^0.28 for a random load with n at the drive, and n^0.32 of
// the deepest queue as the limit.
// References: D. Jacobson, J. Wilkes, Disk scheduling algorithms based on rotational position,
// HPL-CSP-91-7 (1991) (aged SATF); M. Seltzer, P. Chen, J. Ousterhout, Disk scheduling revisited,
// USENIX Winter 1990; and those of the two headers.
// Validation: tests/models/hdd_test.cpp, tests/validation/hdd_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/disk_head.hpp"
#include "models/disk_mechanics.hpp"
#include "models/drive.hpp"

namespace storcast {

class Hdd {
 public:
  enum class Condition : std::uint8_t { ready, stopped };
  struct Params {
    Bytes capacity{};
    DriveInterface interface {};
    double rpm = 0;
    Duration seek_track{}, seek_average{}, seek_full{};
    std::optional<Duration> write_seek_track, write_seek_average, write_seek_full;
    Duration command_overhead{};
    Bandwidth outer_rate{}, interface_rate{};
    double inner_outer_ratio = 1;
    int queue_depth = 0;
    double age_weight = 0, cached_age_weight = 0;
    Duration rotational_margin{}, class_handicap{};
    Bytes read_ahead{};
    int read_streams = 0;
    int write_cache = 0;
    Duration write_acknowledge{};
    Condition condition{};
    Duration spin_up{}, spin_up_interval{};
    Watts power_idle{}, power_random{}, power_sequential{}, power_spin_up{};
  };
  static const Schema<Params>& schema();

  static Hdd install(System& system, const std::string& name, std::uint32_t count,
                     const Params& params) {
    Hdd drive;
    drive.machine_ = std::make_shared<Machine>(system, params, count);
    Machine& m = *drive.machine_;
    system.models.push_back(drive.machine_);
    drive.heads_ = system.add_scheduled(
        name + ".heads", count, system.add_schedule(Schedule(m), ExpectedService(m.expected)));
    StationGroup& heads = system.groups[drive.heads_];
    heads.gain = 0.28;
    heads.gain_at_most = 0.32;
    heads.most_sorted = std::max(params.queue_depth, params.write_cache);
    drive.links_ = system.add_per_drive(name + ".links", count);
    drive.in_buffer_ = system.add_decision(Decide(m.in_buffer));
    drive.not_in_buffer_ = system.add_decision(Decide(m.not_in_buffer));
    for (std::uint32_t d = 0; d < count && params.write_cache > 0; ++d) {
      const PoolId pool = system.add_pool(name + ".write_cache", params.write_cache);
      if (d == 0) drive.cache_ = pool;
    }
    drive.positioning_ = system.add_per_drive(name + ".heads.positioning", count);
    drive.transfers_ = system.add_per_drive(name + ".heads.transfer", count);
    for (const GroupId share : {drive.positioning_, drive.transfers_}) {
      system.groups[share].share_only = true;
    }
    m.positioning = system.groups[drive.positioning_].first;
    m.transfers = system.groups[drive.transfers_].first;
    return drive;
  }

  // `priority`: 0 clients, 1 or 2 background.
  void append_read(PathBuilder& path, int priority = 0) const {
    path.note("drive: buffer")
        .skip_if(not_in_buffer_)
        .visit(links_, {machine_->params.command_overhead, link_ps_per_byte()})
        .resume()
        .skip_if(in_buffer_)
        .note("drive: head")
        .visit_scheduled(heads_, priority, false)
        .resume();
  }
  void append_write(PathBuilder& path, bool, int priority = 0) const {
    if (machine_->params.write_cache == 0) {
      path.note("drive: head").visit_scheduled(heads_, priority, true);
      return;
    }
    path.note("drive: room in the write cache")
        .seize_by_drive(cache_)
        .note("drive: write cache")
        .visit(links_, {{}, link_ps_per_byte()}, machine_->params.write_acknowledge)
        .detach()
        .note("drive: head")
        .visit_scheduled(heads_, cached_class, true)
        .release_by_drive(cache_);
  }
  // Writes of one drive that may be under way after they were acknowledged.
  [[nodiscard]] std::size_t most_detached() const {
    return static_cast<std::size_t>(machine_->params.write_cache);
  }
  [[nodiscard]] Bytes capacity() const { return machine_->params.capacity; }
  [[nodiscard]] DrivePower power() const {
    const Params& p = machine_->params;
    return {p.power_idle, p.power_random, p.power_sequential,
            p.condition == Condition::stopped ? p.power_spin_up : Watts{}};
  }
  // Its power follows the time spent positioning, and the last group's, transferring.
  [[nodiscard]] GroupId busiest() const { return positioning_; }

  [[nodiscard]] static SeekCurve::Points read_seeks(const Params& p) {
    return {p.seek_track, p.seek_average, p.seek_full};
  }
  [[nodiscard]] static SeekCurve::Points write_seeks(const Params& p) {
    return {p.write_seek_track.value_or(p.seek_track),
            p.write_seek_average.value_or(p.seek_average), p.write_seek_full.value_or(p.seek_full)};
  }

 private:
  static constexpr int cached_class = 3;
  static constexpr int looked_at = 64;  // for data that the buffer holds by now

  // All drives of the group: what the kernel calls.
  struct Machine {
    Machine(System& s, const Params& p, std::uint32_t count)
        : params(p),
          times{DiskSurface(p.capacity, p.rpm, p.outer_rate, p.inner_outer_ratio),
                SeekCurve(read_seeks(p)),
                SeekCurve(write_seeks(p)),
                ps(p.command_overhead),
                ps(p.rotational_margin),
                block_bytes / p.interface_rate.value * picoseconds_per_second,
                static_cast<double>(p.read_ahead.value) / block_bytes},
          system(s) {
      for (std::uint32_t d = 0; d < count; ++d) {
        // Spindles are not in step: the golden ratio spreads any number of them evenly.
        const double phase = std::fmod(0.6180339887498949 * d, 1.0);
        const double ready =
            p.condition == Condition::ready ? 0 : ps(p.spin_up) + d * ps(p.spin_up_interval);
        heads.emplace_back(phase, ready, static_cast<std::size_t>(p.read_streams));
      }
    }
    static double ps(Duration d) { return static_cast<double>(d.count()); }
    static double ps(Time t) { return ps(t.time_since_epoch()); }
    static DiskRequest request(const Io& io, bool writes) {
      return {io.lba, io.blocks, writes, ps(io.mark)};
    }

    NextService operator()(std::uint32_t drive, const WaitingLines& lines, Time now) noexcept {
      DiskHead& head = heads[drive];
      const double now_ps = ps(now);
      NextService next;
      DiskRequest chosen;
      double least = 0;
      int room = params.queue_depth;
      for (int c = 0; c < ScheduledStation::priorities; ++c) {
        const bool cached = c == cached_class;
        const double weight = cached ? params.cached_age_weight : params.age_weight;
        const double handicap = c * ps(params.class_handicap);
        const int window = cached ? params.write_cache : std::max(1, room);
        int seen = 0;
        const auto consider = [&](IoId id, const Io& io, bool writes) {
          const DiskRequest r = request(io, writes);
          // What came into the buffer while it waited needs no head.
          const bool held = head.holds(times, r, now_ps);
          if (seen++ >= window && !held) return;
          const double score = held ? -std::numeric_limits<double>::infinity()
                                    : head.cost(times, r, now_ps).total_ps + handicap -
                                          weight * (now_ps - r.since_ps);
          if (next.io != IoId::none && score >= least) return;
          least = score;
          next.io = id;
          next.priority = c;
          chosen = r;
        };
        room -= std::min(window, lines.for_each(c, std::max(window, looked_at), consider));
      }
      const DiskHead::Service service = head.serve(times, chosen, now_ps);
      const Duration total{static_cast<std::int64_t>(service.total_ps + 0.5)};
      const Duration transfer{static_cast<std::int64_t>(service.transfer_ps + 0.5)};
      system.stations[positioning + drive].serve(now, total - transfer);
      system.stations[transfers + drive].serve(now + (total - transfer), transfer);
      next.service = total;
      return next;
    }

    struct InBuffer {
      Machine* machine;
      bool wanted;  // the answer that means "skip"
      bool operator()(const Io& io, Time now, Rng&) const noexcept {
        DiskHead& head = machine->heads[index_of(io.drive)];
        return head.take_from_buffer(machine->times, request(io, false), ps(now)) == wanted;
      }
    };
    struct Expected {
      const Machine* machine;
      double operator()(const Io& io, std::uint64_t previous, bool writes) const noexcept {
        const DiskTimes& d = machine->times;
        if (previous == io.lba) {  // a stream: at its best in the outer zone
          return io.blocks * d.surface.ps_per_block(0) / picoseconds_per_second;
        }
        const double z = d.surface.fraction(io.lba);
        const double transfer = io.blocks * d.surface.ps_per_block(z);
        const double stroke = std::fabs(z - d.surface.fraction(previous));
        const double seek = (writes ? d.write_seek : d.read_seek).time_ps(stroke) + d.margin_ps;
        return (d.overhead_ps + seek + d.surface.revolution_ps() / 2 + transfer) /
               picoseconds_per_second;
      }
    };

    Params params;
    DiskTimes times;
    System& system;
    std::vector<DiskHead> heads;
    std::uint32_t positioning = 0, transfers = 0;  // first stations that take the shares down
    InBuffer in_buffer{this, true}, not_in_buffer{this, false};
    Expected expected{this};
  };

  [[nodiscard]] double link_ps_per_byte() const {
    return picoseconds_per_second / machine_->params.interface_rate.value;
  }

  std::shared_ptr<Machine> machine_;
  GroupId heads_{}, links_{}, positioning_{}, transfers_{};
  DecideId in_buffer_{}, not_in_buffer_{};
  PoolId cache_{};
};
static_assert(DriveModel<Hdd>);

inline const Schema<Hdd::Params>& Hdd::schema() {
  using P = Params;
  static const Schema<P> sheet =
      Schema<P>("hdd", "A hard disk: one head, positioning-time scheduling, buffer, zones.")
          .required(&P::capacity, {"capacity", "usable capacity", ""}, {1e8, 1e15})
          .required(&P::rpm, {"rpm", "revolutions a minute", "count"}, {3600, 20000})
          .required(&P::seek_track, {"seek_track", "seek to the next track, reading", ""},
                    {1e-5, 1e-2})
          .required(&P::seek_average, {"seek_average", "seek between random places, reading", ""},
                    {5e-4, 5e-2})
          .required(&P::seek_full, {"seek_full", "seek over the full stroke, reading", ""},
                    {1e-3, 1e-1})
          .optional(&P::write_seek_track, std::nullopt,
                    {"write_seek_track", "the same, writing; none: as reading", ""}, {1e-5, 1e-2})
          .optional(&P::write_seek_average, std::nullopt,
                    {"write_seek_average", "the same, writing; none: as reading", ""}, {5e-4, 5e-2})
          .optional(&P::write_seek_full, std::nullopt,
                    {"write_seek_full", "the same, writing; none: as reading", ""}, {1e-3, 1e-1})
          .optional(&P::command_overhead, from_seconds(0.15e-3),
                    {"command_overhead", "of a command, before the head moves", ""}, {0, 5e-3})
          .required(&P::outer_rate, {"outer_rate", "sustained rate of the outer zone", ""},
                    {1e6, 2e9})
          .optional(&P::inner_outer_ratio, 0.5,
                    {"inner_outer_ratio", "inner zone's rate / outer zone's", ""}, {0.2, 1})
          .optional(&P::interface_rate, Bandwidth{1.2e9},
                    {"interface_rate", "rate of the interface out of the buffer", ""}, {1e7, 1e10})
          .optional(&P::queue_depth, 128,
                    {"queue_depth", "commands that the drive sorts; 1: order of arrival", ""},
                    {1, 1024})
          .optional(&P::age_weight, 0.02,
                    {"age_weight", "positioning time a command gains by waiting, ms / ms", "ms/ms"},
                    {0, 10})
          .optional(&P::cached_age_weight, 0.005,
                    {"cached_age_weight", "the same of the drive's own cached writes", "ms/ms"},
                    {1e-4, 10})
          .optional(&P::class_handicap, from_seconds(8.3e-3),
                    {"class_handicap",
                     "positioning time that each class stands behind the one "
                     "before: clients, background, cached writes",
                     ""},
                    {0, 1})
          .optional(
              &P::rotational_margin, Duration{},
              {"rotational_margin", "time before its place by which the head must be on track", ""},
              {0, 5e-3})
          .optional(&P::read_ahead, Bytes{1 << 20},
                    {"read_ahead", "run that is read of a stream before the head leaves it", ""},
                    {0, 64 << 20})
          .optional(&P::read_streams, 16, {"read_streams", "runs that the buffer keeps apart", ""},
                    {1, 256})
          .optional(&P::write_cache, 0,
                    {"write_cache", "writes acknowledged from the buffer; 0: write-through", ""},
                    {0, 4096})
          .optional(&P::write_acknowledge, from_seconds(0.2e-3),
                    {"write_acknowledge", "to take a write into the buffer", ""}, {1e-6, 4e-3})
          .choice(&P::interface, DriveInterface::sas, {"interface", "what it is plugged into", ""},
                  {{"sas", DriveInterface::sas}, {"sata", DriveInterface::sata}})
          .choice(&P::condition, Condition::ready, {"condition", "at the start", ""},
                  {{"ready", Condition::ready}, {"stopped", Condition::stopped}})
          .optional(&P::spin_up, from_seconds(25), {"spin_up", "from stopped to ready", ""},
                    {0, 300})
          .optional(&P::spin_up_interval, Duration{},
                    {"spin_up_interval", "between the starts of neighbouring drives", ""}, {0, 60})
          .optional(&P::power_idle, Watts{5}, {"power_idle", "power when idle, spinning", ""},
                    {0, 100})
          .optional(&P::power_random, Watts{9},
                    {"power_random", "power when always positioning", ""}, {0, 100})
          .optional(&P::power_sequential, Watts{8},
                    {"power_sequential", "power when always transferring", ""}, {0, 100})
          .optional(&P::power_spin_up, Watts{22}, {"power_spin_up", "power while it spins up", ""},
                    {0, 200})
          .check([](const P& p) { return SeekCurve::can_meet(read_seeks(p)); },
                 "seek_track, seek_average and seek_full do not lie on a rising curve: the average "
                 "is usually half of the full stroke")
          .check([](const P& p) { return SeekCurve::can_meet(write_seeks(p)); },
                 "write_seek_track, write_seek_average and write_seek_full do not lie on a rising "
                 "curve: the average is usually half of the full stroke");
  return sheet;
}

}  // namespace storcast
