#include "models/parity_raid.hpp"

#include <vector>

namespace storcast {

ParityRaid::ParityRaid(const RaidLayout& layout, std::uint32_t strip_blocks, WritePolicy policy)
    : map_(layout),
      members_(layout.drives, layout.groups, layout.spares),
      p_(static_cast<std::uint32_t>(layout.parity)),
      d_(static_cast<std::uint32_t>(layout.data)),
      strip_(strip_blocks),
      row_blocks_(std::uint64_t{strip_blocks} * d_ * map_.groups()),
      by_strip_(strip_blocks),
      by_data_(d_),
      by_groups_(map_.groups()),
      policy_(policy) {
  INVARIANT(d_ >= 2 || layout.family == RaidFamily::declustered,
            "a row of RAID 5 and 6 has at least two data strips");
}

ParityRaid::ParityRaid(int drives, int parity, std::uint32_t strip_blocks)
    : ParityRaid(RaidLayout{RaidFamily::parity, drives, 1, 1, drives - parity, parity, 0},
                 strip_blocks) {}

std::size_t ParityRaid::most_members(std::uint32_t blocks) const {
  const std::size_t strips = blocks / strip_ + 2;
  const std::size_t rows = blocks / row_blocks_ + 2;
  const std::size_t stripes = std::min(strips, rows * map_.groups());
  // Degraded: every strip of a lost drive costs d reads; a write, at most a whole stripe.
  return std::max(strips * d_, stripes * map_.width()) + map_.width();
}

// From drive to woven spare to the woven spare of that one's drive, until somebody has the row.
ParityRaid::Place ParityRaid::follow(const Stripe& stripe, Place at) const noexcept {
  while (true) {
    const RaidMember& m = members_[at.drive];
    if (!m.lost || (m.replaced && at.row < m.new_rows)) return at;
    if (m.spare < 0 || at.row >= m.spare_rows) return {nobody, at.row};
    at.drive = map_.spare(stripe, static_cast<std::uint32_t>(m.spare));
  }
}

std::uint32_t ParityRaid::lost_strips(const Stripe& stripe) const noexcept {
  std::uint32_t lost = 0;
  for (std::uint32_t i = 0; i < map_.width(); ++i) {
    lost += server(stripe, i).drive == nobody ? 1 : 0;
  }
  return lost;
}

bool ParityRaid::held(std::uint32_t drive, std::uint64_t row, Found& found) const noexcept {
  RaidStripeMap::Slot slot = map_.slot(drive, row);
  while (slot.spare >= 0) {
    const std::uint32_t first = slot.group * map_.group_drives();
    std::uint32_t owner = nobody;
    for (std::uint32_t d = first; d < first + map_.group_drives(); ++d) {
      const RaidMember& m = members_[d];
      const bool there = row < m.spare_rows && !(m.replaced && row < m.new_rows);
      if (m.lost && m.spare == slot.spare && there) owner = d;
    }
    // Two lost drives that hold each other's spare of this row hold nothing.
    if (owner == nobody || owner == drive) return false;
    slot = map_.slot(owner, row);
  }
  found = {map_.stripe(slot.group, slot.stripe), slot.strip};
  return true;
}

// Where a row of a lost drive goes: its new drive, or its woven spare. If that one's drive is lost
// too, to where follow() would look: on, if the row is there already or can only go there.
std::uint32_t ParityRaid::rebuild_target(const Stripe& stripe, std::uint32_t drive,
                                         std::uint64_t row) const noexcept {
  if (members_[drive].replaced) return drive;
  while (members_[drive].lost) {
    const RaidMember& m = members_[drive];
    const bool moved = m.spare >= 0 && row < m.spare_rows;
    if (m.replaced && (row < m.new_rows || !moved)) return drive;
    if (m.spare < 0) return nobody;
    drive = map_.spare(stripe, static_cast<std::uint32_t>(m.spare));
  }
  return drive;
}

void ParityRaid::rebuild(DriveId drive, std::uint64_t row, RebuildPhase phase,
                         MemberPlan& out) const noexcept {
  const auto lost = static_cast<std::uint32_t>(index_of(drive));
  Found found{};
  if (!members_[lost].lost || !held(lost, row, found)) return;
  const std::uint32_t target = rebuild_target(found.stripe, lost, row);
  if (target == nobody || lost_strips(found.stripe) > p_) return;
  const Range whole{0, strip_};
  if (phase == RebuildPhase::write) return push({target, row}, whole, out);
  const Place source = server(found.stripe, found.strip);
  if (source.drive != nobody && source.drive != target) return push(source, whole, out);
  recover(found.stripe, found.strip, whole, out);
}

void ParityRaid::read_degraded(const StripePart& r, MemberPlan& out) const noexcept {
  Range lost{strip_, 0};
  std::uint32_t last_lost = 0;
  for (std::uint32_t k = r.begin; k < r.end; ++k) {
    if (server(r.stripe, p_ + k).drive != nobody) continue;
    const Range c = covered(r, k);
    lost = {std::min(lost.low, c.low), std::max(lost.high, c.high)};
    last_lost = p_ + k;
  }
  std::uint32_t taken = 0;
  for (std::uint32_t k = r.begin; k < r.end; ++k) {
    const Place at = server(r.stripe, p_ + k);
    if (at.drive == nobody) continue;
    const Range c = covered(r, k);
    push(at, {std::min(lost.low, c.low), std::max(lost.high, c.high)}, out);
    ++taken;
  }
  if (last_lost == 0) return;
  for (std::uint32_t i = 1; i < map_.width() && taken < d_; ++i) {
    const std::uint32_t other =
        last_lost + i < map_.width() ? last_lost + i : last_lost + i - map_.width();
    const Place at = server(r.stripe, other);
    if (at.drive == nobody || (other >= p_ + r.begin && other < p_ + r.end)) continue;
    push(at, lost, out);
    ++taken;
  }
}

void ParityRaid::recover(const Stripe& stripe, std::uint32_t strip, Range range,
                         MemberPlan& out) const noexcept {
  const std::uint32_t width = map_.width();
  std::uint32_t taken = 0;
  for (std::uint32_t i = 1; i < width && taken < d_; ++i) {
    const std::uint32_t other = strip + i < width ? strip + i : strip + i - width;
    const Place at = server(stripe, other);
    if (at.drive == nobody) continue;
    push(at, range, out);
    ++taken;
  }
}

void ParityRaid::read_old_stripe(const StripePart& w, Range range, MemberPlan& out) const noexcept {
  std::uint32_t taken = 0;
  for (std::uint32_t i = 0; i < map_.width() && taken < d_; ++i) {
    const Place at = server(w.stripe, i < d_ ? p_ + i : i - d_);  // data, then parity
    if (at.drive == nobody) continue;
    push(at, range, out);
    ++taken;
  }
}

ParityRaid::Losses ParityRaid::losses(const StripePart& w, Range parity) const noexcept {
  Losses lost{};
  for (std::uint32_t i = 0; i < p_; ++i) {
    lost.parities += server(w.stripe, i).drive == nobody ? 1 : 0;
  }
  for (std::uint32_t k = 0; k < d_; ++k) {
    if (server(w.stripe, p_ + k).drive != nobody) continue;
    const Range c = k >= w.begin && k < w.end ? covered(w, k) : Range{0, 0};
    lost.overwrites = lost.overwrites || c.high > c.low;
    lost.needs_old = lost.needs_old || c.low > parity.low || c.high < parity.high;
  }
  return lost;
}

void ParityRaid::fail(DriveId drive) {
  members_.fail(drive);
  data_lost_ = data_lost_ || beyond_parity();
}

// Whether a stripe has lost more than its parity. The layout repeats, and rows differ only in being
// below or above the marks of rebuilds, so one period from each mark on is enough. A stripe that
// has lost p + 1 strips has them on p + 1 lost drives, so p of a group's lost drives need no look.
bool ParityRaid::beyond_parity() const {
  std::vector<std::uint64_t> marks{0, RaidMembers::all_rows};
  for (std::size_t d = 0; d < members_.size(); ++d) {
    marks.push_back(members_[d].spare_rows);
    marks.push_back(members_[d].new_rows);
  }
  std::sort(marks.begin(), marks.end());
  const std::uint32_t n = map_.group_drives();
  std::vector<std::uint32_t> lost;
  for (std::uint32_t d = 0; d < members_.size(); ++d) {
    if (d % n == 0) lost.clear();
    if (!members_[d].lost || members_[d].spare_rows == RaidMembers::all_rows) continue;
    lost.push_back(d);
    if (lost.size() <= p_) continue;
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
      const std::uint64_t rows = std::min(marks[i + 1] - marks[i], map_.period_rows());
      if (beyond_parity(d, marks[i], marks[i] + rows)) return true;
    }
  }
  return false;
}

bool ParityRaid::beyond_parity(std::uint32_t drive, std::uint64_t from, std::uint64_t to) const {
  for (std::uint64_t row = from; row < to; ++row) {
    Found found{};
    if (held(drive, row, found) && lost_strips(found.stripe) > p_) return true;
  }
  return false;
}

}  // namespace storcast
