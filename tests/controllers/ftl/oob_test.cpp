#include "controllers/ftl/oob.hpp"

#include <gtest/gtest.h>

namespace flashloom::oob_test {
namespace {

// 1000 logical units take 10 bits; the number of granules, of 8, that compression saves takes 3.
TEST(OobLayout, NotesTheSizeOfCompressedUnits) {
  const OobLayout layout(1000, 8);
  for (std::uint32_t granules = 1; granules <= 8; ++granules) {
    const OobWord word = layout.encode(999, 123456, granules);
    EXPECT_TRUE(layout.is_data(word));
    EXPECT_EQ(layout.unit(word), 999U);
    EXPECT_EQ(layout.version(word), 123456U);
    EXPECT_EQ(layout.steps(word), granules);
    EXPECT_EQ(layout.steps(OobLayout::as_lost(word)), granules);
    EXPECT_EQ(layout.version(OobLayout::as_lost(word)), 123456U);
  }
  EXPECT_EQ(layout.encode(5, 6, 8), layout.encode(5, 6)) << "not compressed";
  EXPECT_EQ(layout.max_version(), (std::uint64_t{1} << 50) - 1);
  EXPECT_EQ(layout.parity_of(layout.parity(2)), 2U);
  EXPECT_FALSE(layout.is_data(layout.padding()));
  EXPECT_EQ(layout.version(layout.metadata(77)), 77U);
}

TEST(OobLayout, KeepsAllBitsForVersionsWhereNothingIsCompressed) {
  const OobLayout layout(1000);
  EXPECT_EQ(layout.max_version(), (std::uint64_t{1} << 53) - 1);
  EXPECT_EQ(layout.steps(layout.encode(5, 6)), 1U);
}

}  // namespace
}  // namespace flashloom::oob_test
