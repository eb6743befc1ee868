// Operational laws, closed forms of queueing theory and mean value analysis (MVA).
//
// The oracle of the theory tests and of each report: pure functions, seconds and per-second rates.
// Terms: service demand D, utilisation U, throughput X, response time R, think time Z, population
// N. Sources: Lazowska, Zahorjan, Graham, Sevcik, "Quantitative System Performance" (LQSP, 1984);
// Kleinrock, "Queueing Systems" (1975); Reiser, Lavenberg, "Mean-value analysis", J. ACM 27 (1980).
// Limits: closed networks take every service time as exponential (product form) whatever its CV;
// forks and background work are approximations, explained at NetworkStation.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace storcast {

// ---- Operational laws (Denning, Buzen, 1978) ---------------------------------------------------

// U = X D / m: mean fraction of the m servers busy.
[[nodiscard]] double utilisation_law(double throughput, double demand_s, int servers = 1);
// N = X R: mean number present.
[[nodiscard]] double littles_law(double throughput, double response_s);
// R = N / X - Z: response time of a closed system.
[[nodiscard]] double interactive_response_s(double population, double throughput, double think_s);

// ---- Single queues -----------------------------------------------------------------------------
// service_s is the mean service time, above 0; all need a stable queue (utilisation below 1).

// M/M/1: R = S / (1 - rho). Kleinrock I, 3.2.
[[nodiscard]] double mm1_response_s(double arrival_rate, double service_s);
// M/M/1: the response time is exponential, so quantile q in [0, 1) is -ln(1 - q) R.
[[nodiscard]] double mm1_response_quantile_s(double arrival_rate, double service_s, double q);
// Erlang C: probability that an arrival waits, for an offered load a = lambda S below `servers`.
// By the recursion of Erlang B: B(k) = a B(k-1) / (k + a B(k-1)); C = B / (1 - rho (1 - B)).
[[nodiscard]] double erlang_c(double offered_erlangs, int servers);
// M/M/c: R = S + C S / (c (1 - rho)). Kleinrock I, 3.5.
[[nodiscard]] double mmc_response_s(double arrival_rate, double service_s, int servers);
// M/G/1, Pollaczek-Khinchine: R = S + rho S (1 + CV^2) / (2 (1 - rho)). Kleinrock I, 5.6.
[[nodiscard]] double mg1_response_s(double arrival_rate, double service_s, double cv);
// M/D/1: Pollaczek-Khinchine with CV = 0.
[[nodiscard]] double md1_response_s(double arrival_rate, double service_s);

struct PriorityClass {
  double arrival_rate = 0;
  double service_s = 0;
  double cv = 1;
};
// M/G/1, non-preemptive priority, highest class first. Cobham 1954: W_k = W0 / ((1 - s_(k-1)) *
// (1 - s_k)), s_k = rho_1 + .. + rho_k, W0 = sum of lambda_i E[S_i^2] / 2. Returns R_k = W_k + S_k.
[[nodiscard]] std::vector<double> priority_responses_s(std::span<const PriorityClass> classes);

// Machine repairman, M/M/c//N: throughput of N clients with exponential think time Z at one station
// of c servers; from the balance equations of its birth-death chain. Z >= 0.
[[nodiscard]] double repairman_throughput(int population, double think_s, double service_s,
                                          int servers = 1);
// Balanced closed network of K single-server queues of demand D each: X = N / ((N + K - 1) D);
// exact for Z = 0 (with think time see balanced_job_bounds). LQSP 5.4.
[[nodiscard]] double balanced_network_throughput(int population, int queues, double demand_each_s);

// H_n = 1 + 1/2 + .. + 1/n, continued to real n >= 0: mean of the largest of n exponentials.
[[nodiscard]] double harmonic(double n);
// Fork-join of two M/M/1 queues: R = (12 - rho) / 8 * R_MM1, exact. Flatto, Hahn, SIAM J. Appl.
// Math. 44 (1984). arrival_rate: forks per second, each of which visits both queues.
[[nodiscard]] double fork_join_2_response_s(double arrival_rate, double service_s);
// Fork-join of K M/M/1 queues: [H_K / H_2 + 4/11 (1 - H_K / H_2) rho] R_2, about 5 % up to K = 32;
// exact for K = 1 and 2. Nelson, Tantawi, IEEE Trans. Comput. 37 (1988).
[[nodiscard]] double nelson_tantawi_response_s(double arrival_rate, double service_s, int members);

// ---- Networks ----------------------------------------------------------------------------------

