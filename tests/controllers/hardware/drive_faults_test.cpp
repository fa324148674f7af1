#include "controllers/hardware/drive_faults.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace flashloom::drive_faults_test {
namespace {

DriveFaults begun(const FaultConfig& config, std::uint64_t seed = 1) {
  DriveFaults faults(config, seed);
  faults.begin();
  return faults;
}

TEST(DriveFaults, ArePossibleOnlyFromTheBeginningOn) {
  DriveFaults faults({.flush_ignored = 1, .lost_writes = 1}, 1);
  EXPECT_FALSE(faults.ignores_flush());
  EXPECT_FALSE(faults.loses_write());
  EXPECT_EQ(faults.statistics().flushes_ignored, 0U);
  faults.begin();
  EXPECT_TRUE(faults.ignores_flush());
  EXPECT_TRUE(faults.loses_write());
  EXPECT_FALSE(faults.ignores_fua());
  EXPECT_EQ(faults.statistics().flushes_ignored, 1U);
  EXPECT_EQ(faults.statistics().writes_lost, 1U);
  EXPECT_EQ(faults.statistics().fua_ignored, 0U);
}

TEST(DriveFaults, StrikeTheShareThatIsAskedFor) {
  DriveFaults faults = begun({.flush_ignored = 0.3});
  for (int i = 0; i < 10000; ++i) faults.ignores_flush();
  EXPECT_NEAR(static_cast<double>(faults.statistics().flushes_ignored), 3000, 150);
}

// Drawing another fault in between changes nothing; another seed changes all draws.
TEST(DriveFaults, AreDrawnApart) {
  DriveFaults alone = begun({.flush_ignored = 0.5});
  DriveFaults beside = begun({.flush_ignored = 0.5, .lost_writes = 0.5});
  DriveFaults other = begun({.flush_ignored = 0.5}, 2);
  std::vector<bool> a, b, c;
  for (int i = 0; i < 64; ++i) {
    beside.loses_write();
    a.push_back(alone.ignores_flush());
    b.push_back(beside.ignores_flush());
    c.push_back(other.ignores_flush());
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(DriveFaults, TearOffSomeSectorsAndNotAll) {
  DriveFaults faults = begun({.torn_writes = 1});
  EXPECT_EQ(faults.torn_off(0), 0U);
  EXPECT_EQ(faults.torn_off(8), 0U);  // one sector is never torn
  std::uint64_t seen = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t sectors = 0b1101'1100;
    const std::uint64_t off = faults.torn_off(sectors);
    EXPECT_EQ(off & ~sectors, 0U);
    EXPECT_GT(std::popcount(off), 0);
    EXPECT_LT(std::popcount(off), std::popcount(sectors));
    seen |= off;
  }
  EXPECT_EQ(seen, 0b1101'1100U);
  EXPECT_EQ(begun({.flush_ignored = 1}).torn_off(3), 0U);
}

TEST(DriveFaults, SendWritesElsewhereOnTheDevice) {
  DriveFaults faults = begun({.misdirected_writes = 1});
  constexpr std::uint64_t kCapacity = 10 * 4096;
  for (std::uint64_t offset : {0U, 512U, 4096U, 5U * 4096 + 1024, 8U * 4096})
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t place = faults.other_place(offset, 5000, kCapacity, 4096);
      EXPECT_NE(place, offset);
      EXPECT_EQ(place % 4096, offset % 4096);
      EXPECT_LE(place + 5000, kCapacity);
    }
  EXPECT_EQ(faults.other_place(0, kCapacity, kCapacity, 4096), 0U);
}

}  // namespace
}  // namespace flashloom::drive_faults_test
