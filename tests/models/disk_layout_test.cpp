#include "models/disk_layout.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/disk_head.hpp"

using namespace storcast;

namespace {

using Spares = DiskLayout::Spares;

DiskLayout two_zones() {
  DiskZone outer{0, 9, 100, 7, 3, 0.25, 0.1, 0.3};
  outer.slips = {50, 51, 1200};
  DiskZone inner{10, 19, 80, 0, 0, 0.5, 0.15, 0.45};
  return {4, Spares::at_end_of_zone, {outer, inner}};
}

}  // namespace

TEST_CASE("each block of a layout has a place of its own, in the order of tracks") {
  const DiskLayout layout = two_zones();
  CHECK(layout.blocks() == 10 * 4 * 100 - 10 + 10 * 4 * 80);
  CHECK(layout.cylinders() == 20);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  for (std::uint64_t b = 0; b < layout.blocks(); ++b) {
    const DiskPlace p = layout.place(b);
    REQUIRE(p.sector < p.blocks_per_track);
    REQUIRE(p.head < 4);
    REQUIRE((p.angle >= 0 && p.angle < 1));
    REQUIRE(seen.emplace(p.cylinder, p.head, p.sector).second);
    REQUIRE(std::tuple(p.cylinder, p.head, p.sector) == *seen.rbegin());
  }
}

TEST_CASE("slipped and unused blocks are passed over") {
  const DiskLayout layout = two_zones();
  CHECK(layout.place(0).sector == 3);
  CHECK(layout.place(46).sector == 49);
  CHECK(layout.place(47).sector == 52);  // 50 and 51 are bad
  CHECK(layout.place(layout.blocks() - 1).cylinder == 19);
}

TEST_CASE("skews turn the first block of head and cylinder") {
  const DiskLayout layout = two_zones();
  CHECK(layout.place(0).angle == Approx(0.25 + 0.03));
  const DiskPlace next_head = layout.place(95);
  CHECK((next_head.head == 1 && next_head.sector == 0));
  CHECK(next_head.angle == Approx(0.35));
  const DiskPlace inner = layout.place(10 * 4 * 100 - 10 + 4 * 80);
  CHECK((inner.zone == 1 && inner.zone_cylinder == 1 && inner.head == 0));
  CHECK(inner.angle == Approx(0.95));
}

TEST_CASE("what passes a head takes its blocks and the skews between tracks") {
  const DiskLayout layout = two_zones();
  CHECK(layout.turns(0, 10) == Approx(0.1));
  CHECK(layout.turns(90, 10) == Approx(0.1 + 0.1));  // over the end of the first track
  // With a skew of zero the next track goes on at once, without losing a turn to rounding.
  const DiskLayout straight(3, Spares::at_end_of_zone, {{0, 9, 97, 0, 0, 0.123, 0, 0, {}}});
  CHECK(straight.turns(5, 970) == Approx(10));
}

TEST_CASE("spares at the end of each cylinder leave their place free") {
  DiskZone zone{0, 4, 10, 2, 0, 0, 0, 0};
  zone.slips = {3};
  const DiskLayout layout(2, Spares::at_end_of_cylinder, {zone});
  CHECK(layout.blocks() == 5 * 18);
  CHECK(layout.place(3).sector == 4);
  CHECK(layout.place(17).sector == 8);
  CHECK(layout.place(18).cylinder == 1);
  // A slip in an earlier cylinder shifts the tracks behind it by its width.
  CHECK(layout.place(18).angle == Approx(0.1));
}

TEST_CASE("zones without addresses are not sound") {
  const auto sound = [](const DiskZone& z, Spares s) { return DiskLayout::is_sound(z, 2, s); };
  CHECK(sound({0, 0, 10, 19, 0}, Spares::at_end_of_zone));
  CHECK_FALSE(sound({0, 0, 10, 20, 0}, Spares::at_end_of_zone));
  CHECK_FALSE(sound({0, 0, 10, 10, 10}, Spares::at_end_of_zone));
  CHECK_FALSE(sound({1, 0, 10, 0, 0}, Spares::at_end_of_zone));
  CHECK_FALSE(sound({0, 0, 0, 0, 0}, Spares::at_end_of_zone));
  CHECK_FALSE(sound({0, 9, 10, 20, 0}, Spares::at_end_of_cylinder));
  CHECK_FALSE(sound({0, 9, 10, 2, 1}, Spares::at_end_of_cylinder));
  CHECK_THROWS_AS(DiskLayout(0, Spares::at_end_of_zone, {{0, 0, 10}}), InvariantError);
  CHECK_THROWS_AS(DiskLayout(2, Spares::at_end_of_zone, {}), InvariantError);
}

