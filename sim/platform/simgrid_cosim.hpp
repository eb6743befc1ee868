// Our kernel under SimGrid's clock.
//
// SimGrid carries the world, our kernel the I/Os. The kernel is registered as a SimGrid resource
// model whose next event is not idempotent (as SimGrid's ns-3 coupling): SimGrid asks it for its
// next event and says how far it may go, and the kernel executes thousands of events in that one
// call. Timeline actions (a drive fails, a phase begins) are carried out by a SimGrid actor, the
// director, between two such calls.
//
// SimGrid's clock is a double with a resolution of 1 ns; ours is an integer of picoseconds. The
// integer leads: the kernel never runs past the next action's integer time, and the action finds it
// exactly there. So the results are bit for bit those of run_plain(), which does without SimGrid.
// Limits: one run per process at a time; the timeline is fixed when the run starts.
#pragma once

#include <functional>
#include <vector>

#include "sim/base/units.hpp"

namespace storcast {

// What the world drives. Times are the kernel's own integers and count from the start of the run.
struct DrivenKernel {
  // Executes the events at times < horizon and returns the kernel's new time: the horizon; or less
  // when it stops at a checkpoint of its own (it is asked again) or when the run is finished. A
  // kernel that runs out of events returns the horizon, and is finished if that is Time::max().
  std::function<Time(Time horizon)> advance_until;
  std::function<bool()> finished;  // the run wants no more time
};

struct TimelineAction {
  Time at;                    // >= 0
  std::function<void()> act;  // called when the kernel stands exactly at `at`
};

// Both advance the kernel from time 0 until it is finished. Actions happen in the order of their
// times, those of equal time in the given order; those at or after the end never happen. What
// advance_until or act throws reaches the caller and ends the run. A kernel that breaks its
// contract (runs backwards, past the horizon, or stops moving) ends it with an InvariantError.
void run_under_simgrid(const DrivenKernel& kernel, std::vector<TimelineAction> timeline);
void run_plain(const DrivenKernel& kernel, std::vector<TimelineAction> timeline);

}  // namespace storcast
