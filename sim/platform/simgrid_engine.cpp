// Engine creation: command line, signal handlers, shutdown.
#include "sim/platform/simgrid_engine.hpp"

#include <array>
#include <csignal>
#include <simgrid/s4u/Engine.hpp>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

// SimGrid handles SIGINT (prints, then exit(1) inside the handler), SIGSEGV and SIGBUS on a signal
// stack of its own, which would displace those of AddressSanitizer and of the program. This puts
// back whatever stood before.
class KeepSignalHandlers {
 public:
  KeepSignalHandlers() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], nullptr, &handlers_[i]);
    sigaltstack(nullptr, &stack_);
  }
  ~KeepSignalHandlers() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &handlers_[i], nullptr);
    sigaltstack(&stack_, nullptr);
  }
  KeepSignalHandlers(const KeepSignalHandlers&) = delete;
  KeepSignalHandlers& operator=(const KeepSignalHandlers&) = delete;

 private:
  static constexpr std::array signals{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGABRT, SIGSEGV,
                                      SIGBUS,  SIGFPE,  SIGILL,  SIGUSR1, SIGUSR2, SIGPIPE,
                                      SIGALRM, SIGCHLD, SIGTRAP, SIGXCPU};
  std::array<struct sigaction, signals.size()> handlers_{};
  stack_t stack_{};
};

std::vector<std::string> command_line() {
  std::vector<std::string> words{
      "storcast",
      "--log=root.thresh:critical",
      "--cfg=host/model:ptask_L07",
      "--cfg=maxmin/precision:1e-9",
      "--cfg=contexts/stack-size:512",  // KiB: timeline actions run there
      "--cfg=debug/verbose-exit:no"};
#ifdef __SANITIZE_ADDRESS__
  words.push_back("--cfg=contexts/factory:thread");  // it does not follow SimGrid's own switches
#endif
  return words;
}

}  // namespace

SimgridEngine::SimgridEngine() {
  INVARIANT(!simgrid::s4u::Engine::has_instance(), "one SimGrid engine lives at a time");
  const KeepSignalHandlers keep;
  std::vector<std::string> words = command_line();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  engine_ = std::make_unique<simgrid::s4u::Engine>(&argc, argv.data());
}

// Each engine connects itself to this signal and stays connected after its end; a platform file
// loaded by the next one would call it.
SimgridEngine::~SimgridEngine() {
  engine_.reset();
  simgrid::s4u::Engine::on_platform_created.disconnect_slots();
}

}  // namespace storcast
