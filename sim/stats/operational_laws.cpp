#include "sim/stats/operational_laws.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double stable_load(double arrival_rate, double service_s, int servers = 1) {
  INVARIANT(arrival_rate >= 0 && service_s > 0 && servers >= 1, "a queue has a service time");
  const double load = arrival_rate * service_s / servers;
  INVARIANT(load < 1, "a closed form needs a stable queue");
  return load;
}

}  // namespace

// ---- Operational laws and single queues --------------------------------------------------------

double utilisation_law(double throughput, double demand_s, int servers) {
  INVARIANT(servers >= 1, "a station has servers");
  return throughput * demand_s / servers;
}

double littles_law(double throughput, double response_s) { return throughput * response_s; }

double interactive_response_s(double population, double throughput, double think_s) {
  INVARIANT(throughput > 0, "a response time needs completions");
  return population / throughput - think_s;
}

double mm1_response_s(double arrival_rate, double service_s) {
  return service_s / (1 - stable_load(arrival_rate, service_s));
}

double mm1_response_quantile_s(double arrival_rate, double service_s, double q) {
  INVARIANT(q >= 0 && q < 1, "a quantile lies in [0, 1)");
  return -std::log1p(-q) * mm1_response_s(arrival_rate, service_s);
}

double erlang_c(double offered_erlangs, int servers) {
  const double load = stable_load(offered_erlangs, 1.0, servers);
  double blocked = 1;
  for (int k = 1; k <= servers; ++k) {
    blocked = offered_erlangs * blocked / (k + offered_erlangs * blocked);
  }
  return blocked / (1 - load * (1 - blocked));
}

double mmc_response_s(double arrival_rate, double service_s, int servers) {
  const double load = stable_load(arrival_rate, service_s, servers);
  const double waits = erlang_c(arrival_rate * service_s, servers);
  return service_s + waits * service_s / (servers * (1 - load));
}

double mg1_response_s(double arrival_rate, double service_s, double cv) {
  INVARIANT(cv >= 0, "a coefficient of variation is not negative");
  const double load = stable_load(arrival_rate, service_s);
  return service_s + load * service_s * (1 + cv * cv) / (2 * (1 - load));
}

double md1_response_s(double arrival_rate, double service_s) {
  return mg1_response_s(arrival_rate, service_s, 0);
}

std::vector<double> priority_responses_s(std::span<const PriorityClass> classes) {
  double residual = 0;
  for (const PriorityClass& c : classes) {
    INVARIANT(c.arrival_rate >= 0 && c.service_s > 0 && c.cv >= 0, "a class has a service time");
    residual += c.arrival_rate * c.service_s * c.service_s * (1 + c.cv * c.cv) / 2;
  }
  std::vector<double> responses;
  double above = 0;
  for (const PriorityClass& c : classes) {
    const double with = above + c.arrival_rate * c.service_s;
    INVARIANT(with < 1, "a closed form needs a stable queue");
    responses.push_back(residual / ((1 - above) * (1 - with)) + c.service_s);
    above = with;
  }
  return responses;
}

double repairman_throughput(int population, double think_s, double service_s, int servers) {
  INVARIANT(population >= 1 && think_s >= 0 && service_s > 0 && servers >= 1,
            "a repairman has machines");
  // State n: n clients at the station. Walked down from n = N, so that Z = 0 needs no special case.
  double weight = 1;
  double sum = 0;
  double busy = 0;
  for (int n = population; n >= 0; --n) {
    sum += weight;
    busy += weight * std::min(n, servers);
    weight *= think_s / service_s * std::min(n, servers) / (population - n + 1);
    if (weight > 1e200) {
      weight *= 1e-200;
      sum *= 1e-200;
      busy *= 1e-200;
    }
  }
  return busy / sum / service_s;
}

double balanced_network_throughput(int population, int queues, double demand_each_s) {
  INVARIANT(population >= 1 && queues >= 1 && demand_each_s > 0, "a network has customers");
  return population / ((static_cast<double>(population) + queues - 1) * demand_each_s);
}

