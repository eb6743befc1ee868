#include "sim/app/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace storcast::app {

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), start_(std::chrono::steady_clock::now()), last_(start_) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(const Progress& p) {
  using namespace std::chrono;
  const auto now = steady_clock::now();
  if (!stderr_is_terminal() || now - start_ < seconds(1) || now - last_ < milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  constexpr int width = 30;
  const int full = std::clamp(static_cast<int>(p.done * width), 0, width);
  const double passed = duration<double>(now - start_).count();
  // A run may end earlier, when its precision is reached: the time left is the most it can be.
  const double left = p.done > 0 ? passed * (1 - p.done) / p.done : 0;
  const std::string line = fmt::format(
      "\r\x1b[K{} [{:#<{}}{:.<{}}] {:.2f} s simulated, {:.1f}M I/Os, at most {:.0f} s left", what_,
      "", full, "", width - full, p.simulated_s, static_cast<double>(p.ios) / 1e6, left);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace storcast::app
