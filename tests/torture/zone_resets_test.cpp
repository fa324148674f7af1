// Power cuts after the reset of a zone whose old data are still on flash.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/zone_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::zone_resets_test {
namespace {

constexpr std::uint64_t kUnit = 4096;

// A zone has two erase units of 16 units on each of two dies.
DeviceConfig device(const char* finish) {
  return small_preset(
      "tiny",
      {"nand.blocks=32", "nand.pages=16", "host_interface.sector_size=4 KiB", "buffer.replacement=fifo",
       "ftl.over_provisioning=1.0", "verify=true",
       std::string(R"(ftl.kind={ name = "zoned", dies = 2, zone_capacity = "256 KiB", reset = "later", finish = ")") +
           finish + "\" }"});
}

// The padding of the finish lies in erase units that the flush after the reset does not erase.
TEST(ZoneResets, OfAFinishedZoneLeaveItEmpty) {
  for (const char* const finish : {"pad", "leave"})
    for (const std::uint64_t units : {1, 33, 40}) {
      InstantDevice drive(device(finish));
      EXPECT_EQ(drive.run({.length = units * kUnit, .kind = RequestKind::ZoneAppend}), IoStatus::Ok);
      EXPECT_EQ(drive.run({.kind = RequestKind::ZoneFinish}), IoStatus::Ok);
      EXPECT_EQ(drive.run({.kind = RequestKind::ZoneReset}), IoStatus::Ok);
      EXPECT_EQ(drive.run({.kind = RequestKind::Flush}), IoStatus::Ok);
      drive.restart();
      const ZoneTable::Zone& zone = drive.firmware->zones()->table()[0];
      EXPECT_EQ(zone.state, ZoneState::Empty) << finish << ' ' << units;
      EXPECT_EQ(zone.written, 0U) << finish << ' ' << units;
      EXPECT_EQ(drive.run({.length = kUnit, .kind = RequestKind::ZoneAppend}), IoStatus::Ok) << finish << ' ' << units;
      EXPECT_EQ(drive.audit(), 0U);
    }
}

}  // namespace
}  // namespace flashloom::zone_resets_test
