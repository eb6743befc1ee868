// A page-level simulator of a log-structured drive: every page of every block, uniform random
// overwrites, garbage collection one block at a time. It exists to check ssd_amplification.hpp,
// and knows nothing of it. The victim: the oldest block (fifo), the one with the fewest valid pages
// (greedy), or the best of ten drawn at random (ten_choices). Copies and new data share one open
// block. Two free blocks are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/base/random.hpp"

namespace storcast::testing {

enum class Victim { fifo, greedy, ten_choices };

class PageLevelSsd {
 public:
  // `spare`: physical over logical pages, minus 1.
  PageLevelSsd(Victim victim, std::uint32_t blocks, std::uint32_t pages_per_block, double spare,
               std::uint64_t seed)
      : victim_(victim),
        pages_(pages_per_block),
        logical_(static_cast<std::uint32_t>((blocks - 2.0) * pages_per_block / (1 + spare))),
        where_(logical_, nowhere),
        owner_(std::size_t{blocks} * pages_per_block, nowhere),
        valid_(blocks, 0),
        by_valid_(pages_per_block + 1),
        place_(blocks, 0),
        rng_(seed, "page-level drive") {
    for (std::uint32_t b = 0; b < blocks; ++b) free_.push_back(b);
    open_block();
  }

  [[nodiscard]] std::uint32_t logical_pages() const { return logical_; }
  void fill_sequentially() {
    for (std::uint32_t page = 0; page < logical_; ++page) write(page);
  }
  // Pages programmed for each page written, over `count` random writes.
  double overwrite(std::uint64_t count) {
    const std::uint64_t before = programmed_;
    for (std::uint64_t i = 0; i < count; ++i) {
      write(static_cast<std::uint32_t>(rng_.below(logical_)));
    }
    return static_cast<double>(programmed_ - before) / static_cast<double>(count);
  }

 private:
  static constexpr std::uint32_t nowhere = 0xffffffff;

  void write(std::uint32_t page) {
    if (where_[page] != nowhere) invalidate(where_[page]);
    append(page);
    while (free_.size() < 2) collect();
  }
  void invalidate(std::uint32_t at) {
    const std::uint32_t block = at / pages_;
    owner_[at] = nowhere;
    move(block, valid_[block] - 1);
  }
  void append(std::uint32_t page) {
    const std::uint32_t at = open_ * pages_ + used_;
    owner_[at] = page;
    where_[page] = at;
    move(open_, valid_[open_] + 1);
    ++programmed_;
    if (++used_ < pages_) return;
    full_.push_back(open_);
    list(open_);
    open_block();
  }
  void open_block() {
    open_ = free_.front();
    free_.pop_front();
    used_ = 0;
  }
  void collect() {
    const std::uint32_t block = choose();
    unlist(block);
    for (std::uint32_t i = 0; i < pages_; ++i) {
      const std::uint32_t page = owner_[std::size_t{block} * pages_ + i];
      if (page == nowhere) continue;
      owner_[std::size_t{block} * pages_ + i] = nowhere;
      append(page);
    }
    valid_[block] = 0;
    free_.push_back(block);
  }
  std::uint32_t choose() {
    if (victim_ == Victim::fifo) {
      const std::uint32_t block = full_.front();
      full_.pop_front();
      return block;
    }
    if (victim_ == Victim::greedy) {
      for (auto& blocks : by_valid_) {
        if (!blocks.empty()) return blocks.front();
      }
    }
    std::uint32_t best = nowhere;
    for (int i = 0; i < 10;) {
      const auto block = static_cast<std::uint32_t>(rng_.below(valid_.size()));
      if (!is_full(block)) continue;
      if (best == nowhere || valid_[block] < valid_[best]) best = block;
      ++i;
    }
    return best;
  }

  // Full blocks by their number of valid pages, for greedy.
  [[nodiscard]] bool is_full(std::uint32_t block) const {
    const auto& blocks = by_valid_[valid_[block]];
    return place_[block] < blocks.size() && blocks[place_[block]] == block;
  }
  void list(std::uint32_t block) {
    place_[block] = by_valid_[valid_[block]].size();
    by_valid_[valid_[block]].push_back(block);
  }
  void unlist(std::uint32_t block) {
    auto& blocks = by_valid_[valid_[block]];
    blocks[place_[block]] = blocks.back();
    place_[blocks.back()] = place_[block];
    blocks.pop_back();
    place_[block] = ~std::size_t{0};
  }
  void move(std::uint32_t block, std::uint32_t valid) {
    const bool full = is_full(block);
    if (full) unlist(block);
    valid_[block] = valid;
    if (full) list(block);
  }

  Victim victim_;
  std::uint32_t pages_, logical_;
  std::vector<std::uint32_t> where_, owner_, valid_;
  std::vector<std::vector<std::uint32_t>> by_valid_;
  std::vector<std::size_t> place_;
  std::deque<std::uint32_t> free_, full_;
  std::uint32_t open_ = 0, used_ = 0;
  std::uint64_t programmed_ = 0;
  Rng rng_;
};

}  // namespace storcast::testing
