// The generator of zones with random write areas, against the rules of NVMe ZNS.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::generated_zones_test {
namespace {

constexpr std::uint64_t kZone = 2 * kMiB;
constexpr std::uint64_t kCapacity = kMiB + 32 * kKiB;  // not a multiple of the area
constexpr std::uint64_t kArea = 128 * kKiB;
constexpr std::uint64_t kGranule = 64 * kKiB;

GeneratedWorkload areas(const Values& values) {
  GeneratorContext context{.space = {.capacity = 8 * kZone, .sector_size = 4096}, .seed = 3, .endless = false};
  context.space.zones = {.bytes = kZone,
                         .capacity = kCapacity,
                         .max_open = 4,
                         .max_active = 4,
                         .random_area = kArea,
                         .random_granule = kGranule};
  return make_generator(*find_generator("zones"), values, context);
}

struct Zone {
  bool open = false;
  std::uint64_t pointer = 0;
  std::uint64_t end = 0;
};

// Zones of 1,056 KiB: the third request of 128 KiB passes a quarter, 264 KiB; with share 0 one request suffices.
TEST(GeneratedZones, AreFinishedAtTheShareThatIsAskedFor) {
  for (const auto& [share, writes] : {std::pair{0.25, 3}, {0.0, 1}, {1.0, 9}}) {
    std::uint64_t written = 0;
    std::uint64_t finishes = 0;
    for (const Request& request : requests_of(areas({{"size", bytes(128 * kKiB)},
                                                     {"open", std::int64_t{1}},
                                                     {"zones", std::int64_t{2}},
                                                     {"finish", 1.0},
                                                     {"finish_at", share},
                                                     {"requests", std::int64_t{90}}}))) {
      written += request.kind == RequestKind::ZoneAppend ? 1 : 0;
      if (request.kind != RequestKind::ZoneFinish) continue;
      ++finishes;
      EXPECT_EQ(written, finishes * static_cast<std::uint64_t>(writes)) << share;
    }
    EXPECT_EQ(finishes, share == 1.0 ? 0U : 90U / static_cast<std::uint64_t>(writes) - 1) << share;
  }
}

TEST(GeneratedZones, WriteInRandomWriteAreasAsTheseAllow) {
  std::map<std::uint64_t, Zone> zones;
  std::uint64_t again = 0;
  std::uint64_t commits = 0;
  std::uint64_t filled = 0;
  for (const Request& request : requests_of(areas({{"size", bytes(32 * kKiB)},
                                                   {"open", std::int64_t{3}},
                                                   {"random_area", 1.0},
                                                   {"overwrite", 0.4},
                                                   {"finish", 0.2},
                                                   {"requests", std::int64_t{5000}}}))) {
    Zone& zone = zones[request.offset / kZone];
    const std::uint64_t at = request.offset % kZone;
    switch (request.kind) {
      case RequestKind::ZoneOpen:
        ASSERT_TRUE(request.random_write_area && zone.pointer == 0 && !zone.open);
        zone.open = true;
        break;
      case RequestKind::Write: {
        ASSERT_TRUE(zone.open);
        ASSERT_GE(at, zone.pointer);
        ASSERT_LE(at + request.length, std::min(zone.pointer + 2 * kArea, kCapacity));
        ASSERT_LE(at, zone.end);  // the zone has no holes
        again += at < zone.end ? 1 : 0;
        zone.end = std::max(zone.end, at + request.length);
        while (zone.end > zone.pointer + kArea) zone.pointer = std::min(zone.pointer + kGranule, kCapacity);
        break;
      }
      case RequestKind::ZoneCommit:
        ASSERT_TRUE(zone.open && at >= zone.pointer && at + 4096 <= zone.pointer + kArea);
        zone.pointer = at + 4096;
        ASSERT_TRUE(zone.pointer % kGranule == 0 || zone.pointer == kCapacity);
        ++commits;
        break;
      default:
        ASSERT_TRUE(request.kind == RequestKind::ZoneFinish || request.kind == RequestKind::ZoneReset);
        ASSERT_TRUE(request.kind == RequestKind::ZoneReset || zone.end >= kCapacity / 2);
        zone = {};
    }
    if (zone.pointer == kCapacity) {
      zone.open = false;
      ++filled;
    }
  }
  EXPECT_NEAR(static_cast<double>(again) / 5000, 0.4, 0.05);
  EXPECT_GT(commits, 50U);
  EXPECT_GT(filled, 30U);
}

TEST(GeneratedZones, DoNotAskForAreasThatAreNotThere) {
  EXPECT_THROW(generate("zones", {{"random_area", 0.5}, {"requests", std::int64_t{10}}}), GeneratorError);
  EXPECT_THROW(areas({{"random_area", 0.5}, {"size", bytes(256 * kKiB)}, {"requests", std::int64_t{10}}}),
               GeneratorError);
}

}  // namespace
}  // namespace flashloom::generated_zones_test
