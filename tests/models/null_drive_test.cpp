#include "models/null_drive.hpp"

#include <catch2/catch.hpp>

#include "tests/support/drive_bench.hpp"
#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

NullDrive::Params params(double cv) { return {from_seconds(100e-6), cv, {1'000'000'000'000}}; }

}  // namespace

TEST_CASE("one I/O outstanding takes the service time of a null drive") {
  testing::DriveBench<NullDrive> bench(params(0), Direction::read, 8, 1);
  const auto seen = bench.run(1);
  CHECK(seen.mean_s == Approx(100e-6).epsilon(1e-9));
  CHECK(seen.iops == Approx(10'000).epsilon(1e-3));
}

TEST_CASE("a closed load of N keeps a null drive busy and waits for N services") {
  testing::DriveBench<NullDrive> bench(params(0), Direction::write, 8, 7);
  bench.run(0.01);
  const auto seen = bench.run(1);
  CHECK(seen.iops == Approx(10'000).epsilon(1e-3));
  CHECK(seen.mean_s == Approx(700e-6).epsilon(1e-6));
}

TEST_CASE("an open load at a null drive waits as M/D/1 and M/M/1 say", "[slow]") {
  for (const double cv : {0.0, 0.5, 1.0}) {
    INFO(cv);
    testing::DriveBench<NullDrive> bench(params(cv), Direction::read, 8, 0, 7000);
    bench.run(2);
    const auto seen = bench.run(300);
    // Pollaczek-Khinchine, rho = 0.7; 2.1 million arrivals, half-width below 1 %.
    CHECK(seen.mean_s == Approx(100e-6 * (1 + 0.7 * (1 + cv * cv) / (2 * 0.3))).epsilon(0.015));
  }
}

TEST_CASE("the null drive's data sheet refuses what lies outside its ranges") {
  const std::string good = "service_time: 100us\ncapacity: 1TB\n";
  for (const char* line : {"service_time: 2s", "service_time: 0s", "service_cv: 1.1",
                           "service_cv: -1", "capacity: 1kB", "capacity: 2PB", "dies: 4"}) {
    CHECK(testing::refuses(NullDrive::schema(), good, line) == "");
  }
}
