#include "sim/stats/operational_laws.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

using namespace storcast;

namespace {

using Stations = std::vector<NetworkStation>;
using Polynomial = std::vector<long double>;

NetworkStation queue(double demand_s, int queues = 1, int servers = 1) {
  return {.name = "queue", .demand_s = demand_s, .queues = queues, .servers = servers};
}

NetworkStation delay(double demand_s) {
  return {.name = "delay", .demand_s = demand_s, .delay = true};
}

// Reference: Buzen's convolution over the full weights of each single queue. Independent of the
// solver, which never forms a normalisation constant; quadratic, for small networks.
struct Reference {
  double throughput = 0;
  std::vector<double> queue_length;
};

Polynomial weights(const NetworkStation& s, std::size_t population) {
  Polynomial f(population + 1, 1.0L);
  const long double demand = s.demand_s / s.queues;
  for (std::size_t j = 1; j <= population; ++j) {
    const auto busy = s.delay ? j : std::min(j, static_cast<std::size_t>(s.servers));
    f[j] = f[j - 1] * demand / static_cast<long double>(busy);
  }
  return f;
}

Polynomial convolve(const Polynomial& a, const Polynomial& b) {
  Polynomial c(a.size(), 0.0L);
  for (std::size_t n = 0; n < c.size(); ++n) {
    for (std::size_t j = 0; j <= n; ++j) c[n] += a[j] * b[n - j];
  }
  return c;
}

// The constants of the whole network, without one queue of group `left_out`.
Polynomial constants(const Stations& stations, std::size_t n, std::size_t left_out) {
  Polynomial g(n + 1, 0.0L);
  g[0] = 1;
  for (std::size_t k = 0; k < stations.size(); ++k) {
    const int copies = stations[k].queues - (k == left_out ? 1 : 0);
    for (int i = 0; i < copies; ++i) g = convolve(g, weights(stations[k], n));
  }
  return g;
}

Reference by_convolution(Stations stations, double think_s, int population) {
  const std::size_t groups = stations.size();
  const auto n = static_cast<std::size_t>(population);
  if (think_s > 0) stations.push_back(delay(think_s));
  const Polynomial all = constants(stations, n, stations.size());
  Reference reference{.throughput = static_cast<double>(all[n - 1] / all[n]), .queue_length = {}};
  for (std::size_t k = 0; k < groups; ++k) {
    const Polynomial others = constants(stations, n, k);
    const Polynomial f = weights(stations[k], n);
    long double mean = 0;
    for (std::size_t j = 1; j <= n; ++j) mean += static_cast<long double>(j) * f[j] * others[n - j];
    reference.queue_length.push_back(stations[k].queues * static_cast<double>(mean / all[n]));
  }
  return reference;
}

void check_against_convolution(const Stations& stations, double think_s, int population) {
  const Reference expected = by_convolution(stations, think_s, population);
  const ClosedSolution solved = exact_mva(stations, think_s, population);
  REQUIRE(solved.throughput == Approx(expected.throughput).epsilon(1e-10));
  for (std::size_t k = 0; k < stations.size(); ++k) {
    REQUIRE(solved.queue_length[k] == Approx(expected.queue_length[k]).epsilon(1e-9));
  }
}

using Solver = ClosedSolution(std::span<const NetworkStation>, double, int);

struct RandomNetwork {
  Stations stations;
  double think_s = 0;
  int population = 1;
};

RandomNetwork random_network(Rng& rng, bool multi_server) {
  RandomNetwork network;
  const auto pick = [&rng](int bound) {
    return 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(bound)));
  };
  const int groups = pick(5);
  for (int k = 0; k < groups; ++k) {
    const int queues = rng.uniform() < 0.5 ? 1 : pick(6);
    const int servers = multi_server && rng.uniform() < 0.5 ? pick(40) : 1;
    const double per_server = 0.1 + rng.uniform();
    network.stations.push_back(queue(per_server * queues * servers, queues, servers));
    if (rng.uniform() < 0.2) network.stations.push_back(delay(rng.uniform()));
  }
  network.think_s = rng.uniform() < 0.5 ? 0 : 10 * rng.uniform();
  network.population = pick(60);
  return network;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void check_closed_laws(const Stations& stations, double think_s, double population,
                       const ClosedSolution& s) {
  REQUIRE(s.throughput > 0);
  REQUIRE(s.response_s == Approx(sum(s.residence_s)));
  REQUIRE(s.response_s + think_s == Approx(population / s.throughput));
  for (std::size_t k = 0; k < stations.size(); ++k) {
    if (stations[k].delay) continue;
    const double servers = stations[k].queues * stations[k].servers;
    const double demand = stations[k].demand_s + stations[k].background_s;
    REQUIRE(s.utilisation[k] == Approx(s.throughput * demand / servers));
    REQUIRE(s.utilisation[k] <= 1 + 1e-9);
  }
}

}  // namespace

