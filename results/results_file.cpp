#include "results/results_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "results/atomic_file.hpp"
#include "results/known.hpp"
#include "results/summary_json.hpp"
#include "results/version.hpp"

namespace storcast {
namespace {

// HDF5 counts its objects by number; each kind has its own way to close.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close, std::string_view what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error(fmt::format("HDF5 failed: {}", what));
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const noexcept { return id_; }

 private:
  hid_t id_;
  Close close_;
};

void check(herr_t status, std::string_view what) {
  if (status < 0) throw std::runtime_error(fmt::format("HDF5 failed: {}", what));
}

// HDF5 prints its own stack of errors by default; ours are exceptions.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// Variable length: an attribute of fixed length may not exceed 64 KiB, and scenarios may.
Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "string type");
  check(H5Tset_size(type, H5T_VARIABLE), "string type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "string type");
  return type;
}

Handle scalar() { return {H5Screate(H5S_SCALAR), H5Sclose, "scalar"}; }

hid_t type_of(double) { return H5T_NATIVE_DOUBLE; }
hid_t type_of(std::int64_t) { return H5T_NATIVE_INT64; }
hid_t type_of(std::uint64_t) { return H5T_NATIVE_UINT64; }

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type = string_type();
  const Handle space = scalar();
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         name);
  const char* pointer = text.c_str();
  check(H5Awrite(attribute, type, &pointer), name);
}

template <class Number>
void write_number(hid_t object, const char* name, Number value) {
  const Handle space = scalar();
  const Handle attribute(H5Acreate2(object, name, type_of(value), space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, name);
  check(H5Awrite(attribute, type_of(value), &value), name);
}

// A group, and the datasets that are written into it.
class Group {
 public:
  Group(hid_t parent, const std::string& name)
      : handle_(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                name) {}
  static Group root(hid_t file) {
    return Group(Handle(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "root"));
  }
  operator hid_t() const noexcept { return handle_; }

  void text(const char* name, const std::string& content, const char* title) const {
    const char* pointer = content.c_str();
    dataset(name, string_type(), scalar(), &pointer, title, "text");
  }
  void value(const char* name, double number, const char* title, const char* unit) const {
    dataset(name, H5T_NATIVE_DOUBLE, scalar(), &number, title, unit);
  }
  template <class Number>
  void column(const char* name, const std::vector<Number>& numbers, const char* title,
              const char* unit) const {
    dataset(name, type_of(Number{}), rows(numbers.size()), numbers.data(), title, unit);
  }
  void column(const char* name, const std::vector<std::string>& texts, const char* title) const {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    dataset(name, string_type(), rows(texts.size()), pointers.data(), title, "text");
  }

 private:
  explicit Group(Handle handle) : handle_(std::move(handle)) {}
  static Handle rows(std::size_t count) {
    const hsize_t size = count;
    return {H5Screate_simple(1, &size, nullptr), H5Sclose, "rows"};
  }
  void dataset(const char* name, hid_t type, const Handle& space, const void* data,
               const char* title, const char* unit) const {
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
    check(H5Pset_obj_track_times(how, false), "properties");  // same result, same bytes
    const Handle set(H5Dcreate2(handle_, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT),
                     H5Dclose, name);
    if (H5Sget_simple_extent_npoints(space) > 0) {
      check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), name);
    }
    write_attribute(set, "title", title);
    write_attribute(set, "unit", unit);
  }
  Handle handle_;
};

// A name of the scenario as a name in the file: '/' would open a group of its own.
std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '/' || c == '%') {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result == "." ? "%2E" : result;
}

// One column: `get` of each row.
template <class Row, class Get>
auto each(const std::vector<Row>& rows, Get get) {
  std::vector<std::decay_t<std::invoke_result_t<Get, const Row&>>> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(std::invoke(get, row));
  return values;
}

void write_percentiles(hid_t parent, const ResponseResult& response) {
  std::vector<double> fractions, values, half_widths;
  std::vector<std::string> refused;
  for (const Percentile& percentile : response.percentiles) {
    if (percentile.value_s) {
      fractions.push_back(percentile.q);
      values.push_back(percentile.value_s->value);
      half_widths.push_back(percentile.value_s->half_width);
    } else {
      refused.push_back(percentile.refusal.empty() ? percentile_label(percentile.q)
                                                   : percentile.refusal);
    }
  }
  const Group group(parent, "percentiles");
  group.column("fraction", fractions, "Fraction of I/Os not slower", "1");
  group.column("response_time", values, "Response time at that fraction", "s");
  group.column("ci95", half_widths, "Half-width of the 95 % confidence interval", "s");
  group.column("refused", refused, "Percentiles that too few I/Os support");
}

