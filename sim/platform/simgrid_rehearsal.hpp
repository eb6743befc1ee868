// Tries in a child process what may end the process.
//
// SimGrid reports some mistakes in a platform file by an exception and others by abort() or exit().
// The child dies in place of the program, and its last words become the error. The child may use
// 10 s of CPU time and 2 GiB, so that a short file that asks for a billion hosts ends as well.
// Limits: POSIX; the attempt must not depend on threads of the program.
#pragma once

#include <functional>
#include <string>

namespace storcast {

// Runs `attempt` in a child process and returns if it ends there without an exception. Throws
// std::invalid_argument naming the file and SimGrid's reason otherwise, also if `file` is no
// regular file.
void rehearse(const std::string& file, const std::function<void()>& attempt);

}  // namespace storcast
