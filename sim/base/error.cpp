#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace storcast {
namespace {

constexpr std::size_t longest_quote = 60;  // bytes
constexpr std::size_t longest_word = 64;   // bytes compared by nearest(): bounds its cost

// Text that is safe on a terminal: C0, DEL and the two-byte form of C1 as \xNN, the rest as it is.
std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

std::string lower_case(std::string_view word) {
  std::string out(word.substr(0, longest_word));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Edit distance with exchanged neighbours counted once ("randraed"), case-blind. A word that is the
// beginning of the other is one step away: "nvme" means "nvme_rdma", not "fc".
std::size_t distance(std::string_view word, std::string_view other) {
  const std::string a = lower_case(word);
  const std::string b = lower_case(other);
  const auto shorter = std::min(a.size(), b.size());
  if (shorter >= 2 && a != b && a.compare(0, shorter, b, 0, shorter) == 0) return 1;
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// Close enough to be a slip of the pen: a third of the letters, at least one.
bool is_slip(std::string_view word, std::string_view meant) {
  return !word.empty() && distance(word, meant) <= std::max<std::size_t>(1, meant.size() / 3);
}

std::string lines(const std::vector<Problem>& problems) {
  std::string out;
  for (const auto& problem : problems) {
    if (!out.empty()) out += '\n';
    out += describe(problem);
  }
  return out;
}

}  // namespace

std::string describe(const Problem& problem) {
  std::string out = problem.where.file;
  if (problem.where.line > 0) {
    out += fmt::format(":{}", problem.where.line);
    if (problem.where.column > 0) out += fmt::format(":{}", problem.where.column);
  }
  if (!out.empty()) out += ": ";
  out += problem.rule;
  if (!problem.accepted.empty()) {
    const auto& first = problem.accepted.front();
    out += is_slip(problem.text, first) ? fmt::format("; did you mean {}? accepted: ", first)
                                        : std::string("; accepted: ");
    out += fmt::format("{}", fmt::join(problem.accepted, ", "));
  }
  return printable(out);
}

std::string quote(std::string_view text) {
  if (text.size() <= longest_quote) return "'" + printable(text) + "'";
  std::size_t end = longest_quote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // whole letters
  return "'" + printable(text.substr(0, end)) + "'...";
}

ScenarioError::ScenarioError(std::vector<Problem> problems)
    : std::runtime_error(lines(problems)), problems_(std::move(problems)) {}

void Problems::add(Problem problem) {
  if (full()) {
    ++left_out_;
    return;
  }
  list_.push_back(std::move(problem));
}

void Problems::add(Position where, std::string text, std::string rule,
                   std::vector<std::string> accepted) {
  add(Problem{std::move(where), std::move(text), std::move(rule), std::move(accepted)});
}

void Problems::throw_if_any() const {
  if (list_.empty()) return;
  auto all = list_;
  if (left_out_ > 0) all.push_back({{}, "", fmt::format("and {} more problems", left_out_), {}});
  throw ScenarioError(std::move(all));
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> accepted,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, const std::string*>> ranked;
  ranked.reserve(accepted.size());
  for (const auto& candidate : accepted) ranked.emplace_back(distance(word, candidate), &candidate);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (const auto& [steps, candidate] : ranked) {
    if (out.size() == most) break;
    out.push_back(*candidate);
  }
  return out;
}

void invariant_failed(const char* condition, const char* meaning, const char* file, int line) {
  throw InvariantError(
      fmt::format("{}:{}: invariant broken: {} ({})", file, line, meaning, condition));
}

}  // namespace storcast
