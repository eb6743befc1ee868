#include "models/raid_stripe_map.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace storcast {
namespace {

// Chooses permutations one after the other: of a few random ones the one that leaves the work of a
// rebuild most even over the survivors. Because a permutation is turned over all drives, only the
// distance between two drives counts, so one histogram of n distances holds for every lost drive.
class EvenPermutations {
 public:
  EvenPermutations(const RaidLayout& layout, std::uint32_t per_slice)
      : n_(static_cast<std::uint32_t>(layout.group_drives())),
        active_(n_ - static_cast<std::uint32_t>(layout.spares)),
        load_(n_, 0),
        rng_(1, "permutations of a declustered set") {
    const auto data = static_cast<std::uint32_t>(layout.data);
    const std::uint32_t width = data + static_cast<std::uint32_t>(layout.parity);
    for (std::uint32_t stripe = 0; stripe < per_slice; ++stripe) {
      for (std::uint32_t lost = 0; lost < width; ++lost) {
        const std::uint32_t at = (stripe * width + lost) % active_;
        // The d strips after the lost one are read, the first spare is written.
        for (std::uint32_t i = 1; i <= data; ++i) {
          pairs_.emplace_back(at, (stripe * width + (lost + i) % width) % active_);
        }
        if (active_ < n_) pairs_.emplace_back(at, active_);
      }
    }
  }

  std::vector<std::uint16_t> next(std::uint32_t candidates) {
    std::vector<std::uint16_t> best;
    std::vector<std::int64_t> best_load;
    double best_cost = 0;
    for (std::uint32_t c = 0; c < candidates; ++c) {
      const std::vector<std::uint16_t> order = shuffled();
      std::vector<std::int64_t> load = load_;
      for (const auto& [lost, other] : pairs_) {
        const std::uint32_t distance = order[other] + n_ - order[lost];
        ++load[distance < n_ ? distance : distance - n_];
      }
      double cost = 0;
      for (const std::int64_t x : load) cost += static_cast<double>(x) * static_cast<double>(x);
      if (c == 0 || cost < best_cost) {
        best = order;
        best_load = std::move(load);
        best_cost = cost;
      }
    }
    load_ = std::move(best_load);
    return best;
  }
  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }

 private:
  std::vector<std::uint16_t> shuffled() {
    std::vector<std::uint16_t> order(n_);
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    for (std::size_t i = n_; i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
    return order;
  }

  std::uint32_t n_, active_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // places of lost and other
  std::vector<std::int64_t> load_;
  Rng rng_;
};

constexpr std::size_t most_trials = 40'000'000;  // pairs looked at: a tenth of a second

}  // namespace

RaidStripeMap::RaidStripeMap(const RaidLayout& layout)
    : n_(static_cast<std::uint32_t>(layout.group_drives())),
      groups_(static_cast<std::uint32_t>(layout.groups)),
      width_(static_cast<std::uint32_t>(layout.data + layout.parity)),
      active_(n_ - static_cast<std::uint32_t>(layout.spares)),
      per_slice_(std::lcm(width_, active_) / width_),
      rows_per_slice_(std::lcm(width_, active_) / active_),
      by_per_slice_(per_slice_),
      by_drives_(n_),
      by_active_(active_) {
  INVARIANT(layout.data >= 1 && (layout.parity == 1 || layout.parity == 2),
            "a stripe has data and one or two parity strips");
  INVARIANT(layout.spares >= 0 && width_ <= active_ && layout.drives % layout.groups == 0 &&
                layout.drives <= 1024,
            "a group holds a whole stripe and its spares");
  const bool declustered = layout.family == RaidFamily::declustered;
  INVARIANT(declustered || width_ == active_, "a row of RAID 5, 6 and EE is one stripe");
  if (declustered) {
    permute(layout);
  } else {
    rotate_one(layout);
  }
  places_.resize(orders_.size());
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    places_[i - i % n_ + orders_[i]] = static_cast<std::uint16_t>(i % n_);
  }
}

// The row vector [P Q S.. D..] read round, which is [D.. P Q S..]; P of row 0 is the last drive.
void RaidStripeMap::rotate_one(const RaidLayout& layout) {
  const auto parity = static_cast<std::uint32_t>(layout.parity);
  for (std::uint32_t i = 0; i < width_; ++i) {
    orders_.push_back(static_cast<std::uint16_t>(i < parity ? i : i + spares()));
  }
  for (std::uint32_t e = 0; e < spares(); ++e) {
    orders_.push_back(static_cast<std::uint16_t>(parity + e));
  }
}

void RaidStripeMap::permute(const RaidLayout& layout) {
  const std::uint32_t permutations = n_ <= 256 ? 64 : 16;
  cycle_mask_ = permutations - 1;
  EvenPermutations even(layout, per_slice_);
  const std::size_t trials = most_trials / (even.pairs() * permutations);
  const auto candidates = static_cast<std::uint32_t>(std::clamp<std::size_t>(trials, 1, 32));
  for (std::uint32_t i = 0; i < permutations; ++i) {
    const std::vector<std::uint16_t> order = even.next(candidates);
    orders_.insert(orders_.end(), order.begin(), order.end());
  }
}

RaidStripeMap::Slot RaidStripeMap::slot(std::uint32_t drive, std::uint64_t row) const noexcept {
  const std::uint64_t slice = row / rows_per_slice_;
  const std::uint64_t cycle = slice / n_;
  const auto turn = static_cast<std::uint32_t>(n_ - 1 - slice % n_);
  const std::uint32_t untaken = (drive % n_ + n_ - turn) % n_;
  const std::uint32_t at = places_[(cycle & cycle_mask_) * n_ + untaken];
  const std::uint32_t group = drive / n_;
  if (at >= active_) return {group, 0, 0, static_cast<int>(at - active_)};
  const std::uint64_t strip = row % rows_per_slice_ * active_ + at;
  return {group, slice * per_slice_ + strip / width_, static_cast<std::uint32_t>(strip % width_)};
}

}  // namespace storcast
