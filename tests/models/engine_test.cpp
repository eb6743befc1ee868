#include "models/engine.hpp"

#include <catch2/catch.hpp>

#include "models/engine_gpu.hpp"
#include "models/engine_md.hpp"
#include "models/engine_roc.hpp"
#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

constexpr EngineIo small{4096, false, 65536, 7, 1};
constexpr EngineIo stripes{1 << 20, true, 65536, 7, 1};

template <class Engine>
typename Engine::Params defaults() {
  Problems problems;
  const auto p = testing::read_sheet(Engine::schema(), "{}", problems);
  REQUIRE(problems.empty());
  return p;
}

// Installs the engine and builds a read and a write of each kind.
template <class Engine>
void check_paths() {
  System system;
  const Engine engine = Engine::install(system, "e", defaults<Engine>());
  for (const StationGroup& group : system.groups) CHECK(group.name.starts_with("e."));
  for (const EngineIo& io : {small, stripes}) {
    PathBuilder read(system);
    engine.append_read(read, io);
    engine.append_recovery(read, io);
    CHECK_NOTHROW(read.finish());
    PathBuilder write(system);
    engine.append_write(write, io);
    engine.append_parity(write, io);
    engine.append_write_end(write, io);
    CHECK_NOTHROW(write.finish());
  }
}

// Mean service of the steps at a station that the engine adds for a write.
double demand_us(const System& system, std::uint32_t station, StepKind kind, std::int64_t bytes) {
  double sum = 0;
  for (const Step& step : system.steps) {
    if (step.kind != kind || step.target != station) continue;
    sum += step.fixed_ps + static_cast<double>(step.slope) * static_cast<double>(bytes);
  }
  return sum / 1e6;
}

}  // namespace

TEST_CASE("a command is cut at the strips") {
  CHECK(small.strips() == 1);
  CHECK(stripes.strips() == 16);
  CHECK(EngineIo{65537, false, 65536, 7, 1}.strips() == 2);
}

TEST_CASE("md works on stripe heads: pages of every member") {
  CHECK(MdEngine::heads(small) == 1);
  CHECK(MdEngine::heads({65536, false, 65536, 7, 1}) == 16);
  // Beyond a strip the members share heads, at least a strip's pages.
  CHECK(MdEngine::heads({131072, false, 65536, 7, 1}) == 16);
  CHECK(MdEngine::heads({7 * 131072, false, 65536, 7, 1}) == 32);
  // Joined: 256 pages over seven data members.
  CHECK(MdEngine::heads(stripes) == 37);
}

TEST_CASE("md's reads and writes pass the same serial section") {
  System system;
  MdParams p = defaults<MdEngine>();
  const MdEngine md = MdEngine::install(system, "md", p);
  PathBuilder read(system);
  md.append_read(read, small);
  read.finish();
  CHECK(demand_us(system, 0, StepKind::visit, 4096) == Approx(0.25));
  system.steps.clear();
  system.infos.clear();
  PathBuilder write(system);
  md.append_write(write, small);
  md.append_write_end(write, small);
  write.finish();
  CHECK(demand_us(system, 0, StepKind::visit, 4096) == Approx(2));
  CHECK(demand_us(system, 0, StepKind::visit_servers, 4096) == Approx(8));
}

TEST_CASE("without parity md's writes pass what its reads pass") {
  System system;
  const MdEngine md = MdEngine::install(system, "md", defaults<MdEngine>());
  const EngineIo io{131072, false, 65536, 8, 0};
  PathBuilder write(system);
  md.append_write(write, io);
  md.append_parity(write, io);
  md.append_write_end(write, io);
  write.finish();
  CHECK(demand_us(system, 0, StepKind::visit, 131072) == Approx(0.5));
  CHECK(demand_us(system, 0, StepKind::visit_servers, 131072) == 0);
}

TEST_CASE("the bitmap adds serial passes to a share of the writes") {
  System system;
  MdParams p = defaults<MdEngine>();
  p.bitmap_share = 0.5;
  const MdEngine md = MdEngine::install(system, "md", p);
  PathBuilder write(system);
  md.append_write(write, small);
  md.append_write_end(write, small);
  write.finish();
  CHECK(demand_us(system, 0, StepKind::visit, 4096) == Approx(3));
}

TEST_CASE("a small write brings old data and parities to the GPU, a full stripe does not") {
  CHECK(GpuEngine::inbound(small) == 12'288);
  CHECK(GpuEngine::inbound({4096, false, 65536, 6, 2}) == 16'384);
  CHECK(GpuEngine::inbound(stripes) == 1 << 20);
  CHECK(GpuEngine::inbound({4096, false, 65536, 8, 0}) == 0);  // nothing to compute
}

TEST_CASE("every engine installs its stations and completes paths") {
  check_paths<MdEngine>();
  check_paths<RocEngine>();
  check_paths<GpuEngine>();
}

TEST_CASE("the engines' data sheets refuse what lies outside their ranges") {
  for (const char* line :
       {"read_serial: 1ms", "write_serial: 1ms", "group_threads: 0", "write_work: 2ms",
        "stripe_cache: 16", "bitmap_share: 101%", "parity_update: 1MB/s", "parity_generate: 10",
        "parity_recover: 10TB/s", "threads: 4"}) {
    CHECK(testing::refuses(MdEngine::schema(), "group_threads: 8\n", line) == "");
  }
  for (const char* line : {"read_iops_max: 1", "write_iops_max: 1", "link: 1MB/s", "lanes: 8"}) {
    CHECK(testing::refuses(RocEngine::schema(), "link: 14GB/s\n", line) == "");
  }
  for (const char* line : {"link: 1MB/s", "link_efficiency: 0", "link_efficiency: 1.1",
                           "write_path: 1MB/s", "latency: 1s", "slot: x8"}) {
    CHECK(testing::refuses(GpuEngine::schema(), "link: 14GB/s\n", line) == "");
  }
}
