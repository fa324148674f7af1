// The host's page cache in a whole simulation counts like the same policy without time, which `flashloom cache --memory
// real` runs: one page per request, each after the previous one has come to rest, no writeback daemon.
#include <gtest/gtest.h>

#include "policies/replacement/cache_model.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::page_cache_counts_test {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kPages = 400;
constexpr Picoseconds kApart = 50'000'000'000;  // 50 ms: enough to write a block's worth of pages

// IOzone's passes over files of three sizes, some of them trimmed at the end, with random references in between.
std::vector<PageReference> references() {
  using enum PageReference::Kind;
  std::vector<PageReference> all;
  Random random(7);
  for (int file = 0; file < 9; ++file) {
    const std::uint32_t pages = 30U << file % 3;
    for (int pass = 0; pass < 4; ++pass)
      for (std::uint32_t page = 0; page < pages; ++page) all.emplace_back(page, pass < 2 ? Write : Read);
    for (int i = 0; i < 150; ++i)
      all.emplace_back(static_cast<std::uint32_t>(random.below(random.below(3) == 0 ? kPages : kPages / 8)),
                       random.below(2) == 0 ? Write : Read);
    if (file % 4 == 3)
      for (std::uint32_t page = 0; page < pages; ++page) all.emplace_back(page, Discard);
  }
  return all;
}

std::vector<Request> requests(const std::vector<PageReference>& references) {
  std::vector<Request> all;
  for (const PageReference reference : references) {
    Request request;
    request.kind = reference.discard() ? RequestKind::Trim : reference.write() ? RequestKind::Write : RequestKind::Read;
    request.offset = reference.page() * kPage;
    request.length = kPage;
    request.arrival_ps = static_cast<Picoseconds>(all.size() + 1) * kApart;
    all.push_back(request);
  }
  return all;
}

class PageCacheCounts : public testing::TestWithParam<const char*> {};

TEST_P(PageCacheCounts, AreThoseOfTheCacheWithoutTime) {
  const std::vector<PageReference> all = references();
  std::uint64_t ghost_hits = 0;
  for (const std::uint32_t capacity : {5U, 40U, 100U}) {
    SCOPED_TRACE(capacity);
    const DeviceConfig config =
        small_preset("tiny", {"host.cache.size=" + std::to_string(capacity * kPage) + " B", "host.cache.memory=real",
                              "host.cache.dirty_background=1", "host.cache.dirty_hard=1", "host.cache.age=1 h",
                              "host.cache.interval=1 h", "precondition.fill=0.5",
                              std::string("host.cache.replacement=") + GetParam()});
    const Json result = simulate(config, {{requests(all), 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    const Json& cache = result["host_cache"];

    CacheModelContext context;
    context.policy = {.capacity = capacity, .shared_budget = false};
    context.directory.pages = kPages;
    const auto model = make_cache_model(config.host.cache.replacement, context);
    model->run(all);
    const CacheCounts counts = model->counts();
    const std::uint64_t ghosts = counts.dirty_ghost_hits[0] + counts.dirty_ghost_hits[1];
    EXPECT_EQ(cache["leaving_hits"], 0);
    EXPECT_EQ(cache["read_hits"], counts.hits[0] + counts.dirty_ghost_hits[0]);
    EXPECT_EQ(cache["write_hits"], counts.hits[1] + counts.dirty_ghost_hits[1]);
    EXPECT_EQ(cache["ghost_hits"], ghosts);
    EXPECT_EQ(cache["clean_evictions"], counts.clean_evictions);
    EXPECT_EQ(cache["dirty_evictions"], counts.dirty_evictions);
    EXPECT_EQ(cache["written_back"]["eviction"], counts.pages_written);
    EXPECT_EQ(cache["dirty_bytes_at_end"], counts.dirty_at_end * kPage);
    ghost_hits += ghosts;
  }
  EXPECT_EQ(ghost_hits != 0, std::string(GetParam()).find("dld_") != std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Policies, PageCacheCounts,
                         testing::Values("lru", "{ name = 'cflru', window = 0.3 }", "lru_dpl_cd", "arc", "two_q",
                                         "dld_arc", "{ name = 'dld_arc', mode = 'arc_bounded' }",
                                         "{ name = 'dld_arc', pages_per_block = 4 }", "dld_two_q", "dld_lirs",
                                         "{ name = 'dld_s3_fifo', pages_per_block = 4 }"),
                         [](const auto& of) { return "policy_" + std::to_string(of.index); });

}  // namespace
}  // namespace flashloom::page_cache_counts_test
