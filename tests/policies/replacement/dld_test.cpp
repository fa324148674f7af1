// DLD over other double caches: without writes it decides as its base policy.
#include <gtest/gtest.h>

#include <random>

#include "policies/replacement/cache_model.hpp"

namespace flashloom::dld_test {
namespace {

struct Pair {
  const char* dld;
  const char* base;
};

class DldLaws : public testing::TestWithParam<Pair> {};

TEST_P(DldLaws, WithoutWritesItIsTheBase) {
  for (const bool shared : {false, true})
    for (const std::uint32_t capacity : {1U, 2U, 5U, 32U, 150U}) {
      CacheModelContext context;
      context.policy.capacity = capacity;
      context.policy.shared_budget = shared;
      context.directory.pages = 4 * capacity + 3;
      const auto dld = make_cache_model({GetParam().dld, {}}, context);
      const auto base = make_cache_model({GetParam().base, {}}, context);
      std::mt19937_64 random(capacity);
      std::uint64_t ghost_hits = 0;
      for (int i = 0; i < 50'000; ++i) {
        const std::uint32_t pages = context.directory.pages;
        const auto page = static_cast<std::uint32_t>(std::min(random() % pages, random() % pages));
        const PageReference reference(page,
                                      random() % 50 == 0 ? PageReference::Kind::Discard : PageReference::Kind::Read);
        const Found found = dld->reference(reference);
        ASSERT_EQ(found, base->reference(reference)) << "capacity " << capacity << ", reference " << i;
        ASSERT_EQ(dld->gone(), base->gone()) << "capacity " << capacity << ", reference " << i;
        ghost_hits += found == Found::CleanGhost ? 1 : 0;
      }
      PolicyPicture picture = dld->picture();
      EXPECT_TRUE(picture.lists.back().second.empty());
      picture.lists.pop_back();
      EXPECT_EQ(picture.lists, base->picture().lists);
      EXPECT_EQ(ghost_hits != 0, capacity > 1 || GetParam().base == std::string("two_q"));
    }
}

INSTANTIATE_TEST_SUITE_P(Bases, DldLaws,
                         testing::Values(Pair{"dld_two_q", "two_q"}, Pair{"dld_lirs", "lirs"},
                                         Pair{"dld_s3_fifo", "s3_fifo"}),
                         [](const testing::TestParamInfo<Pair>& of) { return std::string(of.param.base); });

}  // namespace
}  // namespace flashloom::dld_test
