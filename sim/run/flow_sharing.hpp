// How fast clients and rebuilds go beside each other: mean value analysis of several classes.
//
// Model: each class is a closed load of N customers, or an open one of a given rate. A visit of
// class i to station k with m servers finds Q_jk customers of class j there and waits
//   w_ik = sum_j Q_jk S_jk / m,     Q_jk = X_j V_jk (S_jk + w_jk)   (Little's law),
// of its own class (N - 1) / N of them (Schweitzer). The rows of a rebuild do not wait for each
// other but where a station is full: there the rate is what the others leave, and the rows that are
// then too many wait there. An I/O that goes to p drives at once waits for the slowest: of waiting
// behind others, which is about exponential, the mean of the largest is H_p = 1 + 1/2 + .. + 1/p
// times the mean. A fixed point, by damped iteration.
//
// Parameters: the classes. Scope and limits: first come, first served; services of one class at a
// station alike. References: P. Schweitzer, Approximate analysis of multiclass closed networks
// (1979); E. Lazowska et al., Quantitative System Performance, ch. 7 and 11. Validation:
// tests/sim/run/flow_sharing_test.cpp, tests/validation/rebuild_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace storcast {

struct SharingClass {
  // Visits one after the other, as far as the response waits for them, to stations that are alike.
  struct Stage {
    std::uint32_t first = 0, count = 0;  // stations
    double service_s = 0;                // of all its visits
    double visits = 0;
    double slowest = 1;  // factor on the waiting: the slowest of several counts
  };
  std::vector<double> seconds, visits;  // by station, all that it asks for
  std::vector<Stage> stages;
  double other_s = 0;       // response without a station: latencies, think time
  double customers = 0;     // closed
  double rate = 0;          // open: above 0
  double most_rate = 0;     // closed: a limit of its own; 0: none
  bool background = false;  // rows of a rebuild
};

// Units a second, by class.
[[nodiscard]] std::vector<double> shared_rates(const std::vector<SharingClass>& classes,
                                               const std::vector<double>& servers);

// Mean of the largest of p exponential variables, in means of one.
[[nodiscard]] double mean_of_largest(int p);

}  // namespace storcast
