// The rebuild of one pool while it runs: which row is next, which are done, which drive waits.
//
// The rows in flight are background I/Os of the kernel (builder_rebuild.cpp writes their path).
// Each takes the next row, reads, computes, writes, and takes another one; Io::lba is its number.
// The functions below are what the path calls; they neither allocate nor throw. A loss is told by
// lost(), at the time of the timeline's action; whoever runs the kernel then asks start_next() for
// I/Os to start. Rows below the lowest one in flight count as rebuilt: the planner serves them
// again at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/mirror_raid.hpp"
#include "models/parity_raid.hpp"
#include "models/rebuild.hpp"
#include "sim/kernel/path.hpp"
#include "sim/run/result.hpp"

namespace storcast {

// One lost drive.
struct RebuildJob {
  int drive = 0;
  bool spared = false;  // a spare was left for it
  bool woven = false;   // into a woven spare, or else into a hot one
  bool started = false;
  Time lost{}, begins{}, ended{};
  bool done = false;
  bool redundant = false;     // with it all members of the pool are whole again
  std::uint64_t rows = 0;     // of the drive, empty ones included
  std::uint64_t passed = 0;   // all rows below are rebuilt or empty
  std::uint64_t written = 0;  // strips
};

// "rebuild of drive 3 of pool a into a woven spare".
[[nodiscard]] std::string rebuild_in_words(const RebuildJob& job, const std::string& pool);

// The planner of a pool, whichever it is. It must outlive this.
class RebuildPlanner {
 public:
  explicit RebuildPlanner(ParityRaid& raid) : parity_(&raid) {}
  explicit RebuildPlanner(MirrorRaid& raid) : mirror_(&raid) {}

  void row(DriveId drive, std::uint64_t row, RebuildPhase phase, MemberPlan& out) const noexcept {
    parity_ != nullptr ? parity_->rebuild(drive, row, phase, out)
                       : mirror_->rebuild(drive, row, phase, out);
  }
  void set_rebuilt_rows(DriveId drive, std::uint64_t rows) {
    parity_ != nullptr ? parity_->set_rebuilt_rows(drive, rows)
                       : mirror_->set_rebuilt_rows(drive, rows);
  }
  void rebuilt(DriveId drive) {
    parity_ != nullptr ? parity_->rebuilt(drive) : mirror_->rebuilt(drive);
  }
  void replace(DriveId drive) {
    parity_ != nullptr ? parity_->replace(drive) : mirror_->replace(drive);
  }
  [[nodiscard]] bool has_woven_spare(DriveId drive) const {
    return parity_ != nullptr && parity_->member(drive).spare >= 0;
  }
  [[nodiscard]] std::uint32_t lost() const noexcept {
    return parity_ != nullptr ? parity_->lost() : mirror_->lost();
  }
  [[nodiscard]] std::uint64_t used_rows(std::uint64_t blocks) const noexcept {
    return parity_ != nullptr ? parity_->used_rows(blocks) : mirror_->used_rows(blocks);
  }
  [[nodiscard]] std::uint32_t drives() const noexcept {
    return parity_ != nullptr ? parity_->drives() : mirror_->drives();
  }
  // I/Os of one row, at the most.
  [[nodiscard]] std::size_t most_members() const {
    return parity_ != nullptr ? parity_->map().width() + 1 : 2;
  }

 private:
  ParityRaid* parity_ = nullptr;
  MirrorRaid* mirror_ = nullptr;
};

class PoolRebuild {
 public:
  struct Size {
    std::uint64_t rows = 0;         // of a member drive
    std::uint64_t used_blocks = 0;  // of the pool's volumes
    Bytes strip{};
    int hot_spares = 0;
  };
  PoolRebuild(RebuildPlanner planner, const RebuildParams& params, const Size& size);
  PoolRebuild(const PoolRebuild&) = delete;  // the functions point to it
  PoolRebuild& operator=(const PoolRebuild&) = delete;

  // The drive is gone; the planner knows. It takes a spare, if one is left.
  void lost(int drive, Time now);
  // Background I/Os to start, numbered from 0, for the next drive that waits, if none is rebuilt.
  struct Launch {
    int ios = 0;
    Time at{};
  };
  [[nodiscard]] std::optional<Launch> start_next(Time now);

  // For a run without events: all rows of the drive that is rebuilt below `row` are.
  void skip_to(std::uint64_t row, Time now);
  // The drive that is rebuilt, nullptr if none is, and what limits it.
  [[nodiscard]] const RebuildJob* running() const noexcept {
    return running_ ? &jobs_[active_] : nullptr;
  }
  [[nodiscard]] Duration least_row_time() const noexcept { return row_time_; }
  [[nodiscard]] double share_of_rows() const noexcept { return share_; }  // that hold something

  [[nodiscard]] const std::vector<RebuildJob>& jobs() const noexcept { return jobs_; }
  // Of the jobs that found a spare, at the end of a run.
  [[nodiscard]] std::vector<RebuildResult> results(const std::string& pool, Time now) const;
  [[nodiscard]] const RebuildParams& params() const noexcept { return params_; }
  [[nodiscard]] Bytes strip() const noexcept { return size_.strip; }
  [[nodiscard]] std::uint32_t strip_blocks() const noexcept {
    return static_cast<std::uint32_t>(size_.strip.value / block_bytes);
  }
  [[nodiscard]] std::size_t most_members() const { return planner_.most_members(); }

  // What one row asks of the drives, on average over the rows that hold something.
  struct RowShape {
    double busiest = 0;            // rebuild I/Os at the busiest drive
    double share = 1;              // of the rows that hold something
    std::vector<double> accesses;  // by drive
  };
  [[nodiscard]] RowShape shape_of(int drive) const;
  [[nodiscard]] const RebuildPlanner& planner() const noexcept { return planner_; }

  // What the path calls.
  struct TakeRow {
    PoolRebuild* rebuild;
    bool operator()(const Io& io, Time now, Rng&) const noexcept;  // true: no row is left
  };
  struct RowMembers {
    PoolRebuild* rebuild;
    void operator()(const Io& io, int phase, MemberPlan& out) const noexcept;
  };
  struct RowTime {
    PoolRebuild* rebuild;
    Duration operator()(const Io&, Time, Rng&) const noexcept { return rebuild->row_time_; }
  };
  struct RowDone {
    PoolRebuild* rebuild;
    bool operator()(const Io& io, Time now, Rng&) const noexcept;  // true: take another
  };
  TakeRow take_row{this};
  RowMembers members{this};
  RowTime row_time{this};
  RowDone row_done{this};

 private:
  static constexpr std::uint64_t no_row = ~std::uint64_t{0};

  void mark_progress(Time now) noexcept;
  [[nodiscard]] RebuildJob& job() noexcept { return jobs_[active_]; }
  [[nodiscard]] DriveId drive() const noexcept {
    return static_cast<DriveId>(jobs_[active_].drive);
  }

  RebuildPlanner planner_;
  RebuildParams params_;
  Size size_;
  std::vector<RebuildJob> jobs_;
  std::size_t active_ = 0;
  bool running_ = false;
  int hot_left_;
  std::uint64_t next_ = 0;
  Duration row_time_{};
  double share_ = 1;
  std::vector<std::uint64_t> in_flight_;  // row of each I/O
  MemberPlan probe_;
};

}  // namespace storcast
