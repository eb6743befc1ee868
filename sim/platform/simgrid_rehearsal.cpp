// fork, a pipe in place of stdout and stderr, and what the child said.
#include "sim/platform/simgrid_rehearsal.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace storcast {
namespace {

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  const rlimit both{soft, hard};
  setrlimit(resource, &both);
}

[[noreturn]] void attempt_and_exit(int to_parent, const std::function<void()>& attempt) {
  dup2(to_parent, STDOUT_FILENO);
  dup2(to_parent, STDERR_FILENO);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, 10, 12);
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of addresses for itself
  limit(RLIMIT_AS, rlim_t{2} << 30, rlim_t{2} << 30);
#endif
  for (const int fatal : {SIGABRT, SIGSEGV, SIGBUS, SIGXCPU}) std::signal(fatal, SIG_DFL);
  std::string words;
  try {
    attempt();
  } catch (const std::bad_alloc&) {
    words = "it takes more than 2 GiB of memory\n";
  } catch (const std::exception& error) {
    words = std::string(error.what()) + '\n';
  }
  // _exit: the child must not flush the parent's buffers nor run its destructors.
  if (words.empty()) _exit(0);
  const auto written = write(STDERR_FILENO, words.data(), words.size());
  _exit(written < 0 ? 2 : 1);
}

std::string read_all(int from_child) {
  constexpr std::size_t most = 16384;  // a backtrace follows the reason; that much is enough
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = read(from_child, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < most) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// "[0.000000] ./src/x.cpp:105: [root/CRITICAL] Host a must ..." is the reason after "CRITICAL] ";
// without that mark, all that an exception said.
std::string reason(const std::string& said, int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return "it takes more than 10 s of CPU time";
  constexpr std::string_view mark = "CRITICAL] ";
  std::string_view words = said;
  if (const auto at = words.find(mark); at != words.npos) {
    words.remove_prefix(at + mark.size());
    words = words.substr(0, words.find('\n'));
  }
  while (!words.empty() && words.back() == '\n') words.remove_suffix(1);
  return words.empty() ? fmt::format("SimGrid ends with status {:#x}", status) : std::string(words);
}

}  // namespace

void rehearse(const std::string& file, const std::function<void()>& attempt) {
  std::error_code ignored;  // a path that cannot be looked at is no regular file either
  if (!std::filesystem::is_regular_file(file, ignored)) {
    throw std::invalid_argument("platform file '" + file + "' is not there or is no regular file");
  }
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (child == 0) attempt_and_exit(ends[1], attempt);
  close(ends[1]);
  const std::string said = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw std::invalid_argument("platform file '" + file + "': " + reason(said, status));
}

}  // namespace storcast
