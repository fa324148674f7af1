// No policy allocates once it has been filled. Every allocation of this program is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>

#include "policies/registry.hpp"
#include "policies/replacement/cache_model.hpp"

namespace {

std::uint64_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace flashloom::allocation_test {
namespace {

constexpr std::uint32_t kPages = 500;

std::vector<PageReference> references_from(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<PageReference> all;
  for (int i = 0; i < 20'000; ++i)
    all.emplace_back(static_cast<std::uint32_t>(std::min(random() % kPages, random() % kPages)),
                     random() % 3 == 0 ? PageReference::Kind::Write : PageReference::Kind::Read);
  return all;
}

TEST(ReplacementAllocations, NoneOnceFilled) {
  std::vector<PageReference> future = references_from(1);
  const std::vector<PageReference> steady = references_from(2);
  future.insert(future.end(), steady.begin(), steady.end());
  for (const char* family : {ReplacementPolicy::kFamily, kOfflineReplacementFamily})
    for (const PartInfo* info : PartCatalog::instance().parts(family)) {
      CacheModelContext context;
      context.policy.capacity = 100;
      context.policy.footprint = kPages;
      context.directory.pages = kPages;
      context.future = future;
      const auto model = make_cache_model({info->name, {}}, context);
      model->run(std::span(future).first(future.size() - steady.size()));
      const std::uint64_t before = allocations;
      model->run(std::span(future).last(steady.size()));
      EXPECT_EQ(allocations - before, 0U) << info->name;
    }
}

// As the firmware uses policies: with slots, evicting one page after the other.
TEST(ReplacementAllocations, NoneOfSlotPoliciesOnceFilled) {
  constexpr std::uint32_t kCapacity = 100;
  for (const PartInfo* info : PartCatalog::instance().parts(ReplacementPolicy::kFamily)) {
    const auto policy = Family<ReplacementPolicy>::make({info->name, {}}, {.capacity = kCapacity});
    std::vector<Slot> slot_of(kPages, kNoSlot);
    std::vector<std::uint32_t> page_of(kCapacity);
    std::vector<Slot> free;
    for (Slot slot = 0; slot < kCapacity; ++slot) free.push_back(slot);
    std::vector<Slot> leaving;
    leaving.reserve(kCapacity);
    std::uint64_t before = 0;
    const std::vector<PageReference> warm = references_from(1);
    const std::vector<PageReference> steady = references_from(2);
    for (const auto* references : {&warm, &steady}) {
      before = allocations;
      for (const PageReference reference : *references) {
        const Access access = reference.write() ? Access::Write : Access::Read;
        Slot& slot = slot_of[reference.page()];
        if (slot != kNoSlot) {
          policy->referenced(slot, access);
          continue;
        }
        policy->expected(reference.page(), access);
        if (free.empty()) {
          leaving.assign(1, policy->victim());
          policy->companions(leaving.front(), leaving);
          for (const Slot leaver : leaving) {
            policy->removed(leaver);
            slot_of[page_of[leaver]] = kNoSlot;
            free.push_back(leaver);
          }
        }
        slot = free.back();
        free.pop_back();
        page_of[slot] = reference.page();
        policy->inserted(slot, reference.page(), access);
      }
    }
    EXPECT_EQ(allocations - before, 0U) << info->name;
  }
}

}  // namespace
}  // namespace flashloom::allocation_test