void write_histogram(hid_t parent, const Histogram& histogram) {
  std::vector<double> lower_edges, middles;
  std::vector<std::uint64_t> counts;
  for (int cell = 0; cell < Histogram::cell_count; ++cell) {
    const std::uint64_t count = histogram.count_in(cell);
    if (count == 0) continue;
    lower_edges.push_back(to_seconds(Histogram::lower_edge(cell)));
    middles.push_back(to_seconds(Histogram::middle(cell)));
    counts.push_back(count);
  }
  const Group group(parent, "histogram");
  group.column("lower_edge", lower_edges, "Lower edge of the cell (cells without I/Os left out)",
               "s");
  group.column("middle", middles, "Middle of the cell, the value it stands for", "s");
  group.column("count", counts, "I/Os completed with a response time in the cell", "1");
}

void write_response(hid_t parent, const char* name, const StreamResult& stream,
                    const ResponseResult& response) {
  const Group group(parent, name);
  write_number(group, "ios", response.ios);
  group.value("iops", response.iops.value, "Throughput", "1/s");
  group.value("iops_ci95", response.iops.half_width, "Half-width of the 95 % interval", "1/s");
  group.value("bandwidth", response.bandwidth_bytes_per_s.value, "Bandwidth", "B/s");
  group.value("bandwidth_ci95", response.bandwidth_bytes_per_s.half_width,
              "Half-width of the 95 % interval", "B/s");
  if (!response_time_known(stream, response)) return;
  group.value("response_time_mean", response.mean_s.value, "Mean response time", "s");
  group.value("response_time_ci95", response.mean_s.half_width,
              "Half-width of the 95 % confidence interval of the mean", "s");
  write_percentiles(group, response);
  write_histogram(group, response.histogram);
}

void write_stream(hid_t streams, const StreamResult& stream) {
  const Group group(streams, escaped(stream.name));
  write_attribute(group, "name", stream.name);
  write_attribute(group, "rw", stream.rw);
  write_attribute(group, "arrival", stream.open ? "open" : "closed");
  write_number(group, "block_bytes", stream.block_bytes);
  write_number(group, "outstanding", stream.outstanding);
  write_number(group, "offered_iops", stream.offered_iops);
  write_number(group, "stable", std::uint64_t{stream.stable});
  write_response(group, "all", stream, stream.all);
  if (occurs(stream.read)) write_response(group, "read", stream, stream.read);
  if (occurs(stream.write)) write_response(group, "write", stream, stream.write);
  group.value("mean_outstanding", stream.mean_outstanding, "I/Os in flight, time average", "1");
  group.value("littles_law_ratio", stream.littles_law_ratio, "N / (X R)", "1");
  if (!response_time_known(stream, stream.all)) return;
  group.value("unexplained", stream.unexplained_s, "Time of an I/O that no stage explains", "s");
  const Group stages(group, "stages");
  stages.column("name", each(stream.stages, &Stage::name), "Stage");
  stages.column("mean", each(stream.stages, &Stage::mean_s), "Mean time of an I/O in it", "s");
}

void write_stations(hid_t file, const std::vector<StationResult>& stations) {
  using S = StationResult;
  const Group group(file, "stations");
  const auto numbers = [&](const char* name, double S::*member, const char* title,
                           const char* unit) {
    group.column(name, each(stations, member), title, unit);
  };
  group.column("name", each(stations, &S::name), "Station");
  group.column("kind", each(stations, &S::kind), "Kind of station");
  group.column("queues", each(stations, [](const S& s) { return std::int64_t{s.queues}; }),
               "Separate queues", "1");
  group.column("servers_each",
               each(stations, [](const S& s) { return std::int64_t{s.servers_each}; }),
               "Servers of each queue", "1");
  numbers("utilisation", &S::utilisation, "Mean fraction of servers busy", "1");
  numbers("utilisation_highest", &S::utilisation_highest, "Of the busiest queue", "1");
  numbers("throughput", &S::throughput, "Visits", "1/s");
  numbers("service_time", &S::service_time_s, "Mean service time of a visit", "s");
  numbers("residence_time", &S::residence_time_s, "Waiting and service of a visit", "s");
  numbers("queue_length", &S::queue_length, "Mean number present, all queues", "1");
  numbers("demand", &S::demand_s, "Service demand of a completed I/O", "s");
  numbers("littles_law_ratio", &S::littles_law_ratio, "N / (X R)", "1");
}

