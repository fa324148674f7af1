// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace flashloom {

/// Calls `work(i, done)` for i = 0 to n - 1 and returns what they returned, in order; `threads` (> 0) at a time, one
/// after the other as threads come free. Each adds its steps to `done`, of which `progress` is told now and then, from
/// the calling thread. Throws what the first call that failed has thrown.
template <class Result, class Work>
std::vector<Result> run_points(std::size_t n, unsigned threads, const std::function<void(std::uint64_t)>& progress,
                               Work&& work) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  std::vector<Result> results(n);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = static_cast<unsigned>(std::min<std::size_t>(threads, n));
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < n; i = next++) results[i] = work(i, done);
    } catch (...) {
      next = n;
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
    const std::scoped_lock lock(mutex);
    --running;
    ended.notify_one();
  };
  {
    std::vector<std::jthread> all;
    for (const unsigned count = running; all.size() < count;) all.emplace_back(run);
    std::unique_lock lock(mutex);
    while (running != 0) {
      ended.wait_for(lock, kInterval);
      if (progress) progress(done);
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  return results;
}

}  // namespace flashloom
