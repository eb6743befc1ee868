// Energy of what our kernel executes, by the same idle/epsilon/all-cores profile as SimGrid's host
// energy plug-in uses for what SimGrid executes.
//
// With b(t) of n cores busy, the power is idle if b = 0, else epsilon + (all_cores - epsilon) b/n.
// Over a window T with busy core time B = integral of b: E = idle (T - A) + epsilon A
// + (all_cores - epsilon) B/n, where A is the time with any core busy. Only B is known here, and
// A = min(T, B) is taken: the cores take turns as far as they can. That is exact when one core at
// most is busy at a time, when some core is always busy, and whenever epsilon = idle; otherwise E
// is too high (for epsilon > idle) by at most (epsilon - idle) (n-1)/n min(T, B). Source:
// SimGrid 3.32, host energy plug-in. Leaves out: frequency scaling, switched-off nodes.
#pragma once

#include "sim/base/units.hpp"
#include "sim/platform/platform.hpp"

namespace storcast {

// Joules over the window. cores >= 1, window >= 0, 0 <= busy_core_time <= cores * window; anything
// else is an InvariantError.
[[nodiscard]] Joules consumed_energy(const PowerProfile& profile, Duration busy_core_time,
                                     int cores, Duration window);

// The mean over the window in watts; the same ranges, and window > 0.
[[nodiscard]] Watts mean_power(const PowerProfile& profile, Duration busy_core_time, int cores,
                               Duration window);

}  // namespace storcast
