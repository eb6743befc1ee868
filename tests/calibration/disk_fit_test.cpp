#include "calibration/disk_fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "sim/base/random.hpp"

using namespace storcast;

namespace {

constexpr double ms = 1e9;  // in picoseconds

MeasuredLayout tracks(bool skews_known) {
  std::vector<DiskZone> zones{{0, 299, 200, 0, 0}, {300, 599, 170, 0, 0}, {600, 899, 140, 0, 0}};
  for (DiskZone& z : zones) {
    if (skews_known) z.head_skew = 0.17, z.cylinder_skew = 0.61;
  }
  return {DiskLayout(6, DiskLayout::Spares::at_end_of_zone, zones), skews_known};
}

DiskParameters disk(bool write_cache) {
  DiskParameters p;
  p.revolution_ps = 60e12 / 7212.3;
  p.phase = 0.4;
  p.head_skew = 0.17;
  p.cylinder_skew = 0.61;
  p.overhead_ps = 0.25 * ms;
  p.write_overhead_ps = (write_cache ? 0.4 : 0.25) * ms;
  p.interface_ps_per_block = 0.05 * ms;
  p.seek_ps = 1.2 * ms;
  p.seek_root_ps = 7 * ms;
  p.seek_linear_ps = 5 * ms;
  p.settle_ps = write_cache ? 0 : 0.6 * ms;
  p.head_switch_ps = 0.9 * ms;
  p.read_ahead_blocks = 128;
  p.runs = 3;
  p.write_cache = write_cache;
  p.interval_before = write_cache;
  return p;
}

// A trace as the disk would give it: jumps, streams and writes, idle times of 20 to 70 ms.
std::vector<MeasuredRequest> trace(const DiskParameters& p, const MeasuredLayout& layout,
                                   std::size_t n) {
  Rng rng(7, "requests");
  std::vector<MeasuredRequest> requests;
  std::vector<double> issued;
  double now = 0;
  const auto tracks_of_it = laid_out(layout, p);
  for (std::size_t i = 0; i < n; ++i) {
    MeasuredRequest m{rng.uniform() < 0.3, 0, static_cast<std::uint32_t>(4 * (1 + rng.below(4)))};
    m.lba = i > 0 && rng.uniform() < 0.35 ? requests[i - 1].lba + requests[i - 1].blocks
                                          : rng.below(layout.layout.blocks() - 10'000);
    const double idle = (20 + 50 * rng.uniform()) * ms;
    if (p.interval_before) m.interval_ps = idle;
    requests.push_back(m);
    issued.push_back(now += i > 0 ? idle : 0);
    requests[i].service_ps = replay(requests, issued, tracks_of_it, p).back();
    now += requests[i].service_ps;
    if (!p.interval_before && i > 0) requests[i - 1].interval_ps = idle;
  }
  return requests;
}

std::string written(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "storcast_disk_fit_test.txt";
  std::ofstream(path) << text;
  return path.string();
}

// What reading a trace or a layout of this text complains of.
template <class Read>
std::string complaint(Read read, const std::string& text) {
  try {
    (void)read(written(text));
  } catch (const ScenarioError& e) {
    return e.what();
  }
  return {};
}
std::string trace_complaint(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < least_requests; ++i) text += "R Hit 100 4 600.0 40000.0\n";
  return complaint(read_disk_trace, text + line);
}
std::string layout_complaint(const std::string& text) { return complaint(read_disk_layout, text); }

}  // namespace

TEST_CASE("the parameters of a known disk come back out of its own trace") {
  for (const bool write_cache : {true, false}) {
    INFO(write_cache);
    const DiskParameters p = disk(write_cache);
    const MeasuredLayout layout = tracks(!write_cache);
    const DiskFit fit = fit_disk(trace(p, layout, 900), layout, 7200);
    const DiskParameters& q = fit.parameters;
    CHECK(q.write_cache == p.write_cache);
    CHECK(q.interval_before == p.interval_before);
    CHECK(q.revolution_ps == Approx(p.revolution_ps).epsilon(1e-6));
    CHECK(fit.coherence > 0.99);
    if (write_cache) {
      CHECK(q.head_skew == Approx(p.head_skew).margin(0.003));
      CHECK(q.cylinder_skew == Approx(p.cylinder_skew).margin(3e-5));
      CHECK(q.write_overhead_ps == Approx(p.write_overhead_ps).margin(0.01 * ms));
    }
    CHECK(q.overhead_ps == Approx(p.overhead_ps).margin(0.02 * ms));
    CHECK(q.interface_ps_per_block == Approx(p.interface_ps_per_block).epsilon(0.02));
    const double half_stroke =
        q.seek_ps + q.margin_ps + q.seek_root_ps * std::sqrt(0.5) + q.seek_linear_ps * 0.5;
    CHECK(half_stroke == Approx(1.2 * ms + 7 * ms * std::sqrt(0.5) + 2.5 * ms).margin(0.6 * ms));
    CHECK(fit.predicted.ratio() < 0.25);
    CHECK(fit.predicted.demerit_ms < 0.4);
  }
}

TEST_CASE("the same trace gives the same fit, bit for bit") {
  const MeasuredLayout layout = tracks(true);
  const std::vector<MeasuredRequest> requests = trace(disk(false), layout, 400);
  const DiskFit a = fit_disk(requests, layout, 7200), b = fit_disk(requests, layout, 7200);
  CHECK(a.predicted.rms_ms == b.predicted.rms_ms);
  CHECK(a.parameters.phase == b.parameters.phase);
}

