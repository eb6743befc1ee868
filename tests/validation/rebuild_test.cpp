// Rebuilds against the worked examples of the modelling brief (4.3), against Linux md's limit, and
// the two tiers against each other. Each test prints what is expected, what the model gives and by
// how much they differ.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/rebuild_scenario.hpp"

using namespace storcast;
using testing::rebuild_seconds;
using testing::rebuilt_pool;
using testing::run_rebuild;

namespace {

double deviation(double model, double expected) { return model / expected - 1; }

void print(const char* point, double expected, double model, const char* unit, const char* kind) {
  std::printf("%-52s %9.2f %9.2f %-5s %+6.1f %%  %s\n", point, expected, model, unit,
              100 * deviation(model, expected), kind);
}

void heading(const char* what) {
  std::printf("\n%-52s %9s %9s %-5s %8s\n", what, "expected", "model", "", "");
}

Override pool(const std::string& words) {
  return {rebuilt_pool, "{strip: 64KiB, controller: a, " + words + "}"};
}

// 24 drives of 16 TB that could do 655 MB/s, limited to 150 MB/s.
double hours(const std::string& level, const std::string& limit = "150MB/s",
             const std::string& more = "") {
  const RunResult r =
      run_rebuild({pool(level +
                        ", drive: {model: null_drive, service_time: 100us, capacity: "
                        "16TB}, rebuild: {window: 32, rate_limit: " +
                        limit + more + "}")},
                  Fidelity::flow);
  REQUIRE(r.rebuilds.size() == 1);
  REQUIRE(r.rebuilds[0].ends_s);
  return rebuild_seconds(r.rebuilds[0]) / 3600;
}

// Small drives, seconds of both tiers.
struct Both {
  double io_s, flow_s, io_client, flow_client;
};
Both both(std::vector<Override> sets) {
  sets.push_back({"run.limit.simulated", "20s"});
  sets.push_back({"system.arrays.array.volumes.size", "900MiB"});
  const RunResult io = run_rebuild(sets);
  const RunResult flow = run_rebuild(sets, Fidelity::flow);
  REQUIRE(io.rebuilds[0].ends_s);
  REQUIRE(flow.rebuilds[0].ends_s);
  const auto during = [](const RunResult& r) {
    for (const Phase& p : r.phases) {
      if (p.what.find("begins") != std::string::npos) return p.iops;
    }
    return 0.0;
  };
  return {rebuild_seconds(io.rebuilds[0]), rebuild_seconds(flow.rebuilds[0]), during(io),
          during(flow)};
}

const std::string small_drive =
    "formatting: 0B, drive: {model: null_drive, service_time: 400us, capacity: 500MB}, ";

}  // namespace

TEST_CASE("worked examples: 16 TB at 150 MB/s a drive", "[validation][rebuild]") {
  heading("24 x 16 TB, 150 MB/s at a drive");
  const double hot = hours("raid: raid6, drives: 24, hot_spares: 1");
  print("hot spare, T = H / r", 29.6, hot, "h", "predicted");
  const double nine = hours("raid: 9+1, drives: 24, woven_spares: 1");
  print("declustered 9+1, T = H w / ((n - 1) r), w = 10", 12.9, nine, "h", "predicted");
  const double eight = hours("raid: 8+2, drives: 24, woven_spares: 1");
  print("declustered 8+2, d + 1 = 9 I/Os a row", 16e12 * 9 / (23 * 150e6) / 3600, eight, "h",
        "predicted");
  print("  the same against the ten I/Os of w", 12.9, eight, "h", "not comparable");
  CHECK(std::fabs(deviation(hot, 29.6)) < 0.05);
  CHECK(std::fabs(deviation(nine, 12.9)) < 0.05);
  CHECK(std::fabs(deviation(eight, 11.59)) < 0.05);
}

TEST_CASE("what woven spares gain over an idle hot spare", "[validation][rebuild]") {
  heading("gain over a hot spare, one group, one spare: n / w");
  const double hot = hours("raid: raid5, drives: 8, hot_spares: 1");
  for (const int n : {6, 12, 24}) {
    const double woven = hours("raid: raid5ee, drives: " + std::to_string(n));
    const double gain = static_cast<double>(n) / (n - 1);
    print(("5EE of " + std::to_string(n)).c_str(), gain, hot / woven, "x", "predicted");
    CHECK(std::fabs(deviation(hot / woven, gain)) < 0.02);
  }
  // With two parities a row reads d = w - 2 strips, but always leaves out the same neighbour, so
  // that the busiest drives have as much to do.
  for (const int n : {6, 12, 24}) {
    const double woven = hours("raid: raid6ee, drives: " + std::to_string(n));
    const double gain = static_cast<double>(n) / (n - 1);
    print(("6EE of " + std::to_string(n)).c_str(), gain, hot / woven, "x", "predicted");
    CHECK(std::fabs(deviation(hot / woven, gain)) < 0.02);
  }
}

