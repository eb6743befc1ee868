// What the event loop may cost, in counts that are the same on every machine: events for an I/O,
// allocations while it runs, bytes of its records and of a whole run.
//
// Allocations are counted by this program's own operator new, while a Counter lives. It calls
// malloc and free as the library's does. AddressSanitizer brings its own; there the counts are left
// out.
#include <malloc.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/platform/simgrid_platform.hpp"
#include "sim/run/builder.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;

namespace {

std::atomic<bool> armed{false};
std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> live_bytes{0};

// Counts from its construction on; one at a time.
struct Counter {
  Counter() {
    allocations = 0;
    live_bytes = 0;
    armed = true;
  }
  ~Counter() { armed = false; }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
};

}  // namespace

#ifndef __SANITIZE_ADDRESS__
#define STORCAST_COUNTS_ALLOCATIONS

namespace {

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  if (armed.load(std::memory_order_relaxed)) {
    ++allocations;
    live_bytes += static_cast<std::int64_t>(malloc_usable_size(block));
  }
  return block;
}
void uncounted(void* block) noexcept {
  if (block != nullptr && armed.load(std::memory_order_relaxed)) {
    live_bytes -= static_cast<std::int64_t>(malloc_usable_size(block));
  }
  std::free(block);
}

}  // namespace

