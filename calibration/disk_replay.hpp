// A measured trace, request by request, through the models of a hard disk.
//
// Model: DiskHead (models/disk_head.hpp) on the disk's own tracks. Each request is issued when it
// was issued to the real disk: requests do not overlap, so that is the sum of the measured service
// times and intervals before it. No measured service time of a request enters its own prediction.
//   read, in the buffer:   overhead + blocks x interface
//   read, otherwise:       the head's service
//   write, write cache:    write overhead + blocks x interface; then the head writes behind it
//   write, no write cache: write overhead, then the head's service with its settling time
//
// Parameters: DiskParameters. Scope and limits: those of the two model headers; a disk with a write
// cache writes at once behind the answer; commands do not queue.
// References: C. Ruemmler, J. Wilkes, An introduction to disk drive modeling, IEEE Computer 27
// (1994) (the demerit figure).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "calibration/disk_trace.hpp"
#include "models/disk_head.hpp"

namespace storcast {

// Physics of a disk. Times in picoseconds.
struct DiskParameters {
  double revolution_ps = 0;
  double phase = 0;                         // spindle's angle at the first issue, revolutions
  double head_skew = 0, cylinder_skew = 0;  // if the layout does not say, revolutions
  double overhead_ps = 0;                   // of a command that reads
  double write_overhead_ps = 0;             // of a command that writes
  double interface_ps_per_block = 0;        // between host and buffer
  double seek_ps = 0, seek_root_ps = 0, seek_linear_ps = 0;  // seek: m + a sqrt(x) + b x
  double settle_ps = 0;  // longer seek of a write, without a write cache
  double head_switch_ps = 0;
  double read_ahead_blocks = 0;
  std::size_t runs = 1;  // that the buffer keeps apart
  double kept = 2;       // times read ahead that stay behind
  bool streams_only = false, track_buffer = false, keeps_written = false;  // see DiskTimes
  double margin_ps = 0;  // before its place by which the head must be on the track
  bool write_cache = false;
  bool interval_before = false;  // whether a line's interval is that before its request
};

// When each request was issued, from the first on. Picoseconds.
[[nodiscard]] std::vector<double> issue_times(std::span<const MeasuredRequest> requests,
                                              bool interval_before);

// The layout with the parameters' skews, if it has none of its own.
[[nodiscard]] std::shared_ptr<const DiskLayout> laid_out(const MeasuredLayout& measured,
                                                         const DiskParameters& p);

// Predicted service times of all requests, from a disk at rest on. Picoseconds.
[[nodiscard]] std::vector<double> replay(std::span<const MeasuredRequest> requests,
                                         std::span<const double> issued,
                                         const std::shared_ptr<const DiskLayout>& layout,
                                         const DiskParameters& p);

// How far predictions are from what was measured. Milliseconds.
struct ReplayError {
  std::size_t requests = 0;
  double rms_ms = 0;       // root mean square of the difference, request by request
  double constant_ms = 0;  // the same of the measured mean instead of a prediction
  double demerit_ms = 0;   // root mean square horizontal distance of the two distributions
  [[nodiscard]] double ratio() const { return rms_ms / constant_ms; }
};
// The two have the same length, at least 1.
[[nodiscard]] ReplayError compare(std::span<const MeasuredRequest> requests,
                                  std::span<const double> predicted_ps);

}  // namespace storcast
