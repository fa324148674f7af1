#include "models/hdd/disk_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/hdd/disk_bench.hpp"

namespace flashloom::disk_order_test {
namespace {

class Order : public testing::Test {
 protected:
  std::size_t choose(const char* name, Picoseconds now = 0, DiskSector position = 0) const {
    return find_disk_order(name)->choose(tasks, {geometry, arm, now, position});
  }
  HddConfig config = plain_disk();
  DiskGeometry geometry{config};
  DiskArm arm{config, geometry};                                   // over cylinder 0
  std::vector<DiskTask> tasks = {{.sector = 50'000, .order = 3},   // cylinder 250
                                 {.sector = 90, .order = 5},       // cylinder 0, angle 9 ms
                                 {.sector = 203, .order = 4},      // cylinder 1, angle 1.9 ms
                                 {.sector = 100'000, .order = 2},  // cylinder 500
                                 {.sector = 90, .order = 6}};
};

TEST_F(Order, Names) {
  std::vector<std::string> names;
  for (const DiskOrder& order : disk_orders()) {
    names.emplace_back(order.name);
    EXPECT_FALSE(order.summary.empty());
    EXPECT_FALSE(order.source.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"fifo", "sstf", "c_look", "satf"}));
  EXPECT_EQ(find_disk_order("scan"), nullptr);
}

TEST_F(Order, EachByItsOwnMeasure) {
  EXPECT_EQ(choose("fifo"), 3U);
  EXPECT_EQ(choose("sstf"), 1U);
  EXPECT_EQ(choose("satf"), 2U);  // 1.9 ms, against 9 ms for the one on the same cylinder
  // too late for sector 203, which comes at 10.4 ms, against 7.5 ms
  EXPECT_EQ(choose("satf", 1'500 * kMicrosecond), 1U);
  EXPECT_EQ(choose("c_look", 0, 91), 2U);
  EXPECT_EQ(choose("c_look", 0, 60'000), 3U);
  EXPECT_EQ(choose("c_look", 0, 100'001), 1U);  // wraps around
}

// A write to cylinder 1 settles 0.1 ms longer: the arm reaches its sector 0, at 1.6 ms of angle, when it starts at 0.5
// ms, and misses it a tick later.
TEST_F(Order, WritesSettle) {
  tasks = {{.sector = 200, .write = true, .order = 1}, {.sector = 90, .order = 2}};
  EXPECT_EQ(choose("satf", 500 * kMicrosecond), 0U);
  EXPECT_EQ(choose("satf", 500 * kMicrosecond + 1), 1U);
  tasks[0].write = false;
  EXPECT_EQ(choose("satf", 600 * kMicrosecond), 0U);
}

}  // namespace
}  // namespace flashloom::disk_order_test
