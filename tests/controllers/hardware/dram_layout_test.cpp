#include "controllers/hardware/dram_layout.hpp"

#include <gtest/gtest.h>

namespace flashloom::dram_layout_test {
namespace {

TEST(DramLayout, MapBufferAndStagingLieBehindEachOther) {
  DramLayout layout(1 << 20, 1000, 8192);  // the map takes 16 lines, 1024 B
  EXPECT_EQ(layout.map_entry(0, 64), 0U);
  EXPECT_EQ(layout.map_entry(15, 64), 0U);  // 16 entries a line
  EXPECT_EQ(layout.map_entry(16, 64), 64U);
  EXPECT_EQ(layout.map_entry(255, 64), 960U);
  EXPECT_EQ(layout.map_entry(256, 64), 0U);  // a map that is paged in wraps around
  EXPECT_EQ(layout.buffer(0, 4096), 1024U);
  EXPECT_EQ(layout.buffer(4096, 4096), 5120U);
  EXPECT_EQ(layout.buffer(8192 + 512, 512), 1536U);
  EXPECT_EQ(layout.staging(100), 9216U);
  EXPECT_EQ(layout.staging(4096), 9344U);
}

TEST(DramLayout, NothingGoesBeyondTheEnd) {
  DramLayout layout(16384, 4096, 8192);
  EXPECT_EQ(layout.staging(4096), 12288U);
  EXPECT_EQ(layout.staging(64), 12288U);  // the ring starts over
  EXPECT_EQ(layout.staging(8192), 0U);    // does not fit the ring: overlays
  EXPECT_EQ(layout.buffer(4096, 16384), 0U);
  EXPECT_EQ(layout.map_entry(1023, 64), 4032U);
  DramLayout full(8192, 4096, 4096);  // no room is left for staging
  EXPECT_EQ(full.staging(8192), 0U);
  EXPECT_EQ(full.staging(64), 0U);
}

TEST(DramLayout, WhatIsInNvramHasNoAddress) {
  const DramLayout layout(1 << 20, 0, 0);
  EXPECT_EQ(layout.map_entry(1000, 64), 0U);
  EXPECT_EQ(layout.buffer(1000, 64), 0U);
}

}  // namespace
}  // namespace flashloom::dram_layout_test
