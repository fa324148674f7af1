// Policies: replacement and garbage collection.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "workloads/random.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kChoices = 4096;  // random choices, drawn before the measurement

std::vector<std::uint32_t> random_numbers(std::uint32_t below) {
  Random random(1);
  std::vector<std::uint32_t> numbers(kChoices);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random.next() % below);
  return numbers;
}

void replacement_referenced(benchmark::State& state, const char* name) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  const auto policy = Family<ReplacementPolicy>::make({name, {}}, {.capacity = slots});
  for (Slot slot = 0; slot < slots; ++slot) policy->inserted(slot, slot, Access::Write);
  const auto choices = random_numbers(slots);
  std::size_t i = 0;
  for (auto _ : state) policy->referenced(choices[i++ % kChoices], Access::Read);
}
BENCHMARK_CAPTURE(replacement_referenced, lru, "lru")->Arg(1 << 10)->Arg(1 << 16);

void replacement_eviction(benchmark::State& state, const char* name) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  const auto policy = Family<ReplacementPolicy>::make({name, {}}, {.capacity = slots});
  std::uint64_t page = 0;
  for (Slot slot = 0; slot < slots; ++slot) policy->inserted(slot, page++, Access::Write);
  for (auto _ : state) {
    const Slot slot = policy->victim();
    policy->removed(slot);
    policy->inserted(slot, page++, Access::Write);
  }
}
BENCHMARK_CAPTURE(replacement_eviction, lru, "lru")->Arg(1 << 10)->Arg(1 << 16);

constexpr std::uint32_t kUnitsPerBlock = 256;

// Invalidates units of random blocks; collects a block without valid units and closes it again, full.
void collection_invalidated(benchmark::State& state, const char* name) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  const auto policy = Family<GarbageCollectionPolicy>::make(
      {name, {}}, {.blocks = blocks, .units_per_block = kUnitsPerBlock, .seed = 1});
  std::vector<std::uint32_t> valid(blocks, kUnitsPerBlock);
  std::uint64_t age = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) policy->closed(block, kUnitsPerBlock, age++);
  const auto choices = random_numbers(blocks);
  std::size_t i = 0;
  for (auto _ : state) {
    const std::uint32_t block = choices[i++ % kChoices];
    if (valid[block] == 0) {
      policy->removed(block);
      policy->closed(block, valid[block] = kUnitsPerBlock, age);
    }
    policy->invalidated(block, --valid[block], age++);
  }
}
BENCHMARK_CAPTURE(collection_invalidated, greedy, "greedy")->Arg(128)->Arg(4096);

// Takes the best victim and closes it again with another number of valid units.
void collection_victim(benchmark::State& state, const char* name) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  const auto policy = Family<GarbageCollectionPolicy>::make(
      {name, {}}, {.blocks = blocks, .units_per_block = kUnitsPerBlock, .seed = 1});
  const auto valid = random_numbers(kUnitsPerBlock + 1);
  std::uint64_t age = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) policy->closed(block, valid[block % kChoices], age++);
  for (auto _ : state) {
    const std::uint32_t block = policy->victim(age);
    policy->removed(block);
    policy->closed(block, valid[age % kChoices], age);
    ++age;
  }
}
BENCHMARK_CAPTURE(collection_victim, greedy, "greedy")->Arg(128)->Arg(4096);

}  // namespace
}  // namespace flashloom
