// Makes generators in tests, and tests the distributions that they draw from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/generators/generator.hpp"

namespace flashloom {

using Values = std::map<std::string, GeneratorValue>;

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;

inline std::int64_t bytes(std::uint64_t n) { return static_cast<std::int64_t>(n); }

inline GeneratedWorkload generate(const std::string& name, const Values& values, std::uint64_t capacity = 1024 * kMiB,
                                  std::uint64_t seed = 1, bool endless = false) {
  GeneratorContext context{.space = {.capacity = capacity, .sector_size = 512}, .seed = seed, .endless = endless};
  if (name == "zones")
    context.space.zones = {.bytes = 16 * kMiB, .capacity = 12 * kMiB, .max_open = 8, .max_active = 8};
  return make_generator(*find_generator(name), values, context);
}

/// The first `limit` requests at most.
inline std::vector<Request> requests_of(GeneratedWorkload workload, std::size_t limit = 10'000'000) {
  std::vector<Request> all;
  Request request;
  while (all.size() < limit && workload.source->next(request)) all.push_back(request);
  return all;
}

/// Pearson's chi-square of counts against probabilities, as standard deviations from its mean (normal approximation).
inline double chi_square_z(const std::vector<double>& counts, const std::vector<double>& probabilities) {
  double n = 0;
  for (const double count : counts) n += count;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = n * probabilities[i];
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

/// Kolmogorov-Smirnov: sqrt(n) D, which exceeds 1.95 with probability 0.001 if the sample has the distribution.
template <class Cdf>
double kolmogorov(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, p - below / n, (below + 1) / n - p});
  }
  return std::sqrt(n) * distance;
}

inline constexpr double kKolmogorovLimit = 1.95;

}  // namespace flashloom