TEST_CASE("where no rotation is, none is claimed") {
  const MeasuredLayout layout = tracks(true);
  std::vector<MeasuredRequest> requests = trace(disk(false), layout, 600);
  Rng rng(3, "idle times");
  for (MeasuredRequest& m : requests) m.interval_ps = 60 * ms * rng.uniform();
  CHECK(fit_disk(requests, layout, 7200).coherence < 0.5);
}

TEST_CASE("errors of a replay: request by request, of the mean, and of the distributions") {
  std::vector<MeasuredRequest> requests(4);
  for (std::size_t i = 0; i < 4; ++i) requests[i].service_ps = static_cast<double>(i) * 2 * ms;
  // Measured 0, 2, 4, 6 ms; the same values in reverse order have a perfect distribution.
  const std::vector<double> reversed{6 * ms, 4 * ms, 2 * ms, 0};
  const ReplayError e = compare(requests, reversed);
  CHECK(e.rms_ms == Approx(std::sqrt((36 + 4 + 4 + 36) / 4.0)));
  CHECK(e.constant_ms == Approx(std::sqrt((9 + 1 + 1 + 9) / 4.0)));
  CHECK(e.demerit_ms == 0);
  CHECK(e.ratio() == Approx(2));
}

TEST_CASE("a fit refuses what it cannot fit") {
  const MeasuredLayout layout = tracks(true);
  std::vector<MeasuredRequest> requests = trace(disk(false), layout, 200);
  requests[150].lba = layout.layout.blocks();
  CHECK_THROWS_WITH(fit_disk(requests, layout, 7200), Catch::Contains("lies behind the"));
  for (MeasuredRequest& m : requests) m.lba = 1000;
  CHECK_THROWS_WITH(fit_disk(requests, layout, 7200), Catch::Contains("too rarely"));
}

TEST_CASE("a bad trace is refused with its line") {
  using Catch::Contains;
  CHECK(trace_complaint("").empty());
  CHECK_THAT(trace_complaint("R Hit 100 4 600.0"), Contains(":201:1: ") && Contains("six columns"));
  CHECK_THAT(trace_complaint("X Hit 100 4 600 1"), Contains(":201:1: ") && Contains("'X'"));
  CHECK_THAT(trace_complaint("R Hit -1 4 600 1"), Contains(":201:7: ") && Contains("first block"));
  CHECK_THAT(trace_complaint("R Hit 1 0 600 1"), Contains("'0' is not within 1 to 65536"));
  CHECK_THAT(trace_complaint("R Hit 1 4 -600 1"), Contains("service time") && Contains("within"));
  CHECK_THAT(trace_complaint("R Hit 1 4 0 1"), Contains("service time"));
  CHECK_THAT(trace_complaint("R Hit 1 4 nan 1"), Contains("service time"));
  CHECK_THAT(trace_complaint("R Hit 1 4 600 -1"), Contains("interval"));
  CHECK_THAT(trace_complaint("R Hit 1 4 600 soon"), Contains("'soon' is not a number"));
  CHECK_THAT(trace_complaint("R Hit 1 4.5 600 1"), Contains("'4.5' is not a whole number"));
  CHECK_THAT(trace_complaint("R a\nW b"), Contains(":201:1: ") && Contains(":202:1: "));
  CHECK_THAT(complaint(read_disk_trace, ""), Contains("at least 200 requests; here are 0"));
  CHECK_THROWS_WITH(read_disk_trace("no/such/file"), Contains("cannot be read"));
}

TEST_CASE("a layout is read, and a bad one refused with its line") {
  using Catch::Contains;
  const std::string head = "surfaces 2\nspares zone\n";
  const MeasuredLayout layout =
      read_disk_layout(written(head + "zone 0 9 100 5 0  # outer\nskew 10 20 30\nslips 3 4\n"));
  CHECK(layout.layout.blocks() == 1995);
  CHECK(layout.skews_known);
  CHECK(layout.layout.zones()[0].cylinder_skew == Approx(0.5));
  CHECK(layout.layout.place(0).angle == Approx(0.1));
  CHECK_THAT(layout_complaint(""), Contains("at least one zone"));
  CHECK_THAT(layout_complaint("zone 0 9 100 0 0"), Contains(":1:1: ") && Contains("come before"));
  CHECK_THAT(layout_complaint("surfaces 0\n"), Contains("surfaces: '0' is not within 1 to 64"));
  CHECK_THAT(layout_complaint(head + "zone 0 9 100 2000 0"), Contains("keeps blocks"));
  CHECK_THAT(layout_complaint(head + "zone 5 4 100 0 0"), Contains(":3:8: ") && Contains("last"));
  CHECK_THAT(layout_complaint(head + "zone 0 9 0 0 0"), Contains("blocks per track"));
  CHECK_THAT(layout_complaint(head + "zone 0 9 100"), Contains("the form is: zone FIRST"));
  CHECK_THAT(layout_complaint("spares none"), Contains("zone, cylinder"));
  CHECK_THAT(layout_complaint("skew 1 2 3"), Contains("comes behind its zone"));
  CHECK_THAT(layout_complaint("slip 1 2 3"), Contains("did you mean slips"));
  CHECK_THAT(layout_complaint(head + "zone 0 9 100 0 0\nslips 4 3"), Contains("slipped block"));
  CHECK_THAT(layout_complaint(head + "zone 0 9 100 0 0\nskew 0 0 101"), Contains("skew of a cyl"));
  CHECK_THAT(layout_complaint(head + "zone 0 9 100 0 0\nskew 0 0 0\nzone 10 19 90 0 0"),
             Contains("either all zones have a skew or none"));
}
