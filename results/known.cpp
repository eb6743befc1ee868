#include "results/known.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/units.hpp"

namespace storcast {
namespace {

constexpr int digits_without_interval = 3;
constexpr int digits_of_half_width = 2;

// Through a decimal text: 10^place is not exact in binary, and 0.15 / 0.1 would round wrongly.
double round_at(double value, int place) {
  if (place <= 0) return std::stod(fmt::format("{:.{}f}", value, std::min(-place, 300)));
  const double unit = std::pow(10.0, place);
  return std::round(value / unit) * unit;
}

// The place of the first significant digit, after rounding to `digits` of them: 9.996 to three
// digits is 10.0, whose first digit stands at 10^1.
int first_place(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

struct Scale {
  int exponent;
  std::string_view symbol;
};
constexpr std::array<Scale, 5> count_scales{{{0, ""}, {3, "k"}, {6, "M"}, {9, "G"}, {12, "T"}}};
constexpr std::array<Scale, 5> time_scales{
    {{-12, " ps"}, {-9, " ns"}, {-6, " us"}, {-3, " ms"}, {0, " s"}}};

template <std::size_t n>
const Scale& scale_of(const std::array<Scale, n>& scales, const Rounded& rounded) {
  const double reference = rounded.value != 0 ? rounded.value : rounded.half_width;
  const int first = reference == 0 ? 0 : first_place(reference, 15);
  std::size_t chosen = 0;
  while (chosen + 1 < n && scales[chosen + 1].exponent <= first) ++chosen;
  return scales[chosen];
}

std::string digits_text(double value, int exponent, int place) {
  const double scaled =
      exponent < 0 ? value * std::pow(10.0, -exponent) : value / std::pow(10.0, exponent);
  return fmt::format("{:.{}f}", scaled, std::max(0, exponent - place));
}

// "value+-half" with the unit once (time: "7.82 +-0.03 ms") or at each (count: "262k +-1k").
template <std::size_t n>
std::string estimate_text(const Estimate& estimate, const Notation& notation,
                          const std::array<Scale, n>& scales, bool unit_at_each) {
  if (!std::isfinite(estimate.value) || !std::isfinite(estimate.half_width)) return "unknown";
  const Rounded rounded = round_to_known(estimate, notation.most_digits);
  const Scale& scale = scale_of(scales, rounded);
  std::string text = digits_text(rounded.value, scale.exponent, rounded.place);
  if (notation.with_half_width && estimate.half_width > 0) {
    const bool vanishes = rounded.half_width == 0;
    const double shown = vanishes ? std::pow(10.0, rounded.place) : rounded.half_width;
    if (unit_at_each) text += scale.symbol;
    text += fmt::format(" {}{}{}", notation.plus_minus, vanishes ? "<" : "",
                        digits_text(shown, scale.exponent, rounded.place));
  }
  return text.append(scale.symbol);
}

int digits_known(const Estimate& estimate) {
  if (estimate.value == 0) return 1;
  const Rounded rounded = round_to_known(estimate, digits_without_interval);
  return std::max(1, first_place(estimate.value, digits_without_interval) - rounded.place + 1);
}

// One number of fio's pair, in steps of `base`: 1024 or 1000.
std::string in_base(double bytes_per_s, double base, std::string_view mark, int digits) {
  constexpr std::string_view prefixes = "kMGTP";
  double scaled =
      round_at(bytes_per_s, bytes_per_s == 0 ? 0 : first_place(bytes_per_s, digits) - digits + 1);
  std::string prefix;
  for (std::size_t step = 0; step < prefixes.size() && scaled >= base; ++step) {
    bytes_per_s /= base;
    scaled = round_at(bytes_per_s, first_place(bytes_per_s, digits) - digits + 1);
    prefix = prefixes[step];
  }
  const int decimals = scaled == 0 ? 0 : std::max(0, digits - 1 - first_place(scaled, digits));
  if (base > 1000 && prefix == "k") prefix = "K";
  return fmt::format("{:.{}f}{}{}B/s", scaled, decimals, prefix, prefix.empty() ? "" : mark);
}

std::string percentile_digits(double q) {
  std::string text = fmt::format("{:.4f}", q * 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void add(Estimate& sum, const Estimate& term) {
  sum.value += term.value;
  sum.half_width += term.half_width;
}

// False if this stream's p99 cannot be stated; the reason is then in the sum.
bool take_p99(Totals& sum, const StreamResult& stream) {
  const Percentile* p99 = find_percentile(stream.all, 0.99);
  const bool known = p99 != nullptr && p99->value_s.has_value();
  if (!known) sum.p99_refusal = p99 != nullptr ? p99->refusal : "";
  if (!known || !sum.p99_s || p99->value_s->value > sum.p99_s->value) {
    sum.p99_s = known ? p99->value_s : std::nullopt;
    sum.p99_stream = stream.name;
  }
  return known;
}

}  // namespace

Rounded round_to_known(const Estimate& estimate, int most_digits) {
  const bool interval = estimate.half_width > 0;
  const int digits = interval ? most_digits : std::min(most_digits, digits_without_interval);
  Rounded rounded;
  if (interval) {
    rounded.place =
        first_place(estimate.half_width, digits_of_half_width) - digits_of_half_width + 1;
  }
  if (estimate.value != 0) {
    const int finest = first_place(estimate.value, digits) - digits + 1;
    rounded.place = interval ? std::max(rounded.place, finest) : finest;
  }
  rounded.value = round_at(estimate.value, rounded.place);
  rounded.half_width = interval ? round_at(estimate.half_width, rounded.place) : 0;
  return rounded;
}

std::string count_text(const Estimate& estimate, const Notation& notation) {
  return estimate_text(estimate, notation, count_scales, true);
}

std::string time_text(const Estimate& seconds, const Notation& notation) {
  if (seconds.value == 0 && seconds.half_width == 0) return "0 s";
  return estimate_text(seconds, notation, time_scales, false);
}

std::string bandwidth_text(const Estimate& bytes_per_s) {
  if (!std::isfinite(bytes_per_s.value) || !std::isfinite(bytes_per_s.half_width)) {
    return "unknown";
  }
  const int digits = digits_known(bytes_per_s);
  if (digits >= digits_without_interval) return format_bandwidth(Bandwidth{bytes_per_s.value});
  return fmt::format("{} ({})", in_base(bytes_per_s.value, 1024, "i", digits),
                     in_base(bytes_per_s.value, 1000, "", digits));
}

std::string percent_text(double fraction) {
  if (!std::isfinite(fraction)) return "unknown";
  const double percent = fraction * 100;
  if (std::abs(percent) >= 99.95) return fmt::format("{:.0f} %", percent);
  const std::string text = fmt::format("{:.1f} %", percent);
  return text == "-0.0 %" ? "0.0 %" : text;
}

std::string grouped_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string percentile_label(double q) { return "p" + percentile_digits(q); }

std::string percentile_key(double q) {
  std::string key = percentile_label(q);
  std::replace(key.begin(), key.end(), '.', '_');
  return key;
}

bool occurs(const ResponseResult& response) noexcept {
  return response.ios > 0 || response.iops.value > 0;
}

bool response_time_known(const StreamResult& stream, const ResponseResult& response) noexcept {
  return stream.stable && occurs(response) && std::isfinite(response.mean_s.value);
}

const Percentile* find_percentile(const ResponseResult& response, double q) noexcept {
  // The q of a list are literals, but 1 - 0.01 is not 0.99 to the last bit.
  const auto found = std::find_if(response.percentiles.begin(), response.percentiles.end(),
                                  [q](const Percentile& p) { return std::abs(p.q - q) < 1e-9; });
  return found == response.percentiles.end() ? nullptr : &*found;
}

Totals totals(const RunResult& result) {
  Totals sum;
  Estimate weighted;
  bool known = true;
  bool p99_known = true;
  for (const StreamResult& stream : result.streams) {
    sum.stable = sum.stable && stream.stable;
    add(sum.iops, stream.all.iops);
    add(sum.bandwidth_bytes_per_s, stream.all.bandwidth_bytes_per_s);
    if (!occurs(stream.all)) continue;
    known = known && response_time_known(stream, stream.all);
    weighted.value += stream.all.iops.value * stream.all.mean_s.value;
    weighted.half_width += stream.all.iops.value * stream.all.mean_s.half_width;
    p99_known = p99_known && take_p99(sum, stream);
  }
  known = known && sum.iops.value > 0;
  if (known) {
    sum.mean_s = Estimate{weighted.value / sum.iops.value, weighted.half_width / sum.iops.value};
  }
  if (!known) sum.p99_s.reset();
  return sum;
}

}  // namespace storcast