TEST_CASE("used blocks only, and Linux md's limit", "[validation][rebuild]") {
  heading("shares and limits");
  const std::string level = "raid: raid6, drives: 24, hot_spares: 1";
  const double all = hours(level);
  // Two volumes of 1 GB on 22 data drives: 90.9 MB of each drive.
  const double used = hours(level, "150MB/s", ", blocks: used");
  print("used / all: 2 GB of 352 TB, in millionths", 2e9 / (22 * 16e12) * 1e6, used / all * 1e6, "",
        "predicted");
  CHECK(std::fabs(deviation(used / all, 2e9 / (22 * 16e12))) < 0.02);
  const double md = hours(level, "200000KiB/s");
  print("md's 200,000 KiB/s: 16 TB", 16e12 / 204.8e6 / 3600, md, "h", "predicted");
  CHECK(std::fabs(deviation(md, 16e12 / 204.8e6 / 3600)) < 0.01);
}

TEST_CASE("flows against I/Os: a rebuild alone", "[validation][rebuild]") {
  heading("500 MB drives, nobody else: io, flow");
  struct Point {
    const char* what;
    std::string words;
  };
  for (const Point& p : std::vector<Point>{
           {"raid6 of 8, hot spare, window 1",
            "raid: raid6, drives: 8, hot_spares: 1, rebuild: {window: 1}"},
           {"raid6 of 8, hot spare, window 8",
            "raid: raid6, drives: 8, hot_spares: 1, rebuild: {window: 8}"},
           {"raid6 of 8, hot spare, 50 MB/s",
            "raid: raid6, drives: 8, hot_spares: 1, rebuild: {rate_limit: 50MB/s}"},
           {"raid10 of 8, hot spare, window 8",
            "raid: raid10, drives: 8, hot_spares: 1, rebuild: {window: 8}"},
           {"raid5ee of 8, window 8", "raid: raid5ee, drives: 8, rebuild: {window: 8}"},
           {"8+2 over 24, woven spare, 50 MB/s a drive",
            "raid: 8+2, drives: 24, woven_spares: 1, rebuild: {rate_limit: 50MB/s}"}}) {
    const Both b = both({pool(small_drive + p.words)});
    print(p.what, b.io_s, b.flow_s, "s", "predicted");
    CHECK(std::fabs(deviation(b.flow_s, b.io_s)) < 0.05);
  }
  // The fork waits for the slowest of eight drives that write as well: the flow does not see it.
  const Both full =
      both({pool(small_drive + "raid: 8+2, drives: 24, woven_spares: 1, rebuild: {window: 8}")});
  print("8+2 over 24, woven spare, drives full", full.io_s, full.flow_s, "s", "known miss");
}

TEST_CASE("flows against I/Os: a rebuild beside clients", "[validation][rebuild]") {
  heading("500 MB drives, raid6 of 8, 4 KiB reads: io, flow");
  const Override busy{"workloads.main.thinktime", "0s"};
  const auto with = [&](const char* depth, const char* rebuild) {
    return both({pool(small_drive + "raid: raid6, drives: 8, hot_spares: 1, rebuild: " + rebuild),
                 busy,
                 {"workloads.main.iodepth", depth}});
  };
  for (const char* depth : {"1", "4"}) {
    const Both b = with(depth, "{rate_limit: 50MB/s}");
    print((std::string("50 MB/s, 2 x ") + depth + " outstanding: time").c_str(), b.io_s, b.flow_s,
          "s", "predicted");
    CHECK(std::fabs(deviation(b.flow_s, b.io_s)) < 0.05);
    print("  clients meanwhile", b.io_client, b.flow_client, "IOPS", "not judged");
  }
  // Full drives: mean value analysis against 400 us that are always the same.
  for (const char* depth : {"1", "4", "16"}) {
    const Both b = with(depth, "{window: 8}");
    print((std::string("no limit, 2 x ") + depth + " outstanding: time").c_str(), b.io_s, b.flow_s,
          "s", "not judged");
    print("  clients meanwhile", b.io_client, b.flow_client, "IOPS", "not judged");
  }
}

