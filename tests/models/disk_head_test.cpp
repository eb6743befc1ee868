#include "models/disk_head.hpp"

#include <catch2/catch.hpp>

#include "sim/base/random.hpp"

using namespace storcast;

namespace {

constexpr double ms = 1e9;  // in picoseconds
constexpr double turn = 60e12 / 7200;
constexpr double blocks_in_all = 16e12 / 512;

DiskTimes times(double read_ahead_bytes = 1 << 20) {
  const SeekCurve::Points read{from_seconds(0.25e-3), from_seconds(8.2e-3), from_seconds(16.5e-3)};
  const SeekCurve::Points write{from_seconds(0.65e-3), from_seconds(8.6e-3), from_seconds(16.9e-3)};
  return {DiskSurface(Bytes{16'000'000'000'000}, 7200, Bandwidth{275e6}, 0.5),
          SeekCurve(read),
          SeekCurve(write),
          0.15 * ms,
          0,
          512 / 1.2e9 * 1e12,
          read_ahead_bytes / 512,
          16};
}
DiskHead head() { return {0.3, 0, 16}; }
DiskRequest read_of(std::uint64_t lba, std::uint32_t blocks, double since_ps = 0) {
  return {lba, blocks, false, since_ps};
}
DiskRequest write_of(std::uint64_t lba, std::uint32_t blocks, double since_ps = 0) {
  return {lba, blocks, true, since_ps};
}

}  // namespace

TEST_CASE("random requests in order of arrival take overhead, average seek and half a turn") {
  const DiskTimes d = times();
  for (const bool write : {false, true}) {
    DiskHead h = head();
    Rng rng(1, "addresses");
    double now = 0;
    constexpr int n = 100'000;
    for (int i = 0; i < n; ++i) {
      const auto lba = rng.below(static_cast<std::uint64_t>(blocks_in_all) - 8);
      now += h.serve(d, {lba, 8, write, now}, now).total_ps;
    }
    const double mean = (0.15 + (write ? 8.6 : 8.2)) * ms + turn / 2 + 4096 / 206e6 * 1e12;
    CHECK(now / n == Approx(mean).epsilon(0.005));
  }
}

