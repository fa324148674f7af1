// The whole firmware on the instant clock under random requests with restarts between them: nothing that was
// acknowledged as durable is lost, the tables recount, and what the flash was asked to do was legal (the media check
// every command).
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "controllers/ssd/instant_device.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom {
namespace {

RC_GTEST_PROP(FirmwareProperty, KeepsWhatWasAcknowledgedOverRestarts, ()) {
  InstantDevice device(any_device());
  MixOptions mix;
  mix.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = device.config.ftl.mapping_unit;
  mix.requests = 400;
  mix.max_units = *rc::gen::inRange(1, 24);
  mix.whole_units = *rc::gen::arbitrary<bool>();
  mix.streams = 4;
  const int restarts = *rc::gen::inRange(0, 4);
  for (int life = 0; life <= restarts; ++life) {
    if (life != 0) device.restart();
    for (const Request& request : random_mix(mix)) RC_ASSERT(device.run(request) == IoStatus::Ok);
    ++mix.seed;
    device.firmware->ftl().check();
  }
  const std::uint64_t mismatches = device.audit();
  RC_LOG() << device.oracle->first_mismatch();
  RC_ASSERT(mismatches == 0U);
}

// A part of a unit that waits for its program unit to fill can be read, and written again, at once.
TEST(PartlyWrittenUnit, WaitsForNobodyWhileItsProgramUnitFills) {
  DeviceConfig config;
  config.verify = true;
  config.nand.channels = 1;
  config.nand.ways = 1;
  config.nand.planes = 4;
  config.nand.multi_plane_program = true;
  config.nand.pages_per_program = 3;
  config.nand.page_size = 16384;
  config.nand.blocks = 16;
  config.nand.pages = 12;
  config.ftl.over_provisioning = 1.0;
  config.buffer.size = 0;  // one program unit, 48 units, in the buffer; as many on their way
  InstantDevice device(config);
  for (std::uint64_t unit = 0; unit < 144; ++unit) device.write(unit * 4096, 4096);
  device.write(5 * 4096, 512);                                                         // unit 5, its first sector
  for (std::uint64_t unit = 200; unit < 248; ++unit) device.write(unit * 4096, 4096);  // evicts it: it waits in the FTL
  EXPECT_EQ(device.run({.offset = 5 * 4096 + 2048, .length = 512, .kind = RequestKind::Read}), IoStatus::Ok);
  device.write(5 * 4096 + 1024, 512);
  EXPECT_EQ(device.audit(), 0U);
  device.run({.kind = RequestKind::Flush});
  device.restart();
  EXPECT_EQ(device.audit(), 0U);
}

}  // namespace
}  // namespace flashloom
