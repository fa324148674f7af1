#include "models/hdd/disk_geometry.hpp"

#include <gtest/gtest.h>

#include <string>

#include "models/common/config_problem.hpp"
#include "tests/models/hdd/disk_bench.hpp"

namespace flashloom::disk_geometry_test {
namespace {

TEST(DiskGeometry, OfThePlainDisk) {
  const DiskGeometry disk(plain_disk());
  EXPECT_EQ(disk.revolution(), kRevolution);
  EXPECT_EQ(disk.sectors_per_track(0), 100U);
  EXPECT_EQ(disk.sectors_per_track(1), 50U);
  EXPECT_EQ(disk.cylinders(), 2000U);
  EXPECT_EQ(disk.first_of(1), 200'000U);
  const DiskPlace place = disk.place(200'000 + 3 * 100 + 77);
  EXPECT_EQ(place.track, (DiskTrack{1003, 1}));
  EXPECT_EQ(place.sector, 27U);
  // Skews: 500 us to the next head, 1100 us to the next cylinder: 1600 us a cylinder.
  EXPECT_EQ(disk.angle(disk.place(0)), 0U);
  EXPECT_EQ(disk.angle(disk.place(1)), 100 * kMicrosecond);
  EXPECT_EQ(disk.angle(disk.place(100)), 500 * kMicrosecond);
  EXPECT_EQ(disk.angle(disk.place(200)), 1600 * kMicrosecond);
  EXPECT_EQ(disk.angle(disk.place(7 * 200)), 1200 * kMicrosecond);  // 11.2 ms
  EXPECT_EQ(disk.wait(disk.place(1), 3 * kRevolution), 100 * kMicrosecond);
  EXPECT_EQ(disk.wait(disk.place(1), 3 * kRevolution + 100 * kMicrosecond + 1), kRevolution - 1);
}

// Every sector follows the one before it: on its track, on the next head or on the next cylinder.
TEST(DiskGeometry, SectorsFollowEachOther) {
  HddConfig config = plain_disk();
  config.capacity = std::uint64_t{300} * 4096 * 5;
  config.zones = 3;
  config.heads = 3;
  const DiskGeometry disk(config);
  DiskPlace last = disk.place(0);
  for (DiskSector sector = 1; sector < disk.sectors(); ++sector) {
    const DiskPlace place = disk.place(sector);
    if (place.track == last.track) {
      EXPECT_EQ(place.sector, last.sector + 1);
    } else {
      EXPECT_EQ(place.sector, 0U);
      EXPECT_EQ(last.sector + 1, last.sectors);
      EXPECT_EQ(place.track.head, last.track.head + 1 == 3 ? 0 : last.track.head + 1);
      EXPECT_EQ(place.track.cylinder, last.track.cylinder + (last.track.head + 1 == 3 ? 1 : 0));
    }
    last = place;
  }
}

// Seagate's figures: 210 MB/s on the outer tracks, 156 MB/s over the whole disk; 340,000 tracks an inch, and about an
// inch of tracks.
TEST(DiskGeometry, OfTheDefaultDisk) {
  HddConfig config;
  config.capacity = 2'000'398'934'016;
  const DiskGeometry disk(config);
  EXPECT_EQ(disk.sectors(), 3'907'029'168U / 8);
  EXPECT_NEAR(disk.cylinders(), 340'000, 20'000);
  const double cylinder_s = (4 * 8.333333333 + 3 * 1.0 + 1.2) * 1e-3;
  double sum = 0;
  for (std::uint32_t zone = 0; zone < disk.zones(); ++zone) {
    const double rate = 4.0 * 4096 * disk.sectors_per_track(zone) / cylinder_s;
    sum += rate;
    EXPECT_NEAR(rate, 210e6 - zone * (210e6 - 102e6) / 23, 0.3e6);
  }
  EXPECT_NEAR(sum / disk.zones(), 156e6, 0.2e6);  // all tracks take the same time
}

void expect_refused(const char* key, void (*change)(HddConfig&)) {
  HddConfig config = plain_disk();
  change(config);
  try {
    const DiskGeometry geometry(config);
    const DiskArm arm(config, geometry);
    ADD_FAILURE() << key;
  } catch (const ConfigProblem& problem) {
    EXPECT_EQ(problem.key(), std::string("hdd.") + key);
  }
}

TEST(DiskGeometry, ImpossibleDisks) {
  expect_refused("rpm", [](HddConfig& c) { c.rpm = 0; });
  expect_refused("heads", [](HddConfig& c) { c.heads = 0; });
  expect_refused("zones", [](HddConfig& c) { c.zones = 0; });
  expect_refused("capacity", [](HddConfig& c) { c.capacity = 0; });
  expect_refused("capacity", [](HddConfig& c) { c.capacity += 512; });
  expect_refused("capacity", [](HddConfig& c) { c.capacity = std::uint64_t{1} << 50; });
  expect_refused("inner_rate", [](HddConfig& c) { c.inner_rate = c.outer_rate + 1; });
  expect_refused("inner_rate", [](HddConfig& c) { c.inner_rate = 1; });
  expect_refused("average_seek", [](HddConfig& c) { c.average_seek = 10 * kMillisecond; });
  expect_refused("average_seek", [](HddConfig& c) { c.full_stroke = 0; });
}

}  // namespace
}  // namespace flashloom::disk_geometry_test
