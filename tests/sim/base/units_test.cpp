#include "sim/base/units.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <string>

namespace storcast {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;

constexpr std::int64_t gibi = 1ll << 30;

Duration picoseconds(std::int64_t n) { return Duration{n}; }

}  // namespace

TEST_CASE("each unit of time is read") {
  CHECK(parse_duration("7ps") == picoseconds(7));
  CHECK(parse_duration("64ns") == Duration(64ns));
  CHECK(parse_duration("80us") == Duration(80us));
  CHECK(parse_duration("1.5 ms") == Duration(1500us));
  CHECK(parse_duration("30s") == Duration(30s));
  CHECK(parse_duration("3min") == Duration(180s));
  CHECK(parse_duration("2h") == Duration(7200s));
  CHECK(parse_duration("1d") == Duration(86400s));
}

TEST_CASE("both code points of the micro sign are read") {
  CHECK(parse_duration("80\u00b5s") == Duration(80us));
  CHECK(parse_duration("80 \u03bcs") == Duration(80us));
}

TEST_CASE("decimals and exponents are read exactly") {
  CHECK(parse_duration("0.001ns") == picoseconds(1));
  CHECK(parse_duration("5e-6 s") == Duration(5us));
  CHECK(parse_duration("1E3 us") == Duration(1ms));
  CHECK(parse_duration(".5us") == Duration(500ns));
  CHECK(parse_duration("106d") == picoseconds(9158400000000000000));
  CHECK(parse_duration("9.22337203685477580e18 ps") == Duration::max() - picoseconds(7));
}

TEST_CASE("a time is rounded to the nearest picosecond but never to nothing") {
  CHECK(parse_duration("1.4ps") == picoseconds(1));
  CHECK(parse_duration("1.5ps") == picoseconds(2));
  CHECK(parse_duration("0s") == Duration{});
  CHECK(parse_duration("0.0000us") == Duration{});
  CHECK_THROWS_WITH(parse_duration("0.1ps"), Contains("below 1 ps"));
  CHECK_THROWS_WITH(parse_duration("1e-999s"), Contains("below 1 ps"));
}

TEST_CASE("a time beyond 106 days is an error") {
  CHECK_THROWS_WITH(parse_duration("107d"), Contains("106 days"));
  CHECK_THROWS_WITH(parse_duration("1e300s"), Contains("106 days"));
  CHECK_THROWS_WITH(parse_duration("999999999999999999d"), Contains("106 days"));
}

