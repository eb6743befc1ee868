#include "results/summary_json.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "results/known.hpp"
#include "results/version.hpp"
#include "sim/base/error.hpp"

namespace storcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<double, 6> percentiles{0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number_if(bool known, double value) { return known ? number(value) : Json(nullptr); }

// Zero means not estimated (a timeline, a single batch): null, or it would look exact.
Json half_width(bool known, double value) { return number_if(known && value > 0, value); }

// Half-widths exist only where batches were simulated: an analytic zero would look exact.
struct Context {
  bool has_intervals;
  bool known;           // response times of this direction
  std::string unknown;  // why they are not
};

Context context_of(const RunResult& result, const StreamResult& stream,
                   const ResponseResult& response) {
  Context context{result.fidelity == "io", response_time_known(stream, response), ""};
  if (!context.known) {
    context.unknown = !stream.stable ? "the stream is unstable: its response time has no limit"
                                     : "no I/O was completed in the window";
  } else if (!context.has_intervals) {
    context.unknown = "fidelity " + result.fidelity + " gives means only";
  } else {
    context.unknown = "not recorded";
  }
  return context;
}

std::string refusal_of(const Percentile* percentile, const Context& context) {
  const bool told = context.known && percentile != nullptr && !percentile->refusal.empty();
  return told ? percentile->refusal : context.unknown;
}

void put_response_time(const ResponseResult& response, const Context& context, Json& to) {
  Json times = Json::object();
  Json half_widths = Json::object();
  Json refused = Json::object();
  times["mean"] = number_if(context.known, response.mean_s.value);
  half_widths["mean"] =
      half_width(context.known && context.has_intervals, response.mean_s.half_width);
  for (const double q : percentiles) {
    const Percentile* found = find_percentile(response, q);
    const bool known = context.known && found != nullptr && found->value_s.has_value();
    const std::string key = percentile_key(q);
    times[key] = known ? number(found->value_s->value) : Json(nullptr);
    half_widths[key] =
        known ? half_width(context.has_intervals, found->value_s->half_width) : Json(nullptr);
    if (!known) refused[key] = refusal_of(found, context);
  }
  times["ci95"] = std::move(half_widths);
  to["response_time_s"] = std::move(times);
  to["percentiles_refused"] = std::move(refused);
}

void put_response(const RunResult& result, const StreamResult& stream,
                  const ResponseResult& response, Json& to) {
  const Context context = context_of(result, stream, response);
  to["iops"] = number(response.iops.value);
  to["iops_ci95"] = half_width(context.has_intervals, response.iops.half_width);
  to["bandwidth_bytes_per_s"] = number(response.bandwidth_bytes_per_s.value);
  to["ios"] = response.ios;
}

Json direction_object(const RunResult& result, const StreamResult& stream,
                      const ResponseResult& response) {
  Json object = Json::object();
  put_response(result, stream, response, object);
  put_response_time(response, context_of(result, stream, response), object);
  return object;
}

Json stages_object(const StreamResult& stream) {
  const bool known = response_time_known(stream, stream.all);
  Json object = Json::object();
  for (const Stage& stage : stream.stages) object[stage.name] = number_if(known, stage.mean_s);
  object["unexplained"] = number_if(known, stream.unexplained_s);
  return object;
}

Json stream_object(const RunResult& result, const StreamResult& stream) {
  Json object = Json::object();
  object["rw"] = stream.rw;
  object["block_bytes"] = stream.block_bytes;
  object["outstanding"] = stream.outstanding;
  object["offered_iops"] = number_if(stream.open, stream.offered_iops);
  object["stable"] = stream.stable;
  put_response(result, stream, stream.all, object);
  object["model_error_relative"] = nullptr;  // needs a measurement of the same system
  put_response_time(stream.all, context_of(result, stream, stream.all), object);
  if (occurs(stream.read)) object["read"] = direction_object(result, stream, stream.read);
  if (occurs(stream.write)) object["write"] = direction_object(result, stream, stream.write);
  object["stages_s"] = stages_object(stream);
  object["mean_outstanding"] = number(stream.mean_outstanding);
  object["littles_law_ratio"] = number_if(stream.stable, stream.littles_law_ratio);
  return object;
}

Json station_object(const StationResult& station) {
  return Json{{"kind", station.kind},
              {"queues", station.queues},
              {"servers_each", station.servers_each},
              {"utilisation", number(station.utilisation)},
              {"utilisation_highest", number(station.utilisation_highest)},
              {"throughput_per_s", number(station.throughput)},
              {"service_time_s", number(station.service_time_s)},
              {"residence_time_s", number(station.residence_time_s)},
              {"queue_length", number(station.queue_length)},
              {"demand_s", number(station.demand_s)},
              {"littles_law_ratio", number(station.littles_law_ratio)}};
}

// All keys stay when no station was found: scripts may descend without asking.
Json bottleneck_object(const Bottleneck& bottleneck) {
  const bool found = !bottleneck.station.empty();
  const bool next = !bottleneck.next_station.empty();
  return Json{{"station", found ? Json(bottleneck.station) : Json(nullptr)},
              {"utilisation", number_if(found, bottleneck.utilisation)},
              {"limit_iops", number_if(found, bottleneck.limit_iops)},
              {"next", Json{{"station", next ? Json(bottleneck.next_station) : Json(nullptr)},
                            {"limit_iops", number_if(next, bottleneck.next_limit_iops)},
                            {"headroom", number_if(next, bottleneck.headroom)}}}};
}

Json bounds_object(const Bounds& bounds) {
  return Json{{"saturation_iops", number(bounds.saturation_iops)},
              {"knee_outstanding", number(bounds.knee_outstanding)},
              {"mva_iops", number(bounds.mva_iops)},
              {"mva_mean_s", number(bounds.mva_mean_s)},
              {"method", bounds.method}};
}

Json self_check_object(const SelfCheck& check) {
  return Json{{"passed", check.passed},
              {"littles_law_ratio", number(check.littles_law_ratio)},
              {"littles_law_station_worst", number(check.littles_law_station_worst)},
              {"utilisation_law_worst", number(check.utilisation_law_worst)},
              {"ios_in", check.ios_in},
              {"ios_out", check.ios_out},
              {"ios_in_flight", check.ios_in_flight},
              {"failures", check.failures}};
}

void put_run(const RunResult& result, Json& to) {
  to["storcast"] = std::string(version);
  to["schema"] = result_schema;
  to["scenario"] = result.scenario;
  to["seed"] = result.seed;
  to["fidelity"] = result.fidelity;
  to["converged"] = result.converged;
  to["stop_reason"] = result.stop_reason;
  to["verdict"] = result.verdict;
  to["simulated_s"] = number(result.simulated_s);
  to["warm_up_s"] = number(result.warm_up_s);
  to["ios"] = result.ios;
  to["events"] = result.events;
}

// Only of a run with one, so that the summaries of others stay as they are.
void put_rebuilds(const RunResult& result, Json& to) {
  const auto maybe = [](const std::optional<double>& value) {
    return value ? number(*value) : Json(nullptr);
  };
  to["rebuilds"] = Json::array();
  for (const RebuildResult& r : result.rebuilds) {
    to["rebuilds"].push_back(Json{{"pool", r.pool},
                                  {"drive", r.drive},
                                  {"into", r.into},
                                  {"failed_s", number(r.failed_s)},
                                  {"begins_s", maybe(r.begins_s)},
                                  {"ends_s", maybe(r.ends_s)},
                                  {"rows", r.rows},
                                  {"rows_done", r.rows_done},
                                  {"bytes", number(r.bytes)},
                                  {"bytes_per_s", number(r.bytes_per_s)},
                                  {"remaining_s", maybe(r.remaining_s)},
                                  {"redundancy_restored", r.redundancy_restored}});
  }
}

void put_basis(const RunResult& result, Json& to) {
  to["power_w"] = Json{{"idle", number(result.power.idle_w)},
                       {"at_load", number(result.power.at_load_w)},
                       {"maximum", number(result.power.maximum_w)}};
  to["assumptions"] = result.assumptions;
  to["adjusted"] = result.adjusted;
  to["warnings"] = result.warnings;
  to["timeline"] = Json::array();
  for (const TimelineNote& note : result.timeline) {
    to["timeline"].push_back(Json{{"at_s", number(note.at_s)}, {"what", note.what}});
  }
  to["phases"] = Json::array();
  for (const Phase& phase : result.phases) {
    to["phases"].push_back(Json{{"what", phase.what},
                                {"start_s", number(phase.start_s)},
                                {"length_s", number(phase.length_s)},
                                {"iops", number(phase.iops)},
                                {"mean_s", number(phase.mean_s)},
                                {"p99_s", phase.p99_s ? number(*phase.p99_s) : Json(nullptr)}});
  }
  if (!result.rebuilds.empty()) put_rebuilds(result, to);
  to["window_s"] = number(result.window_s);
}

}  // namespace

nlohmann::ordered_json summary_object(const RunResult& result) {
  Json object = Json::object();
  put_run(result, object);
  Json streams = Json::object();
  for (const StreamResult& stream : result.streams) {
    INVARIANT(!streams.contains(stream.name), "streams of a result have different names");
    streams[stream.name] = stream_object(result, stream);
  }
  object["streams"] = std::move(streams);
  Json stations = Json::object();
  for (const StationResult& station : result.stations) {
    INVARIANT(!stations.contains(station.name), "stations of a result have different names");
    stations[station.name] = station_object(station);
  }
  object["stations"] = std::move(stations);
  object["bottleneck"] = bottleneck_object(result.bottleneck);
  object["bounds"] = bounds_object(result.bounds);
  object["self_check"] = self_check_object(result.self_check);
  put_basis(result, object);
  return object;
}

std::string json_text(const nlohmann::ordered_json& object) {
  return object.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string summary_json(const RunResult& result) { return json_text(summary_object(result)); }

}  // namespace storcast
