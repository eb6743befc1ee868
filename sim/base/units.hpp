// Quantities: simulated time, sizes, rates, power, energy.
//
// Time is std::chrono with a picosecond tick (int64: +-106 days): a 4 KiB transfer at 64 GB/s takes
// 64 ns and a nanosecond tick would bias it by 0.8 %. Sizes are bytes, rates bytes per second,
// powers watts. Text always carries its unit, in the standard sense: KiB/MiB/GiB/TiB are powers of
// 1024, kB/MB/GB/TB powers of 1000, b is a bit and B a byte. Nothing is guessed and nothing
// clamped.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace storcast {

// The simulated clock; Kernel::now() reads it.
struct SimClock {
  using rep = std::int64_t;
  using period = std::pico;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<SimClock>;
  static constexpr bool is_steady = true;
};
using Duration = SimClock::duration;
using Time = SimClock::time_point;

// A number of one unit. Same unit: add, subtract, compare, scale; different units do not mix.
template <class Unit, class Rep>
struct Quantity {
  Rep value{};
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return {a.value * factor}; }
};
using Bytes = Quantity<struct ByteUnit, std::int64_t>;
using Bandwidth = Quantity<struct BytesPerSecondUnit, double>;  // bytes per second
using Watts = Quantity<struct WattUnit, double>;
using Joules = Quantity<struct JouleUnit, double>;

inline constexpr double picoseconds_per_second = 1e12;

// Seconds as a double: for reports and SimGrid only, never for the clock.
constexpr double to_seconds(Duration d) {
  return static_cast<double>(d.count()) / picoseconds_per_second;
}
constexpr double to_seconds(Time t) { return to_seconds(t.time_since_epoch()); }

// Rounds to the nearest picosecond. Precondition: |seconds| < 9.2e6 (106 days).
constexpr Duration from_seconds(double seconds) {
  const double ps = seconds * picoseconds_per_second;
  return Duration{static_cast<std::int64_t>(ps < 0 ? ps - 0.5 : ps + 0.5)};
}

// Transfer time of an amount at a rate. Precondition: rate > 0.
constexpr Duration operator/(Bytes amount, Bandwidth rate) {
  return from_seconds(static_cast<double>(amount.value) / rate.value);
}
constexpr Joules operator*(Watts power, Duration time) { return {power.value * to_seconds(time)}; }

// A text that is not a quantity of the asked kind; what() is the rule it breaks.
class QuantityError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Parsers. All throw QuantityError with the rule and the accepted units. Negative, non-finite and
// overflowing values are errors; a space before the unit is allowed.
[[nodiscard]] Duration parse_duration(std::string_view text);    // "80us", "1.5 ms", "30s", "2h"
[[nodiscard]] Bytes parse_bytes(std::string_view text);          // "4KiB", "11TB", "512B"
[[nodiscard]] Bandwidth parse_bandwidth(std::string_view text);  // "25Gb/s", "12 GB/s", "3 GiB/s"
[[nodiscard]] Watts parse_watts(std::string_view text);          // "12W", "1.2 kW"
[[nodiscard]] double parse_count(
    std::string_view text);  // "300k", "20M", "1.5" (k, M, G: powers of 1000)
[[nodiscard]] double parse_fraction(std::string_view text);  // "1%" is 0.01; "0.01" is 0.01

// Printers, for people: three significant digits, the unit that suits the size.
[[nodiscard]] std::string format_duration(Duration d);  // "80.0 us", "1.25 ms"
[[nodiscard]] std::string format_bytes(Bytes amount);   // exact where possible: "4 KiB", "11 TB"
[[nodiscard]] std::string format_bandwidth(Bandwidth rate);  // as fio: "926MiB/s (971MB/s)"
[[nodiscard]] std::string format_count(double n);            // "237k", "1.20M"
[[nodiscard]] std::string format_watts(Watts power);         // "812 W"

}  // namespace storcast
