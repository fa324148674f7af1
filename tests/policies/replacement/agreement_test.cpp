// Every policy against its slow reference (reference/): the same answer to every reference and the same pages evicted
// in the same order. The policies also follow the traces worked by hand.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <random>

#include "policies/registry.hpp"
#include "policies/replacement/cache_model.hpp"
#include "tests/policies/replacement/reference/factory.hpp"
#include "tests/policies/replacement/reference/walks.hpp"

namespace flashloom::agreement_test {
namespace {

using reference::CacheShape;
using reference::Hit;
using reference::References;
using reference::text_of;

struct Variant {
  std::string name;
  PolicyChoice choice;
  bool shared_budget = false;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

ParameterValues one(const char* name, ParameterValue value) { return ParameterValues({{name, std::move(value)}}); }

// All registered policies with their defaults, and variants with other parameters.
std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const char* family : {ReplacementPolicy::kFamily, kOfflineReplacementFamily})
    for (const PartInfo* info : PartCatalog::instance().parts(family))
      all.push_back({info->name, {info->name, {}}, false});
  const auto add = [&](const char* policy, const char* parameter, ParameterValue value, const char* suffix) {
    all.push_back({std::string(policy) + "_" + suffix, {policy, one(parameter, std::move(value))}, false});
  };
  add("clock", "initial", std::int64_t{1}, "initial");
  add("clock", "counter", std::int64_t{3}, "counter");
  add("lrfu", "lambda", 0.0, "as_lfu");
  add("lrfu", "lambda", 0.1, "recent");
  add("cflru", "window", 0.1, "10");
  add("cflru", "window", 0.5, "50");
  add("dirty_last", "base", std::string("mru"), "mru");
  add("dirty_last", "base", std::string("lfu"), "lfu");
  add("dld_arc", "mode", std::string("literal"), "literal");
  add("dld_arc", "mode", std::string("arc_bounded"), "arc_bounded");
  for (const std::string policy : {"dld_two_q", "dld_lirs", "dld_s3_fifo"})
    for (const double share : {0.0, 0.5, 0.9, 1.0})
      all.push_back({policy + "_shared_" + std::to_string(static_cast<int>(100 * share)),
                     {policy, one("dirty_share", share)},
                     true});
  add("dld_two_q", "out", 2.0, "long_memory");
  add("dld_lirs", "hir", 0.2, "fifth");
  add("dld_lirs", "remembered", 0.5, "short_memory");
  const auto shared = [&all](ParameterValues values, const char* suffix) {
    all.push_back({std::string("dld_arc_shared") + suffix, {"dld_arc", std::move(values)}, true});
  };
  shared({}, "");
  shared(one("mode", std::string("arc_bounded")), "_arc_bounded");
  shared(one("dirty_share", 0.0), "_nothing_delayed");
  shared(one("dirty_share", 0.9), "_most_delayed");
  shared(one("dirty_share", 1.0), "_all_delayed");
  add("active_inactive", "rotate", false, "anonymous");
  add("active_inactive", "inactive", 0.0, "mostly_active");
  add("active_inactive", "inactive", 1.0, "all_inactive");
  add("ad_lru", "min_lc", 0.5, "half");
  add("lirs", "hir", 0.2, "fifth");
  return all;
}

// Skewed references with loops and scans in between; two of five are writes.
References skewed(std::size_t count, std::uint32_t pages, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  References all;
  all.reserve(count);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  while (all.size() < count) {
    const bool scan = random() % 64 == 0;
    const std::uint64_t first = random() % pages;
    const std::uint64_t length = scan ? 1 + random() % pages : 1;
    for (std::uint64_t i = 0; i < length && all.size() < count; ++i) {
      const std::uint64_t page = scan ? (first + i) % pages : static_cast<std::uint64_t>(std::pow(unit(), 3) * pages);
      all.push_back({page, random() % 5 < 2});
    }
  }
  return all;
}

std::vector<PageReference> packed(const References& references) {
  std::vector<PageReference> all;
  all.reserve(references.size());
  for (const auto& [page, write] : references)
    all.emplace_back(static_cast<std::uint32_t>(page), write ? PageReference::Kind::Write : PageReference::Kind::Read);
  return all;
}

Hit hit_of(Found found) {
  switch (found) {
    case Found::Miss:
      return Hit::Miss;
    case Found::Resident:
      return Hit::Real;
    case Found::CleanGhost:
      return Hit::Ghost;
    case Found::DirtyGhost:
      return Hit::DirtyGhost;
  }
  return Hit::Miss;
}

reference::Step step_of(CacheModel& model, PageReference reference) {
  reference::Step step;
  step.hit = hit_of(model.reference(reference));
  for (const GonePage& gone : model.gone()) step.left.push_back({gone.page, gone.written});
  return step;
}

struct Stored final : CostOracle {
  explicit Stored(std::function<bool(std::uint64_t)> stored) : stored_(std::move(stored)) {}
  bool overwrites(std::uint64_t page) const override { return stored_(page); }
  std::function<bool(std::uint64_t)> stored_;
};

CacheModelContext context_of(const CacheShape& setup, std::uint32_t pages, const Stored& stored,
                             const std::vector<PageReference>& future) {
  CacheModelContext context;
  context.policy.capacity = static_cast<std::uint32_t>(setup.capacity);
  context.policy.pages_per_block = static_cast<std::uint32_t>(setup.pages_per_block);
  context.policy.shared_budget = setup.shared_budget;
  context.policy.footprint = pages;
  context.policy.oracle = &stored;
  context.directory.pages = pages;
  context.future = future;
  return context;
}

class Agreement : public testing::TestWithParam<Variant> {};

TEST_P(Agreement, OnEveryReference) {
  const PolicyChoice& choice = GetParam().choice;
  for (const std::size_t capacity : {1U, 2U, 5U, 32U, 150U}) {
    const auto pages = static_cast<std::uint32_t>(4 * capacity + 3);
    const References references = skewed(200'000, pages, capacity);
    const std::vector<PageReference> future = packed(references);
    const CacheShape setup{.capacity = capacity,
                           .shared_budget = GetParam().shared_budget,
                           .future = &references,
                           .stored = [](std::uint64_t page) { return page % 3 != 0; }};
    const Stored stored(setup.stored);
    const auto slow = reference::make_reference(choice, setup);
    ASSERT_NE(slow, nullptr) << choice.name << " has no slow reference in tests/policies/replacement/reference";
    const auto model = make_cache_model(choice, context_of(setup, pages, stored, future));
    const bool tie = choice.name == "belady";  // of pages that are never needed again any may be evicted
    for (std::size_t i = 0; i < references.size(); ++i) {
      const reference::Step expected = slow->reference(references[i].page, references[i].write);
      const reference::Step step = step_of(*model, future[i]);
      if (tie ? step.hit == expected.hit : step == expected) continue;
      FAIL() << "capacity " << capacity << ", reference " << i << (references[i].write ? " (write " : " (read ")
             << reference::name_of(references[i].page) << "): " << text_of(step) << ", the slow reference says "
             << text_of(expected) << ", then " << slow->state();
    }
  }
}

// min_writes writes exactly as many pages as the clairvoyant bound.
TEST(Agreement, MinWritesIsTheBound) {
  for (const std::size_t capacity : {1U, 2U, 5U, 32U, 150U}) {
    const auto pages = static_cast<std::uint32_t>(4 * capacity + 3);
    const References references = skewed(50'000, pages, capacity + 1000);
    const std::vector<PageReference> future = packed(references);
    const Stored stored([](std::uint64_t) { return true; });
    const CacheShape setup{.capacity = capacity};
    const auto model = make_cache_model({"min_writes", {}}, context_of(setup, pages, stored, future));
    model->run(future);
    const CacheCounts counts = model->counts();
    EXPECT_EQ(counts.pages_written + counts.dirty_at_end, reference::fewest_write_backs(capacity, references))
        << "capacity " << capacity;
  }
}

TEST(Agreement, PoliciesDoAsWorkedByHand) {
  for (const reference::Walk& walk : reference::all_walks()) {
    if (PartCatalog::instance().find(ReplacementPolicy::kFamily, walk.policy.name) == nullptr) continue;
    std::vector<PageReference> references;
    for (const reference::WalkStep& step : walk.steps)
      references.emplace_back(static_cast<std::uint32_t>(step.reference.back() - 'a'),
                              step.reference.size() == 2 ? PageReference::Kind::Write : PageReference::Kind::Read);
    const Stored stored(
        [&](std::uint64_t page) { return walk.stored.find(reference::name_of(page)) != std::string::npos; });
    const CacheShape setup{.capacity = walk.capacity, .pages_per_block = walk.pages_per_block};
    const auto model = make_cache_model(walk.policy, context_of(setup, 26, stored, references));
    for (std::size_t i = 0; i < references.size(); ++i)
      EXPECT_EQ(text_of(step_of(*model, references[i])), walk.steps[i].outcome) << walk.name << ", step " << i + 1;
  }
}

std::vector<Variant> with_references() {
  std::vector<Variant> all = variants();
  std::erase_if(all, [](const Variant& variant) { return variant.name == "min_writes"; });  // it has a test of its own
  return all;
}

INSTANTIATE_TEST_SUITE_P(Policies, Agreement, testing::ValuesIn(with_references()),
                         [](const testing::TestParamInfo<Variant>& of) { return of.param.name; });

}  // namespace
}  // namespace flashloom::agreement_test
