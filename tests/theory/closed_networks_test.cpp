// Closed networks against exact solutions: machine repairman, balanced networks, mean value
// analysis, and the asymptotic bounds. As for open queues: three standard errors for each of 20
// seeds, one miss a law at the most, and for the mean over the seeds.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/stats/operational_laws.hpp"
#include "tests/support/under_test.hpp"

using namespace storcast;
using under_test::add_load;
using under_test::Measure;
using under_test::measure;
using under_test::us;

namespace {

constexpr int seeds = 20;

// Runs `build` for each seed with batches of so many microseconds; the throughput of stream 0.
void check_throughput(const std::string& law, double truth, double batch_us,
                      const std::function<void(System&)>& build) {
  std::vector<double> values;
  int hits = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    System system;
    build(system);
    const auto m = measure(system, {.warm_up = us(batch_us), .batch = us(batch_us)}, seed);
    const Measure throughput = m[0].throughput();
    values.push_back(throughput.value);
    if (throughput.within_three_errors_of(truth)) ++hits;
  }
  CAPTURE(law, truth, hits);
  CHECK(hits >= seeds - 1);
  const Measure pooled{batch_means(values).mean, under_test::standard_error_of(values)};
  CAPTURE(pooled.value, pooled.standard_error);
  CHECK(pooled.within_three_errors_of(truth));
}

// Clients that visit single-server stations of these demands (microseconds, exponential) in a row.
std::function<void(System&)> central_server(std::uint32_t clients, std::vector<double> demands_us,
                                            Duration think = {}) {
  return [=](System& s) {
    add_load(s, {.iodepth = clients, .think = think}, [&](PathBuilder& p) {
      const ShapeId shape = s.add_shape(Shape::exponential());
      for (std::size_t k = 0; k < demands_us.size(); ++k) {
        p.visit(s.add_single("station " + std::to_string(k)), {us(demands_us[k]), 0, shape});
      }
    });
  };
}

std::vector<NetworkStation> stations_of(const std::vector<double>& demands_us) {
  std::vector<NetworkStation> stations;
  for (const double d : demands_us) stations.push_back({.name = "station", .demand_s = d * 1e-6});
  return stations;
}

}  // namespace

TEST_CASE("machine repairman: exponential think time, one and three servers") {
  for (const auto& [servers, clients] : {std::pair{1, 5}, {1, 20}, {3, 24}}) {
    const std::string law = "M/M/" + std::to_string(servers) + "//" + std::to_string(clients);
    check_throughput(law, repairman_throughput(clients, 1e-3, 100e-6, servers), 100e3,
                     [servers = servers, clients = clients](System& s) {
                       const auto n = static_cast<std::uint32_t>(clients);
                       add_load(s, {.iodepth = n}, [&](PathBuilder& p) {
                         const ShapeId shape = s.add_shape(Shape::exponential());
                         // As many servers as clients: nobody waits to think.
                         p.visit(s.add_servers("thinking", clients), {us(1'000), 0, shape});
                         p.visit(s.add_servers("repair", servers), {us(100), 0, shape});
                       });
                     });
  }
}

TEST_CASE("a fixed think time gives the same throughput as an exponential one") {
  // A delay is insensitive to its distribution (Baskett, Chandy, Muntz, Palacios 1975).
  check_throughput("fixed think time", repairman_throughput(10, 1e-3, 100e-6), 100e3,
                   central_server(10, {100}, us(1'000)));
}

TEST_CASE("balanced networks: X = N / ((N + K - 1) D)") {
  for (const auto& [clients, queues] : {std::pair{1u, 4}, {4u, 4}, {16u, 4}, {32u, 8}}) {
    const std::vector<double> demands(static_cast<std::size_t>(queues), 100);
    check_throughput("N " + std::to_string(clients) + ", K " + std::to_string(queues),
                     balanced_network_throughput(static_cast<int>(clients), queues, 100e-6), 100e3,
                     central_server(clients, demands));
  }
}

TEST_CASE("unbalanced networks: exact mean value analysis") {
  const std::vector<double> demands{40, 100, 70, 10};
  for (const int clients : {2, 6, 20}) {
    check_throughput("N " + std::to_string(clients),
                     exact_mva(stations_of(demands), 300e-6, clients).throughput, 100e3,
                     central_server(static_cast<std::uint32_t>(clients), demands, us(300)));
  }
}

TEST_CASE("networks with a multi-server station: exact mean value analysis") {
  const std::vector<NetworkStation> stations{{.name = "one", .demand_s = 30e-6},
                                             {.name = "four", .demand_s = 100e-6, .servers = 4}};
  for (const int clients : {3, 10}) {
    check_throughput("N " + std::to_string(clients), exact_mva(stations, 0, clients).throughput,
                     100e3, [clients](System& s) {
                       const auto n = static_cast<std::uint32_t>(clients);
                       add_load(s, {.iodepth = n}, [&](PathBuilder& p) {
                         const ShapeId shape = s.add_shape(Shape::exponential());
                         p.visit(s.add_single("one"), {us(30), 0, shape});
                         p.visit(s.add_servers("four", 4), {us(100), 0, shape});
                       });
                     });
  }
}

TEST_CASE("two streams that share a station obey Little's law each") {
  System s;
  const GroupId shared = s.add_single("shared");
  const ShapeId shape = s.add_shape(Shape::exponential());
  for (const std::uint32_t clients : {3u, 9u}) {
    add_load(s, {.iodepth = clients}, [&](PathBuilder& p) { p.visit(shared, {us(50), 0, shape}); });
  }
  const auto m = measure(s, {.warm_up = us(100e3), .batch = us(100e3)}, 1);
  for (std::size_t i = 0; i < 2; ++i) {
    const double clients = i == 0 ? 3 : 9;
    // Up to the I/Os that cross the ends of the window.
    CHECK(m[i].throughput().value * m[i].response_s().value == Approx(clients).epsilon(1e-3));
    CHECK(m[i].throughput().within_three_errors_of(clients / 12 / 50e-6));
  }
}

TEST_CASE("the asymptotic bounds hold at every population") {
  const std::vector<double> demands{40, 100, 70};
  const auto stations = stations_of(demands);
  double before = 0;
  for (std::uint32_t clients = 1; clients <= 64; clients *= 2) {
    CAPTURE(clients);
    const ClosedBounds bounds = asymptotic_bounds(stations, 200e-6, clients);
    System exponential, fixed;
    central_server(clients, demands, us(200))(exponential);
    add_load(fixed, {.iodepth = clients, .think = us(200)}, [&](PathBuilder& p) {
      for (const double d : demands) p.visit(fixed.add_single("station"), {us(d)});
    });
    const auto plan = under_test::MeasurementPlan{.warm_up = us(200e3), .batch = us(100e3)};
    const Measure x = measure(exponential, plan, 1)[0].throughput();
    CHECK(x.value <= bounds.throughput_upper + 3 * x.standard_error);
    CHECK(x.value >= bounds.throughput_lower - 3 * x.standard_error);
    CHECK(x.value >= before - 3 * x.standard_error);
    before = x.value;
    // Deterministic services meet the upper bound exactly, up to one I/O at each end.
    const double window_s = 30 * 0.1;
    const double most = measure(fixed, plan, 1)[0].throughput().value;
    CHECK(most == Approx(bounds.throughput_upper).margin(2.0 * clients / window_s));
  }
}