double harmonic(double n) {
  INVARIANT(n >= 0, "harmonic numbers start at 0");
  constexpr double euler = 0.57721566490153286;
  double below = 0;  // H_n = H_(n+1) - 1 / (n + 1), up to where the asymptotic series is exact
  for (; n < 16; n += 1) below += 1 / (n + 1);
  const double r = 1 / (n * n);
  return std::log(n) + euler + 1 / (2 * n) -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240))) - below;
}

double fork_join_2_response_s(double arrival_rate, double service_s) {
  const double load = stable_load(arrival_rate, service_s);
  return (12 - load) / 8 * mm1_response_s(arrival_rate, service_s);
}

double nelson_tantawi_response_s(double arrival_rate, double service_s, int members) {
  INVARIANT(members >= 1, "a fork has members");
  if (members == 1) return mm1_response_s(arrival_rate, service_s);
  const double load = stable_load(arrival_rate, service_s);
  const double ratio = harmonic(members) / harmonic(2);
  return (ratio + 4.0 / 11 * (1 - ratio) * load) * fork_join_2_response_s(arrival_rate, service_s);
}

// ---- Networks: limits and bounds ---------------------------------------------------------------

namespace {

double server_count(const NetworkStation& s) { return static_cast<double>(s.queues) * s.servers; }

double unloaded_response_s(std::span<const NetworkStation> stations) {
  double sum = 0;
  for (const NetworkStation& s : stations) sum += s.demand_s / s.parallel;
  return sum;
}

void require_valid(std::span<const NetworkStation> stations, double think_s) {
  for (const NetworkStation& s : stations) {
    INVARIANT(std::isfinite(s.demand_s) && s.demand_s >= 0, "a demand is not negative");
    INVARIANT(std::isfinite(s.background_s) && s.background_s >= 0, "a demand is not negative");
    INVARIANT(s.queues >= 1 && s.servers >= 1, "a group has queues and servers");
    INVARIANT(s.cv >= 0 && s.parallel >= 1, "a CV is not negative, a fork has members");
  }
  INVARIANT(std::isfinite(think_s) && think_s >= 0, "a think time is not negative");
}

void require_closed(std::span<const NetworkStation> stations, double think_s, double population) {
  require_valid(stations, think_s);
  INVARIANT(std::isfinite(population) && population > 0, "a closed network has customers");
  INVARIANT(unloaded_response_s(stations) + think_s > 0, "a cycle takes time");
}

ClosedBounds from_throughputs(double lower, double upper, double think_s, double population) {
  return {.throughput_lower = lower,
          .throughput_upper = upper,
          .response_lower_s = interactive_response_s(population, upper, think_s),
          .response_upper_s = interactive_response_s(population, lower, think_s)};
}

}  // namespace

double station_limit(const NetworkStation& station) {
  const double demand = station.demand_s + station.background_s;
  if (station.delay || demand <= 0) return infinite;
  return server_count(station) / demand;
}

Saturation saturation_of(std::span<const NetworkStation> stations) {
  Saturation least{.throughput = infinite, .station = 0};
  for (std::size_t k = 0; k < stations.size(); ++k) {
    const double limit = station_limit(stations[k]);
    if (limit < least.throughput) least = {.throughput = limit, .station = k};
  }
  return least;
}

ClosedBounds asymptotic_bounds(std::span<const NetworkStation> stations, double think_s,
                               double population) {
  require_closed(stations, think_s, population);
  double delays = think_s;
  double queueing = 0;  // with background: the slowest that a station can be to the foreground
  for (const NetworkStation& s : stations) {
    (s.delay ? delays : queueing) += s.delay ? s.demand_s : s.demand_s + s.background_s;
  }
  const double lower = population / (std::max(1.0, population) * queueing + delays);
  const double upper = std::min(population / (unloaded_response_s(stations) + think_s),
                                saturation_of(stations).throughput);
  return from_throughputs(lower, upper, think_s, population);
}

double knee_population(std::span<const NetworkStation> stations, double think_s) {
  require_closed(stations, think_s, 1);
  return (unloaded_response_s(stations) + think_s) * saturation_of(stations).throughput;
}

