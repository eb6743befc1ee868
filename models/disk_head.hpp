// One drive's head and its read buffer: what a request costs from where the head is.
//
// Model: a request that the head must travel to costs command overhead + seek (+ margin) + rotation
// + transfer; in tracks, a switch of heads where the arm need not move. The transfer takes what the
// surface takes to pass, or the interface if that is slower. What costs less: data that the buffer
// holds (their way through the interface), data that the head is about to pass (until it has), and
// a request that was already waiting when the head came to its address, or a little before (the way
// there on the track). Reading ahead: after a read the head reads on as long as nothing else is to
// be done, at most `read_ahead` beyond what was asked for. A read that continues an earlier one (a
// stream) keeps the head for a run of at least `read_ahead` bytes (or the share `least_run` of
// them) before it may leave, so k streams move k runs of L bytes in k (L / r + t_pos).
//
// What else is known of buffers, each off unless asked for: reading ahead of streams only
// (`streams_only`); taking in what passes while the head waits on the track, up to the track's end
// (`track_buffer`); reading written data back (`keeps_written`).
//
// Parameters: DiskTimes. Scope and limits: a run keeps the last `kept` x read_ahead bytes; the runs
// are replaced least recently used first; a request that the buffer holds in part is read whole.
// References: C. Ruemmler, J. Wilkes, An introduction to disk drive modeling, IEEE Computer 27
// (1994); E. Shriver, A. Merchant, J. Wilkes, An analytic behavior model for disk drives with
// readahead caches and request reordering, SIGMETRICS 1998; the least run is the minimum pre-fetch
// of the SCSI caching page.
// Validation: tests/models/disk_head_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/disk_mechanics.hpp"

namespace storcast {

// What all drives of a model share. Times in picoseconds.
struct DiskTimes {
  DiskSurface surface;
  SeekCurve read_seek, write_seek;
  double overhead_ps = 0;
  double margin_ps = 0;               // added to every seek: settling on the safe side
  double interface_ps_per_block = 0;  // out of the buffer
  double read_ahead_blocks = 0;
  std::size_t runs = 1;        // streams that the buffer can follow
  double head_switch_ps = 0;   // to another head of the cylinder
  double least_run = 1;        // share of read_ahead that a stream's run must reach, 0 to 1
  double kept = 2;             // times read_ahead that stay behind what was asked for, 0 to 8
  bool streams_only = false;   // reads ahead only of a read that goes on where the last one ended
  bool track_buffer = false;   // takes in a track from the head's arrival on, and no further track
  bool keeps_written = false;  // written data can be read from the buffer
};

struct DiskRequest {
  std::uint64_t lba = 0;
  std::uint32_t blocks = 0;
  bool write = false;
  double since_ps = 0;  // waits since then

  [[nodiscard]] double first() const noexcept { return static_cast<double>(lba); }
  [[nodiscard]] double end() const noexcept { return first() + blocks; }
};

class DiskHead {
 public:
  // `phase`: the spindle's angle at time 0. `ready_ps`: no service starts before (spinning up).
  DiskHead(double phase, double ready_ps, std::size_t runs)
      : phase_(phase), due_ps_(ready_ps), runs_(runs) {}

  // A service: from `now` to its end, and the share of it in which data pass the head.
  struct Service {
    double total_ps = 0;
    double transfer_ps = 0;
    double wait_ps = 0;  // of the total: on the track, for the first block
  };

  // What the request would take if it were served next. now_ps: not before the last service ended.
  [[nodiscard]] Service cost(const DiskTimes& d, const DiskRequest& r,
                             double now_ps) const noexcept {
    if (!r.write) {
      if (const Run* run = run_with(d, r)) {
        const double there = run->motion.time_of(r.end());
        if (there > now_ps) return {there - now_ps, there - now_ps};
        return {r.blocks * d.interface_ps_per_block, 0};
      }
    }
    const double transfer =
        std::max(d.surface.passing_ps(r.lba, r.blocks), r.blocks * d.interface_ps_per_block);
    const Start start = begin(d, r, now_ps);
    return {start.at_ps - now_ps + transfer, transfer, start.wait_ps};
  }

