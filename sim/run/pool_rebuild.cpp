#include "sim/run/pool_rebuild.hpp"

#include <algorithm>

namespace storcast {
namespace {

constexpr std::uint64_t sampled_rows = 32768;  // several turns of any layout

}  // namespace

std::string rebuild_in_words(const RebuildJob& job, const std::string& pool) {
  return "rebuild of drive " + std::to_string(job.drive) + " of pool " + pool +
         (job.woven ? " into a woven spare" : " into a hot spare");
}

PoolRebuild::PoolRebuild(RebuildPlanner planner, const RebuildParams& params, const Size& size)
    : planner_(planner),
      params_(params),
      size_(size),
      hot_left_(size.hot_spares),
      probe_(planner.most_members()) {
  INVARIANT(size.rows > 0 && size.strip.value > 0, "a member drive holds a row");
}

void PoolRebuild::lost(int drive, Time now) {
  RebuildJob job{.drive = drive, .lost = now};
  const auto id = static_cast<DriveId>(drive);
  job.woven = planner_.has_woven_spare(id);
  job.spared = job.woven || hot_left_ > 0;
  if (!job.woven && job.spared) {
    --hot_left_;
    planner_.replace(id);
  }
  job.rows = params_.blocks == RebuildBlocks::all
                 ? size_.rows
                 : std::min(size_.rows, planner_.used_rows(size_.used_blocks));
  jobs_.push_back(job);
}

std::optional<PoolRebuild::Launch> PoolRebuild::start_next(Time now) {
  if (running_) return std::nullopt;
  const auto waiting = std::find_if(jobs_.begin(), jobs_.end(),
                                    [](const auto& j) { return j.spared && !j.started; });
  if (waiting == jobs_.end()) return std::nullopt;
  active_ = static_cast<std::size_t>(waiting - jobs_.begin());
  RebuildJob& next = job();
  next.started = true;
  next.begins = std::max(now, next.lost + params_.starts_after);
  running_ = true;
  next_ = 0;
  const RowShape shape = shape_of(next.drive);
  const double accesses = std::max(shape.busiest, 1e-6);
  share_ = shape.share;
  row_time_ = rebuild_row_time(params_, size_.strip, accesses);
  const int rows = rebuild_rows_in_flight(params_, accesses);
  in_flight_.assign(static_cast<std::size_t>(rows), no_row);
  return Launch{rows, next.begins};
}

void PoolRebuild::skip_to(std::uint64_t row, Time now) {
  INVARIANT(running_ && row >= job().passed, "a rebuild goes forward");
  next_ = std::min(row, job().rows);
  std::fill(in_flight_.begin(), in_flight_.end(), no_row);
  job().written = static_cast<std::uint64_t>(static_cast<double>(next_) * share_ + 0.5);
  mark_progress(now);
}

PoolRebuild::RowShape PoolRebuild::shape_of(int drive) const {
  MemberPlan plan(planner_.most_members());
  RowShape shape;
  shape.accesses.assign(planner_.drives(), 0);
  const std::uint64_t rows = std::min(sampled_rows, size_.rows);
  double held = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    plan.clear();
    planner_.row(static_cast<DriveId>(drive), row, RebuildPhase::reads, plan);
    if (plan.size() == 0) continue;
    planner_.row(static_cast<DriveId>(drive), row, RebuildPhase::write, plan);
    for (const MemberIo& io : plan.ios()) shape.accesses[index_of(io.drive)] += 1;
    held += 1;
  }
  shape.share = held / static_cast<double>(rows);
  for (double& a : shape.accesses) {
    a /= std::max(held, 1.0);
    shape.busiest = std::max(shape.busiest, a);
  }
  return shape;
}

bool PoolRebuild::TakeRow::operator()(const Io& io, Time now, Rng&) const noexcept {
  PoolRebuild& r = *rebuild;
  for (const std::uint64_t rows = r.job().rows; r.next_ < rows;) {
    const std::uint64_t row = r.next_++;
    r.probe_.clear();
    r.planner_.row(r.drive(), row, RebuildPhase::reads, r.probe_);
    if (r.probe_.size() == 0) continue;  // the drive held nothing there
    r.in_flight_[io.lba] = row;
    return false;
  }
  r.mark_progress(now);
  return true;
}

void PoolRebuild::RowMembers::operator()(const Io& io, int phase, MemberPlan& out) const noexcept {
  PoolRebuild& r = *rebuild;
  const auto of_row = static_cast<RebuildPhase>(phase);
  const std::size_t before = out.size();
  r.planner_.row(r.drive(), r.in_flight_[io.lba], of_row, out);
  if (of_row == RebuildPhase::write) r.job().written += out.size() - before;
}

bool PoolRebuild::RowDone::operator()(const Io& io, Time now, Rng&) const noexcept {
  PoolRebuild& r = *rebuild;
  const std::uint64_t row = r.in_flight_[io.lba];
  r.in_flight_[io.lba] = no_row;
  // Only the lowest row in flight holds the mark back.
  const bool lowest = std::none_of(r.in_flight_.begin(), r.in_flight_.end(),
                                   [row](std::uint64_t other) { return other < row; });
  if (lowest) r.mark_progress(now);
  return true;
}

void PoolRebuild::mark_progress(Time now) noexcept {
  RebuildJob& j = job();
  if (j.done) return;
  const std::uint64_t lowest =
      std::min(next_, *std::min_element(in_flight_.begin(), in_flight_.end()));
  j.passed = lowest;
  if (lowest < j.rows) {
    planner_.set_rebuilt_rows(drive(), lowest);
    return;
  }
  planner_.rebuilt(drive());
  j.done = true;
  j.ended = now;
  j.redundant = planner_.lost() == 0;
  running_ = false;
}

std::vector<RebuildResult> PoolRebuild::results(const std::string& pool, Time now) const {
  std::vector<RebuildResult> results;
  for (const RebuildJob& j : jobs_) {
    if (!j.spared) continue;
    RebuildResult r;
    r.pool = pool;
    r.drive = j.drive;
    r.into = j.woven ? "woven spare" : "hot spare";
    r.failed_s = to_seconds(j.lost);
    r.rows = j.rows;
    r.rows_done = j.passed;
    r.bytes = static_cast<double>(j.written) * static_cast<double>(size_.strip.value);
    r.redundancy_restored = j.redundant;
    if (j.started && j.begins < now) {
      r.begins_s = to_seconds(j.begins);
      const double took = to_seconds((j.done ? j.ended : now) - j.begins);
      if (took > 0) r.bytes_per_s = r.bytes / took;
      if (!j.done && j.passed > 0) {
        r.remaining_s =
            took * static_cast<double>(j.rows - j.passed) / static_cast<double>(j.passed);
      }
    }
    if (j.done) r.ends_s = to_seconds(j.ended);
    results.push_back(std::move(r));
  }
  return results;
}

}  // namespace storcast