void write_series(hid_t file, const std::vector<SeriesPoint>& series) {
  const Group group(file, "series");
  group.column("start", each(series, &SeriesPoint::start_s), "Start of the slice (with warm-up)",
               "s");
  group.column("length", each(series, &SeriesPoint::length_s), "Length of the slice", "s");
  group.column("throughput", each(series, &SeriesPoint::iops), "Throughput", "1/s");
  group.column("response_time_mean", each(series, &SeriesPoint::mean_s), "Mean response time", "s");
}

void write_timeline(hid_t file, const RunResult& result) {
  const Group notes(file, "timeline");
  notes.column("at", each(result.timeline, &TimelineNote::at_s), "When it happened", "s");
  notes.column("what", each(result.timeline, &TimelineNote::what), "What happened");
  const Group phases(file, "phases");
  const auto& rows = result.phases;
  phases.column("what", each(rows, &Phase::what), "What the phase begins with");
  phases.column("start", each(rows, &Phase::start_s), "Start of the phase", "s");
  phases.column("length", each(rows, &Phase::length_s), "Length of the phase", "s");
  phases.column("throughput", each(rows, &Phase::iops), "Throughput, all streams", "1/s");
  phases.column("response_time_mean", each(rows, &Phase::mean_s), "Mean response time", "s");
  phases.column("response_time_p99",
                each(rows,
                     [](const Phase& p) {
                       return p.p99_s.value_or(std::numeric_limits<double>::quiet_NaN());
                     }),
                "99th percentile of the response time; NaN: too few I/Os", "s");
}

// Only of a run with one.
void write_rebuilds(hid_t file, const RunResult& result) {
  if (result.rebuilds.empty()) return;
  const Group group(file, "rebuilds");
  const auto& rows = result.rebuilds;
  const auto time = [](std::optional<double> RebuildResult::*member) {
    return [member](const RebuildResult& r) {
      return (r.*member).value_or(std::numeric_limits<double>::quiet_NaN());
    };
  };
  using R = RebuildResult;
  group.column("pool", each(rows, &R::pool), "Pool");
  group.column("drive", each(rows, [](const R& r) { return std::int64_t{r.drive}; }),
               "Drive that was lost", "1");
  group.column("into", each(rows, &R::into), "Kind of spare");
  group.column("begins", each(rows, time(&R::begins_s)), "First row; NaN: it waited", "s");
  group.column("ends", each(rows, time(&R::ends_s)), "Last row; NaN: not in this run", "s");
  group.column("rows", each(rows, &R::rows), "Rows of the drive", "1");
  group.column("rows_done", each(rows, &R::rows_done), "Rows rebuilt", "1");
  group.column("bytes", each(rows, &R::bytes), "Bytes written", "B");
  group.column("rate", each(rows, &R::bytes_per_s), "Bytes written a second", "B/s");
  group.column("remaining", each(rows, time(&R::remaining_s)),
               "Time to finish at that rate; NaN: done, or not known", "s");
}

void write_conclusions(hid_t file, const RunResult& result) {
  const Group bounds(file, "bounds");
  write_attribute(bounds, "method", result.bounds.method);
  bounds.value("saturation", result.bounds.saturation_iops, "Throughput bound", "1/s");
  bounds.value("knee_outstanding", result.bounds.knee_outstanding, "Knee N*", "1");
  bounds.value("mva_throughput", result.bounds.mva_iops, "Throughput by MVA", "1/s");
  bounds.value("mva_response_time_mean", result.bounds.mva_mean_s, "Mean response time by MVA",
               "s");
  const Group power(file, "power");
  power.value("idle", result.power.idle_w, "Power when idle", "W");
  power.value("at_load", result.power.at_load_w, "Power at this load", "W");
  power.value("maximum", result.power.maximum_w, "Highest power", "W");
  const SelfCheck& self = result.self_check;
  const Group group(file, "self_check");
  write_number(group, "passed", std::uint64_t{self.passed});
  write_number(group, "ios_in", self.ios_in);
  write_number(group, "ios_out", self.ios_out);
  write_number(group, "ios_in_flight", self.ios_in_flight);
  group.value("littles_law_ratio", self.littles_law_ratio, "N / (X R), worst stream", "1");
  group.value("littles_law_station_worst", self.littles_law_station_worst,
              "Largest |ratio - 1| of a station", "1");
  group.value("utilisation_law_worst", self.utilisation_law_worst, "Largest |U - X D / m|", "1");
  group.column("failures", self.failures, "Laws that do not hold");
}