  // Serves the request: the head moves, the buffer changes.
  Service serve(const DiskTimes& d, const DiskRequest& r, double now_ps) noexcept {
    const Service service = cost(d, r, now_ps);
    if (r.write) {
      forget(r);
    } else if (Run* run = run_with(d, r)) {
      consume(d, *run, r, now_ps);
      return service;
    }
    const bool continues = !r.write && stream_of(d, r) != nullptr;
    leave(std::max(now_ps, due_ps_));
    const double begin_ps = now_ps + service.total_ps - service.transfer_ps;
    const double ps_per_block = d.surface.passing_ps(r.lba, r.blocks) / r.blocks;
    due_ps_ = now_ps + service.total_ps;
    if (r.write) {
      active_ = none;
      motion_ = {r.end(), due_ps_, ps_per_block, r.end()};
      if (d.keeps_written) least_used() = {r.first(), r.end(), now_ps, motion_};
      return service;
    }
    if (continues) {
      due_ps_ = std::max(due_ps_, begin_ps + d.least_run * d.read_ahead_blocks * ps_per_block);
    }
    const bool ahead = !d.streams_only || r.first() == last_read_end_;
    last_read_end_ = r.end();
    const double first = r.first() - before(d, r, service.wait_ps / ps_per_block);
    const double stop = ahead ? stop_of(d, r) : r.end();
    Run& run = slot_for(d, r);
    run = {first, r.end(), begin_ps, {r.first(), begin_ps, ps_per_block, stop}};
    active_ = static_cast<std::size_t>(&run - runs_.data());
    return service;
  }

  // Whether the buffer holds the whole request now.
  [[nodiscard]] bool holds(const DiskTimes& d, const DiskRequest& r, double now_ps) const noexcept {
    const Run* run = r.write ? nullptr : run_with(d, r);
    return run != nullptr && run->motion.time_of(r.end()) <= now_ps;
  }

  // Whether the buffer holds the whole request now; if so it counts as read from there.
  bool take_from_buffer(const DiskTimes& d, const DiskRequest& r, double now_ps) noexcept {
    Run* run = run_with(d, r);
    if (run == nullptr || run->motion.time_of(r.end()) > now_ps) return false;
    consume(d, *run, r, now_ps);
    return true;
  }

  // Where the head is, in blocks; while it waits: where it stopped.
  [[nodiscard]] double position(double now_ps) const noexcept { return motion().at(now_ps); }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr double same_instant_ps = 1000;

  // Data pass the head from block `from` on, at `start_ps`, as far as block `stop`.
  struct Motion {
    double from = 0, start_ps = -1e12, ps_per_block = 1, stop = 0;
    [[nodiscard]] double at(double now_ps) const noexcept {
      return std::clamp(from + (now_ps - start_ps) / ps_per_block, from, stop);
    }
    // What lies before `from` passed earlier.
    [[nodiscard]] double time_of(double block) const noexcept {
      return block <= from ? 0 : start_ps + (block - from) * ps_per_block;
    }
  };
  struct Run {
    double first = 0;   // of the run
    double wanted = 0;  // end of what was asked for
    double used_ps = -1;
    Motion motion{};
  };

  [[nodiscard]] const Motion& motion() const noexcept {
    return active_ == none ? motion_ : runs_[active_].motion;
  }

  struct Start {
    double at_ps = 0, wait_ps = 0;
  };
  // When the request's data begin to pass the head, and how long it waited for them on the track.
  [[nodiscard]] Start begin(const DiskTimes& d, const DiskRequest& r,
                            double now_ps) const noexcept {
    const double leave_ps = std::max(now_ps, due_ps_);
    const Motion& m = motion();
    const double here = m.at(leave_ps);
    const double gap = r.first() - here;
    const bool moving =
        leave_ps <= m.start_ps + (m.stop - m.from) * m.ps_per_block + same_instant_ps;
    if (moving && r.since_ps <= leave_ps && gap >= 0 && gap <= d.least_run * d.read_ahead_blocks) {
      return {leave_ps + gap * m.ps_per_block};
    }
    const SeekCurve& seek = r.write ? d.write_seek : d.read_seek;
    const double stroke = std::fabs(d.surface.fraction(r.first()) - d.surface.fraction(here));
    const double way = d.surface.other_head(here, r.lba) ? d.head_switch_ps : seek.time_ps(stroke);
    const double arrived = leave_ps + d.overhead_ps + way + d.margin_ps;
    const double wait = d.surface.wait_ps(arrived, phase_, d.surface.angle(r.lba));
    return {arrived + wait, wait};
  }