ClosedBounds balanced_job_bounds(std::span<const NetworkStation> stations, double think_s,
                                 double population) {
  require_closed(stations, think_s, population);
  INVARIANT(population >= 1, "balanced job bounds start at one customer");
  double z = think_s;
  double d = 0, d_max = 0, queues = 0;
  for (const NetworkStation& s : stations) {
    INVARIANT(s.parallel == 1 && (s.delay || (s.servers == 1 && s.background_s == 0)),
              "balanced job bounds need single servers without forks or background");
    if (s.delay) z += s.demand_s;
    if (s.delay || s.demand_s == 0) continue;
    d += s.demand_s;
    d_max = std::max(d_max, s.demand_s / s.queues);
    queues += s.queues;
  }
  if (d == 0) return from_throughputs(population / z, population / z, think_s, population);
  const double others = population - 1;
  const double lower = population / (d + z + others * d_max / (1 + z / (population * d)));
  const double balanced = population / (d + z + others * (d / queues) / (1 + z / d));
  return from_throughputs(lower, std::min(1 / d_max, balanced), think_s, population);
}

// ---- Closed networks ---------------------------------------------------------------------------
//
// Both solvers reduce the network to one unknown, X. Given X, background work slows each station to
// the share 1 - X B / (queues servers) of its speed; the demands so stretched give a foreground
// throughput that falls with X, and the solution is where the two agree.

namespace {

double stretched_demand(const NetworkStation& s, double throughput) {
  if (s.delay || s.demand_s == 0) return s.demand_s;
  return s.demand_s / (1 - throughput * s.background_s / server_count(s));
}

// Fills what follows from X and the residence times (sum over the members of a fork, and as the
// I/O sees it). What is left of N / X - Z is back-pressure of a limit that is background only.
ClosedSolution closed_solution(std::span<const NetworkStation> stations, double throughput,
                               std::vector<double> all_members, std::vector<double> residence,
                               double back_pressure_s) {
  const Saturation limit = saturation_of(stations);
  if (back_pressure_s > 0) {
    residence[limit.station] += back_pressure_s;
    all_members[limit.station] += back_pressure_s;
  }
  ClosedSolution solution;
  solution.throughput = throughput;
  for (std::size_t k = 0; k < stations.size(); ++k) {
    const NetworkStation& s = stations[k];
    const double busy = throughput * (s.demand_s + s.background_s) / server_count(s);
    solution.response_s += residence[k];
    solution.queue_length.push_back(littles_law(throughput, all_members[k]));
    solution.utilisation.push_back(s.delay ? 0.0 : busy);
  }
  solution.residence_s = std::move(residence);
  return solution;
}

// The exact algorithm. A queue of c servers and demand d has the generating function
//   F(z) = sum_(j<c) (d z)^j / j!  +  (d z)^c / c! / (1 - d z / c)  =  P(z) / (1 - d z / c),
//   P(z) = sum_(j<c) (1 - j / c) (d z)^j / j!,
// so it equals a single server of demand d / c next to a pseudo-station P that holds at most c - 1.
// The single servers are solved by the MVA recursion; each P is then multiplied in, as a
// convolution written in ratios: with G(n-1) / G(n) = X(n), h(n) = sum_j (1 - j/c) d^j / j! X(n) ..
// X(n-j+1) and X'(n) = X(n) h(n-1) / h(n). All terms are positive, where the textbook recursion for
// marginal probabilities subtracts and loses all digits from about 20 servers on. Worked number: c
// = 2, d = 1, N = 2, alone: the fast server gives X = 2, 2; h = 1, 2, 2 for n = 0, 1, 2; X' = 2 *
// 1/2 = 1 and 2 * 2/2 = 2, as it must be for two servers of one second.
class ExactMva {
 public:
  ExactMva(std::span<const NetworkStation> stations, double think_s, int population)
      : stations_(stations), think_s_(think_s), population_(population) {}

  // Throughput at the full population, given the throughput that slows the stations.
  double throughput(double slowing) {
    demand_.clear();
    for (const NetworkStation& s : stations_) demand_.push_back(stretched_demand(s, slowing));
    single_servers();
    for (std::size_t k : multi_) multiply(k, stations_[k].queues, x_);
    return x_[population_];
  }

