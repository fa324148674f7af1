#include "controllers/flash/arbitration.hpp"

#include <gtest/gtest.h>

namespace flashloom {
namespace {

// Conformance of every registered arbitration: both queues are served for ever, whatever waits.
TEST(Arbitration, EveryPolicyServesBothQueues) {
  const auto parts = PartCatalog::instance().parts(Arbitration::kFamily);
  ASSERT_FALSE(parts.empty());
  for (const PartInfo* info : parts) {
    const auto policy = Family<Arbitration>::make({info->name, {}}, {4});
    std::uint32_t passed = 0, reads = 0, writes = 0;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
      const DieQueue choice =
          policy->choose({.die = i % 4, .now = i, .oldest_read = 0, .oldest_write = 0, .passed = passed});
      passed = choice == DieQueue::Reads ? passed + 1 : 0;
      ++(choice == DieQueue::Reads ? reads : writes);
    }
    EXPECT_GT(reads, 0U) << info->name;
    EXPECT_GT(writes, 0U) << info->name;
    EXPECT_FALSE(info->source.empty()) << info->name;
  }
}

TEST(Arbitration, ReadFirstCountsToItsBound) {
  const auto policy = Family<Arbitration>::make({"read_first", ParameterValues({{"bound", std::int64_t{3}}})}, {1});
  for (std::uint32_t passed = 0; passed < 3; ++passed)
    EXPECT_EQ(policy->choose({.die = 0, .now = 0, .oldest_read = 0, .oldest_write = 0, .passed = passed}),
              DieQueue::Reads);
  EXPECT_EQ(policy->choose({.die = 0, .now = 0, .oldest_read = 0, .oldest_write = 0, .passed = 3}), DieQueue::Writes);
  const auto usual = Family<Arbitration>::make({"read_first", {}}, {1});
  EXPECT_EQ(usual->choose({.die = 0, .now = 0, .oldest_read = 0, .oldest_write = 0, .passed = 7}), DieQueue::Reads);
  EXPECT_EQ(usual->choose({.die = 0, .now = 0, .oldest_read = 0, .oldest_write = 0, .passed = 8}), DieQueue::Writes);
}

TEST(Arbitration, AnUnknownNameListsTheValidOnes) {
  try {
    Family<Arbitration>::make({"read_frist", {}}, {1});
    FAIL();
  } catch (const UnknownPart& error) {
    EXPECT_NE(std::string(error.what()).find("read_first"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace flashloom
