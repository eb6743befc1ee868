// Small operations on texts that several readers share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace storcast {

// The parts between separators: "a.b" gives a, b; "" one empty part; "a." a and an empty part.
[[nodiscard]] inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace storcast
