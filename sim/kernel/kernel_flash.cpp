// The general case of a read of flash: several units, or programs at the dies. What the event loop
// takes at once (one unit, no program about) is in kernel.cpp.
#include <algorithm>

#include "sim/kernel/kernel.hpp"

namespace storcast {

// The units of a read lie on neighbouring dies from `first` on, read at once. Each die senses its
// unit and holds it until its own transfer is over; where more units than channels are read, the
// last one waits for the transfers before it. One visit, however many units; returns its end.
Time Kernel::visit_dies(const Step& step, const Io& io, std::uint32_t first, Time t) noexcept {
  Flash& flash = system_.flash[step.function];
  const FlashTraits& traits = flash.traits();
  const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
  flash.advance(system_.stations, drive, t);
  const auto transfer = [&](std::uint32_t blocks) {
    return static_cast<double>(step.slope) *
           static_cast<double>(static_cast<std::int64_t>(blocks) * block_bytes);
  };
  Time last = t;
  std::uint32_t units = 0;
  std::uint32_t die = first;
  for (std::uint32_t left = io.blocks; left > 0; ++units) {
    const std::uint32_t blocks = std::min(left, traits.read_blocks);
    double ps = step.fixed_ps + transfer(blocks);
    if (step.shape != 0) ps *= system_.shapes[step.shape].draw(shape_rngs_[step.shape]);
    const Duration service{static_cast<std::int64_t>(ps + 0.5)};
    last = std::max(last, flash.read(system_.stations, drive, die, t, service));
    left -= blocks;
    if (++die == traits.dies) die = 0;
  }
  const std::uint32_t before_it = (units - 1) / traits.channels;
  last += Duration{static_cast<std::int64_t>(before_it * transfer(traits.read_blocks))};
  system_.stations[step.target + drive * step.aux + first].count(t, last);
  return last;
}

}  // namespace storcast
