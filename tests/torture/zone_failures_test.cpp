// Failing programs in zones: the data continue in another erase unit; when too few units are left, the device makes
// zones read-only or offline, and they stay so across power cuts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::zone_failures_test {
namespace {

constexpr std::uint64_t kUnit = 4096;

// A zone has one erase unit of 16 units on each of four dies; each die has 12 erase units.
DeviceConfig device(const std::vector<std::string>& overrides, const char* parameters = "max_open = 14") {
  std::vector<std::string> all = {"nand.blocks=12",
                                  "nand.pages=16",
                                  "host_interface.sector_size=4 KiB",
                                  "buffer.replacement=fifo",
                                  "ftl.logical_size=2 MiB",
                                  "verify=true",
                                  std::string("ftl.kind={ name = \"zoned\", ") + parameters + " }"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return small_preset("tiny", all);
}

struct Drive {
  explicit Drive(const DeviceConfig& config) : device(config) {}

  IoStatus append(std::uint32_t zone, std::uint64_t units) {
    return device.run({.offset = start(zone), .length = units * kUnit, .kind = RequestKind::ZoneAppend});
  }
  IoStatus command(RequestKind kind, std::uint32_t zone) { return device.run({.offset = start(zone), .kind = kind}); }
  IoStatus read(std::uint32_t zone, std::uint64_t units) {
    return device.run({.offset = start(zone), .length = units * kUnit, .kind = RequestKind::Read});
  }
  IoStatus flush() { return device.run({.kind = RequestKind::Flush}); }
  const Zones& zones() const { return *device.firmware->zones(); }
  const ZoneTable& table() const { return zones().table(); }
  std::uint64_t start(std::uint32_t zone) const { return table().start_of(zone) * kUnit; }

  InstantDevice device;
};

// Units go to the four dies in turn: the tenth program is the third one of the second die.
TEST(ZoneFailures, GoOnInAnotherEraseUnit) {
  Drive drive(device({"nand.failed_program=10"}));
  EXPECT_EQ(drive.append(0, 9), IoStatus::Ok);
  EXPECT_EQ(drive.flush(), IoStatus::Ok);
  EXPECT_EQ(drive.zones().costs().replaced_blocks, 0U);
  EXPECT_EQ(drive.append(0, 5), IoStatus::Ok);
  EXPECT_EQ(drive.flush(), IoStatus::Ok);
  EXPECT_EQ(drive.zones().costs().replaced_blocks, 1U);
  EXPECT_EQ(drive.device.firmware->ftl().bad_blocks(), 1U);
  EXPECT_EQ(drive.device.media.program_failures(), 1U);
  // Copied: units 1 and 5 of the die, and unit 9, whose program failed.
  EXPECT_EQ(drive.device.flash.counters().at(FlashOperation::Program, Origin::Gc).pages, 3U);
  EXPECT_EQ(drive.device.flash.counters().at(FlashOperation::Program, Origin::Host).pages, 14U);
  EXPECT_EQ(drive.device.audit(), 0U);
  drive.device.restart();
  EXPECT_EQ(drive.table()[0].written, 14U);
  EXPECT_EQ(drive.table()[0].state, ZoneState::Closed);
  EXPECT_EQ(drive.append(0, 50), IoStatus::Ok);
  EXPECT_EQ(drive.table()[0].state, ZoneState::Full);
  EXPECT_EQ(drive.command(RequestKind::ZoneReset, 0), IoStatus::Ok);
  EXPECT_EQ(drive.device.audit(), 0U);
}

// Padding of a finished zone need not be copied.
TEST(ZoneFailures, InThePaddingOfAFinishCopyNothing) {
  Drive drive(device({"nand.failed_program=20"}));
  EXPECT_EQ(drive.append(0, 9), IoStatus::Ok);
  EXPECT_EQ(drive.command(RequestKind::ZoneFinish, 0), IoStatus::Ok);
  EXPECT_EQ(drive.device.media.program_failures(), 1U);
  EXPECT_EQ(drive.zones().costs().replaced_blocks, 0U);
  EXPECT_LT(drive.zones().costs().finish_padding, 55U);
  drive.device.restart();
  EXPECT_EQ(drive.table()[0].state, ZoneState::Full);
  EXPECT_EQ(drive.device.audit(), 0U);
  EXPECT_EQ(drive.command(RequestKind::ZoneReset, 0), IoStatus::Ok);
  EXPECT_EQ(drive.device.firmware->ftl().bad_blocks(), 1U);
}

// A program that is about to fail and is cut may leave anything behind, even a good page: here padding, in an erase
// unit that holds data.
TEST(ZoneFailures, AreNoSpilledUnitsWhenTheyAreCut) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    Drive drive(device({"nand.failed_program=20"}));
    drive.device.media.set_tearing({.mixed = true, .seed = seed});
    EXPECT_EQ(drive.append(0, 9), IoStatus::Ok);
    EXPECT_EQ(drive.flush(), IoStatus::Ok);
    CutFlash::Target target{.count = 11};  // the tenth program was the first with padding
    target.operation = FlashOperation::Program;
    target.origin = Origin::Padding;
    drive.device.cuts.arm(target, seed);
    EXPECT_FALSE(drive.device.try_run({.kind = RequestKind::ZoneFinish}));
    ASSERT_TRUE(drive.device.cuts.cut());
    drive.device.media.power_lost();
    drive.device.cuts.power_on();
    ASSERT_TRUE(drive.device.boot());
    drive.device.oracle->power_cut();
    EXPECT_EQ(drive.table()[0].state, ZoneState::Full) << "seed " << seed;
    EXPECT_EQ(drive.table()[0].written, 9U) << "seed " << seed;
    EXPECT_EQ(drive.device.audit(), 0U) << drive.device.oracle->first_mismatch();
  }
}