  // Residence times at the full population, after throughput().
  std::vector<double> residence() {
    std::vector<double> result = demand_;
    for (std::size_t k = 0; k < stations_.size(); ++k) {
      if (!stations_[k].delay) result[k] = single_server_queue(k) / x_[population_];
    }
    if (!multi_.empty()) add_pseudo_queues(multi_, base_x_, result);
    return result;
  }

 private:
  // MVA of the network in which each queue is one server of c times the speed. Groups of identical
  // queues go in one: R = D (1 + Q / queues).
  void single_servers() {
    double delay = think_s_;
    std::vector<double> demand, share;
    multi_.clear();
    for (std::size_t k = 0; k < stations_.size(); ++k) {
      if (stations_[k].delay) {
        delay += demand_[k];
      } else if (demand_[k] > 0) {
        demand.push_back(demand_[k] / stations_[k].servers);
        share.push_back(1.0 / stations_[k].queues);
        if (stations_[k].servers > 1) multi_.push_back(k);
      }
    }
    const auto groups = static_cast<Eigen::Index>(demand.size());
    const Eigen::Map<const Eigen::ArrayXd> d(demand.data(), groups),
        per_queue(share.data(), groups);
    Eigen::ArrayXd queue = Eigen::ArrayXd::Zero(groups);
    Eigen::ArrayXd residence(groups);
    x_ = Eigen::ArrayXd::Zero(population_ + 1);
    for (Eigen::Index n = 1; n <= population_; ++n) {
      residence = d * (1 + queue * per_queue);
      x_[n] = static_cast<double>(n) / (delay + residence.sum());
      queue = x_[n] * residence;
    }
    base_x_ = x_;
  }

  // h(n) of pseudo-station k in a network with throughputs x; term is the running product.
  Eigen::ArrayXd pseudo_weights(std::size_t k, const Eigen::ArrayXd& x) const {
    const int servers = stations_[k].servers;
    const double d = demand_[k] / stations_[k].queues;
    Eigen::ArrayXd h = Eigen::ArrayXd::Ones(population_ + 1);
    Eigen::ArrayXd term = h;
    for (int j = 1; j < std::min(servers, population_ + 1); ++j) {
      const Eigen::Index n = population_ + 1 - j;
      term.tail(n) *= x.segment(1, n) * (d / j);
      h.tail(n) += term.tail(n) * (1 - static_cast<double>(j) / servers);
      // For each n the terms start at 1, rise, then fall: all that follow are below the last digit.
      if (term.tail(n).maxCoeff() < 1e-20) break;
    }
    return h;
  }

  void multiply(std::size_t k, int times, Eigen::ArrayXd& x) const {
    for (int i = 0; i < times; ++i) {
      const Eigen::ArrayXd h = pseudo_weights(k, x);
      x.tail(population_) *= h.head(population_) / h.tail(population_);
    }
  }

  // Mean number in all single servers of group k, with the throughputs of the whole network.
  double single_server_queue(std::size_t k) const {
    const double d = demand_[k] / stations_[k].servers;
    double queue = 0;
    for (Eigen::Index n = 1; n <= population_; ++n) {
      queue = x_[n] * d * (1 + queue / stations_[k].queues);
    }
    return queue;
  }

  // Mean number in pseudo-station k at the full population; x is the network without it.
  double pseudo_queue(std::size_t k, const Eigen::ArrayXd& x) const {
    const double d = demand_[k] / stations_[k].queues;
    double term = 1, sum = 1, weighted = 0;
    for (int j = 1; j < std::min(stations_[k].servers, population_ + 1); ++j) {
      term *= x[population_ - j + 1] * (d / j);
      const double weight = term * (1 - static_cast<double>(j) / stations_[k].servers);
      sum += weight;
      weighted += weight * j;
    }
    return weighted / sum;
  }

