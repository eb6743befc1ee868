// A small line plot for a terminal: one curve over equally spaced points, in braille dots (two by
// four a character) or in ASCII.
//
// The y axis starts at zero, or is logarithmic on request (then all values must be positive; others
// are left out). The x axis is categorical: points stand at equal steps, whatever their values.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace storcast {

struct Plot {
  std::string title;
  std::vector<std::optional<double>> values;        // one a point; absent: a gap
  std::vector<std::pair<std::size_t, char>> marks;  // letters under the axis, at a point
  std::string first_label, last_label;              // under the ends of the x axis
  std::function<std::string(double)> value_text;    // labels of the y axis
  bool logarithmic = false;
  bool unicode = true;
  std::size_t width = 48;  // columns in all, at least 24
  std::size_t height = 8;  // rows of the curve, at least 2
};

// height + 4 lines, each of exactly `width` columns: title, curve, axis, marks, labels.
[[nodiscard]] std::vector<std::string> draw(const Plot& plot);

}  // namespace storcast
