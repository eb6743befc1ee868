#include "sim/kernel/flash.hpp"

#include <catch2/catch.hpp>

#include "sim/base/error.hpp"
#include "sim/kernel/system.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;
using under_test::at_us;
using under_test::us;

namespace {

DieProgram::Work program(double suspend_us, double patience_us) {
  return {us(1000), us(suspend_us), us(patience_us)};
}

// One drive of four dies; a program is 1,000 bytes and 100 us, the drain takes 10 ns a byte.
FlashTraits small() {
  FlashTraits t;
  t.program_bytes = 1000;
  t.program = {us(100), us(10), us(1000)};
  t.erase = {us(500), us(50), us(1000)};
  t.programs_per_erase = 1000;
  t.ps_per_byte = t.ps_per_byte_sequential = 10'000;
  t.buffer_bytes = 2000;
  t.mapping_bytes = 500;
  return t;
}

struct FlashUnderTest {
  explicit FlashUnderTest(const FlashTraits& traits, std::uint32_t dies = 4)
      : dies_group(system.add_per_address("dies", 1, dies)),
        drains(system.add_per_drive("drains", 1)),
        id(system.add_flash(dies_group, drains, traits)) {}
  Flash& flash() { return system.flash[index_of(id)]; }
  Time write(double at, double bytes, bool sequential = false) {
    return flash().write(system.stations, 0, at_us(at), bytes, sequential);
  }
  Time read(double at, std::uint32_t die, double service) {
    flash().advance(system.stations, 0, at_us(at));
    return flash().read(system.stations, 0, die, at_us(at), us(service));
  }
  Duration programs(double now, std::uint32_t die) {
    return flash().busy_until(system.stations, flash().traits().first_die + die, at_us(now));
  }
  System system;
  GroupId dies_group, drains;
  FlashId id;
};

}  // namespace

TEST_CASE("a read that finds no program is served as in any queue") {
  FcfsStation die;
  DieProgram p;
  CHECK(p.read(die, at_us(10), us(50)) == at_us(60));
  CHECK(p.read(die, at_us(20), us(50)) == at_us(110));
  CHECK(die.totals().busy == us(100));
}

TEST_CASE("a read suspends a program and puts it off by its own stay") {
  FcfsStation die;
  DieProgram p;
  CHECK(p.begin(die, at_us(0), program(100, 1e6)) == at_us(1000));
  CHECK(p.read(die, at_us(300), us(50)) == at_us(450));  // 100 us to suspend
  CHECK(p.end() == at_us(1150));
  // The program is suspended already: only the line counts.
  CHECK(p.read(die, at_us(400), us(50)) == at_us(500));
  CHECK(p.end() == at_us(1200));
  // Running again.
  CHECK(p.read(die, at_us(600), us(50)) == at_us(750));
}

TEST_CASE("a read waits for the residual where that is shorter than the suspend latency") {
  FcfsStation die;
  DieProgram p;
  p.begin(die, at_us(0), program(100, 1e6));
  CHECK(p.read(die, at_us(950), us(50)) == at_us(1050));
  CHECK(p.end() == at_us(1000));
  CHECK(p.read(die, at_us(2000), us(50)) == at_us(2050));
}

TEST_CASE("without suspension a read waits for the end of the program") {
  FcfsStation die;
  DieProgram p;
  p.begin(die, at_us(0), program(100, 0));
  CHECK(p.read(die, at_us(300), us(50)) == at_us(1050));
  CHECK(p.read(die, at_us(301), us(50)) == at_us(1100));
  CHECK(p.end() == at_us(1000));
}

TEST_CASE("a program starts behind the reads that came before it") {
  FcfsStation die;
  DieProgram p;
  (void)p.read(die, at_us(0), us(50));
  CHECK(p.begin(die, at_us(10), program(100, 1e6)) == at_us(1050));
  CHECK(p.read(die, at_us(20), us(50)) == at_us(100));  // it has not started: no latency
  CHECK(p.end() == at_us(1100));
}

TEST_CASE("reads put a program off for as long as its patience lasts") {
  FcfsStation die;
  DieProgram p;
  p.begin(die, at_us(0), program(0, 500));
  CHECK(p.read(die, at_us(100), us(300)) == at_us(400));
  CHECK(p.read(die, at_us(110), us(300)) == at_us(700));
  CHECK(p.end() == at_us(1600));
  // The line ends at 700 us, behind the patience: the program's remaining 900 us come first.
  CHECK(p.read(die, at_us(120), us(300)) == at_us(1900));
  CHECK(p.end() == at_us(1600));
}

