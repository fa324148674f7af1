// Zones that the device makes read-only or offline by itself: from each state, with their resources.
#include <gtest/gtest.h>

#include "controllers/ftl/zones/zone_table.hpp"

namespace flashloom::zone_ends_test {
namespace {

using enum ZoneState;
using Status = IoStatus;

// Zones of 16 logical blocks, of which 12 can be written; 2 open and 3 active.
ZoneTable::Shape shape(std::uint32_t random_area = 0) {
  return {.zones = 4, .zone_size = 16, .capacity = 12, .max_open = 2, .max_active = 3, .random_area = random_area};
}

// Zone 0 in `state`, with 4 blocks written unless it is empty.
ZoneTable table_with(ZoneState state) {
  ZoneTable table(shape());
  if (state == Empty) return table;
  table.write(0, 4);
  if (state == ExplicitlyOpened) table.open(0, false);
  if (state == Closed) table.close(0);
  if (state == Full) table.finish(0);
  return table;
}

TEST(ZoneEnds, AreTheDevicesFromAnyState) {
  for (const ZoneState from : {Empty, ImplicitlyOpened, ExplicitlyOpened, Closed, Full}) {
    const std::uint32_t written = from == Empty ? 0 : 4;
    ZoneTable table = table_with(from);
    table.make_read_only(0);
    EXPECT_EQ(table[0].state, ReadOnly);
    EXPECT_EQ(table[0].written, written);
    EXPECT_EQ(table.open_zones(), 0U);
    EXPECT_EQ(table.active_zones(), 0U);
    EXPECT_EQ(table.describe(0, 4096).write_pointer, 16U * 4096);  // without meaning
    EXPECT_EQ(table.count(ReadOnly), 1U);
    EXPECT_EQ(table.write(16, 2), Status::Ok);  // no zone is closed for another one
    EXPECT_EQ(table.write(32, 2), Status::Ok);
    EXPECT_EQ(table.statistics().implicit_closes, 0U);
    table = table_with(from);
    table.make_offline(0);
    EXPECT_EQ(table[0].state, Offline);
    EXPECT_EQ(table[0].written, 0U);
    EXPECT_EQ(table.open_zones() + table.active_zones(), 0U);
  }
}

TEST(ZoneEnds, ReleaseTheRandomWriteArea) {
  ZoneTable table(shape(4));
  EXPECT_EQ(table.open(0, true), Status::Ok);
  EXPECT_EQ(table.write(2, 2), Status::Ok);
  EXPECT_EQ(table.random_areas(), 1U);
  table.make_read_only(0);
  EXPECT_FALSE(table[0].random_area);
  EXPECT_EQ(table.random_areas(), 1U);  // until the accepted writes are carried out
  table.settle(0);
  EXPECT_EQ(table.random_areas(), 0U);
  EXPECT_EQ(table.commit(3), Status::InvalidZoneOperation);
}

// A read-only zone is read-only again after a mount, whatever the mount found of it.
TEST(ZoneEnds, ComeBackWithAMount) {
  for (const bool finished : {false, true}) {
    ZoneTable table(shape());
    table.restore(0, 5, finished);
    table.make_read_only(0);
    EXPECT_EQ(table[0].state, ReadOnly);
    EXPECT_EQ(table[0].written, 5U);
    EXPECT_EQ(table.active_zones(), 0U);
  }
}

}  // namespace
}  // namespace flashloom::zone_ends_test
