// What is known of a result, and to how many digits.
//
// Rounding: a value with a 95 % half-width ends at the decimal place of the half-width's second
// significant digit, and has at most four significant digits; without a half-width it has three.
// Worked number: 7.8234 ms +- 0.0312 ms becomes "7.823 +-0.031 ms"; +- 0.5 ms makes it "7.82 +-0.50
// ms". A half-width that vanishes at the printed place is shown as "<" one unit of that place.
// Source of the rule: JCGM 100:2008 (GUM), 7.2.6: two significant digits of an uncertainty suffice.
//
// Totals over several streams add the half-widths (streams of one run are not independent, so
// quadrature would promise too much).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/run/result.hpp"

namespace storcast {

struct Rounded {
  double value = 0;
  double half_width = 0;  // rounded to the same place
  int place = 0;          // the last printed digit counts 10^place
};

// Precondition: both finite, half_width >= 0, most_digits >= 1.
[[nodiscard]] Rounded round_to_known(const Estimate& estimate, int most_digits = 4);

struct Notation {
  bool with_half_width = true;
  std::string_view plus_minus = "+-";
  int most_digits = 4;
};

// For people. Not finite: "unknown". A half-width of zero is never printed.
[[nodiscard]] std::string count_text(const Estimate& estimate, const Notation& notation = {});
[[nodiscard]] std::string time_text(const Estimate& seconds, const Notation& notation = {});
// As fio prints it, "926MiB/s (971MB/s)": three digits, fewer when fewer are known.
[[nodiscard]] std::string bandwidth_text(const Estimate& bytes_per_s);
[[nodiscard]] std::string percent_text(double fraction);      // "99.3 %", "100 %", "0.1 %"
[[nodiscard]] std::string grouped_text(std::uint64_t count);  // "445,400"
// "p99.9" and "p99_9" of 0.999. Precondition: 0 <= q <= 1.
[[nodiscard]] std::string percentile_label(double q);
[[nodiscard]] std::string percentile_key(double q);

// Whether I/Os of this direction occur in the answer.
[[nodiscard]] bool occurs(const ResponseResult& response) noexcept;
// Whether a mean response time can be stated: the stream is stable and has I/Os.
[[nodiscard]] bool response_time_known(const StreamResult& stream,
                                       const ResponseResult& response) noexcept;
// The percentile of that q, null if it is not listed.
[[nodiscard]] const Percentile* find_percentile(const ResponseResult& response, double q) noexcept;

// All streams together: the headline and the points of a sweep.
struct Totals {
  Estimate iops, bandwidth_bytes_per_s;
  std::optional<Estimate> mean_s;  // weighted by IOPS; absent if any stream is unstable
  std::optional<Estimate> p99_s;   // of the slowest stream; absent if one is absent or refused
  std::string p99_stream;          // which stream that is
  std::string p99_refusal;         // why it is absent; empty if nothing was asked for
  bool stable = true;
};
[[nodiscard]] Totals totals(const RunResult& result);

}  // namespace storcast
