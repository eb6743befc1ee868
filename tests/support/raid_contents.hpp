// The blocks of a parity set's drives, written and read as its plans say: an oracle for planners.
//
// Every block of a drive remembers which strip it belongs to and what it holds: a data block the
// number of its last write, a parity block a sum over the data blocks beside it. So a plan that
// reads something stale, forgets a copy, writes to the wrong place or cannot compute the parity
// that it writes is found out. Knowing d strips of a stripe is knowing all (an MDS code).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/parity_raid.hpp"

namespace storcast::testing {

struct PlanError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class RaidContents {
 public:
  RaidContents(const RaidLayout& layout, std::uint32_t strip, std::uint64_t rows,
               WritePolicy policy = WritePolicy::min_reads)
      : raid(layout, strip, policy),
        layout_(layout),
        strip_(strip),
        rows_(rows),
        written_(raid.data_blocks(rows * strip), 1),
        alive_(static_cast<std::size_t>(layout.drives), true),
        blocks_(alive_.size(), std::vector<Block>(rows * strip)) {
    for_each_strip([&](Strip s, std::uint32_t drive, std::uint64_t row) { fill(drive, row, s); });
  }

  [[nodiscard]] std::uint64_t data_blocks() const { return written_.size(); }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] bool alive(std::uint32_t drive) const { return alive_[drive]; }

  // Every block of the extent must come back: itself, or from d strips that are up to date.
  // Returns the number of members asked.
  std::size_t read(Extent extent) const {
    const auto ios = plan(extent, RaidPhase::read);
    const Known known = learn(ios);
    for (std::uint64_t b = extent.first; b < extent.first + extent.blocks; ++b) {
      const Address at = address(b);
      if (!knows(known, at, at.strip)) throw PlanError("a read does not give block back");
    }
    return ios.size();
  }

  // What is read before must be enough for all parity that is written.
  void write(Extent extent, bool with_reads = true) {
    const Known old = with_reads ? learn(plan(extent, RaidPhase::write_reads)) : Known{};
    std::map<Line, std::set<std::uint32_t>> changed;
    for (std::uint64_t b = extent.first; b < extent.first + extent.blocks; ++b) {
      const Address at = address(b);
      changed[at.line].insert(at.strip);
      ++written_[b];
    }
    const auto ios =
        plan(extent, with_reads ? RaidPhase::write_writes : RaidPhase::sequential_writes);
    std::set<std::pair<std::uint32_t, std::uint64_t>> once;
    for (const MemberIo& io : ios) {
      for (std::uint32_t i = 0; i < io.blocks; ++i) {
        Block& block = block_of(io, i);
        if (!once.insert({static_cast<std::uint32_t>(index_of(io.drive)), io.lba + i}).second) {
          throw PlanError("a block is written twice");
        }
        if (block.strip < 0) throw PlanError("a write goes where no strip lies");
        const Line line{block.group, block.stripe, offset(io.lba + i)};
        const auto strip = static_cast<std::uint32_t>(block.strip);
        const bool data = block.strip >= layout_.parity;
        const auto& strips = changed[line];
        if (data && !strips.contains(strip)) throw PlanError("data are written unasked");
        if (!data && with_reads && !computes(old, line, strips, strip)) {
          throw PlanError("parity cannot be computed from what was read");
        }
        block.value = truth(line, strip);
      }
    }
  }

  // Strips that are up to date on drives that live, at the fewest over all blocks of all stripes.
  [[nodiscard]] int fewest_strips() const {
    std::map<Line, std::set<std::uint32_t>> there;
    for_each_strip([&](Strip s, std::uint32_t, std::uint64_t) {
      for (std::uint32_t o = 0; o < strip_; ++o) there[{s.group, s.stripe, o}];
    });
    for (std::uint32_t d = 0; d < alive_.size(); ++d) {
      for (std::uint64_t at = 0; alive_[d] && at < blocks_[d].size(); ++at) {
        const Block& b = blocks_[d][at];
        const Line line{b.group, b.stripe, offset(at)};
        if (b.strip < 0 || b.value != truth(line, static_cast<std::uint32_t>(b.strip))) continue;
        there[line].insert(static_cast<std::uint32_t>(b.strip));
      }
    }
    std::size_t fewest = raid.map().width();
    for (const auto& [line, strips] : there) fewest = std::min(fewest, strips.size());
    return static_cast<int>(fewest);
  }
  // The same as the planner sees it. Every strip that it says is served must be there, up to date,
  // and no two of a stripe on one drive.
  [[nodiscard]] int fewest_served() const {
    std::map<Line, std::set<std::uint32_t>> served;
    for_each_strip([&](Strip s, std::uint32_t, std::uint64_t row) {
      auto& drives = served[{s.group, s.stripe, 0}];
      const std::uint32_t drive = raid.serving_drive(s.group, s.stripe, s.strip);
      if (drive == ParityRaid::nobody) return;
      if (!drives.insert(drive).second) throw PlanError("two strips on one drive");
      for (std::uint32_t o = 0; o < strip_; ++o) {
        const MemberIo io{static_cast<DriveId>(drive), row * strip_ + o, 1};
        const Block& b = block_of(io, 0);
        const bool same =
            b.strip == static_cast<int>(s.strip) && b.stripe == s.stripe && b.group == s.group;
        if (!same || b.value != truth({s.group, s.stripe, o}, s.strip)) {
          throw PlanError("what is said to be served is not there");
        }
      }
    });
    std::size_t fewest = raid.map().width();
    for (const auto& [line, drives] : served) fewest = std::min(fewest, drives.size());
    return static_cast<int>(fewest);
  }

