// The draws of workload generators: ranks by popularity, and the addresses of ranks.
#include <benchmark/benchmark.h>

#include "workloads/distributions.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kPages = 400'000;

void zipf_rank(benchmark::State& state) {
  const ZipfRank rank(kPages, 0.99);
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(rank(random));
}
BENCHMARK(zipf_rank);

void permutation(benchmark::State& state) {
  const RandomPermutation place(static_cast<std::uint64_t>(state.range(0)), 1);
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(place(random.below(place.size())));
}
BENCHMARK(permutation)->Arg(kPages)->Arg(1 << 26);

}  // namespace
}  // namespace flashloom
