// A policy decides alike in slots, whose owner asks for victims, and in a CacheModel; saving and loading it at any time
// changes no decision.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/cache_model.hpp"

namespace flashloom::slots_and_models_test {
namespace {

constexpr std::uint32_t kPages = 300;

/// A small data buffer: it owns the slots and hands over evicted pages.
class Owner {
 public:
  Owner(std::string name, const ReplacementContext& context, std::uint32_t slots)
      : name_(std::move(name)), context_(context), page_of_(slots) {
    context_.slots = slots;
    policy_ = Family<ReplacementPolicy>::make({name_, {}}, context_);
    for (Slot slot = slots; slot-- > 0;) free_.push_back(slot);
  }

  /// The evicted pages, in order.
  std::vector<GonePage> reference(std::uint32_t page, Access access) {
    std::vector<GonePage> gone;
    const auto found = slot_of_.find(page);
    if (found != slot_of_.end()) {
      policy_->referenced(found->second, access);
      dirty_[page] |= access == Access::Write;
      return gone;
    }
    if (slot_of_.size() >= context_.capacity) policy_->expected(page, access);
    while (slot_of_.size() >= context_.capacity) {
      std::vector<Slot> leaving = {policy_->victim()};
      EXPECT_EQ(policy_->victim(), leaving.front());
      policy_->companions(leaving.front(), leaving);
      for (const Slot slot : leaving) gone.push_back({page_of_[slot], dirty_[page_of_[slot]]});
      for (const Slot slot : leaving) leave(slot);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    slot_of_[page] = slot;
    page_of_[slot] = page;
    dirty_[page] = access == Access::Write;
    policy_->inserted(slot, page, access);
    return gone;
  }
  void reload() {
    const std::string bytes = saved(*policy_);
    policy_ = Family<ReplacementPolicy>::make({name_, {}}, context_);
    ASSERT_TRUE(load_state(*policy_, bytes));
  }

 private:
  void leave(Slot slot) {
    policy_->removed(slot);
    slot_of_.erase(page_of_[slot]);
    free_.push_back(slot);
  }

  std::string name_;
  ReplacementContext context_;
  std::unique_ptr<ReplacementPolicy> policy_;
  std::unordered_map<std::uint32_t, Slot> slot_of_;
  std::unordered_map<std::uint32_t, bool> dirty_;
  std::vector<std::uint32_t> page_of_;
  std::vector<Slot> free_;
};

class SlotsAndModels : public testing::TestWithParam<std::string> {};

TEST_P(SlotsAndModels, DecideAlike) {
  for (const std::uint32_t capacity : {1U, 2U, 9U, 64U, 150U}) {
    CacheModelContext context;
    context.policy = {.capacity = capacity, .pages_per_block = 4};
    context.directory.pages = kPages;
    struct Always : CostOracle {
      bool overwrites(std::uint64_t) const override { return true; }
    } always;
    context.policy.oracle = &always;
    const auto model = make_cache_model({GetParam(), {}}, context);
    Owner owner(GetParam(), context.policy, capacity + capacity / 2);
    std::mt19937_64 random(capacity);
    for (int step = 0; step < 6000; ++step) {
      const auto page = static_cast<std::uint32_t>(random() % (random() % 3 == 0 ? kPages : kPages / 6));
      const Access access = random() % 3 == 0 ? Access::Write : Access::Read;
      model->reference({page, access == Access::Write ? PageReference::Kind::Write : PageReference::Kind::Read});
      ASSERT_EQ(owner.reference(page, access), model->gone()) << "capacity " << capacity << ", step " << step;
      if (step % 997 == 996) owner.reload();
    }
  }
}

// One run over many references equals the references one by one.
TEST_P(SlotsAndModels, ARunIsItsReferences) {
  CacheModelContext context;
  context.policy = {.capacity = 40, .pages_per_block = 4, .shared_budget = false};
  context.directory.pages = kPages;
  const auto at_once = make_cache_model({GetParam(), {}}, context);
  const auto one_by_one = make_cache_model({GetParam(), {}}, context);
  std::mt19937_64 random(3);
  std::vector<PageReference> references;
  for (int i = 0; i < 20000; ++i)
    references.emplace_back(static_cast<std::uint32_t>(random() % (random() % 3 == 0 ? kPages : kPages / 4)),
                            static_cast<PageReference::Kind>(random() % 16 == 0 ? 2 : random() % 2));
  at_once->run(std::span(references).first(7));
  at_once->run(std::span(references).subspan(7));
  for (const PageReference reference : references) one_by_one->reference(reference);
  const CacheCounts a = at_once->counts();
  const CacheCounts b = one_by_one->counts();
  EXPECT_EQ(a.hits[0], b.hits[0]);
  EXPECT_EQ(a.hits[1], b.hits[1]);
  EXPECT_EQ(a.pages_written, b.pages_written);
  EXPECT_EQ(a.write_runs, b.write_runs);
  EXPECT_EQ(a.dirty_at_end, b.dirty_at_end);
  EXPECT_GT(a.dirty_discarded, 0u);
  EXPECT_EQ(a.references[0] + a.references[1],
            static_cast<std::uint64_t>(std::count_if(references.begin(), references.end(),
                                                     [](PageReference each) { return !each.discard(); })));
}

// No written page is lost: it is written back, discarded, or dirty at the end.
TEST_P(SlotsAndModels, NoWriteIsLost) {
  CacheModelContext context;
  context.policy = {.capacity = 32, .pages_per_block = 4, .shared_budget = false};
  context.directory.pages = kPages;
  const auto model = make_cache_model({GetParam(), {}}, context);
  std::mt19937_64 random(5);
  std::vector<bool> dirty(kPages);
  std::uint64_t expected = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto page = static_cast<std::uint32_t>(random() % (random() % 3 == 0 ? kPages : kPages / 4));
    const auto kind = static_cast<PageReference::Kind>(random() % 16 == 0 ? 2 : random() % 2);
    const std::uint64_t discarded = model->counts().dirty_discarded;
    model->reference({page, kind});
    for (const GonePage& gone : model->gone()) {
      ASSERT_EQ(gone.written, dirty[gone.page]) << "page " << gone.page << ", reference " << i;
      dirty[gone.page] = false;
    }
    if (kind == PageReference::Kind::Write) dirty[page] = true;
    if (kind != PageReference::Kind::Discard) continue;
    ASSERT_EQ(model->counts().dirty_discarded - discarded, dirty[page] ? 1U : 0U);
    dirty[page] = false;
  }
  expected = static_cast<std::uint64_t>(std::count(dirty.begin(), dirty.end(), true));
  EXPECT_EQ(model->counts().dirty_at_end, expected);
}

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const PartInfo* info : PartCatalog::instance().parts(ReplacementPolicy::kFamily)) names.push_back(info->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, SlotsAndModels, testing::ValuesIn(policies()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace flashloom::slots_and_models_test
