// Reading a data sheet from a text, for the tests of models.
#pragma once

#include <string>
#include <vector>

#include "sim/config/schema.hpp"

namespace storcast::testing {

template <class Params>
Params read_sheet(const Schema<Params>& sheet, const std::string& text, Problems& problems) {
  return sheet.read(parse_yaml(text, "sheet.yaml", problems), problems);
}

// `good` must be accepted; with `line` added (or replacing the line of its key) it must be refused
// and the rule must name the key. Returns what went wrong; empty if nothing.
template <class Params>
std::string refuses(const Schema<Params>& sheet, const std::string& good, const std::string& line) {
  Problems none;
  read_sheet(sheet, good, none);
  if (!none.empty()) return "the good text is refused: " + describe(none.list().front());
  const std::string key = line.substr(0, line.find(':'));
  std::string text = good;
  const std::size_t at = ("\n" + text).find("\n" + key + ":");
  if (at != std::string::npos) text.erase(at, text.find('\n', at) - at + 1);
  Problems problems;
  read_sheet(sheet, text + line + "\n", problems);
  if (problems.empty()) return "accepted: " + line;
  for (const Problem& p : problems.list()) {
    if (p.rule.find(key) != std::string::npos || p.text.find(key) != std::string::npos) return {};
  }
  return "no problem names " + key + ": " + describe(problems.list().front());
}

}  // namespace storcast::testing
