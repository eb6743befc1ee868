// Plans of a RAID planner as plain lists, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/raid.hpp"

namespace storcast::testing {

template <class Raid>
std::vector<MemberIo> plan_of(const Raid& raid, Extent extent, RaidPhase phase) {
  const std::size_t most = raid.most_members(extent.blocks);
  MemberPlan plan(2 * most + 64);  // room to see an excess instead of writing beyond the end
  raid.plan(extent, phase, plan);
  if (plan.size() > most) throw InvariantError("most_members is exceeded");
  return {plan.ios().begin(), plan.ios().end()};
}

// How often each block of each drive is touched.
using Touched = std::map<std::pair<std::uint32_t, std::uint64_t>, int>;
inline Touched touched_by(const std::vector<MemberIo>& ios) {
  Touched touched;
  for (const MemberIo& io : ios) {
    for (std::uint32_t b = 0; b < io.blocks; ++b) {
      ++touched[{static_cast<std::uint32_t>(index_of(io.drive)), io.lba + b}];
    }
  }
  return touched;
}

}  // namespace storcast::testing