  // Each pseudo-station needs the network of all others. Halving the list shares that work: the
  // others of the left half are the right half and, in turn, the rest of the left.
  void add_pseudo_queues(std::span<const std::size_t> groups, const Eigen::ArrayXd& without,
                         std::vector<double>& residence) const {
    if (groups.size() == 1) {
      const std::size_t k = groups.front();
      Eigen::ArrayXd x = without;
      multiply(k, stations_[k].queues - 1, x);
      residence[k] += stations_[k].queues * pseudo_queue(k, x) / x_[population_];
      return;
    }
    const auto left = groups.first(groups.size() / 2);
    const auto right = groups.subspan(groups.size() / 2);
    for (const auto& [solved, others] : {std::pair{left, right}, std::pair{right, left}}) {
      Eigen::ArrayXd x = without;
      for (std::size_t k : others) multiply(k, stations_[k].queues, x);
      add_pseudo_queues(solved, x, residence);
    }
  }

  std::span<const NetworkStation> stations_;
  double think_s_;
  int population_;
  std::vector<double> demand_;      // stretched by background work
  std::vector<std::size_t> multi_;  // groups with several servers a queue
  Eigen::ArrayXd base_x_, x_;       // throughput by population: single servers only, all
};

// The X at which X_mva(X) = X, between 0 and the saturation; X_mva falls, so there is one crossing
// at most. False position with Illinois' correction: bisection's safety, about ten evaluations.
double background_fixed_point(ExactMva& network, double limit, int& iterations) {
  double low = 0, high = limit;
  double above_low = network.throughput(low);
  double above_high = network.throughput(high) - high;
  iterations = 2;
  if (above_high >= 0) return limit;  // a station with background work alone limits
  double x = low;
  for (int last = 0; iterations < 100 && high - low > 1e-11 * limit; ++iterations) {
    x = (low * above_high - high * above_low) / (above_high - above_low);
    if (!(x > low && x < high)) break;
    const double above = network.throughput(x) - x;
    if (std::abs(above) <= 1e-11 * x) break;
    const int side = above > 0 ? 1 : -1;
    (side > 0 ? low : high) = x;
    (side > 0 ? above_low : above_high) = above;
    if (side == last) (side > 0 ? above_high : above_low) *= 0.5;
    last = side;
  }
  return x;
}

// Residence time at one station in Schweitzer's approximation, given X.
struct ApproximateResidence {
  double all_members = 0;  // summed
  double slowest = 0;
};

// An arrival sees the network with one customer less: (N - 1) / N of the queues of N. It waits if
// all servers are busy (probability P) and then for the waiting line: W = d/c (P + seen Lq). With
// Lq = X W this is W = d/c P / (1 - seen rho); one server has P = seen rho, which is Schweitzer's
// D / (1 - seen rho). P = rho^(sqrt(2 (c + 1)) - 1) is Sakasegawa's; fewer than c others fill no
// queue. If a fork sends several members to one queue, each is a customer there.
ApproximateResidence approximate_residence(const NetworkStation& s, double throughput,
                                           double population) {
  const double demand = stretched_demand(s, throughput);
  if (s.delay || demand == 0) return {demand, demand / s.parallel};
  const double customers = population * std::max(1.0, s.parallel / s.queues);
  const double seen = std::max(0.0, 1 - 1 / customers);
  const double load = seen * std::min(1.0, throughput * demand / server_count(s));
  const double busy = customers - 1 < s.servers && s.servers > 1
                          ? 0.0
                          : std::pow(load, std::sqrt(2.0 * (s.servers + 1)) - 1);
  const double all = demand + demand / s.servers * busy / (1 - load);
  const double used = seen * throughput / station_limit(s);
  return {all, all / s.parallel * (1 + (harmonic(s.parallel) - 1) * used)};
}

double approximate_cycle_s(std::span<const NetworkStation> stations, double think_s,
                           double population, double throughput) {
  double sum = think_s;
  for (const NetworkStation& s : stations) {
    sum += approximate_residence(s, throughput, population).slowest;
  }
  return sum;
}

}  // namespace

