// Random write areas through firmware and FTL: when data are programmed, what a flush preserves, and where the write
// pointer is after a power cut.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/common/config_problem.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/zone_requests.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::random_areas_test {
namespace {

constexpr std::uint64_t kUnit = 4096;

// Program units of 4 mapping units; areas of 8 units, committed four at a time.
DeviceConfig device(const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = {
      "nand.page_size=16 KiB",
      "nand.pages=8",
      "nand.blocks=32",
      "host_interface.sector_size=4 KiB",
      "buffer.replacement=fifo",
      "ftl.over_provisioning=1.0",
      "verify=true",
      R"(ftl.kind={ name = "zoned", dies = 2, random_write_area = "32 KiB", max_random_write_areas = 2 })"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return small_preset("tiny", all);
}

class Drive {
 public:
  explicit Drive(const DeviceConfig& config) : device(config) {}

  IoStatus open(std::uint32_t zone) {
    Request request{.offset = start(zone), .kind = RequestKind::ZoneOpen};
    request.random_write_area = true;
    return device.run(request);
  }
  IoStatus write(std::uint32_t zone, std::uint64_t at, std::uint64_t units) {
    return device.run({.offset = start(zone) + at * kUnit, .length = units * kUnit, .kind = RequestKind::Write});
  }
  IoStatus command(RequestKind kind, std::uint32_t zone, std::uint64_t at = 0) {
    return device.run({.offset = start(zone) + at * kUnit, .kind = kind});
  }
  IoStatus flush() { return device.run({.kind = RequestKind::Flush}); }

  const Zones& zones() const { return *device.firmware->zones(); }
  const ZoneTable::Zone& zone(std::uint32_t number) const { return zones().table()[number]; }
  std::uint64_t programs() const {
    std::uint64_t pages = 0;
    for (std::size_t origin = 0; origin < kOrigins; ++origin)
      pages += device.flash.counters().at(FlashOperation::Program, static_cast<Origin>(origin)).pages;
    return pages;
  }

  InstantDevice device;

 private:
  std::uint64_t start(std::uint32_t zone) const { return zones().table().start_of(zone) * kUnit; }
};

TEST(RandomAreas, AreProgrammedWhenTheyAreCommittedAndOnce) {
  Drive drive(device());
  ASSERT_EQ(drive.open(0), IoStatus::Ok);
  EXPECT_EQ(drive.write(0, 6, 2), IoStatus::Ok);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(drive.write(0, 0, 4), IoStatus::Ok);
  EXPECT_EQ(drive.programs(), 0U);
  EXPECT_EQ(drive.command(RequestKind::ZoneCommit, 0, 3), IoStatus::Ok);
  EXPECT_EQ(drive.programs(), 1U);
  EXPECT_EQ(drive.zone(0).written, 4U);
  EXPECT_EQ(drive.write(0, 12, 1), IoStatus::Ok);  // 9th after the pointer: commits 4 to 7, 4 and 5 as zeroes
  EXPECT_EQ(drive.programs(), 2U);
  EXPECT_EQ(drive.zone(0).written, 8U);
  EXPECT_EQ(drive.zones().costs().holes, 2U);
  EXPECT_EQ(drive.zones().table().statistics().overwritten_blocks, 49U * 4);
  EXPECT_EQ(drive.device.audit(), 0U);
}

TEST(RandomAreas, OfFewerZonesThanActiveOnes) {
  Drive drive(device());
  EXPECT_EQ(drive.open(0), IoStatus::Ok);
  EXPECT_EQ(drive.open(1), IoStatus::Ok);
  EXPECT_EQ(drive.open(2), IoStatus::NoRandomWriteArea);
  EXPECT_EQ(drive.command(RequestKind::ZoneFinish, 0), IoStatus::Ok);
  EXPECT_EQ(drive.open(2), IoStatus::Ok);
  EXPECT_EQ(drive.command(RequestKind::ZoneAppend, 2), IoStatus::Ok);  // an append of length zero
  EXPECT_EQ(drive.device.run({.offset = 2 * drive.zones().table().shape().zone_size * kUnit,
                              .length = kUnit,
                              .kind = RequestKind::ZoneAppend}),
            IoStatus::InvalidZoneOperation);
}

TEST(RandomAreas, KeepOverAPowerCutWhatAFlushHasConfirmed) {
  Drive drive(device());
  ASSERT_EQ(drive.open(0), IoStatus::Ok);
  EXPECT_EQ(drive.write(0, 0, 4), IoStatus::Ok);
  EXPECT_EQ(drive.write(0, 6, 1), IoStatus::Ok);
  EXPECT_EQ(drive.flush(), IoStatus::Ok);
  EXPECT_EQ(drive.programs(), 2U);                // five units, three of them in a padded program unit
  EXPECT_EQ(drive.write(0, 6, 1), IoStatus::Ok);  // a newer version
  EXPECT_EQ(drive.flush(), IoStatus::Ok);
  EXPECT_EQ(drive.write(0, 7, 1), IoStatus::Ok);  // not confirmed
  drive.device.restart();
  EXPECT_EQ(drive.device.audit(), 0U);
  EXPECT_EQ(drive.zone(0).written, 7U);
  EXPECT_EQ(drive.zone(0).state, ZoneState::Closed);
  EXPECT_FALSE(drive.zone(0).random_area);
  EXPECT_EQ(drive.zones().table().random_areas(), 0U);
  // The zone continues like any other.
  EXPECT_EQ(drive.write(0, 7, 5), IoStatus::Ok);
  EXPECT_EQ(drive.flush(), IoStatus::Ok);
  drive.device.restart();
  EXPECT_EQ(drive.device.audit(), 0U);
  EXPECT_EQ(drive.zone(0).written, 12U);
}

TEST(RandomAreas, KeepTheWritePointerOfACommitOfNothing) {
  Drive drive(device());
  ASSERT_EQ(drive.open(0), IoStatus::Ok);
  EXPECT_EQ(drive.command(RequestKind::ZoneCommit, 0, 7), IoStatus::Ok);
  EXPECT_EQ(drive.flush(), IoStatus::Ok);
  drive.device.restart();
  EXPECT_EQ(drive.zone(0).written, 8U);
  EXPECT_EQ(drive.device.audit(), 0U);
}

TEST(RandomAreas, DoNotBringBackWhatWasReset) {
  for (const char* when : {"now", "later"}) {
    Drive drive(device({std::string(R"(ftl.kind={ name = "zoned", dies = 2, random_write_area = "32 KiB", reset = ")") +
                        when + "\" }"}));
    ASSERT_EQ(drive.open(0), IoStatus::Ok);
    EXPECT_EQ(drive.write(0, 0, 8), IoStatus::Ok);
    EXPECT_EQ(drive.flush(), IoStatus::Ok);
    EXPECT_EQ(drive.command(RequestKind::ZoneReset, 0), IoStatus::Ok);
    EXPECT_EQ(drive.open(0), IoStatus::Ok);
    EXPECT_EQ(drive.write(0, 2, 1), IoStatus::Ok);
    EXPECT_EQ(drive.flush(), IoStatus::Ok);
    drive.device.restart();
    EXPECT_EQ(drive.zone(0).written, 3U) << when;
    EXPECT_EQ(drive.device.audit(), 0U) << when;
  }
}

TEST(RandomAreas, AreFinishedWithWhatTheyHold) {
  Drive drive(device());
  ASSERT_EQ(drive.open(0), IoStatus::Ok);
  EXPECT_EQ(drive.write(0, 5, 1), IoStatus::Ok);
  EXPECT_EQ(drive.command(RequestKind::ZoneFinish, 0), IoStatus::Ok);
  EXPECT_EQ(drive.zones().costs().holes, 5U);
  drive.device.restart();
  EXPECT_EQ(drive.zone(0).state, ZoneState::Full);
  EXPECT_EQ(drive.device.audit(), 0U);
}

// Random commands and restarts, with a flush before each restart, against a record of the last writes.
TEST(RandomAreas, HoldWhatWasWrittenLast) {
  std::uint64_t areas = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Drive drive(
        device({"ftl.kind={ name = \"zoned\", dies = 2, random_write_area = \"48 KiB\", max_open = 3, "
                "max_active = 4, reset = \"" +
                std::string(seed % 2 == 0 ? "now" : "later") + "\" }"}));
    Random random(seed);
    SafePointers pointers;
    for (int i = 0; i < 400; ++i) {
      const Request request = random_zone_request(random, drive.zones());
      drive.device.run(request);
      pointers.after(drive.zones(), request.kind == RequestKind::Flush);
      areas += request.random_write_area ? 1 : 0;
      if (i % 40 != 39) continue;
      if (random.chance(0.5)) drive.flush(), pointers.after(drive.zones(), true);
      drive.device.restart();
      ASSERT_EQ(drive.device.audit(), 0U) << "seed " << seed << ": " << drive.device.oracle->first_mismatch();
      ASSERT_EQ(pointers.check(drive.zones()), "") << "seed " << seed;
      pointers.after(drive.zones(), true);
    }
    ASSERT_EQ(drive.device.audit(), 0U) << "seed " << seed;
  }
  EXPECT_GT(areas, 100U);
}

TEST(RandomAreas, AreRefusedWhereTheyCannotBe) {
  const auto refused = [](const std::string& parameters) {
    try {
      device({"ftl.kind={ name = \"zoned\", dies = 2, " + parameters + " }"});
    } catch (const std::exception& problem) {
      return std::string(problem.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refused(R"(random_write_area = "20 KiB")").find("no multiple of ftl.kind.random_write_granularity, 16 KiB"),
            std::string::npos);
  EXPECT_NE(refused(R"(random_write_area = "32 KiB", random_write_granularity = "4 KiB")").find("4 x 4 KiB"),
            std::string::npos);
  EXPECT_NE(refused(R"(random_write_granularity = "16 KiB")").find("of which there are none"), std::string::npos);
  EXPECT_NE(refused("max_random_write_areas = 1").find("of which there are none"), std::string::npos);
  EXPECT_NE(refused(R"(random_write_area = "32 KiB", max_random_write_areas = 15)").find("ftl.kind.max_active, 14"),
            std::string::npos);
  EXPECT_NE(refused(R"(random_write_area = "1 GiB")").find("more than a zone holds"), std::string::npos);
}

}  // namespace
}  // namespace flashloom::random_areas_test