// Appends, finishes and resets until the device has moved a zone to the state `until`.
void wear(Drive& drive, Random& random, ZoneState until, int most = 4000) {
  for (int i = 0; i < most && drive.table().count(until) == 0; ++i) {
    const auto zone = static_cast<std::uint32_t>(random.below(drive.table().shape().zones));
    const ZoneTable::Zone& at = drive.table()[zone];
    if (at.state == ZoneState::Full && random.chance(0.2))
      drive.command(RequestKind::ZoneReset, zone);
    else if (at.state != ZoneState::Full)
      drive.append(zone, std::min<std::uint64_t>(1 + random.below(8), drive.table().shape().capacity - at.written));
  }
}

std::uint32_t first_in(const Drive& drive, ZoneState state) {
  for (std::uint32_t zone = 0; zone < drive.table().shape().zones; ++zone)
    if (drive.table()[zone].state == state) return zone;
  return kNoZone;
}

TEST(ZoneFailures, MakeZonesReadOnlyForGood) {
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    DeviceConfig config = device({"nand.program_failure_rate=0.02"});
    config.seed = seed;
    Drive drive(config);
    Random random(seed);
    for (std::uint32_t zone = 0; zone < drive.table().shape().zones; ++zone) drive.append(zone, 1);  // none is empty
    wear(drive, random, ZoneState::ReadOnly);
    const std::uint32_t zone = first_in(drive, ZoneState::ReadOnly);
    if (zone == kNoZone || drive.device.firmware->ftl().out_of_room()) continue;
    ++seen;
    const std::uint32_t written = drive.table()[zone].written;
    const auto refused = [&] {
      EXPECT_EQ(drive.append(zone, 1), IoStatus::ZoneIsReadOnly);
      for (const RequestKind kind :
           {RequestKind::ZoneOpen, RequestKind::ZoneClose, RequestKind::ZoneFinish, RequestKind::ZoneReset})
        EXPECT_EQ(drive.command(kind, zone), IoStatus::InvalidZoneStateTransition);
      EXPECT_EQ(drive.read(zone, written), IoStatus::Ok);
    };
    refused();
    EXPECT_EQ(drive.flush(), IoStatus::Ok);
    EXPECT_EQ(drive.device.audit(), 0U) << drive.device.oracle->first_mismatch();
    drive.device.restart();
    ASSERT_EQ(drive.table()[zone].state, ZoneState::ReadOnly) << "seed " << seed;
    EXPECT_EQ(drive.table()[zone].written, written);
    refused();
    EXPECT_EQ(drive.device.audit(), 0U) << drive.device.oracle->first_mismatch();
    // Other zones can use its erase units.
    EXPECT_EQ(drive.command(RequestKind::ZoneOffline, zone), IoStatus::Ok);
    EXPECT_EQ(drive.read(zone, 1), IoStatus::ZoneIsOffline);
    drive.device.restart();
    EXPECT_EQ(drive.table()[zone].state, ZoneState::Offline);
    EXPECT_EQ(drive.device.audit(), 0U);
  }
  EXPECT_GT(seen, 3);
}

