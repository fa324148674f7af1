// Whole units that go to the FTL many at a time leave the drive that one command after the other leaves, whatever the
// device and the requests in between.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike_drives.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"
#include "workloads/random.hpp"

namespace flashloom::firmware_whole_test {
namespace {

// A random device that is likely to take whole units.
DeviceConfig any_fitting_device() {
  DeviceConfig config = any_device();
  config.verify = false;
  config.ftl.kind = {"page_map", {}};
  config.ftl.recovery = {*rc::gen::element(std::string("oob_scan"), std::string("oob_scan"), std::string("journal")),
                         {}};
  config.ftl.gc_unit = "block";
  config.ftl.superblock_dies = 0;
  config.ftl.rain = 0;
  config.ftl.over_provisioning = *rc::gen::element(0.9, 0.6);
  config.ftl.streams = {*rc::gen::element(std::string("single"), std::string("single"), std::string("origin")), {}};
  config.ftl.garbage_collection = any_part("garbage_collection");
  config.ftl.wear_leveling = any_part("wear_leveling");
  config.nand.paired_pages = *rc::gen::element(false, false, true) && config.nand.paired_pages;
  config.nand.program_passes = 1;
  config.nand.copyback = config.nand.planes == 1 && *rc::gen::element(false, false, false, true);
  config.hmb.size = 0;
  config.buffer.mode = "write_back";
  config.buffer.location = "dram";
  config.buffer.correlation = {"none", {}};
  config.buffer.high_watermark = config.buffer.low_watermark = 1;
  config.buffer.coalesce = false;
  config.buffer.split = 1;
  return config;
}

// The whole drive in order, then overwrites at random places, some of them of other kinds.
std::vector<Request> overwrites(const InstantDevice& device) {
  const std::uint64_t unit = device.config.ftl.mapping_unit;
  const std::uint64_t units = device.firmware->capacity_bytes() / unit;
  Random random(*rc::gen::inRange<std::uint64_t>(1, 1'000'000));
  const std::uint64_t most = *rc::gen::element(1, 1, 5);        // units of a request
  const std::uint64_t others = *rc::gen::element(0, 0, 1, 50);  // of a thousand
  std::vector<Request> requests;
  for (std::uint64_t at = 0; at < units; ++at)
    requests.push_back({.offset = at * unit, .length = unit, .kind = RequestKind::Write});
  for (std::uint64_t written = 0; written < 4 * units;) {
    const std::uint64_t count = 1 + random.below(most);
    Request request{.offset = random.below(units - count) * unit, .length = count * unit, .kind = RequestKind::Write};
    written += count;
    if (random.below(1000) < others) {
      const std::uint64_t kind = random.below(6);
      if (kind == 0) request.kind = RequestKind::Trim;
      if (kind == 1) request.kind = RequestKind::Read;
      if (kind == 2) request.fua = true;
      if (kind == 3) request.length -= 512;
      if (kind == 4) request.stream = 1;
      if (kind == 5) request = {.kind = RequestKind::Flush};
    }
    requests.push_back(request);
  }
  return requests;
}

RC_GTEST_PROP(FirmwareWhole, UnitsAreWrittenAsByCommands, ()) {
  InstantDevice device(any_fitting_device());
  InstantDevice commands(device.config);
  const std::vector<Request> requests = overwrites(device);
  ListSource source(requests);
  device.host().run(source);
  for (const Request& request : requests) commands.run(request);
  expect_alike(device, commands);
  device.firmware->ftl().check();
}

TEST(FirmwareWhole, TakesThoseOfAPlainDrive) {
  DeviceConfig config;
  config.nand.channels = 1;
  config.nand.ways = 2;
  config.nand.blocks = 32;
  config.nand.pages = 16;
  config.ftl.over_provisioning = 0.5;
  config.buffer.size = 1 << 20;
  InstantDevice device(config);
  Firmware& firmware = *device.firmware;
  const std::uint64_t unit = config.ftl.mapping_unit;
  int before = 0;
  while (!firmware.take_whole(3 * unit, 2 * unit)) ASSERT_LT(++before, 1000);
  EXPECT_TRUE(firmware.taking_whole());
  EXPECT_TRUE(firmware.take_whole(4 * unit, 2 * unit));
  EXPECT_FALSE(firmware.take_whole(3 * unit + 512, 2 * unit));
  EXPECT_FALSE(firmware.take_whole(firmware.capacity_bytes(), unit));
  EXPECT_EQ(firmware.buffer().dirty_units(), 3U);
}

}  // namespace
}  // namespace flashloom::firmware_whole_test
