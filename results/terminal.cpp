#include "results/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace storcast {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if it is broken.
std::size_t sequence_length(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 0;
  if (lead < 0x80) length = 1;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// C0, DEL, and the C1 set U+0080..U+009F, whose U+009B starts a terminal command like ESC [.
bool is_control(std::string_view sequence) noexcept {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7F;
  return lead == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

std::string_view spelled_out(std::string_view sequence) noexcept {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> signs{
      {{"→", "->"},
       {"±", "+-"},
       {"µ", "u"},
       {"μ", "u"},
       {"×", "x"},
       {"…", "..."},
       {"–", "-"},
       {"—", "-"},
       {"≤", "<="},
       {"≥", ">="},
       {"’", "'"},
       {"·", "-"}}};
  for (const auto& [sign, spelling] : signs) {
    if (sequence == sign) return spelling;
  }
  return "?";
}

// The first `count` code points; with `from_end` the last ones.
std::string_view part(std::string_view text, std::size_t count, bool from_end) {
  const std::size_t skip = from_end ? columns(text) - count : count;
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && seen++ == skip) break;
  }
  return from_end ? text.substr(at) : text.substr(0, at);
}

}  // namespace

std::string clean(std::string_view text, bool unicode) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(sequence.size());
    if (sequence == "\n" || sequence == "\t" || sequence == "\r") {
      result += ' ';
    } else if (length == 0 || is_control(sequence)) {
      result += '?';
    } else if (length > 1 && !unicode) {
      result += spelled_out(sequence);
    } else {
      result += sequence;
    }
  }
  return result;
}

std::size_t columns(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text).append(width > used ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(width > used ? width - used : 0, ' ').append(text);
}

std::string shorten(std::string_view text, std::size_t width, bool unicode) {
  if (columns(text) <= width) return std::string(text);
  const std::string_view gap = unicode ? "…" : "..";
  const std::size_t kept = width - columns(gap);
  return fmt::format("{}{}{}", part(text, (kept + 1) / 2, false), gap, part(text, kept / 2, true));
}

std::string bar(double fraction, std::size_t width, bool unicode) {
  static constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double filled = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const double cells = filled * static_cast<double>(width);
  const auto steps = static_cast<std::size_t>(std::lround(cells * (unicode ? 8 : 1)));
  std::string text;
  for (std::size_t i = 0; i < (unicode ? steps / 8 : steps); ++i) text += unicode ? "█" : "#";
  if (unicode) text += eighths[steps % 8];
  return pad_right(text, width);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t leading = std::min(text.find_first_not_of(' '), text.size());
  std::string result(leading, ' ');
  text.remove_prefix(leading);
  std::size_t used = leading;
  bool line_empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line_empty && used + 1 + columns(word) > width) {
      result.append("\n").append(indent, ' ');
      used = indent;
    } else if (!line_empty) {
      result += ' ';
      ++used;
    }
    result += word;
    used += columns(word);
    line_empty = false;
  }
  return result + "\n";
}

std::string Ink::in(std::string_view code, std::string_view text) const {
  if (!colour_ || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace storcast