  // Where reading ahead of a request ends.
  [[nodiscard]] static double stop_of(const DiskTimes& d, const DiskRequest& r) noexcept {
    const double stop = std::min(d.surface.blocks(), r.end() + d.read_ahead_blocks);
    return d.track_buffer ? std::min(stop, d.surface.end_of_track(r.lba + r.blocks - 1)) : stop;
  }
  // Blocks in front of a request that a buffer of the track took in while they passed.
  [[nodiscard]] static double before(const DiskTimes& d, const DiskRequest& r,
                                     double passed) noexcept {
    return d.track_buffer ? std::min(passed, d.surface.before_on_track(r.lba)) : 0;
  }

  // The run that holds the request, or will when the head has gone on as far as it is to go.
  [[nodiscard]] const Run* run_with(const DiskTimes& d, const DiskRequest& r) const noexcept {
    for (const Run& run : runs_) {
      const double kept = std::max(run.first, run.motion.stop - (1 + d.kept) * d.read_ahead_blocks);
      if (run.used_ps >= 0 && kept <= r.first() && r.end() <= run.motion.stop) return &run;
    }
    return nullptr;
  }
  Run* run_with(const DiskTimes& d, const DiskRequest& r) noexcept {
    return const_cast<Run*>(static_cast<const DiskHead&>(*this).run_with(d, r));
  }
  // The run that the request continues: it begins in it or shortly behind.
  [[nodiscard]] Run* stream_of(const DiskTimes& d, const DiskRequest& r) noexcept {
    for (Run& run : runs_) {
      if (run.used_ps >= 0 && run.first < r.first() &&
          r.first() <= run.wanted + d.read_ahead_blocks) {
        return &run;
      }
    }
    return nullptr;
  }
  Run& slot_for(const DiskTimes& d, const DiskRequest& r) noexcept {
    if (Run* run = stream_of(d, r)) return *run;
    return least_used();
  }
  Run& least_used() noexcept {
    return *std::min_element(runs_.begin(), runs_.end(),
                             [](const Run& a, const Run& b) { return a.used_ps < b.used_ps; });
  }

  // The head leaves the run it reads, if any.
  void leave(double at_ps) noexcept {
    if (active_ == none) return;
    Motion& m = runs_[active_].motion;
    motion_ = {m.at(at_ps), at_ps, m.ps_per_block, m.at(at_ps)};
    m.stop = motion_.stop;
    active_ = none;
  }

  // Part of a run was asked for: the head, if it is still there, may go on further.
  void consume(const DiskTimes& d, Run& run, const DiskRequest& r, double now_ps) noexcept {
    run.wanted = std::max(run.wanted, r.end());
    run.used_ps = now_ps;
    last_read_end_ = r.end();
    if (active_ == none || &run != &runs_[active_]) return;
    Motion& m = run.motion;
    const double stop = stop_of(d, r);
    if (m.time_of(m.stop) >= now_ps) {
      m.stop = std::max(m.stop, stop);
    } else if (m.stop - run.wanted < d.read_ahead_blocks / 2 && stop > m.stop) {
      // The head had stopped and starts again when its place comes round.
      const double angle = d.surface.angle(static_cast<std::uint64_t>(m.stop));
      const double start = now_ps + d.surface.wait_ps(now_ps, phase_, angle);
      m = {m.stop, start, m.ps_per_block, stop};
    }
  }

  // What is written is no longer in the buffer.
  void forget(const DiskRequest& r) noexcept {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Run& run = runs_[i];
      if (run.used_ps < 0 || r.end() <= run.first || run.motion.stop <= r.first()) continue;
      if (i == active_) leave(due_ps_);
      run.used_ps = -1;
    }
  }

  double phase_;
  double due_ps_;  // the head may leave from then on
  Motion motion_{};
  std::size_t active_ = none;  // the run that the head reads
  double last_read_end_ = -1;  // in blocks, of the last request to read
  std::vector<Run> runs_;
};

}  // namespace storcast
