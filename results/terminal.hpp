// Text for a terminal: columns, bars, wrapping, colour.
//
// A column is a code point; double-width scripts are not measured. Texts of users (names, warnings)
// pass clean() first, so that no control byte of a scenario reaches the terminal. Without unicode
// every byte is ASCII; without colour no escape byte is written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace storcast {

// UTF-8 text without control characters and broken sequences ('?' instead; line ends and tabs
// become spaces); without unicode the usual signs are spelled out ("->", "+-", "u") and the rest
// becomes '?'.
[[nodiscard]] std::string clean(std::string_view text, bool unicode);

[[nodiscard]] std::size_t columns(std::string_view text) noexcept;
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);  // text, then spaces
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);   // spaces, then text
// At most `width` columns, the middle left out: "array.contro…a.cores". Precondition: width >= 5.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width, bool unicode);
// A bar of exactly `width` columns, filled to `fraction` of [0, 1]; beyond it the bar is full.
[[nodiscard]] std::string bar(double fraction, std::size_t width, bool unicode);
// Breaks at spaces to `width` columns; following lines are indented, leading spaces stay. A longer
// word stays whole.
// Each line ends with a line end.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// ANSI colours, or nothing at all.
class Ink {
 public:
  explicit Ink(bool colour) noexcept : colour_(colour) {}
  [[nodiscard]] std::string heading(std::string_view text) const { return in("1", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return in("32", text); }
  [[nodiscard]] std::string bad(std::string_view text) const { return in("1;31", text); }
  [[nodiscard]] std::string caution(std::string_view text) const { return in("33", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return in("2", text); }
  [[nodiscard]] std::string filled(std::string_view text) const { return in("36", text); }

 private:
  [[nodiscard]] std::string in(std::string_view code, std::string_view text) const;
  bool colour_;
};

}  // namespace storcast
