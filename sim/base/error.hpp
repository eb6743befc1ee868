// Two kinds of error, never mixed.
//
// The user's: a ScenarioError carries one or more Problems, each with file, line, column, the
// offending text, the rule it breaks and the nearest accepted words. Readers collect into Problems
// and throw once, so that all are reported together. Ours: INVARIANT(condition, "what must hold");
// it is never reachable from user input.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace storcast {

struct Position {
  std::string file;  // a path as the user gave it, or "--set"
  int line = 0;      // from 1; 0: no position inside the file
  int column = 0;    // from 1
};

struct Problem {
  Position where;
  std::string text;                   // the offending text, verbatim (may be empty)
  std::string rule;                   // "workloads.main.rw: 'randraed' is unknown"
  std::vector<std::string> accepted;  // nearest first; may be empty
};

// "file:14:9: system.pools.a.raid: 'raid7' is unknown; did you mean raid6? accepted: raid6, raid5".
// One line: control characters are written as \xNN, so that no text reaches a terminal raw.
[[nodiscard]] std::string describe(const Problem& problem);

// A piece of the user's text for a rule: in single quotes, control characters as \xNN, and cut to
// its first 60 bytes (then "..." follows the closing quote).
[[nodiscard]] std::string quote(std::string_view text);

class ScenarioError : public std::runtime_error {
 public:
  explicit ScenarioError(std::vector<Problem> problems);  // what(): one line each
  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// The collector that readers share. At most 100 problems are kept; the rest are counted.
class Problems {
 public:
  static constexpr std::size_t most = 100;
  void add(Problem problem);
  void add(Position where, std::string text, std::string rule,
           std::vector<std::string> accepted = {});
  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  // True when a further problem would only be counted: its rule need not be worked out.
  [[nodiscard]] bool full() const noexcept { return list_.size() >= most; }
  // All that were added, those left out of the list included.
  [[nodiscard]] std::size_t count() const noexcept { return list_.size() + left_out_; }
  [[nodiscard]] const std::vector<Problem>& list() const noexcept { return list_; }
  void throw_if_any() const;  // throws ScenarioError

 private:
  std::vector<Problem> list_;
  std::size_t left_out_ = 0;
};

// The accepted words ordered by likeness to `word` (edit distance, case-blind), at most `most`.
[[nodiscard]] std::vector<std::string> nearest(std::string_view word,
                                               std::span<const std::string> accepted,
                                               std::size_t most = 5);

// A broken invariant of ours. what() carries the condition, its meaning and the place.
class InvariantError : public std::logic_error {
  using std::logic_error::logic_error;
};
[[noreturn]] void invariant_failed(const char* condition, const char* meaning, const char* file,
                                   int line);

}  // namespace storcast

// Checked in every build: the cost is a predictable branch, and none stands in the event loop.
#define INVARIANT(condition, meaning) \
  ((condition) ? static_cast<void>(0) \
               : ::storcast::invariant_failed(#condition, meaning, __FILE__, __LINE__))
