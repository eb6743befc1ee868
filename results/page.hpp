// What the sections of a terminal report share: width, glyphs, notation. Internal to results/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "results/known.hpp"
#include "results/report.hpp"
#include "results/terminal.hpp"

namespace storcast {

struct Page {
  explicit Page(const ReportOptions& options)
      : ink(options.colour),
        unicode(options.unicode),
        verbose(options.verbose),
        width(static_cast<std::size_t>(std::max(options.width, 80))) {
    estimate.plus_minus = unicode ? "±" : "+-";
    plain.with_half_width = false;
    plain.most_digits = 3;
  }
  [[nodiscard]] std::string name(std::string_view text) const { return clean(text, unicode); }
  [[nodiscard]] std::string_view times() const { return unicode ? "×" : "x"; }

  Ink ink;
  bool unicode, verbose;
  std::size_t width;
  Notation estimate;  // with the half-width
  Notation plain;     // three digits at most, without it
};

}  // namespace storcast