// A group of identical stations ("queues" separate waiting lines of "servers" servers each) among
// which the demand is spread evenly.
//
// Background: work that an I/O causes after it was acknowledged (destage). It counts for
// utilisation and limits (D + B). The foreground sees a station that is slower by the share 1 - X B
// / (queues servers), which is solved for X; at the limit X = queues servers / (D + B). A station
// with background work alone holds I/Os up only when it is the limit (back-pressure).
//
// Parallel: an I/O forks into `parallel` members that visit this group at the same time. All of
// their demand counts for utilisation, but the I/O waits for the slowest only: residence = (sum
// over members / parallel) (1 + (H_parallel - 1) U). With U -> 0 all members are equally fast, with
// U -> 1 they are the largest of independent exponentials; in the spirit of Nelson, Tantawi and of
// Varki (2001). In a closed network U is what an arriving I/O sees: the load of the other N - 1.
struct NetworkStation {
  std::string name;
  double demand_s = 0;      // of one I/O at the whole group: visits x service time; >= 0
  int queues = 1;           // each gets demand / queues
  int servers = 1;          // per queue
  double cv = 1;            // of the service time; used by solve_open only
  bool delay = false;       // infinitely many servers: no waiting, no limit
  double background_s = 0;  // demand after the acknowledgement; no effect at a delay
  double parallel = 1;      // members of a fork, >= 1 (a mean over block sizes may be fractional)
};

// I/Os per second at which the group is saturated: queues servers / (D + B); infinite for a delay
// or without demand.
[[nodiscard]] double station_limit(const NetworkStation& station);

struct Saturation {
  double throughput = 0;    // smallest station_limit; infinite if no station limits
  std::size_t station = 0;  // its index
};
[[nodiscard]] Saturation saturation_of(std::span<const NetworkStation> stations);

// Asymptotic bounds of a closed network, LQSP 5.2: X <= min(N / (D + Z), X_max), X >= N / (N D +
// Z), and R = N / X - Z. population > 0.
struct ClosedBounds {
  double throughput_lower = 0, throughput_upper = 0;
  double response_lower_s = 0, response_upper_s = 0;
};
[[nodiscard]] ClosedBounds asymptotic_bounds(std::span<const NetworkStation> stations,
                                             double think_s, double population);
// N* = (D + Z) X_max: where the light-load and the heavy-load asymptote cross. LQSP 5.2.
[[nodiscard]] double knee_population(std::span<const NetworkStation> stations, double think_s);
// Balanced job bounds, LQSP 5.4 (Zahorjan and others 1982): tighter; for single-server stations and
// delays without forks and background work only. population >= 1.
[[nodiscard]] ClosedBounds balanced_job_bounds(std::span<const NetworkStation> stations,
                                               double think_s, double population);

// Vectors follow the order of the stations.
struct ClosedSolution {
  double throughput = 0;             // X
  double response_s = 0;             // R = sum of residence_s = N / X - Z
  std::vector<double> residence_s;   // of one I/O; of a fork: until its slowest member is done
  std::vector<double> queue_length;  // present in the group; of a fork: members, not I/Os
  std::vector<double> utilisation;   // with background, in [0, 1]; 0 for a delay
  std::string method;                // "exact MVA", "approximate MVA"
  int iterations = 0;                // evaluations of the network until X was found
};

// Preconditions of all solvers: demand + think time > 0, think_s >= 0.

// Exact for product form. Population >= 1, no forks, at most exact_mva_servers servers a queue.
// O(population x groups); multi-server queues add O(population x queues x servers).
inline constexpr int exact_mva_servers = 512;
[[nodiscard]] ClosedSolution exact_mva(std::span<const NetworkStation> stations, double think_s,
                                       int population);

// Schweitzer's approximation for any real population > 0, with forks. Multi-server stations by the
// waiting probability of Sakasegawa (1977). Throughput against exact MVA over random networks:
// below 2 % off on average, 9 % at worst (few customers). Always converges: one unknown, X, found
// by bisection. O(groups).
[[nodiscard]] ClosedSolution approximate_mva(std::span<const NetworkStation> stations,
                                             double think_s, double population);

// exact_mva where it applies (whole population of at most 4,096, no forks) and stays within about
// 10^7 steps; approximate_mva otherwise. `method` tells which.
[[nodiscard]] ClosedSolution solve_closed(std::span<const NetworkStation> stations, double think_s,
                                          double population);

// Poisson arrivals. Beyond a limit `stable` is false and the response time, residence time and
// queue length of the overloaded stations are infinite; `utilisation` is then the offered one,
// above 1.
struct OpenSolution {
  bool stable = true;
  double response_s = 0;
  std::vector<double> residence_s;
  std::vector<double> queue_length;
  std::vector<double> utilisation;
  double saturation_rate = 0;      // infinite if no station limits
  std::string saturation_station;  // empty if none limits
};
// Each queue is an M/G/1 (Pollaczek-Khinchine), with several servers an M/M/c whose waiting time is
// scaled by (1 + CV^2) / 2 (Allen, Cunneen). arrival_rate >= 0.
[[nodiscard]] OpenSolution solve_open(std::span<const NetworkStation> stations,
                                      double arrival_rate);

}  // namespace storcast
