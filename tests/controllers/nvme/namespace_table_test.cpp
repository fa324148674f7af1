#include "controllers/nvme/namespace_table.hpp"

#include <gtest/gtest.h>

namespace flashloom::nvme::namespace_table_test {
namespace {

constexpr std::uint64_t kUnit = 4096;

TEST(NamespaceTable, BeginsAsConfigured) {
  NamespaceTable one(4, 100 * kUnit, kUnit, {});
  EXPECT_EQ(one.active(1)->bytes, 100 * kUnit);
  EXPECT_EQ(one.unallocated(), 0);
  EXPECT_EQ(one.active(2), nullptr);
  EXPECT_EQ(one.active(0), nullptr);
  EXPECT_EQ(one.active(0xffffffff), nullptr);
  NamespaceTable two(4, 100 * kUnit, kUnit, {10 * kUnit, 20 * kUnit});
  EXPECT_EQ(two.active(2)->begin, 10 * kUnit);
  EXPECT_EQ(two.unallocated(), 70 * kUnit);
}

TEST(NamespaceTable, TakesTheFirstGapThatIsLargeEnough) {
  NamespaceTable table(4, 100 * kUnit, kUnit, {10 * kUnit, 20 * kUnit, 30 * kUnit});
  table.remove(2);
  EXPECT_EQ(table.unallocated(), 60 * kUnit);
  EXPECT_EQ(table.largest_free(), 40 * kUnit);
  EXPECT_EQ(table.create(41 * kUnit), 0);
  EXPECT_EQ(table.create(30 * kUnit), 2);  // behind the others
  EXPECT_EQ(table.allocated(2)->begin, 60 * kUnit);
  EXPECT_EQ(table.active(2), nullptr);      // until it is attached
  EXPECT_EQ(table.create(kUnit + 512), 4);  // into the hole
  EXPECT_EQ(table.allocated(4)->begin, 10 * kUnit);
  EXPECT_EQ(table.allocated(4)->bytes, kUnit + 512);
  EXPECT_EQ(table.unallocated(), 28 * kUnit);  // the rest of its second unit belongs to no namespace
  EXPECT_FALSE(table.has_free_number());
}

TEST(NamespaceTable, ListsChangesInOrderAndOnce) {
  NamespaceTable table(4, 100 * kUnit, kUnit, {});
  for (const std::uint32_t number : {3U, 1U, 3U}) table.note_change(number);
  EXPECT_EQ(table.changes(), (std::vector<std::uint32_t>{1, 3}));
}

}  // namespace
}  // namespace flashloom::nvme::namespace_table_test
