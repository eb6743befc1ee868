// The formula of power_meter.hpp.
#include "sim/platform/power_meter.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace storcast {

Joules consumed_energy(const PowerProfile& profile, Duration busy_core_time, int cores,
                       Duration window) {
  INVARIANT(cores >= 1, "a node has a core");
  INVARIANT(window >= Duration{}, "a window does not end before it begins");
  INVARIANT(busy_core_time >= Duration{}, "busy time is not negative");
  // Divided, not multiplied: cores * window may leave the range of Duration.
  const Duration per_core = busy_core_time / cores;
  const bool odd = busy_core_time % cores > Duration{};
  INVARIANT(per_core < window || (per_core == window && !odd),
            "the cores are not busy for longer than the window");
  const Duration some_busy = std::min(window, busy_core_time);
  const Watts per_busy_core = {(profile.all_cores.value - profile.epsilon.value) / cores};
  return profile.idle * (window - some_busy) + profile.epsilon * some_busy +
         per_busy_core * busy_core_time;
}

Watts mean_power(const PowerProfile& profile, Duration busy_core_time, int cores, Duration window) {
  INVARIANT(window > Duration{}, "a mean needs a window");
  return {consumed_energy(profile, busy_core_time, cores, window).value / to_seconds(window)};
}

}  // namespace storcast