TEST_CASE("flows against I/Os: controller cores that are full", "[validation][rebuild]") {
  std::printf("\n%-26s %12s %12s %12s %12s\n", "scenario 152, priority", "io MB/s", "flow MB/s",
              "io IOPS", "flow IOPS");
  const std::string file = STORCAST_SOURCE_DIR "/scenarios/152_rebuild_under_load.yaml";
  RunOptions options;
  double rate = 0;
  double clients = 1e9;
  for (const char* priority : {"low", "medium", "high"}) {
    const Scenario s = load_scenario(file, {{rebuilt_pool + ".rebuild.priority", priority}});
    options.fidelity = Fidelity::io;
    const RunResult io = run_scenario(s, options);
    options.fidelity = Fidelity::flow;
    const RunResult flow = run_scenario(s, options);
    std::printf("%-26s %12.0f %12.0f %12.0f %12.0f\n", priority, io.rebuilds[0].bytes_per_s / 1e6,
                flow.rebuilds[0].bytes_per_s / 1e6, io.phases[1].iops, flow.phases[1].iops);
    CHECK(io.self_check.passed);
    CHECK(io.rebuilds[0].bytes_per_s > rate);
    CHECK(io.phases[1].iops < clients);
    rate = io.rebuilds[0].bytes_per_s;
    clients = io.phases[1].iops;
  }
  CHECK(rate > 3.3e9);  // 2,280 s for 7.68 TB
  CHECK(rate < 3.5e9);
  // As the scenario's heading says: a rebuild reads each byte over a drive's link once.
  CHECK(clients > 80e3);
  CHECK(clients < 95e3);
}

TEST_CASE("scenario 153: hours of a hot and of a woven spare", "[validation][rebuild]") {
  RunOptions options;
  options.fidelity = Fidelity::flow;
  const RunResult r = run_scenario(
      load_scenario(STORCAST_SOURCE_DIR "/scenarios/153_declustered_spare.yaml"), options);
  heading("scenario 153");
  REQUIRE(r.rebuilds.size() == 2);
  const double hot = rebuild_seconds(r.rebuilds[0]) / 3600;
  const double woven = rebuild_seconds(r.rebuilds[1]) / 3600;
  print("hot spare", 29.6, hot, "h", "predicted");
  print("woven spare", 12.3, woven, "h", "predicted");
  CHECK(std::fabs(deviation(hot, 29.6)) < 0.02);
  CHECK(std::fabs(deviation(woven, 12.3)) < 0.02);
}

TEST_CASE("clients against priority: the faster the rebuild, the slower they are",
          "[validation][rebuild]") {
  std::printf("\n%-10s %-8s %14s %12s %12s\n", "drive", "priority", "rebuild MB/s", "mean ms",
              "p99 ms");
  struct Setting {
    const char* name;
    std::string drive;
    const char* depth;
    const char* seconds;
  };
  for (const Setting& s : std::vector<Setting>{
           {"ssd", "{use: drives/nvme-gen4-tlc}", "16", "1.3s"},
           {"null 400us", "{model: null_drive, service_time: 400us, capacity: 16GB}", "8", "6s"}}) {
    double rate = 0;
    double mean = 0;
    double p99 = 0;
    for (const char* priority : {"low", "medium", "high"}) {
      const RunResult r =
          run_rebuild({pool("raid: raid6, drives: 8, hot_spares: 1, drive: " + s.drive +
                            ", rebuild: {priority: " + priority + "}"),
                       {"workloads.main.thinktime", "0s"},
                       {"workloads.main.iodepth", s.depth},
                       {"run.limit.simulated", s.seconds}});
      const Phase& during = r.phases.back();
      REQUIRE(during.p99_s);
      std::printf("%-10s %-8s %14.1f %12.3f %12.3f\n", s.name, priority,
                  r.rebuilds[0].bytes_per_s / 1e6, during.mean_s * 1e3, *during.p99_s * 1e3);
      CHECK(r.rebuilds[0].bytes_per_s > rate);
      CHECK(during.mean_s > mean);
      CHECK(*during.p99_s >= p99);
      rate = r.rebuilds[0].bytes_per_s;
      mean = during.mean_s;
      p99 = *during.p99_s;
    }
  }
}