TEST_CASE("operational laws: the textbook's worked numbers") {
  CHECK(utilisation_law(40, 0.0225) == Approx(0.9));  // LQSP 3.2
  CHECK(utilisation_law(40, 0.0225, 2) == Approx(0.45));
  CHECK(littles_law(0.5, 15) == Approx(7.5));             // LQSP 3.3
  CHECK(interactive_response_s(64, 2, 30) == Approx(2));  // LQSP 3.4
  CHECK_THROWS_AS(utilisation_law(1, 1, 0), InvariantError);
  CHECK_THROWS_AS(interactive_response_s(64, 0, 30), InvariantError);
}

TEST_CASE("M/M/1 at 90 % load: mean 10 and p99 46.05 service times") {
  CHECK(mm1_response_s(0.9, 1) == Approx(10));
  CHECK(mm1_response_quantile_s(0.9, 1, 0.99) == Approx(46.0517));
  CHECK(mm1_response_quantile_s(0.9, 1, 0) == 0);
  CHECK_THROWS_AS(mm1_response_quantile_s(0.9, 1, 1), InvariantError);
  CHECK_THROWS_AS(mm1_response_s(1, 1), InvariantError);
  CHECK_THROWS_AS(mm1_response_s(-1, 1), InvariantError);
  CHECK_THROWS_AS(mm1_response_s(0.5, 0), InvariantError);
}

TEST_CASE("Erlang C agrees with the definition and with known values") {
  CHECK(erlang_c(0.9, 1) == Approx(0.9));
  CHECK(erlang_c(2, 3) == Approx(4.0 / 9));
  CHECK(erlang_c(0, 4) == 0);
  CHECK_THROWS_AS(erlang_c(3, 3), InvariantError);
  CHECK(mmc_response_s(1.6, 1, 2) == Approx(1 / (1 - 0.64)));  // M/M/2: S / (1 - rho^2)
  CHECK(mmc_response_s(0.9, 1, 1) == Approx(mm1_response_s(0.9, 1)));
  CHECK_THROWS_AS(mmc_response_s(2, 1, 2), InvariantError);
}

TEST_CASE("Pollaczek-Khinchine: CV 1 is M/M/1, CV 0 waits half as long") {
  CHECK(mg1_response_s(0.8, 1, 1) == Approx(5));
  CHECK(md1_response_s(0.8, 1) == Approx(1 + 2));
  CHECK(mg1_response_s(0.5, 1, 2) == Approx(1 + 2.5));
  CHECK_THROWS_AS(mg1_response_s(0.5, 1, -1), InvariantError);
  CHECK_THROWS_AS(md1_response_s(1, 1), InvariantError);
}

TEST_CASE("non-preemptive priority: one class is M/G/1, and the conservation law holds") {
  CHECK(priority_responses_s(std::vector<PriorityClass>{{0.5, 1, 2}}).front() ==
        Approx(mg1_response_s(0.5, 1, 2)));
  const std::vector<PriorityClass> classes{{0.2, 1, 1}, {0.3, 0.5, 0}, {0.1, 3, 2}};
  const auto responses = priority_responses_s(classes);
  double load = 0, residual = 0, weighted = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto& c = classes[k];
    load += c.arrival_rate * c.service_s;
    residual += c.arrival_rate * c.service_s * c.service_s * (1 + c.cv * c.cv) / 2;
    weighted += c.arrival_rate * c.service_s * (responses[k] - c.service_s);
  }
  CHECK(weighted == Approx(load * residual / (1 - load)));  // Kleinrock 1965
  CHECK(responses[0] - 1 < responses[1] - 0.5);
  CHECK_THROWS_AS(priority_responses_s(std::vector<PriorityClass>{{0.5, 1, 1}, {0.5, 1, 1}}),
                  InvariantError);
}