// The array and nothrow forms of the standard library call these.
void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto line = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(line, (size + line - 1) / line * line));
}
void operator delete(void* block) noexcept { uncounted(block); }
void operator delete(void* block, std::size_t) noexcept { uncounted(block); }
void operator delete(void* block, std::align_val_t) noexcept { uncounted(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { uncounted(block); }
#endif

namespace {

Scenario scenario_210(const char* rw, int in_flight) {
  return load_scenario(STORCAST_SOURCE_DIR "/scenarios/210_xn4226d_nvme_rdma.yaml",
                       {{"workloads.main.rw", rw},
                        {"workloads.main.bs", "4KiB"},
                        {"workloads.main.numjobs", "8"},
                        {"workloads.main.iodepth", std::to_string(in_flight / 64)},
                        {"system.arrays.array.cache.read_share", "0%"}});
}

struct RunUnderTest {
  RunUnderTest(const char* rw, int in_flight)
      : scenario(scenario_210(rw, in_flight)),
        platform(load_simgrid_platform(platform_of(scenario))),
        assembly(build_system(scenario, platform)),
        recorder(1),
        kernel(assembly.system(), recorder, 1) {
    kernel.start();
  }
  void run_ms(double milliseconds) {
    kernel.run_until(kernel.now() + from_seconds(milliseconds * 1e-3));
  }
  Scenario scenario;
  Platform platform;
  Assembly assembly;
  Recorder recorder;
  Kernel kernel;
};

// Events for a completed I/O, with the ends of the window averaged out.
double events_per_io(RunUnderTest& run, double warm_up_ms, double window_ms) {
  run.run_ms(warm_up_ms);
  const std::uint64_t events = run.kernel.events();
  const std::uint64_t ios = run.recorder.completed_in_run();
  run.run_ms(window_ms);
  return static_cast<double>(run.kernel.events() - events) /
         static_cast<double>(run.recorder.completed_in_run() - ios);
}

}  // namespace

TEST_CASE("a read of scenario 210 that misses the cache takes exactly 8 events") {
  RunUnderTest run("randread", 64);
  run.run_ms(500);
  const auto ios = static_cast<double>(run.recorder.completed_in_run());
  REQUIRE(ios > 10'000);
  // Those under way have had some of their events.
  CHECK(static_cast<double>(run.kernel.events()) >= 8 * ios);
  CHECK(static_cast<double>(run.kernel.events()) <= 8 * (ios + 64));
}

TEST_CASE("a RAID 6 small write takes 22 events, its destage included") {
  RunUnderTest run("randwrite", 64);
  CHECK(events_per_io(run, 200, 800) == Approx(22).epsilon(1e-3));
}

TEST_CASE("records fit the cache lines they were made for") {
  STATIC_REQUIRE(sizeof(Step) == 32);
  STATIC_REQUIRE(sizeof(Io) == 64);
  STATIC_REQUIRE(alignof(Io) == 64);
  STATIC_REQUIRE(sizeof(Event) == 16);
  STATIC_REQUIRE(sizeof(FcfsStation) == 32);
}

#ifdef STORCAST_COUNTS_ALLOCATIONS

TEST_CASE("the counter sees an allocation, and its end") {
  std::int64_t counted_now = 0;
  {
    const Counter counter;
    auto bytes = std::make_unique<std::vector<char>>(1'000);
    CHECK(live_bytes >= 1'000);
    bytes.reset();
    counted_now = allocations;
    CHECK(live_bytes <= 100'000);  // what Catch2 keeps of the assertion
  }
  CHECK(counted_now >= 2);
  const std::int64_t before = allocations;
  (void)std::make_unique<int>(1);
  CHECK(allocations == before);
}

TEST_CASE("the event loop never allocates: reads, writes with destage, 4,096 in flight") {
  for (const char* rw : {"randread", "randwrite", "read", "write"}) {
    RunUnderTest run(rw, 4'096);
    const std::uint64_t events = run.kernel.events();
    std::int64_t counted_now = -1;
    {
      const Counter counter;
      run.run_ms(20);
      counted_now = allocations;
    }
    CAPTURE(rw);
    CHECK(run.kernel.events() - events > 10'000);
    CHECK(counted_now == 0);
  }
}

TEST_CASE("an open load with priorities, tokens and models does not allocate either") {
  using under_test::us;
  System s;
  auto model = [](const Io&, Time, Rng& rng) { return us(1 + rng.uniform()); };
  auto decide = [](const Io& io, Time, Rng&) { return io.lba % 2 == 0; };
  under_test::add_load(s, {.arrivals_per_s = 50'000, .law = AddressLaw::zipf, .law_parameter = 1.1},
                       [&](PathBuilder& p) {
                         const PoolId pool = s.add_pool("pool", 3);
                         p.seize(pool).visit_priority(s.add_priority("p"), {us(5)}, 1);
                         p.skip_if(s.add_decision(Decide(decide)));
                         p.visit_model(s.add_single("m"), s.add_service(ServiceTime(model)));
                         p.resume().visit(s.add_servers("s", 4), {us(50)}).release(pool);
                         p.delay(us(10'000));
                       });
  Recorder recorder(1);
  Kernel kernel(s, recorder, 1);
  kernel.start();
  std::int64_t counted_now = -1;
  {
    const Counter counter;
    kernel.run_until(Time{from_seconds(1)});
    counted_now = allocations;
  }
  CHECK(recorder.completed_in_run() > 40'000);
  CHECK(counted_now == 0);
}

TEST_CASE("scheduled drives with detached writes do not allocate") {
  using under_test::us;
  System s;
  auto oldest = [](std::uint32_t, const WaitingLines& lines, Time) {
    NextService next{IoId::none, 0, us(5)};
    for (int p = 0; p < ScheduledStation::priorities && next.io == IoId::none; ++p) {
      next.priority = p;
      lines.for_each(p, 1, [&](IoId id, const Io&, bool) { next.io = id; });
    }
    return next;
  };
  auto mean = [](const Io&, std::uint64_t, bool) { return 5e-6; };
  auto plan = [](const Io& io, int, MemberPlan& out) {
    for (std::uint32_t d = 0; d < 3; ++d) out.push({static_cast<DriveId>(d), io.lba, io.blocks});
  };
  s.most_members = 3;
  under_test::add_load(s, {.connections = 4, .iodepth = 32}, [&](PathBuilder& p) {
    const GroupId heads =
        s.add_scheduled("heads", 3, s.add_schedule(Schedule(oldest), ExpectedService(mean)));
    const PoolId cache = s.add_pool("cache", 8);
    s.add_pool("cache", 8);
    s.add_pool("cache", 8);
    const PlanId id = s.add_plan(Plan(plan));
    p.fork(id, 0, false).visit_scheduled(heads, 0, false).join();
    p.fork(id, 0, true).seize_by_drive(cache).visit(s.add_per_drive("links", 3), {us(1)});
    p.detach().visit_scheduled(heads, 3, true).release_by_drive(cache).join();
  });
  Recorder recorder(1);
  Kernel kernel(s, recorder, 1);
  kernel.start();
  std::int64_t counted_now = -1;
  {
    const Counter counter;
    kernel.run_until(Time{from_seconds(1)});
    counted_now = allocations;
  }
  CHECK_FALSE(kernel.overflowed());
  CHECK(recorder.completed_in_run() > 90'000);
  CHECK(counted_now == 0);
}

TEST_CASE("a run with 16,384 I/Os in flight needs less than 100 MB") {
  for (const char* rw : {"randread", "randwrite"}) {
    const Scenario scenario = scenario_210(rw, 16'384);
    const Platform platform = load_simgrid_platform(platform_of(scenario));
    std::int64_t bytes = 0;
    {
      const Counter counter;
      Assembly assembly = build_system(scenario, platform);
      Recorder recorder(1);
      Kernel kernel(assembly.system(), recorder, 1);
      kernel.start();
      bytes = live_bytes;
    }
    CAPTURE(rw);
    CHECK(bytes > 1'000'000);
    CHECK(bytes < 100'000'000);
  }
}

#endif
