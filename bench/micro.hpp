// Shared by the micro benchmarks of SystemC modules. A process has one kernel, so all their modules are built before it
// starts.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <systemc>

namespace flashloom {

/// Counts the operations of a benchmark and pauses the kernel at a goal, so that one sc_start() runs a batch of
/// iterations.
class KernelBatch {
 public:
  /// Counts one more operation.
  void count() {
    if (++done_ == goal_) sc_core::sc_pause();
  }
  /// Simulates until `n` more operations are done.
  void advance(std::int64_t n) {
    goal_ = done_ + n;
    sc_core::sc_start();
  }
  /// Runs `state` in batches.
  void run(benchmark::State& state) {
    constexpr std::int64_t kBatch = 1000;
    while (state.KeepRunningBatch(kBatch)) advance(kBatch);
    state.SetItemsProcessed(state.iterations());
  }

 private:
  std::int64_t done_ = 0;
  std::int64_t goal_ = 0;
};

/// Builds the modules and registers their benchmarks; the modules live until the process ends.
void register_model_benchmarks();
void register_flash_benchmarks();

}  // namespace flashloom
