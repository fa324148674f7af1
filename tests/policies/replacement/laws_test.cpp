// Laws of a cache, over all registered policies with both ways of accounting for memory.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <unordered_set>

#include "policies/registry.hpp"
#include "policies/replacement/cache_model.hpp"
#include "tests/policies/replacement/reference/belady.hpp"

namespace flashloom::laws_test {
namespace {

struct Case {
  std::string policy;
  bool shared_budget;
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.policy << (of.shared_budget ? "_one_budget" : "_as_in_the_paper");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* family : {ReplacementPolicy::kFamily, kOfflineReplacementFamily})
    for (const PartInfo* info : PartCatalog::instance().parts(family))
      for (const bool shared : {true, false}) all.push_back({info->name, shared});
  return all;
}

std::vector<PageReference> skewed(std::size_t count, std::uint32_t pages, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<PageReference> all;
  while (all.size() < count) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto page = static_cast<std::uint32_t>(unit * unit * pages);
    const auto kind = random() % 50 == 0  ? PageReference::Kind::Discard
                      : random() % 3 == 0 ? PageReference::Kind::Write
                                          : PageReference::Kind::Read;
    all.emplace_back(page, kind);
  }
  return all;
}

std::unique_ptr<CacheModel> model_of(const Case& with, std::uint32_t capacity, std::uint32_t pages,
                                     const std::vector<PageReference>& future) {
  CacheModelContext context;
  context.policy.capacity = capacity;
  context.policy.pages_per_block = 4;
  context.policy.shared_budget = with.shared_budget;
  context.policy.footprint = pages;
  context.directory.pages = pages;
  context.future = future;
  return make_cache_model({with.policy, {}}, context);
}

class CacheLaws : public testing::TestWithParam<Case> {};
class CacheContents : public CacheLaws {};

// A page is present from its reference until it is evicted or discarded: a reference in that time is a hit, any other
// is none. A dirty page is written when it is evicted, or is still present.
TEST_P(CacheContents, KeepsWhatItHasAndLosesNothing) {
  for (const std::uint32_t capacity : {1U, 2U, 7U, 64U}) {
    const std::uint32_t pages = 3 * capacity + 2;
    const auto references = skewed(20'000, pages, capacity);
    const auto model = model_of(GetParam(), capacity, pages, references);
    std::unordered_set<std::uint32_t> there;
    std::unordered_set<std::uint32_t> dirty;
    std::uint64_t written = 0;
    for (std::size_t i = 0; i < references.size(); ++i) {
      const PageReference reference = references[i];
      const std::uint32_t page = reference.page();
      const Found found = model->reference(reference);
      if (!reference.discard()) {
        ASSERT_EQ(found == Found::Resident || found == Found::DirtyGhost, there.count(page) != 0)
            << "capacity " << capacity << ", reference " << i << " to page " << page;
        there.insert(page);
        if (reference.write()) dirty.insert(page);
      }
      for (const GonePage& gone : model->gone()) {
        ASSERT_EQ(there.erase(gone.page), 1U) << "page " << gone.page << " was not there";
        ASSERT_EQ(dirty.erase(gone.page), gone.written ? 1U : 0U) << "page " << gone.page << ", reference " << i;
        written += gone.written ? 1 : 0;
      }
      if (reference.discard()) {
        there.erase(page);
        dirty.erase(page);
      }
    }
    const CacheCounts counts = model->counts();
    EXPECT_EQ(counts.dirty_at_end, dirty.size());
    EXPECT_EQ(counts.pages_written, written);
    EXPECT_LE(counts.real_pages_max, capacity);
    EXPECT_LE(counts.resident_pages_max, GetParam().shared_budget ? capacity : 2 * capacity);
  }
}

TEST_P(CacheLaws, IsDeterministicAndHasNoMoreHitsThanBelady) {
  constexpr std::uint32_t kPages = 500;
  for (const std::uint32_t capacity : {1U, 10U, 100U}) {
    auto references = skewed(20'000, kPages, capacity);
    std::erase_if(references, [](PageReference reference) { return reference.discard(); });
    CacheCounts counts[3];
    for (int run = 0; run < 3; ++run) {
      const Case with = run == 2 ? Case{"belady", true} : GetParam();
      const auto model = model_of(with, capacity, kPages, references);
      model->run(references);
      counts[run] = model->counts();
    }
    EXPECT_EQ(std::memcmp(&counts[0], &counts[1], sizeof counts[0]), 0);
    const auto hits = [](const CacheCounts& c, bool dirty_ghosts) {
      return c.hits[0] + c.hits[1] + (dirty_ghosts ? c.dirty_ghost_hits[0] + c.dirty_ghost_hits[1] : 0);
    };
    // min_writes may bypass the cache, which MIN may not. Dirty ghosts beyond the budget are memory that MIN does not
    // have.
    if (GetParam().policy == "min_writes") continue;
    EXPECT_LE(hits(counts[0], GetParam().shared_budget), hits(counts[2], true));
  }
}

// With min_writes pages may bypass the cache; Agreement.MinWritesIsTheBound tests it.
std::vector<Case> keeping_cases() {
  std::vector<Case> all = cases();
  std::erase_if(all, [](const Case& each) { return each.policy == "min_writes"; });
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& of) { return testing::PrintToString(of.param); }

INSTANTIATE_TEST_SUITE_P(Policies, CacheLaws, testing::ValuesIn(cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Policies, CacheContents, testing::ValuesIn(keeping_cases()), name_of);

}  // namespace
}  // namespace flashloom::laws_test