  void fail(std::uint32_t drive) {
    raid.fail(static_cast<DriveId>(drive));
    alive_[drive] = false;
    blocks_[drive].assign(blocks_[drive].size(), Block{});
  }
  void replace(std::uint32_t drive) {
    raid.replace(static_cast<DriveId>(drive));
    alive_[drive] = true;
  }
  // Rebuilds rows [from, to) of a lost drive; returns the members asked to read.
  std::size_t rebuild(std::uint32_t drive, std::uint64_t from, std::uint64_t to) {
    std::size_t reads = 0;
    for (std::uint64_t row = from; row < to; ++row) reads += rebuild_row(drive, row);
    return reads;
  }
  void rebuild_all(std::uint32_t drive) {
    const RaidMember& m = raid.member(static_cast<DriveId>(drive));
    rebuild(drive, m.replaced ? m.new_rows : m.spare_rows, rows_);
    raid.rebuilt(static_cast<DriveId>(drive));
  }

  ParityRaid raid;

 private:
  struct Block {
    std::uint32_t group = 0;
    std::uint64_t stripe = 0;
    int strip = -1;
    std::uint64_t value = 0;
  };
  struct Strip {
    std::uint32_t group;
    std::uint64_t stripe;
    std::uint32_t strip;
  };
  // The same block of all strips of a stripe.
  struct Line {
    std::uint32_t group;
    std::uint64_t stripe;
    std::uint32_t offset;
    auto operator<=>(const Line&) const = default;
  };
  struct Address {
    Line line;
    std::uint32_t strip;
  };
  using Known = std::map<Line, std::set<std::uint32_t>>;