TEST_CASE("busy time of reads and programs together never exceeds the time that has passed") {
  FcfsStation die;
  DieProgram p;
  Rng rng(1, "die");
  Time now{};
  for (int i = 0; i < 20'000; ++i) {
    now += us(rng.uniform() * 120);
    if (p.end() <= now && rng.uniform() < 0.3) p.begin(die, now, program(80, 3000));
    (void)p.read(die, now, us(40 + rng.uniform() * 20));
    REQUIRE(die.busy_until(now) + p.busy_until(die, now) <= now - Time{});
  }
  CHECK(p.busy_until(die, now) > us(100'000));
}

TEST_CASE("what the drain has collected becomes programs, round the dies") {
  FlashUnderTest f(small());
  CHECK(f.write(0, 2500, true) == at_us(5));  // 25 us of drain less 20 us of buffer
  f.flash().advance(f.system.stations, 0, at_us(1000));
  CHECK(f.programs(1000, 0) == us(100));
  CHECK(f.programs(1000, 1) == us(100));
  CHECK(f.programs(1000, 2) == us(0));  // 500 bytes are still owed
  (void)f.write(2000, 500, true);
  f.flash().advance(f.system.stations, 0, at_us(3000));
  CHECK(f.programs(3000, 2) == us(100));
  // The first 1,000 bytes had left the buffer after 10 us, the second after 20.
  FlashUnderTest again(small());
  (void)again.write(0, 2500, true);
  again.flash().advance(again.system.stations, 0, at_us(30));
  CHECK(again.programs(30, 0) == us(20));
  CHECK(again.programs(30, 1) == us(10));
}

TEST_CASE("a read that is quiet stays quiet until the drain starts a program") {
  FlashUnderTest f(small());
  CHECK(f.flash().quiet(0, at_us(1e6)));
  (void)f.write(0, 1500, true);
  CHECK(f.flash().quiet(0, at_us(9)));
  CHECK_FALSE(f.flash().quiet(0, at_us(11)));
  CHECK(f.read(11, 3, 50) == at_us(61));   // another die
  CHECK(f.read(50, 0, 50) == at_us(110));  // 10 us to suspend
  CHECK_FALSE(f.flash().quiet(0, at_us(100)));
  f.flash().advance(f.system.stations, 0, at_us(500));
  CHECK(f.flash().quiet(0, at_us(500)));
}

TEST_CASE("the drain stands still while no die takes a program") {
  FlashUnderTest f(small(), 1);
  // One die programs 1,000 bytes in 100 us; the drain alone would take 10.
  (void)f.write(0, 10'000, true);
  f.flash().advance(f.system.stations, 0, at_us(5000));
  CHECK(f.programs(5000, 0) == us(1000));
  const FcfsStation& drain = f.system.stations[f.flash().traits().first_drain];
  CHECK(drain.free_at() == at_us(910));
  CHECK(drain.busy_until(at_us(5000)) == us(910));
}

TEST_CASE("every so many programs a die erases") {
  FlashTraits t = small();
  t.programs_per_erase = 2;
  FlashUnderTest f(t);
  (void)f.write(0, 2000, true);
  f.flash().advance(f.system.stations, 0, at_us(2000));
  CHECK(f.programs(2000, 2) == us(500));
  CHECK(f.programs(2000, 3) == us(0));
}

TEST_CASE("copies lengthen programs, amplification their number") {
  FlashTraits t = small();
  t.amplification = {4.0f};
  t.copy_read = us(40);
  FlashUnderTest f(t);
  CHECK(f.flash().amplification(0) == 4);
  (void)f.write(0, 500);
  f.flash().advance(f.system.stations, 0, at_us(2000));
  CHECK(f.programs(2000, 0) == us(130));  // 3 of 4 bytes are copies
  CHECK(f.programs(2000, 1) == us(130));
  const Flash::WriteCost cost = f.flash().write_cost(0, 500, false);
  CHECK(cost.drain_ps == Approx(20e6));
  CHECK(cost.dies_ps == Approx(2 * (130e6 + 0.5e6)));
  CHECK(f.flash().write_cost(0, 500, true).drain_ps == Approx(5e6));
}

TEST_CASE("amplification is read between the points of its course, then stays") {
  FlashTraits t = small();
  t.amplification = {1.0f, 3.0f, 2.0f};
  t.step_bytes = 1000;
  t.written_before = 500;
  FlashUnderTest f(t);
  CHECK(f.flash().amplification(0) == Approx(2));
  (void)f.write(0, 1000);
  CHECK(f.flash().amplification(0) == Approx(2.5));
  (void)f.write(0, 1000, true);  // sequential writes leave it
  CHECK(f.flash().amplification(0) == Approx(2.5));
  (void)f.write(0, 7);  // programs its whole mapping unit
  CHECK(f.flash().amplification(0) == Approx(2));
  (void)f.write(0, 1e6);
  CHECK(f.flash().amplification(0) == Approx(2));
}

TEST_CASE("flash without dies, channels or a course is our mistake") {
  FlashTraits t = small();
  t.channels = 0;
  CHECK_THROWS_AS(Flash(t, 1), InvariantError);
  t = small();
  t.amplification.clear();
  CHECK_THROWS_AS(Flash(t, 1), InvariantError);
  System s;
  const GroupId dies = s.add_per_address("dies", 2, 4);
  CHECK_THROWS_AS(s.add_flash(dies, s.add_per_drive("drains", 3), small()), InvariantError);
}