TEST_CASE("what is no time says why") {
  CHECK_THROWS_WITH(parse_duration("80"), Contains("needs a unit: ps, ns, us, ms, s, min, h, d"));
  CHECK_THROWS_WITH(parse_duration("5m"), Contains("write ms or min"));
  CHECK_THROWS_WITH(parse_duration("5 sec"), Contains("unknown unit 'sec'"));
  CHECK_THROWS_WITH(parse_duration("5 MS"), Contains("unknown unit 'MS'"));
  CHECK_THROWS_WITH(parse_duration("-5us"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_duration("1234567890123456789us"), Contains("more than 18 digits"));
  CHECK_THROWS_WITH(parse_duration("1e1000us"), Contains("exponent"));
  for (const char* text : {"", "us", "nan", "inf", "+5us", " 5us", "1.us", ".us", "fast", "."}) {
    CHECK_THROWS_WITH(parse_duration(text), Contains("is not a time"));
  }
  for (const char* text : {"5us ", "1,5us", "5uss", "0x10us", "1..5us", "5us5us", "5e us"}) {
    CHECK_THROWS_WITH(parse_duration(text), Contains("unknown unit") || Contains("not a time"));
  }
}

TEST_CASE("each unit of size is read in its standard sense") {
  CHECK(parse_bytes("512B") == Bytes{512});
  CHECK(parse_bytes("4KiB") == Bytes{4096});
  CHECK(parse_bytes("4 kB") == Bytes{4000});
  CHECK(parse_bytes("3MiB") == Bytes{3 << 20});
  CHECK(parse_bytes("3MB") == Bytes{3'000'000});
  CHECK(parse_bytes("2GiB") == Bytes{2 * gibi});
  CHECK(parse_bytes("2GB") == Bytes{2'000'000'000});
  CHECK(parse_bytes("1TiB") == Bytes{1024 * gibi});
  CHECK(parse_bytes("11TB") == Bytes{11'000'000'000'000});
  CHECK(parse_bytes("1PiB") == Bytes{1024 * 1024 * gibi});
  CHECK(parse_bytes("1PB") == Bytes{1'000'000'000'000'000});
}

TEST_CASE("sizes are whole bytes") {
  CHECK(parse_bytes("1.5KiB") == Bytes{1536});
  CHECK(parse_bytes("4.35kB") == Bytes{4350});
  CHECK(parse_bytes("1.005MB") == Bytes{1'005'000});
  CHECK_THROWS_WITH(parse_bytes("0.1KiB"), Contains("whole number of bytes"));
  CHECK_THROWS_WITH(parse_bytes("0.5B"), Contains("whole number of bytes"));
  CHECK_THROWS_WITH(parse_bytes("1e-500B"), Contains("whole number of bytes"));
}

TEST_CASE("an ambiguous unit of size names both meanings") {
  for (const char* text : {"4k", "4K", "4KB", "4kb", "4Kb"}) {
    CHECK_THROWS_WITH(parse_bytes(text), Contains("KiB") && Contains("kB") && Contains("1024"));
  }
  CHECK_THROWS_WITH(parse_bytes("4G"), Contains("write GiB") && Contains("GB"));
  CHECK_THROWS_WITH(parse_bytes("4096"), Contains("needs a unit: B, kB"));
  CHECK_THROWS_WITH(parse_bytes("4 blocks"), Contains("unknown unit 'blocks'"));
  CHECK_THROWS_WITH(parse_bytes("-4KiB"), Contains("negative"));
  CHECK_THROWS_WITH(parse_bytes("99999PiB"), Contains("8 EiB"));
  CHECK_THROWS_AS(parse_bytes("infB"), QuantityError);
}

TEST_CASE("each unit of rate is read: bits with b, bytes with B") {
  CHECK(parse_bandwidth("8b/s").value == 1);
  CHECK(parse_bandwidth("8kb/s").value == 1e3);
  CHECK(parse_bandwidth("100Mb/s").value == 12.5e6);
  CHECK(parse_bandwidth("25Gb/s").value == 3.125e9);
  CHECK(parse_bandwidth("1.6 Tb/s").value == 2e11);
  CHECK(parse_bandwidth("7B/s").value == 7);
  CHECK(parse_bandwidth("7kB/s").value == 7e3);
  CHECK(parse_bandwidth("7MB/s").value == 7e6);
  CHECK(parse_bandwidth("12 GB/s").value == 12e9);
  CHECK(parse_bandwidth("2TB/s").value == 2e12);
  CHECK(parse_bandwidth("1KiB/s").value == 1024);
  CHECK(parse_bandwidth("1MiB/s").value == 1 << 20);
  CHECK(parse_bandwidth("3 GiB/s").value == 3.0 * gibi);
  CHECK(parse_bandwidth("1TiB/s").value == 1024.0 * gibi);
}

TEST_CASE("a rate in another spelling suggests the right one") {
  CHECK_THROWS_WITH(parse_bandwidth("25Gbps"), Contains("write Gb/s;"));
  CHECK_THROWS_WITH(parse_bandwidth("25Gbit/s"), Contains("write Gb/s;"));
  CHECK_THROWS_WITH(parse_bandwidth("3GBps"), Contains("write GB/s;"));
  CHECK_THROWS_WITH(parse_bandwidth("3GB"), Contains("write GB/s;"));
  CHECK_THROWS_WITH(parse_bandwidth("25G"), Contains("Gb/s (bits), GB/s (bytes) or GiB/s"));
  CHECK_THROWS_WITH(parse_bandwidth("25KB/s"), Contains("kb/s (bits), kB/s (bytes) or KiB/s"));
  CHECK_THROWS_WITH(parse_bandwidth("25"), Contains("needs a unit: b/s"));
  CHECK_THROWS_WITH(parse_bandwidth("-1Gb/s"), Contains("negative"));
  CHECK_THROWS_WITH(parse_bandwidth("1e308TiB/s"), Contains("too large"));
  CHECK_THROWS_AS(parse_bandwidth("nan"), QuantityError);
}

TEST_CASE("powers are read") {
  CHECK(parse_watts("12W").value == 12);
  CHECK(parse_watts("1.2 kW").value == 1200);
  CHECK(parse_watts("5mW").value == 0.005);
  CHECK(parse_watts("3MW").value == 3e6);
  CHECK_THROWS_WITH(parse_watts("12"), Contains("needs a unit: W"));
  CHECK_THROWS_WITH(parse_watts("12J"), Contains("unknown unit"));
  CHECK_THROWS_WITH(parse_watts("-1W"), Contains("negative"));
}

TEST_CASE("counts are read with k, M and G as powers of 1000") {
  CHECK(parse_count("300k") == 300e3);
  CHECK(parse_count("20M") == 20e6);
  CHECK(parse_count("2 G") == 2e9);
  CHECK(parse_count("1.5") == 1.5);
  CHECK(parse_count("0") == 0);
  for (const char* text : {"1K", "1m", "1T", "many", "-1", "inf", "nan", "", "1e400"}) {
    CHECK_THROWS_AS(parse_count(text), QuantityError);
  }
}

TEST_CASE("fractions are read as the nearest double, with and without the percent sign") {
  CHECK(parse_fraction("70%") == 0.7);
  CHECK(parse_fraction("0.7 %") == 0.007);
  CHECK(parse_fraction("0.7") == 0.7);
  CHECK(parse_fraction("1%") == 0.01);
  CHECK(parse_fraction("100%") == 1);
  CHECK_THROWS_WITH(parse_fraction("70"), Contains("70% or 0.7"));
  CHECK_THROWS_WITH(parse_fraction("100.1%"), Contains("above 1"));
  CHECK_THROWS_WITH(parse_fraction("-1%"), Contains("negative"));
  CHECK_THROWS_AS(parse_fraction("half"), QuantityError);
}

TEST_CASE("times are printed with three significant digits") {
  CHECK(format_duration(80us) == "80.0 us");
  CHECK(format_duration(1250us) == "1.25 ms");
  CHECK(format_duration(Duration{}) == "0 s");
  CHECK(format_duration(picoseconds(5)) == "5.00 ps");
  CHECK(format_duration(123456ns) == "123 us");
  CHECK(format_duration(30s) == "30.0 s");
  CHECK(format_duration(-(80us)) == "-80.0 us");
  CHECK(format_duration(7200s) == "2.00 h");
  CHECK(format_duration(Duration::max()) == "107 d");
  CHECK(format_duration(Duration::min()) == "-107 d");
}

TEST_CASE("times are rounded before the unit is chosen") {
  CHECK(format_duration(999'960ns) == "1.00 ms");
  CHECK(format_duration(999'400ns) == "999 us");
  CHECK(format_duration(9'996us) == "10.0 ms");
  CHECK(format_duration(99'960us) == "100 ms");
  CHECK(format_duration(999'600ms) == "16.7 min");
  CHECK(format_duration(599'400ms) == "599 s");
  CHECK(format_duration(599'600ms) == "9.99 min");
  CHECK(format_duration(119min) == "119 min");
  CHECK(format_duration(120min) == "2.00 h");
  CHECK(format_duration(48h) == "2.00 d");
}

TEST_CASE("sizes are printed exactly where a unit leaves a short whole number") {
  CHECK(format_bytes({0}) == "0 B");
  CHECK(format_bytes({512}) == "512 B");
  CHECK(format_bytes({4096}) == "4 KiB");
  CHECK(format_bytes({4097}) == "4097 B");
  CHECK(format_bytes({4000}) == "4 kB");
  CHECK(format_bytes({1536}) == "1536 B");
  CHECK(format_bytes({1 << 20}) == "1 MiB");
  CHECK(format_bytes({11'000'000'000'000}) == "11 TB");
  CHECK(format_bytes({1024 * gibi}) == "1 TiB");
  CHECK(format_bytes({123'456'789'012}) == "123 GB");
  CHECK(format_bytes({999'999'999'999}) == "1.00 TB");
  CHECK(format_bytes({-4096}) == "-4 KiB");
  CHECK_FALSE(format_bytes({std::numeric_limits<std::int64_t>::min()}).empty());
}

TEST_CASE("rates are printed as fio does, binary and decimal") {
  CHECK(format_bandwidth({971e6}) == "926MiB/s (971MB/s)");
  CHECK(format_bandwidth({0}) == "0B/s (0B/s)");
  CHECK(format_bandwidth({12e9}) == "11.2GiB/s (12.0GB/s)");
  CHECK(format_bandwidth({1010.0 * 1024}) == "1010KiB/s (1.03MB/s)");
  CHECK(format_bandwidth({1023.9 * 1024}) == "1.00MiB/s (1.05MB/s)");
}

TEST_CASE("counts are printed with three digits and a suffix") {
  CHECK(format_count(237'000) == "237k");
  CHECK(format_count(1.2e6) == "1.20M");
  CHECK(format_count(16) == "16");
  CHECK(format_count(0) == "0");
  CHECK(format_count(12.5) == "12.5");
  CHECK(format_count(0.0123) == "0.0123");
  CHECK(format_count(999.96) == "1.00k");
  CHECK(format_count(999'960) == "1.00M");
  CHECK(format_count(3e9) == "3.00G");
  CHECK(format_count(-1500) == "-1.50k");
}

TEST_CASE("powers are printed with three digits") {
  CHECK(format_watts({812}) == "812 W");
  CHECK(format_watts({0}) == "0 W");
  CHECK(format_watts({12}) == "12.0 W");
  CHECK(format_watts({0.5}) == "500 mW");
  CHECK(format_watts({999.6}) == "1.00 kW");
  CHECK(format_watts({2.5e6}) == "2.50 MW");
}

TEST_CASE("quantities of one unit add, subtract, scale and compare") {
  CHECK(Bytes{3} + Bytes{4} == Bytes{7});
  CHECK(Bytes{3} - Bytes{4} == Bytes{-1});
  CHECK(Bytes{3} * 4 == Bytes{12});
  CHECK(Bytes{3} < Bytes{4});
  CHECK((Watts{100} * Duration(2s)).value == 200);
  CHECK(Bytes{4096} / Bandwidth{64e9} == Duration(64ns));
  CHECK(from_seconds(1.5e-12) == picoseconds(2));
  CHECK(to_seconds(Duration(50us)) == 50e-6);
}

}  // namespace storcast
