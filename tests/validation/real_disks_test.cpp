// Four real disks, request by request: parameters fitted to the first half of a measured trace, the
// second half replayed. Measured: calibration/measurements/disksim (DiskSim's validation traces).
// Bar: root mean square error of a request at most 0.6 of that of the second half's own mean. The
// demerit figure stands beside the one that DiskSim prints for itself on these traces; that one is
// of the whole of a longer trace, with parameters extracted from the disk. Independent check: the
// average seek, beside the mean over uniform targets of the seek times that DIXtrac measured on the
// disk by experiments (files `*.seek` beside the traces' source); bar 10 %. The tables are printed:
// ./tests/run '[real_disks]'.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "calibration/disk_fit.hpp"

using namespace storcast;

namespace {

struct Disk {
  const char* file = "";
  const char* name = "";
  double rpm = 0;                      // data sheet
  const char* published_demerit = "";  // ms
  double extracted_seek_ms = 0;        // average seek
};
constexpr Disk disks[] = {{"atlas10k", "Quantum Atlas 10K", 10000, "0.268", 5.60},
                          {"atlas_III", "Quantum Atlas III", 7200, "0.378", 8.31},
                          {"cheetah9LP", "Seagate Cheetah 9LP", 10025, "0.107", 5.47},
                          {"st41601n", "Seagate ST41601N", 5400, "none", 11.14}};

DiskFit fit_of(const Disk& disk) {
  const std::string stem =
      std::string(STORCAST_SOURCE_DIR) + "/calibration/measurements/disksim/" + disk.file;
  return fit_disk(read_disk_trace(stem + ".trace"), read_disk_layout(stem + ".layout"), disk.rpm);
}

double average_seek_ms(const DiskParameters& p) {
  return (p.seek_ps + p.margin_ps + 8 * p.seek_root_ps / 15 + p.seek_linear_ps / 3) / 1e9;
}

}  // namespace

TEST_CASE("real disks: the second half of a trace is predicted request by request",
          "[validation][real_disks]") {
  fmt::print("{:20} {:>8} {:>9} {:>13} {:>6} {:>5} {:>11} {:>10} {:>9}\n", "disk", "requests",
             "RMSE, ms", "of mean, ms", "ratio", "bar", "demerit, ms", "DiskSim's", "coherence");
  std::string parameters,
      seeks = "\nseek, average           fitted, ms  extracted, ms  deviation\n";
  for (const Disk& disk : disks) {
    const DiskFit fit = fit_of(disk);
    const ReplayError& e = fit.predicted;
    fmt::print("{:20} {:8} {:9.3f} {:13.3f} {:6.3f} {:>5} {:11.3f} {:>10} {:9.3f}\n", disk.name,
               e.requests, e.rms_ms, e.constant_ms, e.ratio(), 0.6, e.demerit_ms,
               disk.published_demerit, fit.coherence);
    const double seek_ms = average_seek_ms(fit.parameters);
    const double deviation = seek_ms / disk.extracted_seek_ms - 1;
    seeks += fmt::format("{:20} {:13.2f} {:14.2f} {:+9.1f} %\n", disk.name, seek_ms,
                         disk.extracted_seek_ms, 100 * deviation);
    parameters += fmt::format("\n{} (first half: ratio {:.3f}, demerit {:.3f} ms)\n", disk.name,
                              fit.fitted.ratio(), fit.fitted.demerit_ms);
    for (const DiskFigure& f : figures(fit)) {
      parameters += fmt::format("  {:32} {:12.6g} {}\n", f.meaning, f.value, f.unit);
    }
    INFO(disk.name);
    CHECK(e.requests == 1000);
    CHECK(e.ratio() <= 0.6);
    // The rotation is found, not guessed: 1 / sqrt(300) = 0.06 is what a wrong period gives.
    CHECK(fit.coherence > 0.9);
    CHECK(std::fabs(deviation) < 0.1);
  }
  fmt::print("{}{}", seeks, parameters);
}
