#include "sc_main/program/uncertainty/stratified.hpp"

#include <xxhash.h>

#include <utility>

#include "workloads/random.hpp"

namespace flashloom {

std::vector<double> stratified(const std::string& name, std::uint64_t seed, std::size_t samples) {
  Random random(derived_seed(seed, XXH3_64bits(name.data(), name.size())));
  std::vector<double> shares(samples);
  for (std::size_t i = 0; i < samples; ++i)
    shares[i] = (static_cast<double>(i) + random.unit()) / static_cast<double>(samples);
  for (std::size_t i = samples; i > 1; --i) std::swap(shares[i - 1], shares[random.below(i)]);
  return shares;
}

}  // namespace flashloom