ClosedSolution exact_mva(std::span<const NetworkStation> stations, double think_s, int population) {
  require_closed(stations, think_s, population);
  bool background = false;
  for (const NetworkStation& s : stations) {
    INVARIANT(s.parallel == 1, "exact MVA has no forks");
    INVARIANT(s.delay || s.servers <= exact_mva_servers, "exact MVA has at most 512 servers");
    background = background || (!s.delay && s.background_s > 0);
  }
  ExactMva network(stations, think_s, population);
  int iterations = 1;
  const double x =
      background ? background_fixed_point(network, saturation_of(stations).throughput, iterations)
                 : network.throughput(0);
  std::vector<double> residence = network.residence();
  double cycle = think_s;
  for (const double r : residence) cycle += r;
  const double limit = saturation_of(stations).throughput;
  const double back_pressure = background && x >= limit ? population / x - cycle : 0.0;
  ClosedSolution solution = closed_solution(stations, x, residence, residence, back_pressure);
  solution.method = "exact MVA";
  solution.iterations = iterations;
  return solution;
}

ClosedSolution approximate_mva(std::span<const NetworkStation> stations, double think_s,
                               double population) {
  require_closed(stations, think_s, population);
  // X (Z + R(X)) grows with X: bisect for N below the lower of the two asymptotes.
  double low = 0;
  double high = asymptotic_bounds(stations, think_s, population).throughput_upper;
  const double upper = high;
  int iterations = 0;
  while (iterations < 100 && high - low > 1e-15 * upper) {
    const double x = 0.5 * (low + high);
    ++iterations;
    const double customers = x * approximate_cycle_s(stations, think_s, population, x);
    (customers < population ? low : high) = x;
  }
  const double x = high;
  std::vector<double> all_members, residence;
  double cycle = think_s;
  for (const NetworkStation& s : stations) {
    const ApproximateResidence r = approximate_residence(s, x, population);
    all_members.push_back(r.all_members);
    residence.push_back(r.slowest);
    cycle += r.slowest;
  }
  const bool saturated = x >= saturation_of(stations).throughput;
  const double back_pressure = saturated ? population / x - cycle : 0.0;
  ClosedSolution solution =
      closed_solution(stations, x, std::move(all_members), std::move(residence), back_pressure);
  solution.method = "approximate MVA";
  solution.iterations = iterations;
  return solution;
}

ClosedSolution solve_closed(std::span<const NetworkStation> stations, double think_s,
                            double population) {
  require_closed(stations, think_s, population);
  constexpr double largest_exact = 4096;
  constexpr double most_steps = 1e7;
  bool exact =
      population >= 1 && population <= largest_exact && population == std::floor(population);
  double steps = 0;
  for (const NetworkStation& s : stations) {
    exact = exact && s.parallel == 1 && (s.delay || s.servers <= exact_mva_servers);
    steps += population * (s.delay || s.servers == 1 ? 1.0 : server_count(s));
  }
  if (!exact || steps > most_steps) return approximate_mva(stations, think_s, population);
  return exact_mva(stations, think_s, static_cast<int>(population));
}

// ---- Open networks -----------------------------------------------------------------------------

OpenSolution solve_open(std::span<const NetworkStation> stations, double arrival_rate) {
  require_valid(stations, 0);
  INVARIANT(std::isfinite(arrival_rate) && arrival_rate >= 0, "a rate is not negative");
  const Saturation limit = saturation_of(stations);
  OpenSolution solution;
  solution.saturation_rate = limit.throughput;
  if (std::isfinite(limit.throughput)) solution.saturation_station = stations[limit.station].name;
  for (const NetworkStation& s : stations) {
    const double used = arrival_rate / station_limit(s);
    double all = stretched_demand(s, arrival_rate);
    const double erlangs = s.delay ? 0.0 : arrival_rate * all / s.queues;
    if (used >= 1 || erlangs >= s.servers) {
      solution.stable = false;
      all = infinite;
    } else if (!s.delay) {
      // Demands instead of service times: the number of visits cancels.
      all += all * erlang_c(erlangs, s.servers) * (1 + s.cv * s.cv) / 2 / (s.servers - erlangs);
    }
    solution.residence_s.push_back(all / s.parallel * (1 + (harmonic(s.parallel) - 1) * used));
    solution.queue_length.push_back(arrival_rate * all);
    solution.utilisation.push_back(used);
    solution.response_s += solution.residence_s.back();
  }
  return solution;
}

}  // namespace storcast
