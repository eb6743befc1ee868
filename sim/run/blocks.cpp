#include "sim/run/blocks.hpp"

#include <utility>

namespace storcast {
namespace {

// Joins two blocks; pairs of slices become one, so that there are as many as before.
Block joined(Block a, Block b) {
  for (std::size_t s = 0; s < a.streams.size(); ++s) a.streams[s].merge(b.streams[s]);
  std::vector<Slice> slices = std::move(a.slices);
  slices.insert(slices.end(), b.slices.begin(), b.slices.end());
  a.slices.clear();
  for (std::size_t i = 0; i + 1 < slices.size(); i += 2) {
    a.slices.push_back(
        {slices[i].ios + slices[i + 1].ios, slices[i].response_ps + slices[i + 1].response_ps});
  }
  a.at_end = std::move(b.at_end);
  return a;
}

}  // namespace

std::uint64_t Block::ios() const {
  std::uint64_t sum = 0;
  for (const StreamRecord& s : streams) sum += s.directions[0].ios + s.directions[1].ios;
  return sum;
}

void Blocks::add(Block block) {
  blocks_.push_back(std::move(block));
  if (blocks_.size() < most) return;
  std::vector<Block> halved;
  halved.reserve(most);
  for (std::size_t i = 0; i + 1 < blocks_.size(); i += 2) {
    halved.push_back(joined(std::move(blocks_[i]), std::move(blocks_[i + 1])));
  }
  blocks_ = std::move(halved);
  length_ *= 2;
}

}  // namespace storcast
