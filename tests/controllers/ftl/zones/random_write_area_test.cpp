// Random write areas in the state machine of zones: which writes save a program, and when a zone gives its area back.
#include <gtest/gtest.h>

#include "controllers/ftl/zones/zone_table.hpp"

namespace flashloom::random_write_area_test {
namespace {

using enum ZoneState;
using Status = IoStatus;

// Zones of 16 logical blocks, of which 12 can be written; areas of 4 blocks, committed two at a time.
ZoneTable::Shape shape(std::uint32_t areas = 0) {
  return {.zones = 8,
          .zone_size = 16,
          .capacity = 12,
          .max_open = 2,
          .max_active = 3,
          .append_limit = 8,
          .random_area = 4,
          .random_granule = 2,
          .max_random_areas = areas};
}

TEST(RandomWriteArea, CountsWhatIsWrittenAgainInARandomWriteArea) {
  ZoneTable table(shape());
  EXPECT_EQ(table.open(0, true), Status::Ok);
  EXPECT_EQ(table.write(0, 3), Status::Ok);  // 0, 1, 2
  EXPECT_EQ(table.write(1, 3), Status::Ok);  // 1, 2 again; 3
  EXPECT_EQ(table.statistics().area_blocks, 6U);
  EXPECT_EQ(table.statistics().overwritten_blocks, 2U);
  EXPECT_EQ(table.commit(1), Status::Ok);
  EXPECT_EQ(table.write(2, 7), Status::Ok);  // 2, 3 again; 4 to 8; commits 2 to 5
  EXPECT_EQ(table[0].written, 6U);
  EXPECT_EQ(table.statistics().overwritten_blocks, 4U);
  // 9 is 1 + two areas of 4, and overwrites nothing although both share a place
  EXPECT_EQ(table.write(9, 1), Status::Ok);
  EXPECT_EQ(table.statistics().overwritten_blocks, 4U);
  EXPECT_EQ(table.reset(0), Status::Ok);
  EXPECT_EQ(table.open(0, true), Status::Ok);
  EXPECT_EQ(table.write(0, 2), Status::Ok);  // overwrites nothing that was written before the reset
  EXPECT_EQ(table.statistics().overwritten_blocks, 4U);
}

TEST(RandomWriteArea, GivesARandomWriteAreaAwayWhenTheZoneBeforeIsDone) {
  ZoneTable table(shape(1));
  EXPECT_EQ(table.open(0, true), Status::Ok);
  EXPECT_EQ(table.open(16, true), Status::NoRandomWriteArea);
  EXPECT_EQ(table[1].state, Empty);
  EXPECT_EQ(table.open(0, true), Status::Ok);  // takes the only area
  EXPECT_EQ(table.close(0), Status::Ok);
  EXPECT_TRUE(table[0].random_area);  // a closed zone keeps it
  EXPECT_EQ(table.open(16, true), Status::NoRandomWriteArea);
  EXPECT_EQ(table.finish(0), Status::Ok);
  EXPECT_EQ(table.random_areas(), 1U);  // its data are still to be programmed
  EXPECT_EQ(table.open(16, true), Status::NoRandomWriteArea);
  table.settle(0);
  EXPECT_EQ(table.random_areas(), 0U);
  EXPECT_EQ(table.open(16, true), Status::Ok);
  EXPECT_EQ(table.reset(16), Status::Ok);
  EXPECT_EQ(table.open(16, true), Status::Ok);  // the zone that was reset does not wait for its own area
  table.settle(1);
  EXPECT_EQ(table.random_areas(), 1U);
  EXPECT_EQ(table.write(16, 4), Status::Ok);
  EXPECT_EQ(table.write(20, 8), Status::ZoneInvalidWrite);  // beyond two areas
  EXPECT_EQ(table.write(20, 4), Status::Ok);
  EXPECT_EQ(table.write(24, 4), Status::Ok);
  EXPECT_EQ(table.commit(27), Status::Ok);
  EXPECT_EQ(table[1].state, Full);
  table.settle(1);
  EXPECT_EQ(table.random_areas(), 0U);
}

}  // namespace
}  // namespace flashloom::random_write_area_test