// The zones that the device took offline are the same after each power cut.
TEST(ZoneFailures, KeepZonesOfflineForGood) {
  int seen = 0;
  for (const char* const parameters : {"reset = \"now\"", "reset = \"later\"", "dies = 2, zone_capacity = \"128 KiB\""})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      DeviceConfig config =
          device({seed % 2 == 0 ? "nand.erase_failure_rate=0.1" : "nand.program_failure_rate=0.02"}, parameters);
      config.seed = seed;
      Drive drive(config);
      Random random(seed);
      for (int cut = 0; cut < 8; ++cut) {
        wear(drive, random, ZoneState::Offline, 200);
        for (int i = 0; i < 20; ++i) drive.append(static_cast<std::uint32_t>(random.below(8)), 2);
        std::vector<std::uint32_t> offline;
        for (std::uint32_t zone = 0; zone < drive.table().shape().zones; ++zone)
          if (drive.table()[zone].state == ZoneState::Offline) offline.push_back(zone);
        seen += offline.empty() ? 0 : 1;
        drive.flush();
        drive.device.restart();
        for (const std::uint32_t zone : offline)
          ASSERT_EQ(drive.table()[zone].state, ZoneState::Offline) << parameters << ", seed " << seed;
        ASSERT_EQ(drive.device.audit(), 0U) << drive.device.oracle->first_mismatch();
      }
    }
  EXPECT_GT(seen, 10);
}

// From some time on every program fails: the device accepts no more data, and keeps what a flush has confirmed.
TEST(ZoneFailures, OfEveryProgramEndTheDevice) {
  for (const char* const parameters :
       {"max_open = 14", "random_write_area = \"16 KiB\", max_open = 3, max_active = 3"}) {
    Drive drive(device({"nand.failed_program=1000000000", "nand.blocks=16"}, parameters));
    EXPECT_EQ(drive.append(0, 30), IoStatus::Ok);
    EXPECT_EQ(drive.flush(), IoStatus::Ok);
    for (std::uint32_t die = 0; die < drive.device.geometry.dies; ++die)
      for (std::uint32_t block = 0; block < drive.device.geometry.blocks; ++block)
        for (std::uint32_t page = 0; page < drive.device.geometry.pages; ++page)
          drive.device.media.plant_failure({Die{die}, Block{block}, Page{page}});
    for (int i = 0; i < 3; ++i) drive.append(0, 2);
    EXPECT_NE(drive.flush(), IoStatus::Ok) << parameters;
    EXPECT_EQ(drive.table().count(ZoneState::ReadOnly), drive.table().shape().zones) << parameters;
    EXPECT_EQ(drive.table().open_zones(), 0U);
    EXPECT_EQ(drive.table().active_zones(), 0U);
    EXPECT_EQ(drive.append(1, 1), IoStatus::ZoneIsReadOnly);
    EXPECT_EQ(drive.device.audit(), 0U) << drive.device.oracle->first_mismatch();
    drive.device.restart();
    EXPECT_EQ(drive.table().count(ZoneState::ReadOnly), drive.table().shape().zones) << parameters;
    EXPECT_EQ(drive.table()[0].written, 30U);
    EXPECT_EQ(drive.device.audit(), 0U) << drive.device.oracle->first_mismatch();
  }
}

TEST(ZoneFailures, AreRefusedWhereACapacitorsBufferMayHaveNoPlace) {
  const auto refusal = [](const std::vector<std::string>& overrides) -> std::string {
    try {
      device(overrides);
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_NE(refusal({"power.plp=true", "nand.program_failure_rate=0.01"}).find("nand.program_failure_rate"),
            std::string::npos);
  EXPECT_EQ(refusal({"power.plp=true", "power.plp_flush=flash", "nand.program_failure_rate=0.01"}), "");
}

}  // namespace
}  // namespace flashloom::zone_failures_test
