#include "sim/platform/simgrid_rehearsal.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

using namespace storcast;

namespace {
// Any regular file will do: the attempts below do not read it.
const std::string file = "/proc/self/exe";
}  // namespace

TEST_CASE("an attempt that succeeds changes nothing in this process") {
  int changed = 0;
  CHECK_NOTHROW(rehearse(file, [&] { changed = 1; }));
  CHECK(changed == 0);
}

TEST_CASE("an exception of the attempt becomes ours, with the file's name") {
  const auto attempt = [] { throw std::runtime_error("line 4: no such unit"); };
  CHECK_THROWS_AS(rehearse(file, attempt), std::invalid_argument);
  CHECK_THROWS_WITH(rehearse(file, attempt), Catch::Contains(file + "': line 4: no such unit"));
}

TEST_CASE("an attempt that aborts is survived, and its last critical message is the reason") {
  const auto attempt = [] {
    std::fputs("[0.0] ./cpu.cpp:1: [root/CRITICAL] no core\nBacktrace\n", stderr);
    std::abort();
  };
  CHECK_THROWS_WITH(rehearse(file, attempt), Catch::EndsWith("no core"));
}

TEST_CASE("an attempt that exits is survived") {
  CHECK_THROWS_AS(rehearse(file, [] { _exit(0x23); }), std::invalid_argument);
  CHECK_THROWS_WITH(rehearse(file, [] { _exit(0x23); }), Catch::Contains("0x2300"));
}

TEST_CASE("an attempt that takes too long is survived") {
  CHECK_THROWS_WITH(rehearse(file, [] { std::raise(SIGXCPU); }), Catch::Contains("10 s"));
}

TEST_CASE("an attempt that takes too much memory is survived") {
  const auto attempt = [] { throw std::bad_alloc(); };
  CHECK_THROWS_WITH(rehearse(file, attempt), Catch::Contains("2 GiB"));
}

TEST_CASE("an attempt that talks without end does not block") {
  const auto attempt = [] {
    for (int i = 0; i < 100000; ++i) std::fputs("a word or two\n", stderr);
  };
  CHECK_NOTHROW(rehearse(file, attempt));
}

TEST_CASE("what is no regular file is refused before an attempt") {
  const auto attempt = [] {};
  CHECK_THROWS_WITH(rehearse("/no/such/file", attempt), Catch::Contains("/no/such/file"));
  CHECK_THROWS_AS(rehearse("/", attempt), std::invalid_argument);
  CHECK_THROWS_AS(rehearse("", attempt), std::invalid_argument);
}