TEST_CASE("machine repairman agrees with exact MVA, for one and for several servers") {
  for (const int servers : {1, 2, 8}) {
    for (const int population : {1, 2, 7, 30}) {
      const Stations station{queue(1, 1, servers)};
      REQUIRE(repairman_throughput(population, 5, 1, servers) ==
              Approx(exact_mva(station, 5, population).throughput).epsilon(1e-10));
    }
  }
  CHECK(repairman_throughput(3, 0, 0.5, 2) == Approx(4));
  CHECK(repairman_throughput(1, 0, 0.5, 2) == Approx(2));
  CHECK(repairman_throughput(100'000, 1e4, 1) == Approx(1));
  CHECK_THROWS_AS(repairman_throughput(0, 1, 1), InvariantError);
  CHECK_THROWS_AS(repairman_throughput(1, -1, 1), InvariantError);
}

TEST_CASE("balanced networks: the closed form equals exact MVA") {
  CHECK(balanced_network_throughput(2, 2, 1) == Approx(2.0 / 3));
  for (const int population : {1, 5, 64}) {
    REQUIRE(exact_mva(Stations{queue(6 * 0.25, 6)}, 0, population).throughput ==
            Approx(balanced_network_throughput(population, 6, 0.25)));
  }
  CHECK_THROWS_AS(balanced_network_throughput(0, 2, 1), InvariantError);
}

TEST_CASE("harmonic numbers are sums, continued to real arguments") {
  CHECK(harmonic(0) == Approx(0).margin(1e-13));
  double expected = 0;
  for (int n = 1; n <= 100; ++n) {
    expected += 1.0 / n;
    REQUIRE(harmonic(n) == Approx(expected).epsilon(1e-13));
  }
  CHECK(harmonic(0.5) == Approx(2 - 2 * std::log(2.0)).epsilon(1e-13));
  CHECK_THROWS_AS(harmonic(-1), InvariantError);
}

TEST_CASE("fork-join: Flatto-Hahn for two, Nelson-Tantawi for more") {
  CHECK(fork_join_2_response_s(0.8, 1) == Approx(11.2 / 8 * 5));
  CHECK(fork_join_2_response_s(0, 1) == Approx(1.5));  // the larger of two exponentials
  CHECK(nelson_tantawi_response_s(0.5, 1, 1) == Approx(2));
  CHECK(nelson_tantawi_response_s(0.8, 1, 2) == Approx(7));
  CHECK(nelson_tantawi_response_s(0.3, 1, 4) == Approx(2.813).margin(5e-4));
  CHECK(nelson_tantawi_response_s(0.8, 1, 8) == Approx(11.03).margin(5e-3));
  CHECK(nelson_tantawi_response_s(0.8, 1, 16) == Approx(13.22).margin(5e-3));
  // Simulated values of the same cases: 2.84, 11.61, 13.65.
  CHECK(nelson_tantawi_response_s(0.3, 1, 4) == Approx(2.84).epsilon(0.054));
  CHECK(nelson_tantawi_response_s(0.8, 1, 8) == Approx(11.61).epsilon(0.054));
  CHECK(nelson_tantawi_response_s(0.8, 1, 16) == Approx(13.65).epsilon(0.054));
  CHECK_THROWS_AS(nelson_tantawi_response_s(1, 1, 4), InvariantError);
  CHECK_THROWS_AS(nelson_tantawi_response_s(0.5, 1, 0), InvariantError);
}

TEST_CASE("exact MVA: the textbook's first steps") {
  // LQSP 6.4: R(1) = 4.055; R(2) = sum D (1 + D / 19.055) = 4.055 + 6.598525 / 19.055.
  const Stations stations{queue(0.605), queue(2.1), queue(1.35)};
  CHECK(exact_mva(stations, 15, 1).throughput == Approx(1 / 19.055));
  CHECK(exact_mva(stations, 15, 2).response_s == Approx(4.055 + 6.598525 / 19.055));
  CHECK(exact_mva(stations, 15, 2).method == "exact MVA");
}

TEST_CASE("exact MVA equals Buzen's convolution for single-server groups, delays, think time") {
  check_against_convolution({queue(0.605), queue(2.1), queue(1.35)}, 15, 20);
  check_against_convolution({queue(0.6, 3), delay(2), queue(0.5)}, 0, 12);
  check_against_convolution({queue(0.6, 5), queue(0), queue(0.1)}, 1, 12);
}

TEST_CASE("exact MVA equals Buzen's convolution for multi-server groups") {
  check_against_convolution({queue(1, 1, 2)}, 0, 5);
  check_against_convolution({queue(4, 1, 4), queue(1), queue(3, 3, 2)}, 2, 25);
  check_against_convolution({queue(20, 1, 20), queue(24, 4, 6), delay(1), queue(8, 1, 8)}, 0, 60);
  check_against_convolution({queue(3, 1, 50), queue(0.2)}, 0, 10);  // more servers than customers
}

TEST_CASE("exact MVA equals Buzen's convolution for random networks") {
  Rng rng(1, "convolution");
  for (int i = 0; i < 60; ++i) {
    const RandomNetwork n = random_network(rng, true);
    check_against_convolution(n.stations, n.think_s, n.population);
  }
}

TEST_CASE("exact MVA keeps its digits with hundreds of servers near saturation") {
  const Stations cores{queue(256, 1, 256)};
  for (const int population : {1, 255, 256, 257, 1000, 4096}) {
    const ClosedSolution s = exact_mva(cores, 0, population);
    REQUIRE(s.throughput == Approx(std::min(population, 256) / 256.0).epsilon(1e-10));
    REQUIRE(s.queue_length[0] == Approx(population).epsilon(1e-10));
  }
  REQUIRE(exact_mva(cores, 300, 1000).throughput ==
          Approx(repairman_throughput(1000, 300, 256, 256)).epsilon(1e-10));
}

TEST_CASE("closed solutions obey Little's, the interactive and the utilisation law") {
  Rng rng(2, "laws");
  for (int i = 0; i < 200; ++i) {
    const RandomNetwork n = random_network(rng, true);
    const ClosedSolution exact = exact_mva(n.stations, n.think_s, n.population);
    const ClosedSolution near = approximate_mva(n.stations, n.think_s, n.population);
    check_closed_laws(n.stations, n.think_s, n.population, exact);
    check_closed_laws(n.stations, n.think_s, n.population, near);
    for (const auto& s : {exact, near}) {
      REQUIRE(sum(s.queue_length) + s.throughput * n.think_s == Approx(n.population));
    }
  }
}

TEST_CASE("the approximation stays within a few per cent of exact MVA") {
  Rng rng(3, "closeness");
  double total = 0;
  const int networks = 300;
  for (int i = 0; i < networks; ++i) {
    const RandomNetwork n = random_network(rng, true);
    const double exact = exact_mva(n.stations, n.think_s, n.population).throughput;
    const double near = approximate_mva(n.stations, n.think_s, n.population).throughput;
    const double error = std::abs(near / exact - 1);
    REQUIRE(error < 0.1);
    total += error;
  }
  CHECK(total / networks < 0.02);
}

TEST_CASE("the approximation is exact for one customer and closes in on exact for thousands") {
  const Stations stations{queue(2, 1, 4), queue(0.4), queue(1.2, 3)};
  CHECK(approximate_mva(stations, 1, 1).throughput == Approx(1 / 4.6));
  CHECK(approximate_mva(stations, 100, 4096).throughput ==
        Approx(exact_mva(stations, 100, 4096).throughput).epsilon(1e-4));
  const Stations balanced{queue(6, 6)};
  CHECK(approximate_mva(balanced, 0, 10).throughput ==
        Approx(balanced_network_throughput(10, 6, 1)));
}

TEST_CASE("in the approximation too, no more customers than servers wait for nothing") {
  CHECK(approximate_mva(Stations{queue(8, 1, 8)}, 0, 8).throughput == Approx(1));
  CHECK(approximate_mva(Stations{queue(8, 1, 8)}, 4, 8).response_s == Approx(8));
  CHECK(approximate_mva(Stations{queue(8, 1, 8)}, 4, 12).response_s > 8.1);
}

TEST_CASE("the approximation takes any real population") {
  const Stations stations{queue(1), queue(2, 2)};
  CHECK(approximate_mva(stations, 1, 0.5).throughput == Approx(0.5 / 4));
  const double at_2 = approximate_mva(stations, 1, 2).throughput;
  const double at_2_5 = approximate_mva(stations, 1, 2.5).throughput;
  const double at_3 = approximate_mva(stations, 1, 3).throughput;
  CHECK(at_2 < at_2_5);
  CHECK(at_2_5 < at_3);
  CHECK(approximate_mva(stations, 1, 1e9).throughput == Approx(1));
}

TEST_CASE("asymptotic and balanced job bounds hold for random networks") {
  Rng rng(4, "bounds");
  for (int i = 0; i < 300; ++i) {
    const RandomNetwork n = random_network(rng, i % 2 == 0);
    const ClosedSolution s = exact_mva(n.stations, n.think_s, n.population);
    const auto holds = [&s](const ClosedBounds& b) {
      constexpr double rounding = 1e-9;
      return s.throughput >= b.throughput_lower * (1 - rounding) &&
             s.throughput <= b.throughput_upper * (1 + rounding) &&
             s.response_s >= b.response_lower_s * (1 - rounding) &&
             s.response_s <= b.response_upper_s * (1 + rounding);
    };
    const ClosedBounds wide = asymptotic_bounds(n.stations, n.think_s, n.population);
    REQUIRE(holds(wide));
    if (i % 2 == 0) continue;
    const ClosedBounds tight = balanced_job_bounds(n.stations, n.think_s, n.population);
    REQUIRE(holds(tight));
    REQUIRE(tight.throughput_upper <= wide.throughput_upper * (1 + 1e-9));
    REQUIRE(tight.throughput_lower >= wide.throughput_lower * (1 - 1e-9));
  }
}

TEST_CASE("bounds and knee of the textbook's example") {
  // LQSP 5.2: D = 5, 4, 3 and Z = 15 give N* = (12 + 15) / 5.
  const Stations stations{queue(5), queue(4), queue(3)};
  CHECK(knee_population(stations, 15) == Approx(27.0 / 5));
  CHECK(asymptotic_bounds(stations, 15, 2).throughput_upper == Approx(2.0 / 27));
  CHECK(asymptotic_bounds(stations, 15, 20).throughput_upper == Approx(0.2));
  CHECK(asymptotic_bounds(stations, 15, 20).response_lower_s == Approx(85));
  CHECK(asymptotic_bounds(stations, 15, 20).throughput_lower == Approx(20 / (20 * 12 + 15.0)));
  CHECK(std::isinf(knee_population(Stations{delay(1)}, 0)));
  CHECK_THROWS_AS(balanced_job_bounds(Stations{queue(1, 1, 2)}, 0, 2), InvariantError);
  CHECK_THROWS_AS(balanced_job_bounds(stations, 0, 0.5), InvariantError);
}

TEST_CASE("throughput and response time never fall with the population") {
  Rng rng(5, "monotone");
  for (int i = 0; i < 30; ++i) {
    const RandomNetwork n = random_network(rng, true);
    ClosedSolution exact, near;
    for (int population = 1; population <= 100; ++population) {
      const ClosedSolution e = exact_mva(n.stations, n.think_s, population);
      REQUIRE(e.throughput >= exact.throughput * (1 - 1e-12));
      REQUIRE(e.response_s >= exact.response_s * (1 - 1e-9));
      exact = e;
      const ClosedSolution a = approximate_mva(n.stations, n.think_s, population);
      REQUIRE(a.response_s >= near.response_s * (1 - 1e-9));
      near = a;
    }
  }
}

TEST_CASE("the limit of a station counts queues, servers and background work") {
  NetworkStation s = queue(2, 4, 3);
  CHECK(station_limit(s) == Approx(6));
  s.background_s = 1;
  CHECK(station_limit(s) == Approx(4));
  CHECK(std::isinf(station_limit(delay(2))));
  CHECK(std::isinf(station_limit(queue(0))));
  const Stations stations{queue(1), s, queue(0.1)};
  CHECK(saturation_of(stations).station == 0);
  CHECK(saturation_of(stations).throughput == Approx(1));
  CHECK(std::isinf(saturation_of({}).throughput));
}

TEST_CASE(
    "background work: at saturation X = servers / (D + B), and a lone I/O sees little of it") {
  Stations stations{queue(1, 2, 2), queue(0.1)};
  stations[0].background_s = 3;
  for (const auto& s : {exact_mva(stations, 0, 2000), approximate_mva(stations, 0, 2000)}) {
    CHECK(s.throughput <= 1 + 1e-12);
    CHECK(s.throughput > 1 - 1.0 / 2000);  // the limit is approached as 1 / N
    CHECK(s.utilisation[0] == Approx(s.throughput));
    check_closed_laws(stations, 0, 2000, s);
  }
  CHECK(approximate_mva(stations, 0, 2e7).throughput == Approx(1).epsilon(1e-7));
  // One I/O every 1000 s or so: slowed by X B / 4 = 0.00075.
  const ClosedSolution alone = exact_mva(stations, 1000, 1);
  CHECK(alone.residence_s[0] == Approx(1 / (1 - alone.throughput * 3 / 4)));
}

TEST_CASE("background work: the solution is the fixed point of the slowed network") {
  Stations stations{queue(1, 1, 4), queue(0.2), queue(0.9, 3)};
  stations[0].background_s = 0.8;
  stations[2].background_s = 0.3;
  for (const int population : {1, 3, 8, 30}) {
    for (const auto& solve :
         {std::function<Solver>(exact_mva), std::function<Solver>(approximate_mva)}) {
      const ClosedSolution s = solve(stations, 1, population);
      Stations slowed = stations;
      for (NetworkStation& k : slowed) {
        k.demand_s /= 1 - s.throughput * k.background_s / (k.queues * k.servers);
        k.background_s = 0;
      }
      REQUIRE(solve(slowed, 1, population).throughput == Approx(s.throughput).epsilon(1e-9));
      check_closed_laws(stations, 1, population, s);
    }
    REQUIRE(exact_mva(stations, 1, population).iterations <= 20);
  }
}

TEST_CASE("background work: the fixed point takes few evaluations even between two limits") {
  Stations stations{queue(0.01), queue(0.9), queue(1, 1, 4)};
  stations[0].background_s = 1;
  stations[2].background_s = 2;
  for (const int population : {1, 4, 16, 64}) {
    for (const double think_s : {0, 1, 10, 60}) {
      REQUIRE(exact_mva(stations, think_s, population).iterations <= 20);
    }
  }
}

TEST_CASE("a station with background work alone costs no time until it is the limit") {
  Stations stations{queue(0.1), {.name = "destage", .background_s = 1}};
  for (const bool exact : {true, false}) {
    const auto solve = [&](int n) {
      return exact ? exact_mva(stations, 9, n) : approximate_mva(stations, 9, n);
    };
    CHECK(solve(2).residence_s[1] == 0);
    const ClosedSolution limited = solve(100);
    CHECK(limited.throughput == Approx(1));
    CHECK(limited.response_s == Approx(91));
    CHECK(limited.residence_s[1] == Approx(91 - limited.residence_s[0]));
    CHECK(limited.utilisation[1] == Approx(1));
  }
}

TEST_CASE("a fork's demand counts in full for the limit, its residence only once") {
  NetworkStation members = queue(4, 8);
  members.parallel = 4;
  const Stations stations{members};
  CHECK(approximate_mva(stations, 0, 1).response_s == Approx(1));
  CHECK(approximate_mva(stations, 0, 1e5).throughput == Approx(2).epsilon(1e-3));
  CHECK(knee_population(stations, 0) == Approx(2));
  const double population = 10;
  const ClosedSolution s = approximate_mva(stations, 2, population);
  const double all = s.queue_length[0] / s.throughput;
  const double seen = (population - 1) / population * s.utilisation[0];
  CHECK(s.residence_s[0] == Approx(all / 4 * (1 + (harmonic(4) - 1) * seen)));
  check_closed_laws(stations, 2, population, s);
}

TEST_CASE("a fork never passes the limit of its station, whatever its width") {
  for (const double parallel : {1.0, 1.5, 4.0, 16.0, 64.0}) {
    for (const int servers : {1, 16}) {
      NetworkStation members = queue(8, 2, servers);
      members.parallel = parallel;
      const Stations stations{members, queue(0.01)};
      for (double population = 1; population <= 4096; population *= 2) {
        const ClosedSolution s = approximate_mva(stations, 0.5, population);
        REQUIRE(s.throughput < station_limit(members));
        check_closed_laws(stations, 0.5, population, s);
      }
    }
  }
}

TEST_CASE("the solver is chosen by size and says which it was") {
  const Stations stations{queue(1), queue(100, 100), queue(8, 1, 8)};
  CHECK(solve_closed(stations, 0, 64).method == "exact MVA");
  CHECK(solve_closed(stations, 0, 4096).method == "exact MVA");
  CHECK(solve_closed(stations, 0, 64.5).method == "approximate MVA");
  CHECK(solve_closed(stations, 0, 4097).method == "approximate MVA");
  CHECK(solve_closed(Stations{queue(1, 1, 513)}, 0, 64).method == "approximate MVA");
  CHECK(solve_closed(Stations{queue(1, 3328, 16)}, 0, 4096).method == "approximate MVA");
  NetworkStation fork = queue(1, 4);
  fork.parallel = 2;
  CHECK(solve_closed(Stations{fork}, 0, 64).method == "approximate MVA");
}

TEST_CASE("16,384 outstanding I/Os over 3,328 queues take at most 100 cheap evaluations") {
  const Stations stations{queue(1e-6), queue(1e-2, 3328), queue(4e-5, 1, 64)};
  const ClosedSolution s = solve_closed(stations, 0, 16'384);
  CHECK(s.iterations <= 100);
  CHECK(s.throughput <= saturation_of(stations).throughput);
  check_closed_laws(stations, 0, 16'384, s);
}

TEST_CASE("exact MVA solves 4,096 outstanding I/Os over 3,328 queues in one evaluation") {
  const Stations stations{queue(1e-6), queue(1e-2, 3328), queue(4e-5, 1, 64)};
  const ClosedSolution s = exact_mva(stations, 0, 4096);
  CHECK(s.iterations == 1);
  check_closed_laws(stations, 0, 4096, s);
  CHECK(sum(s.queue_length) == Approx(4096));
}

TEST_CASE("closed solvers refuse what they cannot answer") {
  CHECK_THROWS_AS(exact_mva(Stations{queue(1)}, 0, 0), InvariantError);
  CHECK_THROWS_AS(exact_mva(Stations{queue(1, 1, 513)}, 0, 1), InvariantError);
  NetworkStation fork = queue(1, 2);
  fork.parallel = 2;
  CHECK_THROWS_AS(exact_mva(Stations{fork}, 0, 1), InvariantError);
  CHECK_THROWS_AS(approximate_mva(Stations{queue(1)}, 0, 0), InvariantError);
  CHECK_THROWS_AS(approximate_mva(Stations{queue(1)}, -1, 1), InvariantError);
  CHECK_THROWS_AS(approximate_mva(Stations{queue(-1)}, 0, 1), InvariantError);
  CHECK_THROWS_AS(approximate_mva(Stations{queue(0)}, 0, 1), InvariantError);
  CHECK_THROWS_AS(approximate_mva({}, 0, 1), InvariantError);
  CHECK_THROWS_AS(approximate_mva(Stations{queue(1, 0)}, 0, 1), InvariantError);
  CHECK_THROWS_AS(approximate_mva(Stations{queue(1, 1, 0)}, 0, 1), InvariantError);
  NetworkStation bad = queue(1);
  bad.parallel = 0.5;
  CHECK_THROWS_AS(approximate_mva(Stations{bad}, 0, 1), InvariantError);
  bad = queue(1);
  bad.background_s = -1;
  CHECK_THROWS_AS(solve_closed(Stations{bad}, 0, 1), InvariantError);
  bad = queue(1);
  bad.cv = -1;
  CHECK_THROWS_AS(solve_open(Stations{bad}, 0), InvariantError);
}

TEST_CASE("think time alone is a network too") {
  CHECK(exact_mva({}, 2, 3).throughput == Approx(1.5));
  CHECK(approximate_mva({}, 2, 3).throughput == Approx(1.5));
  CHECK(approximate_mva(Stations{delay(1)}, 2, 3).throughput == Approx(1));
}

TEST_CASE("open networks: each station is its closed form") {
  NetworkStation fixed = queue(0.8);
  fixed.cv = 0;
  const Stations stations{fixed, queue(3.2, 2, 2), queue(3, 5), delay(7)};
  const OpenSolution s = solve_open(stations, 0.9);
  CHECK(s.stable);
  CHECK(s.residence_s[0] == Approx(md1_response_s(0.9, 0.8)));
  CHECK(s.residence_s[1] == Approx(mmc_response_s(0.45, 3.2, 2)));
  CHECK(s.residence_s[2] == Approx(mm1_response_s(0.18, 3)));
  CHECK(s.residence_s[3] == Approx(7));
  CHECK(s.response_s == Approx(sum(s.residence_s)));
  CHECK(s.queue_length[3] == Approx(6.3));
  CHECK(s.utilisation[0] == Approx(0.72));
  CHECK(s.utilisation[3] == 0);
  CHECK(s.saturation_rate == Approx(1.25));
}

TEST_CASE("open networks: from the limit on unstable, and the limiting station is named") {
  Stations stations{queue(1), queue(4, 2)};
  stations[1].name = "drives";
  const OpenSolution s = solve_open(stations, 0.5);
  CHECK_FALSE(s.stable);
  CHECK(std::isinf(s.response_s));
  CHECK(s.residence_s[0] == Approx(2));
  CHECK(std::isinf(s.residence_s[1]));
  CHECK(s.saturation_station == "drives");
  CHECK(s.saturation_rate == Approx(0.5));
  CHECK(solve_open(stations, 0.499).stable);
  CHECK(solve_open(stations, 0.8).utilisation[1] == Approx(1.6));
  CHECK(solve_open(Stations{delay(1)}, 1e9).stable);
  CHECK(solve_open(Stations{delay(1)}, 1).saturation_station.empty());
  CHECK_THROWS_AS(solve_open(stations, -1), InvariantError);
}

TEST_CASE("open networks: a rate just below the limit is answered, whatever the rounding") {
  Rng rng(6, "rounding");
  for (int i = 0; i < 20'000; ++i) {
    NetworkStation s = queue(rng.uniform() + 1e-3, 1 + i % 3, 1 + i % 5);
    s.background_s = rng.uniform();
    const double rate = std::nextafter(station_limit(s), 0);
    const OpenSolution open = solve_open(Stations{s}, rate);
    REQUIRE(open.response_s > 100 * s.demand_s);
  }
}

TEST_CASE("open networks: background work slows the station and moves its limit") {
  NetworkStation s = queue(1);
  s.background_s = 1;
  const OpenSolution half = solve_open(Stations{s}, 0.25);
  CHECK(half.utilisation[0] == Approx(0.5));
  CHECK(half.response_s == Approx(mm1_response_s(0.25, 1 / 0.75)));
  CHECK(half.saturation_rate == Approx(0.5));
  CHECK_FALSE(solve_open(Stations{s}, 0.5).stable);
}

TEST_CASE("open networks: a fork waits for the slowest of its members") {
  NetworkStation s = queue(4, 4);
  s.parallel = 4;
  const OpenSolution open = solve_open(Stations{s}, 0.5);
  CHECK(open.response_s == Approx(mm1_response_s(0.5, 1) * (1 + (harmonic(4) - 1) * 0.5)));
  CHECK(open.queue_length[0] == Approx(4 * 0.5 * 2));
  CHECK(solve_open(Stations{s}, 0).response_s == Approx(1));
}
