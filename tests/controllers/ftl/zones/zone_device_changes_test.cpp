// Zone changes that a device makes by itself and tells its hosts of.
#include <gtest/gtest.h>

#include "controllers/ftl/zones/zone_table.hpp"

namespace flashloom::zone_device_changes_test {
namespace {

TEST(ZoneDeviceChanges, AreThoseThatNoHostHasAskedFor) {
  ZoneTable table({.zones = 8, .zone_size = 16, .capacity = 12, .max_open = 2, .max_active = 3});
  table.write(0, 4);
  table.finish(16);
  EXPECT_TRUE(table.device_changes().empty());
  table.make_read_only(0);
  EXPECT_EQ(table.offline(0), IoStatus::Ok);
  table.make_offline(3);
  EXPECT_EQ(table[0].state, ZoneState::Offline);
  EXPECT_EQ(table[3].state, ZoneState::Offline);
  EXPECT_EQ(table.device_changes(), (std::vector<std::uint32_t>{0, 3}));
}

}  // namespace
}  // namespace flashloom::zone_device_changes_test
