// The program's commands. Each reads its options, does its work and returns the exit code:
// 0 answered, 1 something failed (a file could not be written, a bug of ours), 2 the user's
// mistake.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

namespace storcast::app {

inline constexpr int answered = 0;
inline constexpr int failed = 1;
inline constexpr int mistaken = 2;

// To standard error. One that is closed or full takes nothing, and the exit code still tells.
inline void tell(const std::string& text) noexcept { std::fputs(text.c_str(), stderr); }

// Adds the command to the program; its callback sets `exit_code`.
void add_run(CLI::App& program, int& exit_code);
void add_check(CLI::App& program, int& exit_code);
void add_capacity(CLI::App& program, int& exit_code);
void add_describe(CLI::App& program, int& exit_code);
void add_bench(CLI::App& program, int& exit_code);

}  // namespace storcast::app
