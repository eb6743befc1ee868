#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

// 18 decimal digits times the largest unit (a day in ps, a PiB in bytes) stay below 2^117.
__extension__ using Wide = __int128;

// A unit: 10^decimal x binary of the base unit, an eighth of it if it counts bits.
struct Unit {
  std::string_view name;
  int decimal = 0;
  std::int64_t binary = 1;
  bool bits = false;
};

// A kind of quantity, for the parser and its messages.
struct Kind {
  std::string_view noun;     // "a time"
  std::string_view example;  // "80us"
  std::span<const Unit> units;
};

constexpr std::int64_t kibi = 1024, mebi = kibi * kibi, gibi = mebi * kibi, tebi = gibi * kibi,
                       pebi = tebi * kibi;

// In picoseconds. Both code points of the micro sign are read; the list of accepted units and
// format_duration use "us".
constexpr std::array time_units{Unit{"ps"},          Unit{"ns", 3},        Unit{"us", 6},
                                Unit{"ms", 9},       Unit{"s", 12},        Unit{"min", 12, 60},
                                Unit{"h", 12, 3600}, Unit{"d", 12, 86400}, Unit{"\u00b5s", 6},
                                Unit{"\u03bcs", 6}};
constexpr std::array byte_units{Unit{"B"},
                                Unit{"kB", 3},
                                Unit{"MB", 6},
                                Unit{"GB", 9},
                                Unit{"TB", 12},
                                Unit{"PB", 15},
                                Unit{"KiB", 0, kibi},
                                Unit{"MiB", 0, mebi},
                                Unit{"GiB", 0, gibi},
                                Unit{"TiB", 0, tebi},
                                Unit{"PiB", 0, pebi}};
constexpr std::array bandwidth_units{
    Unit{"b/s", 0, 1, true},  Unit{"kb/s", 3, 1, true},  Unit{"Mb/s", 6, 1, true},
    Unit{"Gb/s", 9, 1, true}, Unit{"Tb/s", 12, 1, true}, Unit{"B/s"},
    Unit{"kB/s", 3},          Unit{"MB/s", 6},           Unit{"GB/s", 9},
    Unit{"TB/s", 12},         Unit{"KiB/s", 0, kibi},    Unit{"MiB/s", 0, mebi},
    Unit{"GiB/s", 0, gibi},   Unit{"TiB/s", 0, tebi},    Unit{"GFC", 0, 106'250'000}};
constexpr std::array watt_units{Unit{"W"}, Unit{"mW", -3}, Unit{"kW", 3}, Unit{"MW", 6}};
constexpr std::array count_units{Unit{""}, Unit{"k", 3}, Unit{"M", 6}, Unit{"G", 9}};
constexpr std::array fraction_units{Unit{""}, Unit{"%", -2}};

constexpr Kind time_kind{"a time", "80us", time_units};
constexpr Kind byte_kind{"a size", "4KiB", byte_units};
constexpr Kind bandwidth_kind{"a rate", "25Gb/s or 3GiB/s", bandwidth_units};
constexpr Kind watt_kind{"a power", "12W", watt_units};
constexpr Kind count_kind{"a count", "300k", count_units};
constexpr Kind fraction_kind{"a fraction", "70% or 0.7", fraction_units};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_ascii(std::string_view name) {
  return name.empty() || static_cast<signed char>(name[0]) > 0;
}

std::string unit_list(const Kind& kind) {
  std::string out;
  for (const auto& unit : kind.units) {
    if (unit.name.empty() || !starts_ascii(unit.name)) continue;
    out += (out.empty() ? "" : ", ") + std::string(unit.name);
  }
  return out;
}

// digits x 10^exponent, exactly as written, and the text after it.
struct Number {
  std::uint64_t digits = 0;
  int exponent = 0;
  std::string_view unit;
};

[[noreturn]] void not_a_number(const Kind& kind) {
  throw QuantityError(
      fmt::format("is not {}; write a number and its unit, as {}", kind.noun, kind.example));
}

