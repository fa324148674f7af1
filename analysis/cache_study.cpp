#include "analysis/cache_study.hpp"

#include <algorithm>
#include <atomic>
#include <span>

#include "analysis/huge_pages.hpp"
#include "analysis/parallel_points.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

CacheResult run_point(const PageTrace& trace, const CachePoint& point, std::uint32_t pages_per_block,
                      std::atomic<std::uint64_t>& done) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  CacheResult result;
  result.metadata_bytes_per_page = metadata_bytes_per_page(point.policy);
  result.capacity = point.size_pages;
  if (point.memory == CacheMemory::Equal)
    result.capacity =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(point.size_pages) * trace.page_bytes /
                                                              (trace.page_bytes + result.metadata_bytes_per_page)));
  CacheModelContext context{.policy = {}, .directory = trace.directory(), .future = {}};
  // A cache that holds more than all pages does as one that holds one more: nothing ever leaves.
  context.policy.capacity =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(result.capacity, std::uint64_t{trace.footprint} + 1));
  context.policy.memory = &huge_pages();
  context.policy.pages_per_block = pages_per_block;
  context.policy.shared_budget = point.memory == CacheMemory::Equal;
  if (is_offline_policy(point.policy.name)) context.future = trace.references;
  const auto model = make_cache_model(point.policy, context);
  const std::span<const PageReference> references = trace.references;
  const std::span<const std::uint32_t> bytes = trace.bytes;
  for (std::size_t at = 0; at < references.size(); at += kPiece) {
    give_up_if_interrupted();
    const std::size_t n = std::min(kPiece, references.size() - at);
    model->run(references.subspan(at, n), bytes.empty() ? bytes : bytes.subspan(at, n));
    done += n;
  }
  result.counts = model->counts();
  result.model_bytes = model->policy_bytes() + model->lookup_bytes();
  if (bytes.empty())
    for (const int kind : {0, 1}) {
      result.counts.bytes[kind] = result.counts.references[kind] * trace.page_bytes;
      result.counts.hit_bytes[kind] =
          (result.counts.hits[kind] + result.counts.dirty_ghost_hits[kind]) * trace.page_bytes;
    }
  return result;
}

}  // namespace

std::vector<CacheResult> run_cache_study(const PageTrace& trace, const std::vector<CachePoint>& points,
                                         std::uint32_t pages_per_block, unsigned threads,
                                         const std::function<void(std::uint64_t)>& progress) {
  return run_points<CacheResult>(points.size(), threads, progress, [&](std::size_t i, auto& done) {
    return run_point(trace, points[i], pages_per_block, done);
  });
}

}  // namespace flashloom