  [[nodiscard]] std::uint32_t offset(std::uint64_t lba) const {
    return static_cast<std::uint32_t>(lba % strip_);
  }
  // The mapping of section 4.1 with plain divisions.
  [[nodiscard]] Address address(std::uint64_t block) const {
    const auto groups = static_cast<std::uint64_t>(layout_.groups);
    const auto data = static_cast<std::uint64_t>(layout_.data);
    const std::uint64_t chunk = block / strip_;
    const std::uint64_t in_group = chunk / groups;
    return {
        {static_cast<std::uint32_t>(chunk % groups), in_group / data, offset(block)},
        static_cast<std::uint32_t>(in_group % data) + static_cast<std::uint32_t>(layout_.parity)};
  }
  [[nodiscard]] std::uint64_t truth(const Line& line, std::uint32_t strip) const {
    const auto p = static_cast<std::uint32_t>(layout_.parity);
    const auto data = static_cast<std::uint64_t>(layout_.data);
    const auto groups = static_cast<std::uint64_t>(layout_.groups);
    const auto version = [&](std::uint64_t k) {
      const std::uint64_t chunk = (line.stripe * data + k) * groups + line.group;
      return written_[chunk * strip_ + line.offset];
    };
    if (strip >= p) return version(strip - p);
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < data; ++k) {
      sum += version(k) * (strip == 0 ? 1 : 0x9e3779b97f4a7c15ull * (k + 2));
    }
    return sum;
  }
  void fill(std::uint32_t drive, std::uint64_t row, Strip s) {
    for (std::uint32_t o = 0; o < strip_; ++o) {
      blocks_[drive][row * strip_ + o] = {s.group, s.stripe, static_cast<int>(s.strip),
                                          truth({s.group, s.stripe, o}, s.strip)};
    }
  }
  template <class Each>
  void for_each_strip(Each each) const {
    for (std::uint32_t group = 0; group < raid.map().groups(); ++group) {
      for (std::uint64_t stripe = 0; stripe < raid.map().stripes_in(rows_); ++stripe) {
        for (std::uint32_t i = 0; i < raid.map().width(); ++i) {
          const auto at = raid.map().place(raid.map().stripe(group, stripe), i);
          each(Strip{group, stripe, i}, at.drive, at.row);
        }
      }
    }
  }
  [[nodiscard]] std::vector<MemberIo> plan(Extent extent, RaidPhase phase) const {
    MemberPlan out(2 * raid.most_members(extent.blocks) + 64);
    raid.plan(extent, phase, out);
    if (out.size() > raid.most_members(extent.blocks)) throw PlanError("most_members exceeded");
    return {out.ios().begin(), out.ios().end()};
  }
  [[nodiscard]] const Block& block_of(const MemberIo& io, std::uint32_t i) const {
    const std::size_t drive = index_of(io.drive);
    if (drive >= alive_.size() || !alive_[drive]) throw PlanError("a lost drive is asked");
    if (io.blocks == 0 || io.lba + i >= blocks_[drive].size()) throw PlanError("beyond the drive");
    if (io.lba / strip_ != (io.lba + io.blocks - 1) / strip_) throw PlanError("beyond the strip");
    return blocks_[drive][io.lba + i];
  }
  [[nodiscard]] Block& block_of(const MemberIo& io, std::uint32_t i) {
    return const_cast<Block&>(std::as_const(*this).block_of(io, i));
  }
  [[nodiscard]] Known learn(const std::vector<MemberIo>& ios) const {
    Known known;
    for (const MemberIo& io : ios) {
      for (std::uint32_t i = 0; i < io.blocks; ++i) {
        const Block& b = block_of(io, i);
        if (b.strip < 0) throw PlanError("a read goes where no strip lies");
        const Line line{b.group, b.stripe, offset(io.lba + i)};
        const auto strip = static_cast<std::uint32_t>(b.strip);
        if (b.value != truth(line, strip)) throw PlanError("a read finds something stale");
        if (!known[line].insert(strip).second) throw PlanError("a strip is read twice");
      }
    }
    return known;
  }
  [[nodiscard]] bool knows(const Known& known, const Address& at, std::uint32_t strip) const {
    const auto found = known.find(at.line);
    if (found == known.end()) return false;
    return found->second.contains(strip) || static_cast<int>(found->second.size()) >= layout_.data;
  }
  // Whether the new value of a parity strip follows from the changed data and what was read.
  [[nodiscard]] bool computes(const Known& old, const Line& line,
                              const std::set<std::uint32_t>& changed, std::uint32_t parity) const {
    const auto found = old.find(line);
    const std::set<std::uint32_t> none;
    const std::set<std::uint32_t>& read = found == old.end() ? none : found->second;
    if (static_cast<int>(read.size()) >= layout_.data) return true;
    bool reconstruct = true;
    bool modify = read.contains(parity);
    for (auto i = static_cast<std::uint32_t>(layout_.parity); i < raid.map().width(); ++i) {
      reconstruct = reconstruct && (changed.contains(i) || read.contains(i));
      modify = modify && (!changed.contains(i) || read.contains(i));
    }
    return reconstruct || modify;
  }
  std::size_t rebuild_row(std::uint32_t drive, std::uint64_t row) {
    const auto planned = [&](RebuildPhase phase) {
      MemberPlan out(raid.map().width() + 1);
      raid.rebuild(static_cast<DriveId>(drive), row, phase, out);
      return std::vector<MemberIo>(out.ios().begin(), out.ios().end());
    };
    const auto reads = planned(RebuildPhase::reads);
    const auto writes = planned(RebuildPhase::write);
    if (writes.size() != (reads.empty() ? 0 : 1)) throw PlanError("a row is half rebuilt");
    std::vector<std::uint32_t> served;
    const Known known = learn(reads);
    if (!reads.empty()) served = servers(known.begin()->first);
    raid.set_rebuilt_rows(static_cast<DriveId>(drive), row + 1);
    if (reads.empty()) return 0;
    const MemberIo target = writes[0];
    if (target.lba != row * strip_ || target.blocks != strip_) throw PlanError("not a whole row");
    static_cast<void>(block_of(target, 0));  // it lives
    const auto now = servers(known.begin()->first);
    for (std::uint32_t i = 0; i < now.size(); ++i) {
      if (now[i] == served[i]) continue;
      if (now[i] != index_of(target.drive)) throw PlanError("a strip comes from nowhere");
      const Line line = known.begin()->first;
      for (std::uint32_t o = 0; o < strip_; ++o) {
        if (!knows(known, {{line.group, line.stripe, o}, i}, i)) {
          throw PlanError("a row cannot be rebuilt from what is read");
        }
      }
      fill(now[i], row, {line.group, line.stripe, i});
    }
    return reads.size();
  }
  // Who serves the strips of a stripe, as the planner says.
  [[nodiscard]] std::vector<std::uint32_t> servers(const Line& line) const {
    std::vector<std::uint32_t> drives;
    for (std::uint32_t i = 0; i < raid.map().width(); ++i) {
      drives.push_back(raid.serving_drive(line.group, line.stripe, i));
    }
    return drives;
  }

  RaidLayout layout_;
  std::uint32_t strip_;
  std::uint64_t rows_;
  std::vector<std::uint64_t> written_;  // by block of the pool: how often
  std::vector<bool> alive_;
  std::vector<std::vector<Block>> blocks_;  // by drive
};

}  // namespace storcast::testing