// Reads the digits from `at` on into `number`; returns how many there were.
std::size_t read_digits(std::string_view text, std::size_t& at, Number& number) {
  const std::size_t first = at;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (number.digits >= 100'000'000'000'000'000u) throw QuantityError("has more than 18 digits");
    number.digits = number.digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  return at - first;
}

// Reads "e-3" at `at`, if it stands there.
void read_exponent(std::string_view text, std::size_t& at, Number& number) {
  std::size_t next = at;
  if (next >= text.size() || (text[next] != 'e' && text[next] != 'E')) return;
  ++next;
  const bool negative = next < text.size() && text[next] == '-';
  if (negative || (next < text.size() && text[next] == '+')) ++next;
  const std::size_t first = next;
  int exponent = 0;
  for (; next < text.size() && is_digit(text[next]); ++next) {
    if (exponent > 99) throw QuantityError("has an exponent beyond 999");
    exponent = exponent * 10 + (text[next] - '0');
  }
  if (next == first) return;  // an 'e' without digits is no exponent: left to the unit
  number.exponent += negative ? -exponent : exponent;
  at = next;
}

Number split(std::string_view text, const Kind& kind) {
  if (text.empty()) not_a_number(kind);
  if (text.front() == '-') throw QuantityError("must not be negative");
  Number number;
  std::size_t at = 0;
  std::size_t found = read_digits(text, at, number);
  if (at < text.size() && text[at] == '.') {
    ++at;
    const std::size_t decimals = read_digits(text, at, number);
    if (decimals == 0) not_a_number(kind);
    number.exponent -= static_cast<int>(decimals);
    found += decimals;
  }
  if (found == 0) not_a_number(kind);
  read_exponent(text, at, number);
  while (at < text.size() && text[at] == ' ') ++at;
  number.unit = text.substr(at);
  return number;
}

// What a person who wrote a wrong unit of size or rate probably meant; empty: no idea.
std::string meant(std::string_view unit, const Kind& kind) {
  if (kind.noun == time_kind.noun) return unit == "m" ? "write ms or min; " : "";
  const bool rate = kind.noun == bandwidth_kind.noun;
  if (!rate && kind.noun != byte_kind.noun) return "";
  std::string_view core = unit;
  if (rate && (core.ends_with("/s") || core.ends_with("ps"))) core.remove_suffix(2);
  if (core.ends_with("bits")) core.remove_suffix(3);
  if (core.ends_with("bit")) core.remove_suffix(2);
  const std::string_view end = rate ? "/s" : "";
  for (const auto& known : kind.units) {
    if (known.name == fmt::format("{}{}", core, end)) return fmt::format("write {}; ", known.name);
  }
  if (core.empty() || core.size() > 3) return "";
  const char big = static_cast<char>(std::toupper(static_cast<unsigned char>(core.front())));
  const char small = big == 'K' ? 'k' : big;
  if (std::string_view("KMGTP").find(big) == std::string_view::npos) return "";
  if (!rate) return fmt::format("write {}iB (power of 1024) or {}B (power of 1000); ", big, small);
  return fmt::format("write {1}b/s (bits), {1}B/s (bytes) or {0}iB/s; ", big, small);
}

const Unit& find_unit(std::string_view name, const Kind& kind) {
  for (const auto& unit : kind.units) {
    if (unit.name == name) return unit;
  }
  if (name.empty()) throw QuantityError(fmt::format("needs a unit: {}", unit_list(kind)));
  throw QuantityError(fmt::format("has the unknown unit {}; {}accepted: {}", quote(name),
                                  meant(name, kind), unit_list(kind)));
}

// digits x 10^exponent x unit as an integer, rounded to the nearest; `exact` says whether it had
// to.
std::int64_t to_integer(const Number& number, const Unit& unit, std::string_view limit,
                        bool& exact) {
  constexpr Wide largest = std::numeric_limits<std::int64_t>::max();
  Wide value = static_cast<Wide>(number.digits) * unit.binary;
  exact = true;
  if (value == 0) return 0;
  int exponent = number.exponent + unit.decimal;
  for (; exponent > 0 && value <= largest; --exponent) value *= 10;
  Wide divisor = 1;
  for (; exponent < 0 && divisor <= value * 2; ++exponent) divisor *= 10;
  exact = exponent == 0 && value % divisor == 0;
  value = exponent < 0 ? 0 : (value + divisor / 2) / divisor;
  if (value > largest) throw QuantityError(fmt::format("is beyond {}", limit));
  return static_cast<std::int64_t>(value);
}

// The same as a double: one decimal conversion, so that 0.7% is the double nearest to 0.007.
double to_double(const Number& number, const Unit& unit) {
  if (number.digits == 0) return 0;
  const std::string text = fmt::format("{}e{}", number.digits, number.exponent + unit.decimal);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  value = value * static_cast<double>(unit.binary) / (unit.bits ? 8 : 1);
  if (result.ec != std::errc{} || !std::isfinite(value)) {
    throw QuantityError("is too large or too small to be represented");
  }
  return value;
}

double parse_double(std::string_view text, const Kind& kind) {
  const Number number = split(text, kind);
  return to_double(number, find_unit(number.unit, kind));
}

// Rounded to three significant digits; all borders between units are decided after this rounding.
double three_digits(double value) {
  const std::string text = fmt::format("{:.2e}", value);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

// A positive number with three significant digits: 0.0123, 1.25, 80.0, 812, 1234.
std::string print_three(double value) {
  const double rounded = three_digits(value);
  int decimals = 2;
  for (double border = 10; decimals > 0 && rounded >= border; border *= 10) --decimals;
  for (double border = 1; decimals < 6 && rounded < border; border /= 10) ++decimals;
  if (rounded < 1e-4 || rounded >= 1e6) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, decimals);
}

struct Scale {
  std::string_view name;
  double size;   // in the base unit
  double limit;  // from here on (after rounding) the next unit is used
};

// The first scale whose limit the rounded number does not reach; the last has no limit.
std::string print_scaled(double value, std::span<const Scale> scales, std::string_view space) {
  for (const auto& scale : scales.first(scales.size() - 1)) {
    const double scaled = value / scale.size;
    // Four digits and more are whole numbers (a binary unit goes up to 1023), not multiples of ten.
    const double rounded = scaled >= 999.5 ? std::round(scaled) : three_digits(scaled);
    if (rounded < scale.limit)
      return print_three(scaled) + std::string(space) + std::string(scale.name);
  }
  return print_three(value / scales.back().size) + std::string(space) +
         std::string(scales.back().name);
}

}  // namespace

