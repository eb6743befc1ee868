#include "sim/run/flow_sharing.hpp"

#include <algorithm>
#include <cmath>

namespace storcast {
namespace {

constexpr int most_rounds = 2000;
constexpr double damping = 0.2;
constexpr double settled = 1e-7;

class Sharing {
 public:
  Sharing(const std::vector<SharingClass>& classes, const std::vector<double>& servers)
      : classes_(classes), servers_(servers), stations_(servers.size()) {
    for (const SharingClass& c : classes) {
      waits_.emplace_back(stations_);
      present_.emplace_back(stations_);
      crowd_.emplace_back(stations_);
      const double free_s = std::max(response_s(c, waits_.back()), 1e-12);
      rates_.push_back(c.rate > 0 ? c.rate : 0.5 * c.customers / free_s);
    }
  }

  std::vector<double> solve() {
    for (int round = 0; round < most_rounds; ++round) {
      set_presence();
      set_waits();
      if (change_rates() < settled) break;
    }
    return rates_;
  }

 private:
  [[nodiscard]] static double service_s(const SharingClass& c, std::size_t k) {
    return c.visits[k] > 0 ? c.seconds[k] / c.visits[k] : 0;
  }
  [[nodiscard]] static double response_s(const SharingClass& c, const std::vector<double>& waits) {
    double s = c.other_s;
    for (const SharingClass::Stage& stage : c.stages) {
      double wait = 0;
      double visits = 0;
      for (std::uint32_t k = stage.first; k < stage.first + stage.count; ++k) {
        wait += c.visits[k] * waits[k];
        visits += c.visits[k];
      }
      s += stage.service_s;
      if (visits > 0) s += stage.visits * stage.slowest * wait / visits;
    }
    return s;
  }

  void set_presence() {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const SharingClass& c = classes_[i];
      for (std::size_t k = 0; k < stations_; ++k) {
        present_[i][k] = rates_[i] * c.visits[k] * (service_s(c, k) + waits_[i][k]) + crowd_[i][k];
        // More than there are customers cannot wait.
        if (c.rate == 0) present_[i][k] = std::min(present_[i][k], c.customers * most_members(c));
      }
    }
  }
  [[nodiscard]] static double most_members(const SharingClass& c) {
    double visits = 1;
    for (const double v : c.visits) visits = std::max(visits, v);
    return visits;
  }

  void set_waits() {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const SharingClass& c = classes_[i];
      const double others = c.rate > 0 || c.customers <= 0 ? 1 : (c.customers - 1) / c.customers;
      for (std::size_t k = 0; k < stations_; ++k) {
        if (c.visits[k] <= 0) continue;
        double wait = 0;
        for (std::size_t j = 0; j < classes_.size(); ++j) {
          const double share = j != i ? 1 : c.background ? 0 : std::max(0.0, others);
          wait += share * present_[j][k] * service_s(classes_[j], k) / servers_[k];
        }
        waits_[i][k] += damping * (wait - waits_[i][k]);
      }
    }
  }

  // The largest relative change.
  double change_rates() {
    double largest = 0;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const SharingClass& c = classes_[i];
      if (c.rate > 0) continue;
      const double response = std::max(response_s(c, waits_[i]), 1e-12);
      double rate = c.customers / response;
      if (c.most_rate > 0) rate = std::min(rate, c.most_rate);
      if (c.background) rate = limited(i, rate, response);
      const double change = damping * (rate - rates_[i]);
      largest = std::max(largest, std::fabs(change) / std::max(rates_[i], 1e-12));
      rates_[i] += change;
    }
    return largest;
  }

  // What the others leave of the fullest station; the rows that are too many wait there.
  double limited(std::size_t i, double rate, double response) {
    const SharingClass& c = classes_[i];
    std::size_t fullest = stations_;
    double most = rate;
    for (std::size_t k = 0; k < stations_; ++k) {
      if (c.seconds[k] <= 0) continue;
      double left = servers_[k];
      for (std::size_t j = 0; j < classes_.size(); ++j) {
        if (j != i) left -= rates_[j] * classes_[j].seconds[k];
      }
      const double here = std::max(left, 0.01 * servers_[k]) / c.seconds[k];
      if (here >= most) continue;
      most = here;
      fullest = k;
    }
    const double surplus = fullest < stations_ ? std::max(0.0, c.customers - most * response) : 0;
    for (std::size_t k = 0; k < stations_; ++k) {
      crowd_[i][k] += damping * ((k == fullest ? surplus : 0) - crowd_[i][k]);
    }
    return most;
  }

  const std::vector<SharingClass>& classes_;
  const std::vector<double>& servers_;
  std::size_t stations_;
  std::vector<double> rates_;
  std::vector<std::vector<double>> waits_, present_, crowd_;  // by class, station
};

}  // namespace

std::vector<double> shared_rates(const std::vector<SharingClass>& classes,
                                 const std::vector<double>& servers) {
  return Sharing(classes, servers).solve();
}

double mean_of_largest(int p) {
  double sum = 0;
  for (int i = 1; i <= p; ++i) sum += 1.0 / i;
  return std::max(sum, 1.0);
}

}  // namespace storcast
