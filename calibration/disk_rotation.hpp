// The rotation of a disk, found in when its requests were answered.
//
// Method: the front of a request passes the head at t = completion - transfer, and then the spindle
// stands at the angle of its first block. With the right period T, head skew u and cylinder skew v,
//   t / T - (angle in the track + h u + c v)
// is the same phase, modulo 1, for all requests (h the head, c the cylinder within its zone). The
// coherence |mean of exp(2 pi i x)| is 1 then and about 1 / sqrt(n) for a wrong guess. A scan over
// T takes a two-dimensional Fourier transform over h and c, which tries all skews at once. Worked
// number: over 16 s a disk of 10,000 rpm turns 2,700 times, so T is scanned in steps of 1e-4 / 1.1;
// the refinement over 46 s (disk_fit.cpp) brings it to 1e-7.
//
// Scope and limits: one phase for all zones; steady speed. A trace without rotation in it (a solid
// state drive, intervals rounded to milliseconds) has a low coherence.
#pragma once

#include <span>

namespace storcast {

struct Passing {
  double at_ps = 0;               // the first block begins to pass the head
  double in_track = 0;            // its angle without the skews, revolutions
  double head = 0, cylinder = 0;  // factors of the skews; 0 if the angle has them
};

struct Rotation {
  double revolution_ps = 0;
  double head_skew = 0, cylinder_skew = 0;
  double phase = 0;      // spindle's angle at time 0, revolutions
  double coherence = 0;  // 0 to 1
};

// Revolutions off the common phase, -0.5 to 0.5.
[[nodiscard]] double off_phase(const Passing& p, const Rotation& r);

// Phase and coherence of the passings under the rotation's period and skews.
[[nodiscard]] Rotation with_phase(std::span<const Passing> passings, Rotation r);

// The best rotation within a share (as 0.004) of the period expected. Precondition: not empty; in
// the order of time.
[[nodiscard]] Rotation scan_rotation(std::span<const Passing> passings, double expected_ps,
                                     double share, bool skews_known);

}  // namespace storcast