Duration parse_duration(std::string_view text) {
  const Number number = split(text, time_kind);
  bool exact = true;
  const std::int64_t ps =
      to_integer(number, find_unit(number.unit, time_kind), "106 days, the longest time", exact);
  if (ps == 0 && !exact) throw QuantityError("is below 1 ps, the shortest time");
  return Duration{ps};
}

Bytes parse_bytes(std::string_view text) {
  const Number number = split(text, byte_kind);
  bool exact = true;
  const std::int64_t bytes =
      to_integer(number, find_unit(number.unit, byte_kind), "8 EiB, the largest size", exact);
  if (!exact) throw QuantityError("is not a whole number of bytes");
  return {bytes};
}

Bandwidth parse_bandwidth(std::string_view text) { return {parse_double(text, bandwidth_kind)}; }

Watts parse_watts(std::string_view text) { return {parse_double(text, watt_kind)}; }

double parse_count(std::string_view text) { return parse_double(text, count_kind); }

double parse_fraction(std::string_view text) {
  const double value = parse_double(text, fraction_kind);
  if (value > 1) throw QuantityError("is above 1 (100%); a fraction is written as 70% or 0.7");
  return value;
}

std::string format_duration(Duration d) {
  static constexpr std::array scales{Scale{"ps", 1, 1000},   Scale{"ns", 1e3, 1000},
                                     Scale{"us", 1e6, 1000}, Scale{"ms", 1e9, 1000},
                                     Scale{"s", 1e12, 600},  Scale{"min", 6e13, 120},
                                     Scale{"h", 3.6e15, 48}, Scale{"d", 8.64e16, 0}};
  if (d.count() == 0) return "0 s";
  const auto ps = static_cast<double>(d.count());
  return (ps < 0 ? "-" : "") + print_scaled(std::abs(ps), scales, " ");
}

