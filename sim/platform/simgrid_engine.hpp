// The owner of SimGrid's engine: creates it with our settings and shuts it down.
//
// SimGrid keeps one engine per process in global state. Engines may follow one another (the clock
// runs on: take times relative to the start), but two never live at once. The settings: the network
// model CM02 without cross-traffic (factors 1, so that a link is what it is called), small stacks,
// threads as contexts under AddressSanitizer, and no word on stdout or stderr except the reason of
// an abort. SimGrid's signal handlers are taken out again: Ctrl-C ends the program as before.
// Limits: process-wide, not for use from several threads.
#pragma once

#include <memory>

namespace simgrid::s4u {
class Engine;
}

namespace storcast {

class SimgridEngine {
 public:
  // Throws InvariantError while another engine lives.
  SimgridEngine();
  ~SimgridEngine();
  SimgridEngine(const SimgridEngine&) = delete;
  SimgridEngine& operator=(const SimgridEngine&) = delete;

  simgrid::s4u::Engine& operator*() const noexcept { return *engine_; }
  simgrid::s4u::Engine* operator->() const noexcept { return engine_.get(); }

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
};

}  // namespace storcast
