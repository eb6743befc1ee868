#include "results/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "results/terminal.hpp"

namespace storcast {
namespace {

constexpr std::size_t label_width = 9;  // of the y axis

struct Dot {
  int x = 0, y = 0;  // y counts downwards
};

// A grid of characters; with unicode each holds two by four dots.
class Canvas {
 public:
  Canvas(std::size_t columns_, std::size_t rows_, bool unicode)
      : columns(columns_), rows(rows_), braille(unicode), cells(columns_ * rows_, 0) {}

  [[nodiscard]] int dots_across() const { return static_cast<int>(columns * (braille ? 2 : 1)); }
  [[nodiscard]] int dots_down() const { return static_cast<int>(rows * (braille ? 4 : 1)); }

  void set(Dot dot, char mark) {
    // Bits of the braille dots, by row and column (Unicode block U+2800).
    static constexpr int bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const std::size_t across = braille ? 2 : 1, down = braille ? 4 : 1;
    const auto x = static_cast<std::size_t>(dot.x), y = static_cast<std::size_t>(dot.y);
    int& cell = cells[y / down * columns + x / across];
    if (braille) {
      cell |= bits[y % 4][x % 2];
    } else if (cell != '*') {
      cell = mark;
    }
  }
  void line(Dot from, Dot to) {
    const int steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1});
    for (int i = 0; i <= steps; ++i) {
      const double part = static_cast<double>(i) / steps;
      set({static_cast<int>(std::lround(from.x + part * (to.x - from.x))),
           static_cast<int>(std::lround(from.y + part * (to.y - from.y)))},
          '.');
    }
  }
  [[nodiscard]] std::string row(std::size_t number) const {
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) {
      const int cell = cells[number * columns + i];
      if (cell == 0) {
        text += ' ';
      } else if (braille) {
        text += {'\xE2', static_cast<char>(0xA0 | (cell >> 6)),
                 static_cast<char>(0x80 | (cell & 0x3F))};
      } else {
        text += static_cast<char>(cell);
      }
    }
    return text;
  }

 private:
  std::size_t columns, rows;
  bool braille;
  std::vector<int> cells;
};

// From a value to its height in [0, 1], and back.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  [[nodiscard]] double height(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low)
                       : (value - low) / (high - low);
  }
  [[nodiscard]] double value(double height) const {
    return logarithmic ? low * std::pow(high / low, height) : low + height * (high - low);
  }
};

bool drawable(const std::optional<double>& value, bool logarithmic) {
  return value && std::isfinite(*value) && (logarithmic ? *value > 0 : *value >= 0);
}

Axis axis_of(const Plot& plot) {
  Axis axis{0, 0, plot.logarithmic};
  double least = 0;
  for (const auto& value : plot.values) {
    if (!drawable(value, plot.logarithmic)) continue;
    axis.high = std::max(axis.high, *value);
    least = least == 0 ? *value : std::min(least, *value);
  }
  if (plot.logarithmic) axis.low = least;
  if (axis.high <= axis.low) axis = {0, axis.high > 0 ? axis.high : 1, false};
  return axis;
}

int across(std::size_t point, std::size_t points, int size) {
  if (points < 2) return size / 2;
  return static_cast<int>(
      std::lround(static_cast<double>(point) * (size - 1) / static_cast<double>(points - 1)));
}

Canvas curve(const Plot& plot, const Axis& axis, std::size_t width) {
  Canvas canvas(width, plot.height, plot.unicode);
  Dot last;
  bool connected = false;  // false after a gap
  for (std::size_t i = 0; i < plot.values.size(); ++i) {
    if (!drawable(plot.values[i], axis.logarithmic)) {
      connected = false;
      continue;
    }
    const double height = axis.height(*plot.values[i]);
    const Dot dot{across(i, plot.values.size(), canvas.dots_across()),
                  static_cast<int>(std::lround((1 - height) * (canvas.dots_down() - 1)))};
    if (connected) canvas.line(last, dot);
    canvas.set(dot, '*');
    last = dot;
    connected = true;
  }
  return canvas;
}

std::string marks_row(const Plot& plot, std::size_t width) {
  std::string row(width, ' ');
  for (const auto& [point, letter] : plot.marks) {
    auto at = static_cast<std::size_t>(across(point, plot.values.size(), static_cast<int>(width)));
    while (at < width && row[at] != ' ') ++at;  // two marks of one point stand side by side
    if (at == width) at = row.find_last_of(' ');
    if (at != std::string::npos) row[at] = letter;
  }
  return row;
}

}  // namespace

std::vector<std::string> draw(const Plot& plot) {
  const std::size_t width = plot.width - label_width - 1;
  const Axis axis = axis_of(plot);
  const Canvas canvas = curve(plot, axis, width);
  const std::string edge = plot.unicode ? "│" : "|";
  const std::string blank(label_width + 1, ' ');
  std::vector<std::string> lines{
      pad_right(shorten(plot.title, plot.width, plot.unicode), plot.width)};
  for (std::size_t i = 0; i < plot.height; ++i) {
    const bool labelled = i == 0 || i == plot.height / 2 || i + 1 == plot.height;
    const double height = 1 - static_cast<double>(i) / static_cast<double>(plot.height - 1);
    const std::string label = labelled ? plot.value_text(axis.value(height)) : "";
    lines.push_back(pad_left(label, label_width - 1) + " " + edge + canvas.row(i));
  }
  std::string ground = std::string(label_width, ' ') + (plot.unicode ? "└" : "+");
  for (std::size_t i = 0; i < width; ++i) ground += plot.unicode ? "─" : "-";
  lines.push_back(ground);
  lines.push_back(blank + marks_row(plot, width));
  const std::string first = shorten(plot.first_label, width / 2 - 1, plot.unicode);
  const std::string last = shorten(plot.last_label, width / 2 - 1, plot.unicode);
  lines.push_back(blank + first + pad_left(last, width - columns(first)));
  return lines;
}

}  // namespace storcast
