#include "analysis/key_index.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flashloom::key_index_test {
namespace {

// So many keys that several hundred pairs agree in the 32 bits that the index stores: the caller's comparison tells
// them apart.
TEST(KeyIndex, FindsEveryKeyAmongTwins) {
  constexpr std::uint32_t kKeys = 2'000'000;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys;
  KeyIndex index;
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    keys.push_back(random() | KeyIndex::kDirect);
    index.insert(keys.back(), i);
  }
  std::uint32_t twins = 0;
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    ASSERT_EQ(index.find(keys[i], [&](std::uint32_t number) { return keys[number] == keys[i]; }), i);
    twins += index.guess(keys[i]) != i ? 1U : 0U;
    index.prefetch(keys[i]);
  }
  EXPECT_GT(twins, 100U);
  EXPECT_LT(twins, 2000U);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t key = random() | KeyIndex::kDirect;
    ASSERT_EQ(index.find(key, [&](std::uint32_t number) { return keys[number] == key; }), KeyIndex::kNone);
  }
}

TEST(KeyIndex, ReplacesTheNumberOfAKey) {
  KeyIndex index;
  for (const std::uint64_t begin : {std::uint64_t{0}, KeyIndex::kDirect}) {
    EXPECT_EQ(index.find(begin, [](std::uint32_t) { return true; }), KeyIndex::kNone);
    for (std::uint32_t i = 0; i < 3000; ++i) index.insert(begin + i, i);
    for (std::uint32_t i = 0; i < 3000; i += 2) index.replace(begin + i, i, 100'000 + i);
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const std::uint32_t expected = i % 2 == 0 ? 100'000 + i : i;
      ASSERT_EQ(index.find(begin + i, [&](std::uint32_t number) { return number == expected; }), expected);
    }
  }
}

}  // namespace
}  // namespace flashloom::key_index_test
