#include "analysis/cache_study.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace flashloom {
namespace {

/// Threads that take one point after the other.
class Workers {
 public:
  Workers(const PageTrace& trace, const std::vector<CachePoint>& points, std::uint32_t pages_per_block)
      : trace_(trace), points_(points), pages_per_block_(pages_per_block), results_(points.size()) {}

  std::vector<CacheResult> run(unsigned threads, const std::function<void(std::uint64_t)>& progress) {
    constexpr auto kInterval = std::chrono::milliseconds(100);
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, points_.size()));
    {
      std::vector<std::jthread> all;
      for (running_ = threads; all.size() < threads;) all.emplace_back([this] { work(); });
      std::unique_lock lock(mutex_);
      while (running_ != 0) {
        ended_.wait_for(lock, kInterval);
        if (progress) progress(done_);
      }
    }
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  void work() {
    try {
      for (std::size_t i = next_++; i < points_.size(); i = next_++) results_[i] = run_point(points_[i]);
    } catch (...) {
      next_ = points_.size();
      const std::scoped_lock lock(mutex_);
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    --running_;
    ended_.notify_one();
  }

  CacheResult run_point(const CachePoint& point) {
    constexpr std::size_t kPiece = std::size_t{1} << 18;
    CacheResult result;
    result.metadata_bytes_per_page = metadata_bytes_per_page(point.policy);
    result.capacity = point.size_pages;
    if (point.memory == CacheMemory::Equal)
      result.capacity = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(static_cast<double>(point.size_pages) * trace_.page_bytes /
                                        (trace_.page_bytes + result.metadata_bytes_per_page)));
    CacheModelContext context{.policy = {}, .directory = trace_.directory(), .future = {}};
    // A cache that holds more than all pages does as one that holds one more: nothing ever leaves.
    context.policy.capacity =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(result.capacity, std::uint64_t{trace_.footprint()} + 1));
    context.policy.memory = &huge_pages();
    context.policy.pages_per_block = pages_per_block_;
    context.policy.shared_budget = point.memory == CacheMemory::Equal;
    if (is_offline_policy(point.policy.name)) context.future = trace_.references;
    const auto model = make_cache_model(point.policy, context);
    const std::span<const PageReference> references = trace_.references;
    const std::span<const std::uint32_t> bytes = trace_.bytes;
    for (std::size_t at = 0; at < references.size(); at += kPiece) {
      const std::size_t n = std::min(kPiece, references.size() - at);
      model->run(references.subspan(at, n), bytes.empty() ? bytes : bytes.subspan(at, n));
      done_ += n;
    }
    result.counts = model->counts();
    result.model_bytes = model->policy_bytes() + model->lookup_bytes();
    if (bytes.empty())
      for (const int kind : {0, 1}) {
        result.counts.bytes[kind] = result.counts.references[kind] * trace_.page_bytes;
        result.counts.hit_bytes[kind] =
            (result.counts.hits[kind] + result.counts.dirty_ghost_hits[kind]) * trace_.page_bytes;
      }
    return result;
  }

  const PageTrace& trace_;
  const std::vector<CachePoint>& points_;
  std::uint32_t pages_per_block_;
  std::vector<CacheResult> results_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  unsigned running_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<CacheResult> run_cache_study(const PageTrace& trace, const std::vector<CachePoint>& points,
                                         std::uint32_t pages_per_block, unsigned threads,
                                         const std::function<void(std::uint64_t)>& progress) {
  return Workers(trace, points, pages_per_block).run(threads, progress);
}

}  // namespace flashloom
