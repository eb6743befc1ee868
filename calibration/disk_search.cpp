#include "calibration/disk_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace storcast {

namespace {

constexpr double ps_per_ms = 1e9;

class Search {
 public:
  Search(std::span<const MeasuredRequest> requests, std::span<const double> issued,
         std::shared_ptr<const DiskLayout> layout, const DiskParameters& start)
      : requests_(requests),
        issued_(issued),
        layout_(std::move(layout)),
        p_(start),
        least_(error_of(start)) {}

  DiskParameters run() {
    for (int round = 0; round < 2; ++round) {
      search_ahead();
      search_runs();
      search_positioning();
    }
    return p_;
  }

 private:
  [[nodiscard]] double error_of(const DiskParameters& p) const {
    double sum = 0;
    for (const double late_ms : {-0.2, -0.1, 0.0, 0.1, 0.2}) {
      DiskParameters q = p;
      q.margin_ps += late_ms * ps_per_ms;
      sum += std::pow(compare(requests_, replay(requests_, issued_, layout_, q)).rms_ms, 2);
    }
    return std::sqrt(sum / 5);
  }

  // Takes the change if it predicts the requests better.
  template <class Change>
  bool attempt(Change change) {
    DiskParameters p = p_;
    change(p);
    const double error = error_of(p);
    if (error >= least_) return false;
    least_ = error;
    p_ = p;
    return true;
  }

  void search_ahead() {
    for (const bool streams : {false, true}) {
      for (const bool track : {false, true}) {
        for (const double ahead : {0, 32, 64, 128, 256, 384, 512, 1024}) {
          attempt([&](DiskParameters& p) {
            p.streams_only = streams;
            p.track_buffer = track;
            p.read_ahead_blocks = ahead;
          });
        }
      }
    }
  }

  void search_runs() {
    for (const std::size_t runs : {1, 2, 3, 4, 6, 8, 12, 16}) {
      for (const bool written : {false, true}) {
        attempt([&](DiskParameters& p) { p.runs = runs, p.keeps_written = written; });
      }
    }
    for (const double kept : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0}) {
      attempt([&](DiskParameters& p) { p.kept = kept; });
    }
  }

  void search_positioning() {
    std::vector<double DiskParameters::*> free{
        &DiskParameters::seek_ps, &DiskParameters::seek_root_ps, &DiskParameters::seek_linear_ps,
        &DiskParameters::head_switch_ps};
    if (!p_.write_cache) {
      free.insert(free.end(), {&DiskParameters::settle_ps, &DiskParameters::write_overhead_ps});
    }
    for (double step = 0.8 * ps_per_ms; step > 0.02 * ps_per_ms;) {
      bool better = false;
      for (const double change : {step, -step}) {
        for (const auto member : free) {
          better |=
              attempt([&](DiskParameters& p) { p.*member = std::max(0.0, p.*member + change); });
        }
        better |= attempt([&](DiskParameters& p) { shift_margin(p, change); });
      }
      if (!better) step /= 2;
    }
  }

  // The margin without longer seeks: what a request of the same track waits at least.
  static void shift_margin(DiskParameters& p, double change) {
    const double more = std::clamp(change, -p.margin_ps, p.seek_ps);
    p.margin_ps += more;
    p.seek_ps -= more;
    p.head_switch_ps = std::max(0.0, p.head_switch_ps - more);
  }

  std::span<const MeasuredRequest> requests_;
  std::span<const double> issued_;
  std::shared_ptr<const DiskLayout> layout_;
  DiskParameters p_;
  double least_;  // error so far
};

}  // namespace

DiskParameters search_disk(std::span<const MeasuredRequest> requests,
                           std::span<const double> issued, std::shared_ptr<const DiskLayout> layout,
                           const DiskParameters& start) {
  return Search(requests, issued, std::move(layout), start).run();
}

}  // namespace storcast