TEST_CASE("asking for the cost moves nothing, and the service costs what was said") {
  const DiskTimes d = times();
  DiskHead h = head();
  (void)h.serve(d, read_of(1'000'000'000, 64), 0);
  const double said = h.cost(d, read_of(20'000'000'000, 64), 30 * ms).total_ps;
  CHECK(h.cost(d, read_of(20'000'000'000, 64), 30 * ms).total_ps == said);
  CHECK(h.serve(d, read_of(20'000'000'000, 64), 30 * ms).total_ps == said);
}

TEST_CASE("a drive that spins up serves its first request when it is ready") {
  const DiskTimes d = times();
  DiskHead h(0, 20e12, 16);
  const double first = h.serve(d, read_of(5'000'000, 8), 1e12).total_ps;
  CHECK(first > 19e12);
  CHECK(first < 19e12 + 30 * ms);
}

TEST_CASE("one stream that asks soon enough goes at the rate of its zone") {
  const DiskTimes d = times();
  DiskHead h = head();
  double now = 0;
  std::uint64_t lba = 8'000'000;
  now += h.serve(d, read_of(lba, 128), now).total_ps;
  const double start = now;
  for (int i = 0; i < 10'000; ++i) {
    lba += 128;
    if (!h.take_from_buffer(d, read_of(lba, 128, now), now)) {
      now += h.serve(d, read_of(lba, 128, now), now).total_ps;
    }
  }
  const double rate = 10'000 * 65536.0 / ((now - start) * 1e-12);
  CHECK(rate == Approx(275e6).epsilon(0.01));
}

TEST_CASE("a stream that pauses finds its data in the buffer, no more than the read-ahead") {
  const DiskTimes d = times();
  DiskHead h = head();
  double now = h.serve(d, read_of(8'000'000, 128), 0).total_ps;
  now += 100 * ms;
  CHECK(h.position(now) == 8'000'000 + 128 + 2048);
  CHECK(h.take_from_buffer(d, read_of(8'000'128, 2048, now), now));
  CHECK_FALSE(h.take_from_buffer(d, read_of(8'002'176, 128, now), now));
  // The head starts again within a turn and goes on.
  CHECK(h.position(now) == 8'000'000 + 128 + 2048);
  CHECK(h.position(now + 2 * turn) > 8'002'176 + 1000);
}

TEST_CASE("other work interrupts what was read ahead without a stream, not a stream's run") {
  const DiskTimes d = times();
  DiskHead h = head();
  double now = h.serve(d, read_of(8'000'000, 128), 0).total_ps;
  const DiskRequest far = read_of(20'000'000'000, 8, now);
  CHECK(h.cost(d, far, now).total_ps < 0.15 * ms + 16.5 * ms + turn + ms);
  now += h.serve(d, far, now).total_ps;
  CHECK_FALSE(h.take_from_buffer(d, read_of(8'000'128, 128, now), now));
  now += h.serve(d, read_of(8'000'128, 128, now), now).total_ps;  // goes on: a stream
  const double least = (2048 - 128) * 512 / 275e6 * 1e12;
  const DiskRequest other = read_of(10'000'000'000, 8, now);
  CHECK(h.cost(d, other, now).total_ps > least + 0.25 * ms);
  now += h.serve(d, other, now).total_ps;
  CHECK(h.take_from_buffer(d, read_of(8'000'256, 1920, now), now));
}

TEST_CASE("a request that waits where the head comes along costs its transfer only") {
  const DiskTimes d = times(0);
  DiskHead h = head();
  const double now = h.serve(d, write_of(8'000'000, 128), 0).total_ps;
  const double transfer = 128 * 512 / 275e6 * 1e12;
  CHECK(h.cost(d, write_of(8'000'128, 128, 0), now).total_ps == Approx(transfer).epsilon(0.01));
  // One that comes later has missed its place and waits for the rest of a turn.
  const double later = now + 0.01 * ms;
  CHECK(h.cost(d, write_of(8'000'128, 128, later), later).total_ps ==
        Approx(turn + transfer - 0.01 * ms).epsilon(0.01));
}

TEST_CASE("what is written is read from the surface, not from the buffer") {
  const DiskTimes d = times();
  DiskHead h = head();
  double now = h.serve(d, read_of(8'000'000, 128), 0).total_ps + 50 * ms;
  CHECK(h.take_from_buffer(d, read_of(8'000'128, 128, now), now));
  now += h.serve(d, write_of(8'000'200, 8, now), now).total_ps;
  CHECK_FALSE(h.take_from_buffer(d, read_of(8'000'128, 128, now), now));
}

TEST_CASE("k streams share the drive as k runs in k times transfer and positioning") {
  // rate = k L / (k (L / r + t_pos)); the streams start evenly spaced, served in turn, as a drive
  // of queue depth 1 does; t_pos is the mean over the hops plus half a turn.
  const DiskTimes d = times();
  for (const int k : {2, 4, 8}) {
    DiskHead h = head();
    std::vector<std::uint64_t> at;
    for (int s = 0; s < k; ++s) {
      at.push_back(static_cast<std::uint64_t>(blocks_in_all / 4 * s / k) + 13'577u * s);
    }
    double now = 0;
    double bytes = 0;
    for (int round = 0; round < 4'000; ++round) {
      for (auto& lba : at) {
        now += h.serve(d, read_of(lba, 128, now), now).total_ps;
        lba += 128;
        bytes += 65536;
      }
      // What the runs brought is taken while the head is elsewhere.
      for (std::size_t s = 0; s < at.size(); ++s) {
        while (h.take_from_buffer(d, read_of(at[s], 128, now), now)) {
          at[s] += 128;
          bytes += 65536;
        }
      }
    }
    const double hop = 0.25 / k;
    const double back = 0.25 * (k - 1) / k;
    const double seek = ((k - 1) * d.read_seek.time_ps(hop) + d.read_seek.time_ps(back)) / k;
    const double t_pos = d.overhead_ps + seek + turn / 2;
    const double rate = 0.5 * (275e6 + 275e6 * (1 - 0.5 * 0.25));
    const double law = double{1 << 20} / ((1 << 20) / rate + t_pos * 1e-12);
    INFO(k << " streams: " << bytes / (now * 1e-12) / 1e6 << " MB/s, law " << law / 1e6);
    CHECK(bytes / (now * 1e-12) == Approx(law).epsilon(0.05));
  }
}
