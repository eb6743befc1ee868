#include "sim/base/random.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace storcast {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::uint64_t fnv1a(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ull;
  }
  return hash;
}

// Inverse of the standard normal distribution (Acklam's rational approximation, error < 1.2e-9
// after one Halley step).
double normal_quantile(double p) {
  constexpr std::array a{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                         1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array b{-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                         6.680131188771972e+01, -1.328068155288572e+01};
  constexpr std::array c{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                         -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array d{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                         3.754408661907416e+00};
  double x = 0;
  if (p < 0.02425 || p > 1 - 0.02425) {
    const double q = std::sqrt(-2 * std::log(std::min(p, 1 - p)));
    x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    if (p > 0.5) x = -x;
  } else {
    const double q = p - 0.5;
    const double r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double e = 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
  const double u = e * std::sqrt(2 * M_PI) * std::exp(x * x / 2);
  return x - u / (1 + x * u / 2);
}

}  // namespace

Rng::Rng(std::uint64_t run_seed, std::string_view purpose) noexcept {
  std::uint64_t state = fnv1a(purpose) ^ (run_seed * 0xd1342543de82ef95ull + 0x2545f4914f6cdd1dull);
  for (auto& word : s_) word = splitmix64(state);
}

Shape Shape::deterministic() { return {}; }

Shape Shape::exponential() {
  return from_quantile([](double p) { return -std::log1p(-p); });
}

Shape Shape::lognormal(double cv) {
  INVARIANT(cv > 0 && std::isfinite(cv), "a lognormal shape has a positive CV");
  const double sigma = std::sqrt(std::log1p(cv * cv));
  return from_quantile(
      [sigma](double p) { return p <= 0 ? 0.0 : std::exp(sigma * normal_quantile(p)); });
}

Shape Shape::hyperexponential(double cv) {
  INVARIANT(cv > 1 && std::isfinite(cv), "a hyperexponential shape has a CV above 1");
  // Balanced means: p1/r1 = p2/r2 = 1/2.
  const double p1 = 0.5 * (1 + std::sqrt((cv * cv - 1) / (cv * cv + 1)));
  const double r1 = 2 * p1;
  const double r2 = 2 * (1 - p1);
  return from_quantile([=](double p) {
    double low = 0;
    double high = -std::log1p(-p) / std::min(r1, r2) + 1;
    for (int i = 0; i < 80; ++i) {
      const double x = 0.5 * (low + high);
      const double tail = p1 * std::exp(-r1 * x) + (1 - p1) * std::exp(-r2 * x);
      (tail > 1 - p ? low : high) = x;
    }
    return 0.5 * (low + high);
  });
}

Shape Shape::uniform(double cv) {
  INVARIANT(cv > 0 && cv <= 0.57736, "a uniform shape of mean 1 has a CV of at most 1/sqrt(3)");
  const double half = cv * std::sqrt(3.0);
  return from_quantile([half](double p) { return std::max(0.0, 1 - half + 2 * half * p); });
}

Shape Shape::empirical(std::span<const double> samples) {
  INVARIANT(samples.size() >= 2, "an empirical shape needs samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return from_quantile([sorted](double p) {
    const double rank = p * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(rank);
    const auto high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (rank - static_cast<double>(low)) * (sorted[high] - sorted[low]);
  });
}

Shape Shape::from_quantile(const std::function<double(double)>& quantile) {
  Shape shape;
  auto& t = shape.table_;
  t.resize(2 * (cells + 1));
  constexpr double width = 1.0 / cells;
  const double tail_start = 1.0 - width;
  for (int i = 0; i < cells; ++i) t[i] = quantile(i * width);
  for (int i = 0; i <= cells; ++i) {
    const double p = i < cells ? tail_start + width * i / cells : 1.0 - width / (4.0 * cells);
    t[cells + 1 + i] = quantile(p);
  }
  t[cells] = t[2 * cells + 1];
  // Moments of the piecewise-linear law: exact for what draw() returns.
  double first = 0;
  double second = 0;
  const auto add = [&](double a, double b, double weight) {
    first += weight * 0.5 * (a + b);
    second += weight * (a * a + a * b + b * b) / 3;
  };
  for (int i = 0; i < cells - 1; ++i) add(t[i], t[i + 1], width);
  for (int i = 0; i < cells; ++i) add(t[cells + 1 + i], t[cells + 2 + i], width * width);
  INVARIANT(first > 0 && std::isfinite(second), "a shape has a positive mean");
  for (auto& x : t) x /= first;
  shape.cv_ = std::sqrt(std::max(0.0, second / (first * first) - 1));
  return shape;
}

double Shape::draw_tail(std::uint64_t bits) const noexcept {
  const auto cell = static_cast<std::size_t>((bits >> 44) & (cells - 1));
  const double fraction = static_cast<double>((bits >> 11) & ((1ull << 33) - 1)) * 0x1.0p-33;
  const double* tail = table_.data() + cells + 1;
  return tail[cell] + fraction * (tail[cell + 1] - tail[cell]);
}

double Shape::quantile(double p) const noexcept {
  if (table_.empty()) return 1.0;
  const double position = std::clamp(p, 0.0, 1.0) * cells;
  const auto cell = std::min(static_cast<std::size_t>(position), std::size_t{cells - 1});
  if (cell < cells - 1) {
    return table_[cell] +
           (position - static_cast<double>(cell)) * (table_[cell + 1] - table_[cell]);
  }
  const double inner = (position - (cells - 1)) * cells;
  const auto sub = std::min(static_cast<std::size_t>(inner), std::size_t{cells - 1});
  const double* tail = table_.data() + cells + 1;
  return tail[sub] + (inner - static_cast<double>(sub)) * (tail[sub + 1] - tail[sub]);
}

}  // namespace storcast