std::string format_bytes(Bytes amount) {
  static constexpr std::array scales{Scale{"B", 1, 1000},     Scale{"kB", 1e3, 1000},
                                     Scale{"MB", 1e6, 1000},  Scale{"GB", 1e9, 1000},
                                     Scale{"TB", 1e12, 1000}, Scale{"PB", 1e15, 0}};
  const std::string sign = amount.value < 0 ? "-" : "";
  const auto bytes = amount.value < 0 ? 0 - static_cast<std::uint64_t>(amount.value)
                                      : static_cast<std::uint64_t>(amount.value);
  // Exact where a unit leaves a whole number of at most four digits; the smallest such number.
  std::uint64_t best = bytes;
  std::string_view best_unit = "B";
  for (const auto& unit : byte_units) {
    std::uint64_t size = static_cast<std::uint64_t>(unit.binary);
    for (int i = 0; i < unit.decimal; ++i) size *= 10;
    if (bytes == 0 || bytes % size != 0 || bytes / size >= best) continue;
    best = bytes / size;
    best_unit = unit.name;
  }
  if (best < 10'000) return fmt::format("{}{} {}", sign, best, best_unit);
  return sign + print_scaled(static_cast<double>(bytes), scales, " ");
}

std::string format_bandwidth(Bandwidth rate) {
  static constexpr std::array binary{Scale{"B/s", 1, 1024}, Scale{"KiB/s", kibi, 1024},
                                     Scale{"MiB/s", mebi, 1024}, Scale{"GiB/s", gibi, 1024},
                                     Scale{"TiB/s", tebi, 0}};
  static constexpr std::array decimal{Scale{"B/s", 1, 1000}, Scale{"kB/s", 1e3, 1000},
                                      Scale{"MB/s", 1e6, 1000}, Scale{"GB/s", 1e9, 1000},
                                      Scale{"TB/s", 1e12, 0}};
  if (rate.value == 0) return "0B/s (0B/s)";
  if (!std::isfinite(rate.value)) return fmt::format("{}B/s", rate.value);
  const std::string sign = rate.value < 0 ? "-" : "";
  const double value = std::abs(rate.value);
  return fmt::format("{0}{1} ({0}{2})", sign, print_scaled(value, binary, ""),
                     print_scaled(value, decimal, ""));
}

std::string format_count(double n) {
  static constexpr std::array scales{Scale{"", 1, 1000}, Scale{"k", 1e3, 1000},
                                     Scale{"M", 1e6, 1000}, Scale{"G", 1e9, 0}};
  if (!std::isfinite(n) || (std::abs(n) < 1000 && n == std::round(n))) {
    return fmt::format("{:.0f}", n + 0.0);
  }
  return (n < 0 ? "-" : "") + print_scaled(std::abs(n), scales, "");
}

std::string format_watts(Watts power) {
  static constexpr std::array scales{Scale{"mW", 1e-3, 1000}, Scale{"W", 1, 1000},
                                     Scale{"kW", 1e3, 1000}, Scale{"MW", 1e6, 0}};
  if (power.value == 0) return "0 W";
  if (!std::isfinite(power.value)) return fmt::format("{} W", power.value);
  return (power.value < 0 ? "-" : "") + print_scaled(std::abs(power.value), scales, " ");
}

}  // namespace storcast
