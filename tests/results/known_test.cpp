#include "results/known.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/results/example.hpp"

using namespace storcast;

TEST_CASE("a value ends at the second significant digit of its half-width") {
  CHECK(time_text({7.8234e-3, 0.0312e-3}) == "7.823 +-0.031 ms");
  CHECK(time_text({7.8234e-3, 0.5e-3}) == "7.82 +-0.50 ms");
  CHECK(time_text({7.8234e-3, 2.6e-3}) == "7.8 +-2.6 ms");
  CHECK(count_text({262000, 1100}) == "262.0k +-1.1k");
  CHECK(count_text({354321, 25400}) == "354k +-25k");
}

TEST_CASE("a half-width that rounds up takes its place with it") {
  CHECK(time_text({7.8234e-3, 0.0996e-3}) == "7.82 +-0.10 ms");
  CHECK(count_text({354321, 99700}) == "350k +-100k");
}

TEST_CASE("a value never has more than four significant digits") {
  CHECK(count_text({262431, 11}) == "262.4k +-<0.1k");
  CHECK(count_text({123.456789, 0.0011}) == "123.5 +-<0.1");
  CHECK(time_text({9.99996e-3, 1e-9}) == "10.00 +-<0.01 ms");
}

TEST_CASE("without a half-width a value has three significant digits") {
  CHECK(count_text({262431, 0}) == "262k");
  CHECK(count_text({5700000, 0}) == "5.70M");
  CHECK(count_text({96, 0}) == "96.0");
  CHECK(count_text({0, 0}) == "0");
  CHECK(time_text({80e-6, 0}) == "80.0 us");
  CHECK(time_text({0, 0}) == "0 s");
  CHECK(time_text({3.2e-10, 0}) == "320 ps");
}

TEST_CASE("rounding up to the next unit changes the unit") {
  CHECK(time_text({999.96e-6, 0}) == "1.00 ms");
  CHECK(count_text({999700, 0}) == "1.00M");
}

TEST_CASE("a half-width larger than the value leaves no false digits") {
  CHECK(count_text({5, 12}) == "5 +-12");
  CHECK(count_text({0.4, 120}) == "0 +-120");
  CHECK(count_text({0, 120}) == "0 +-120");
}

TEST_CASE("the half-width can be left out and its sign chosen") {
  CHECK(count_text({262000, 1100}, {false, "+-", 3}) == "262k");
  CHECK(count_text({262000, 25000}, {false, "+-", 3}) == "262k");
  CHECK(count_text({262000, 250000}, {false, "+-", 3}) == "260k");
  CHECK(count_text({262000, 1100}, {true, "±", 4}) == "262.0k ±1.1k");
}

TEST_CASE("round_to_known says the place of the last digit") {
  const Rounded rounded = round_to_known({262431, 1130});
  CHECK(rounded.value == 262400);
  CHECK(rounded.half_width == 1100);
  CHECK(rounded.place == 2);
  CHECK(round_to_known({0.0078234, 0}).value == 0.00782);
}

TEST_CASE("bandwidth is printed as fio does, in both bases") {
  CHECK(bandwidth_text({971e6, 0}) == "926MiB/s (971MB/s)");
  CHECK(bandwidth_text({971e6, 4e6}) == "926MiB/s (971MB/s)");
}

TEST_CASE("an uncertain bandwidth loses digits in both bases") {
  CHECK(bandwidth_text({971e6, 300e6}) == "930MiB/s (970MB/s)");
  CHECK(bandwidth_text({971, 300}) == "970B/s (970B/s)");
  CHECK(bandwidth_text({1.47e9, 1.2e9}) == "1.4GiB/s (1.5GB/s)");
  CHECK(bandwidth_text({45e3, 30e3}) == "44KiB/s (45kB/s)");
}

TEST_CASE("what is not finite is unknown, never nan") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(count_text({nan, 0}) == "unknown");
  CHECK(count_text({1, nan}) == "unknown");
  CHECK(time_text({infinity, 0}) == "unknown");
  CHECK(bandwidth_text({nan, 0}) == "unknown");
  CHECK(percent_text(nan) == "unknown");
}

TEST_CASE("percentages, counts and percentile names") {
  CHECK(percent_text(0.9934) == "99.3 %");
  CHECK(percent_text(0.9998) == "100 %");
  CHECK(percent_text(-0.00001) == "0.0 %");
  CHECK(grouped_text(445400) == "445,400");
  CHECK(grouped_text(999) == "999");
  CHECK(grouped_text(1000000) == "1,000,000");
  CHECK(percentile_label(0.5) == "p50");
  CHECK(percentile_label(0.999) == "p99.9");
  CHECK(percentile_key(0.9999) == "p99_99");
}

TEST_CASE("a direction occurs with I/Os or with an analytic throughput") {
  ResponseResult response;
  CHECK_FALSE(occurs(response));
  response.ios = 1;
  CHECK(occurs(response));
  response.ios = 0;
  response.iops.value = 5;
  CHECK(occurs(response));
}

TEST_CASE("an unstable or empty stream has no response time") {
  StreamResult stream = example_stream();
  CHECK(response_time_known(stream, stream.all));
  CHECK_FALSE(response_time_known(stream, ResponseResult{}));
  stream.stable = false;
  CHECK_FALSE(response_time_known(stream, stream.all));
}

TEST_CASE("totals add throughputs, weight means and take the slowest p99") {
  RunResult result = example_result();
  StreamResult slow = example_stream();
  slow.name = "slow";
  slow.all = example_response(1000, 131000, 0.0156);
  result.streams.push_back(slow);
  const Totals sum = totals(result);
  CHECK(sum.iops.value == Approx(393000));
  CHECK(sum.iops.half_width == Approx(0.0042 * 393000));
  CHECK(sum.mean_s->value == Approx((262000 * 0.00782 + 131000 * 0.0156) / 393000));
  CHECK(sum.p99_s->value == Approx(0.0156 * 1.93));
  CHECK(sum.p99_stream == "slow");
}

TEST_CASE("totals state no p99 when one stream refuses it, whatever the order") {
  RunResult result = example_result();
  StreamResult few = example_stream();
  few.name = "few";
  few.all.percentiles = {{0.99, std::nullopt, "p99 needs 10,000 samples, 12 seen"}};
  result.streams.insert(GENERATE(true, false) ? result.streams.begin() : result.streams.end(), few);
  const Totals sum = totals(result);
  CHECK_FALSE(sum.p99_s.has_value());
  CHECK(sum.p99_refusal == "p99 needs 10,000 samples, 12 seen");
  CHECK(sum.p99_stream == "few");
  CHECK(sum.mean_s.has_value());
}

TEST_CASE("totals of an unstable run have no response times") {
  RunResult result = example_result();
  result.streams[0].stable = false;
  const Totals sum = totals(result);
  CHECK_FALSE(sum.stable);
  CHECK_FALSE(sum.mean_s.has_value());
  CHECK_FALSE(sum.p99_s.has_value());
}