void write_root(hid_t root, const RunResult& result) {
  write_attribute(root, "storcast", std::string(version));
  write_number(root, "schema", std::int64_t{result_schema});
  write_attribute(root, "scenario", result.scenario);
  write_attribute(root, "scenario_text", result.scenario_text);
  write_attribute(root, "fidelity", result.fidelity);
  write_number(root, "seed", result.seed);
  write_number(root, "converged", std::uint64_t{result.converged});
  write_attribute(root, "stop_reason", result.stop_reason);
  write_attribute(root, "verdict", result.verdict);
  write_attribute(root, "bottleneck", result.bottleneck.station);
  write_number(root, "simulated_s", result.simulated_s);
  write_number(root, "warm_up_s", result.warm_up_s);
  write_number(root, "window_s", result.window_s);
  write_number(root, "ios", result.ios);
  write_number(root, "events", result.events);
  write_number(root, "wall_s", result.wall_s);  // provenance; differs from run to run
}

void write_all(hid_t file, const RunResult& result) {
  const Group root = Group::root(file);
  write_root(root, result);
  root.text("summary_json", summary_json(result), "The summary as JSON, see results/README.md");
  const Group streams(file, "streams");
  for (const StreamResult& stream : result.streams) write_stream(streams, stream);
  write_stations(file, result.stations);
  write_series(file, result.series);
  write_timeline(file, result);
  write_rebuilds(file, result);
  write_conclusions(file, result);
}

// In memory (driver "core" without a backing store): HDF5 meets no full disk, and a failure leaves
// nothing half open; the bytes are written by replace_file, whose errors have an errno.
std::string image_of(const RunResult& result) {
  constexpr std::size_t increment = 1 << 16;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  check(H5Pset_fapl_core(access, increment, false), "memory driver");
  const Handle file(H5Fcreate("storcast", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "file");
  write_all(file, result);
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) throw std::runtime_error("HDF5 failed: image");
  std::string image(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file, image.data(), image.size()) != size) {
    throw std::runtime_error("HDF5 failed: image");
  }
  return image;
}

[[noreturn]] void cannot_read(const std::string& path, std::string_view reason) {
  throw std::runtime_error(fmt::format("cannot read {}: {}", path, reason));
}

// Why a file that HDF5 did not open cannot be one of ours, as far as the file system knows.
void check_readable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    cannot_read(path, error ? error.message() : "there is no such file");
  }
  if (!std::filesystem::is_regular_file(status)) cannot_read(path, "it is not a regular file");
}

void check_schema(hid_t file) {
  const char* const foreign = "it is not a result of storcast";
  if (H5Aexists(file, "schema") <= 0) throw std::runtime_error(foreign);
  const Handle attribute(H5Aopen(file, "schema", H5P_DEFAULT), H5Aclose, "schema");
  const Handle space(H5Aget_space(attribute), H5Sclose, "schema");
  const Handle type(H5Aget_type(attribute), H5Tclose, "schema");
  std::int64_t schema = 0;
  if (H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != H5T_INTEGER ||
      H5Aread(attribute, H5T_NATIVE_INT64, &schema) < 0) {
    throw std::runtime_error(foreign);
  }
  if (schema < 1 || schema > result_schema) {
    throw std::runtime_error(
        fmt::format("its schema is {}, this program knows 1 to {}", schema, result_schema));
  }
}

std::string stored_summary(hid_t file) {
  if (H5Lexists(file, "summary_json", H5P_DEFAULT) <= 0) {
    throw std::runtime_error("it holds no summary_json");
  }
  const Handle set(H5Dopen2(file, "summary_json", H5P_DEFAULT), H5Dclose, "summary_json");
  const Handle type(H5Dget_type(set), H5Tclose, "summary_json");
  const Handle space(H5Dget_space(set), H5Sclose, "summary_json");
  if (H5Tis_variable_str(type) <= 0 || H5Sget_simple_extent_npoints(space) != 1) {
    throw std::runtime_error("its summary_json is not a text");
  }
  char* content = nullptr;
  const Handle memory_type = string_type();
  check(H5Dread(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &content), "summary_json");
  const std::string text = content == nullptr ? "" : content;
  H5Dvlen_reclaim(memory_type, space, H5P_DEFAULT, &content);
  return text;
}

}  // namespace

void write_results_file(const RunResult& result, const std::string& path) {
  std::string image;
  try {
    const Silence silence;
    image = image_of(result);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", path, error.what()));
  }
  replace_file(path, image);
}

std::string read_summary(const std::string& path) {
  check_readable(path);
  const Silence silence;
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) cannot_read(path, "it is not an HDF5 file, or it is damaged or locked");
  const Handle file(id, H5Fclose, "file");
  try {
    check_schema(file);
    return stored_summary(file);
  } catch (const std::runtime_error& error) {
    cannot_read(path, error.what());
  }
}

}  // namespace storcast
