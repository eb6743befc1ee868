// The published 4 KiB points of the QSAN XN4226D beside what scenarios 210 and 211 predict with the
// three adjusted parameters of their profile. The bars: the peak over powers of two outstanding
// within 10 %, IOPS at 16x64 and 32x64 within 15 %. At one I/O per volume the mean is shown as the
// sum of its stages beside the measured latency; the remainder is not explained and no parameter
// fills it. The table is printed: ./tests/run '[xn4226d]'.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "sim/scenario/scenario.hpp"

namespace storcast {
namespace {

struct Point {
  std::string id, protocol, rw, iodepth, numjobs, metric;
  double value = 0;
};

std::vector<Point> measured_points() {
  std::ifstream in(std::string(STORCAST_SOURCE_DIR) + "/calibration/measurements/xn4226d_4k.csv");
  std::vector<Point> points;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream row(line);
    std::array<std::string, 9> cells;
    for (auto& cell : cells) std::getline(row, cell, ',');
    points.push_back(
        {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], std::stod(cells[6])});
  }
  return points;
}

RunResult predict(const Point& p, const std::string& iodepth, const std::string& numjobs) {
  const std::string file =
      p.protocol == "nvme_rdma" ? "210_xn4226d_nvme_rdma" : "211_xn4226d_nvme_tcp";
  const Scenario scenario =
      load_scenario(std::string(STORCAST_SOURCE_DIR) + "/scenarios/" + file + ".yaml",
                    {{"workloads.main.rw", p.rw},
                     {"workloads.main.bs", "4KiB"},
                     {"workloads.main.iodepth", iodepth},
                     {"workloads.main.numjobs", numjobs},
                     {"run.limit.ios", "1M"}});
  return run_scenario(scenario);
}

double iops_of(const RunResult& r) { return r.streams.front().all.iops.value; }

// Powers of two outstanding, 8 to 16,384, spread over iodepth and numjobs as the article does.
double predicted_peak(const Point& p) {
  double peak = 0;
  for (const auto& [iodepth, numjobs] : {std::pair{"1", "1"},
                                         {"1", "2"},
                                         {"1", "4"},
                                         {"1", "8"},
                                         {"1", "16"},
                                         {"2", "16"},
                                         {"4", "16"},
                                         {"8", "16"},
                                         {"16", "16"},
                                         {"32", "16"},
                                         {"16", "64"},
                                         {"32", "64"}}) {
    peak = std::max(peak, iops_of(predict(p, iodepth, numjobs)));
  }
  return peak;
}

void print_row(const Point& p, const char* what, double predicted, double measured) {
  fmt::print("{:<8} {:<10} {:<10} {:>9} {:>12} {:>12} {:>+7.1f} %\n", p.id, p.protocol, p.rw, what,
             format_count(measured), format_count(predicted), (predicted / measured - 1) * 100);
}

}  // namespace

TEST_CASE("the XN4226D's 4 KiB peaks are predicted within 10 %, deep loads within 15 %",
          "[validation][xn4226d][slow]") {
  fmt::print("\n{:<8} {:<10} {:<10} {:>9} {:>12} {:>12} {:>9}\n", "record", "protocol", "rw",
             "load", "measured", "predicted", "error");
  int judged = 0;
  for (const Point& p : measured_points()) {
    if (p.metric != "iops") continue;
    CAPTURE(p.id);
    const bool peak = p.iodepth == "peak";
    const double predicted = peak ? predicted_peak(p) : iops_of(predict(p, p.iodepth, p.numjobs));
    print_row(p, peak ? "peak" : (p.iodepth + "x" + p.numjobs).c_str(), predicted, p.value);
    const double error = std::fabs(predicted / p.value - 1);
    CHECK(error < (peak ? 0.10 : 0.15));
    ++judged;
  }
  CHECK(judged == 10);
}

TEST_CASE(
    "at one I/O per volume the mean is the sum of named stages, the rest is shown as unexplained",
    "[validation][xn4226d][slow]") {
  fmt::print("\n{:<8} {:<10} {:<10} {:>9} {:>9} {:>10} {:>7} {:>9} {:>10} {:>12}\n", "record",
             "protocol", "rw", "host", "fabric", "controller", "drives", "sum (us)", "measured",
             "unexplained");
  for (const Point& p : measured_points()) {
    if (p.metric != "latency_mean") continue;
    CAPTURE(p.id);
    const RunResult r = predict(p, p.iodepth, p.numjobs);
    const StreamResult& s = r.streams.front();
    std::array<double, 4> us{};
    double sum = 0;
    for (std::size_t i = 0; i < us.size(); ++i) {
      us[i] = s.stages[i].mean_s * 1e6;
      sum += us[i];
    }
    fmt::print(
        "{:<8} {:<10} {:<10} {:>9.1f} {:>9.1f} {:>10.1f} {:>7.1f} {:>9.0f} {:>10.0f} {:>12.0f}\n",
        p.id, p.protocol, p.rw, us[0], us[1], us[2], us[3], sum, p.value * 1e6,
        p.value * 1e6 - sum);
    // In a run nothing is left over: no delay is there to fill it.
    CHECK(s.unexplained_s == 0);
    CHECK(sum == Approx(s.all.mean_s.value * 1e6).epsilon(1e-6));
    // The stages are a lower bound of what was measured.
    CHECK(sum < p.value * 1e6);
  }
}

TEST_CASE("TCP falls behind RDMA by its CPU cost, at every depth", "[validation][xn4226d][slow]") {
  for (const char* rw : {"randread", "randwrite"}) {
    for (const char* numjobs : {"16", "64"}) {
      const double rdma = iops_of(predict({"", "nvme_rdma", rw, "", "", "", 0}, "16", numjobs));
      const double tcp = iops_of(predict({"", "nvme_tcp", rw, "", "", "", 0}, "16", numjobs));
      CAPTURE(rw, numjobs, rdma, tcp);
      CHECK(tcp < rdma);
    }
  }
}

}  // namespace storcast
