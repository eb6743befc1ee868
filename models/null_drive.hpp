// The null model: a drive that serves one command at a time in a fixed time. The template to copy.
//
// Model: one FCFS queue for each drive, service time fixed, mean times a shape for the theory
// tests. Parameters: schema() below. Scope and limits: no size, no direction, no power. References:
// M/D/1 and M/M/1 in any queueing textbook. Validation: tests/models/null_drive_test.cpp,
// tests/theory.
#pragma once

#include <string>

#include "models/drive.hpp"

namespace storcast {

class NullDrive {
 public:
  struct Params {
    Duration service_time{};
    double service_cv = 0;
    Bytes capacity{};
  };
  static const Schema<Params>& schema() {
    static const Schema<Params> sheet =
        Schema<Params>("null_drive", "A drive with one queue and a given service time.")
            .required(&Params::service_time, {"service_time", "mean time to serve a command", ""},
                      {1e-9, 1})
            .optional(&Params::service_cv, 0.0,
                      {"service_cv", "coefficient of variation: 0 fixed, 1 exponential", ""},
                      {0, 1})
            .required(&Params::capacity, {"capacity", "usable capacity", ""}, {1e6, 1e15});
    return sheet;
  }

  static NullDrive install(System& system, const std::string& name, std::uint32_t count,
                           const Params& params) {
    NullDrive drive;
    drive.params_ = params;
    drive.queue_ = system.add_per_drive(name, count);
    if (params.service_cv == 1) {
      drive.shape_ = system.add_shape(Shape::exponential());
    } else if (params.service_cv > 0) {
      drive.shape_ = system.add_shape(Shape::lognormal(params.service_cv));
    }
    return drive;
  }
  void append_read(PathBuilder& path) const {
    path.visit(queue_, {params_.service_time, 0, shape_});
  }
  void append_write(PathBuilder& path, bool) const { append_read(path); }
  [[nodiscard]] Bytes capacity() const { return params_.capacity; }
  [[nodiscard]] DrivePower power() const { return {}; }
  [[nodiscard]] GroupId busiest() const { return queue_; }

 private:
  Params params_;
  GroupId queue_{};
  ShapeId shape_{};
};
static_assert(DriveModel<NullDrive>);

}  // namespace storcast
