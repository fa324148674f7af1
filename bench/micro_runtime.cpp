// The firmware's coroutines: the CPU time of awaits, wakes and spawns.
#include <benchmark/benchmark.h>

#include <coroutine>

#include "controllers/runtime/frame_pool.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/runtime/task.hpp"

namespace flashloom {
namespace {

[[gnu::noinline]] Task<int> answer(int value) { co_return value; }

Task<void> await_answers(benchmark::State& state) {
  int sum = 0;
  for (auto _ : state) sum += co_await answer(1);
  benchmark::DoNotOptimize(sum);
}

// Awaits a child that never waits: takes a frame from the pool and returns it.
void synchronous_await(benchmark::State& state) {
  Runtime runtime;
  runtime.spawn([&] { return await_answers(state); });
}
BENCHMARK(synchronous_await);

// Waits until its owner resumes it.
struct Gate {
  std::coroutine_handle<> waiter{};
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}
};

Task<void> wait_at(Gate& gate, const bool& open) {
  while (!open) co_await gate;
}

void wake_through_run_queue(benchmark::State& state) {
  Runtime runtime;
  Gate gate;
  bool open = false;
  runtime.spawn([&] { return wait_at(gate, open); });
  for (auto _ : state) runtime.wake(gate.waiter);
  open = true;
  runtime.wake(gate.waiter);
}
BENCHMARK(wake_through_run_queue);

// Awaits a child that waits, so that the parent resumes through the run queue.
Task<void> await_waiting_children(Gate& gate, const bool& open) {
  while (!open) {
    bool pass = false;
    struct Once {
      static Task<void> wait(Gate& at, bool& passed) {
        co_await at;
        passed = true;
      }
    };
    co_await Once::wait(gate, pass);
  }
}

void await_of_a_child_that_waits(benchmark::State& state) {
  Runtime runtime;
  Gate gate;
  bool open = false;
  runtime.spawn([&] { return await_waiting_children(gate, open); });
  for (auto _ : state) runtime.wake(gate.waiter);
  open = true;
  runtime.wake(gate.waiter);
}
BENCHMARK(await_of_a_child_that_waits);

Task<void> nothing() { co_return; }

// Spawns a coroutine: links it into its runtime, starts and releases it.
void spawn(benchmark::State& state) {
  Runtime runtime;
  for (auto _ : state) runtime.spawn([] { return nothing(); });
}
BENCHMARK(spawn);

void frame_pool(benchmark::State& state) {
  for (auto _ : state) {
    void* const frame = FramePool::allocate(256);
    benchmark::DoNotOptimize(frame);
    FramePool::release(frame, 256);
  }
}
BENCHMARK(frame_pool);

}  // namespace
}  // namespace flashloom