TEST_CASE("a surface in tracks takes angle, passing and stroke from them") {
  DiskSurface surface(Bytes{4000 * 512}, 6000, Bandwidth{1e7}, 1);
  surface.lay_out(std::make_shared<const DiskLayout>(two_zones()));
  const double turn = 10e9;
  CHECK(surface.angle(0) == Approx(0.28));
  CHECK(surface.fraction(std::uint64_t{0}) == 0);
  CHECK(surface.fraction(std::uint64_t{7000}) == Approx(19.0 / 20));
  CHECK(surface.passing_ps(90, 10) == Approx(0.2 * turn));
  CHECK(surface.other_head(10, 200));
  CHECK_FALSE(surface.other_head(10, 20));
  CHECK_FALSE(surface.other_head(10, 4100));
  DiskSurface larger(Bytes{100'000 * 512}, 6000, Bandwidth{1e7}, 1);
  CHECK_THROWS_AS(larger.lay_out(std::make_shared<const DiskLayout>(two_zones())), InvariantError);
}

TEST_CASE("a slow interface holds up a transfer, and a head switch a request of the cylinder") {
  DiskSurface surface(Bytes{4000 * 512}, 6000, Bandwidth{1e7}, 1);
  surface.lay_out(std::make_shared<const DiskLayout>(two_zones()));
  const SeekCurve seek({from_seconds(1e-3), from_seconds(5e-3), from_seconds(9e-3)});
  DiskTimes times{surface, seek, seek};
  times.interface_ps_per_block = 1e9;
  DiskHead head(0, 0, 1);
  CHECK(head.serve(times, {0, 10, false, 0}, 0).transfer_ps == Approx(10e9));
  // 0.5 ms for another head, 1.2 ms more than half a turn: two different turns of the same block.
  DiskHead a(0, 0, 1), b(0, 0, 1);
  times.interface_ps_per_block = 0;
  (void)a.serve(times, {0, 1, true, 0}, 0);
  (void)b.serve(times, {0, 1, true, 0}, 0);
  const double now = 20e9;
  const double quick = a.cost(times, {100, 1, true, now}, now).total_ps;
  times.head_switch_ps = quick;
  CHECK(b.cost(times, {100, 1, true, now}, now).total_ps == Approx(quick + 10e9));
}

namespace {

// A disk of one zone, 100 blocks a track, and what its buffer holds half a second after requests.
struct Buffered {
  DiskTimes times = make();
  DiskHead head{0, 0, 4};
  double now_ps = 0;

  static DiskTimes make() {
    DiskSurface surface(Bytes{40'000 * 512}, 6000, Bandwidth{1e7}, 1);
    surface.lay_out(std::make_shared<const DiskLayout>(
        4, Spares::at_end_of_zone, std::vector<DiskZone>{{0, 99, 100, 0, 0, 0, 0.1, 0.4, {}}}));
    const SeekCurve seek({from_seconds(1e-3), from_seconds(5e-3), from_seconds(9e-3)});
    DiskTimes times{std::move(surface), seek, seek};
    times.read_ahead_blocks = 64;
    times.least_run = 0;
    return times;
  }
  void serve(std::uint64_t lba, bool write = false) {
    now_ps += head.serve(times, {lba, 4, write, now_ps}, now_ps).total_ps + 500e9;
  }
  [[nodiscard]] bool holds(std::uint64_t lba) const {
    return head.holds(times, {lba, 4, false, now_ps}, now_ps);
  }
};

}  // namespace

TEST_CASE("a drive may read ahead of streams only") {
  Buffered always, streams;
  streams.times.streams_only = true;
  always.serve(1000);
  streams.serve(1000);
  CHECK(always.holds(1004));
  CHECK_FALSE(streams.holds(1004));
  streams.serve(1004);
  CHECK(streams.holds(1008));
}

TEST_CASE("a buffer of the track ends with it and takes in what passes before the block") {
  Buffered plain, track;
  track.times.track_buffer = true;
  for (Buffered* b : {&plain, &track}) {
    b->serve(5000);
    b->serve(1080);
  }
  CHECK(plain.holds(1100));
  CHECK_FALSE(track.holds(1100));
  CHECK(track.holds(1096));
  CHECK_FALSE(plain.holds(1076));
  CHECK(track.holds(1076));
}

TEST_CASE("written data come back from the buffer only where it keeps them") {
  Buffered drops, keeps;
  keeps.times.keeps_written = true;
  drops.serve(1000, true);
  keeps.serve(1000, true);
  CHECK_FALSE(drops.holds(1000));
  CHECK(keeps.holds(1000));
  CHECK_FALSE(keeps.holds(1004));
}

TEST_CASE("what stays behind in the buffer is a multiple of what is read ahead") {
  Buffered keeps, drops;
  drops.times.kept = 0;
  keeps.serve(1000);
  drops.serve(1000);
  CHECK(keeps.holds(1000));
  CHECK_FALSE(drops.holds(1000));
  CHECK(drops.holds(1004));
}

TEST_CASE("a stream's least run holds the head back from the next request") {
  Buffered free, held;
  held.times.least_run = 1;
  for (Buffered* b : {&free, &held}) {
    b->serve(1000);
    b->serve(1066);  // goes on, behind what was read ahead: a run of its own
  }
  // Asked at the end of the second service the held head still has its run to read.
  const auto next = [](Buffered& b) {
    const double now = b.now_ps - 500e9;
    return b.head.cost(b.times, {30'000, 4, false, now}, now).total_ps;
  };
  CHECK(next(held) > next(free));
}
