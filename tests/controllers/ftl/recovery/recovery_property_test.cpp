// The whole firmware on the instant clock under random requests and restarts: no data that were acknowledged as durable
// are lost, a recount confirms the tables, and the media check that every flash command is legal.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::recovery_property_test {
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

// A partly written unit that waits for its program unit to fill can be read and rewritten at once.
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
  config.buffer.size = 0;  // the buffer holds one program unit, 48 units, and as many are in flight
  InstantDevice device(config);
  for (std::uint64_t unit = 0; unit < 144; ++unit) device.write(unit * 4096, 4096);
  device.write(5 * 4096, 512);  // the first sector of unit 5
  // evicts unit 5: it waits in the FTL
  for (std::uint64_t unit = 200; unit < 248; ++unit) device.write(unit * 4096, 4096);
  EXPECT_EQ(device.run({.offset = 5 * 4096 + 2048, .length = 512, .kind = RequestKind::Read}), IoStatus::Ok);
  device.write(5 * 4096 + 1024, 512);
  EXPECT_EQ(device.audit(), 0U);
  device.run({.kind = RequestKind::Flush});
  device.restart();
  EXPECT_EQ(device.audit(), 0U);
}

// The same holds for a unit that pads an evicted block and waits in the same way.
TEST(PaddedUnit, WaitsForNobodyWhileItsProgramUnitFills) {
  DeviceConfig config;
  config.verify = true;
  config.nand.channels = 1;
  config.nand.ways = 1;
  config.nand.blocks = 32;
  config.nand.pages = 12;
  config.nand.pages_per_program = 3;
  config.nand.page_size = 4 * config.ftl.mapping_unit;
  config.ftl.over_provisioning =
      1.5;  // 614 units: the last of the blocks of 48 has 38, three program units and two more
  config.buffer.evict = "blocks";
  config.buffer.write_buffer = {"bplru", {}};
  config.buffer.size = 24 * std::uint64_t{config.ftl.mapping_unit};
  InstantDevice device(config);
  const std::uint64_t unit = config.ftl.mapping_unit;
  const std::uint64_t last = device.firmware->capacity_bytes() / unit - 1;
  device.write(last / 48 * 48 * unit, unit);
  for (std::uint64_t at = 5; device.firmware->buffer().statistics().padding_units == 0; at += 48)
    device.write(at * unit, unit);
  ASSERT_EQ(device.firmware->buffer().statistics().padding_units, last % 48);  // that block was evicted, and no other
  EXPECT_EQ(device.run({.offset = last * unit, .length = unit, .kind = RequestKind::Read}), IoStatus::Ok);
  device.write(last * unit + 512, 512);
  EXPECT_EQ(device.audit(), 0U);
}

// GC's copies and host data share blocks, and translation pages need a block, too. An erase waits for copies behind a
// program unit of host data, so that program unit must not wait for the erase.
TEST(SharedBlocks, WaitForNoProgramUnitThatFills) {
  DeviceConfig config;
  config.verify = true;
  config.nand.channels = 1;
  config.nand.ways = 1;
  config.nand.planes = 2;
  config.nand.blocks = 24;
  config.nand.pages = 12;
  config.nand.pages_per_program = 3;
  config.nand.in_order_program = false;
  config.ftl.mapping_unit = 8192;
  config.nand.page_size = 2 * config.ftl.mapping_unit;
  config.ftl.kind = {"dftl", ParameterValues({{"cmt_size", std::int64_t{400}}})};
  config.ftl.streams = {"single", {}};
  config.ftl.over_provisioning = 0.9;
  config.ftl.gc_low = 1;
  config.ftl.gc_high = 2;
  config.buffer.size = 0;
  InstantDevice device(config);
  MixOptions mix;
  mix.seed = 1;
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = config.ftl.mapping_unit;
  mix.requests = 400;
  mix.max_units = 2;
  mix.whole_units = false;
  mix.streams = 4;
  for (; mix.seed <= 20; ++mix.seed) {
    for (const Request& request : random_mix(mix)) ASSERT_EQ(device.run(request), IoStatus::Ok) << "seed " << mix.seed;
    device.restart();
  }
  EXPECT_EQ(device.audit(), 0U);
}

}  // namespace
}  // namespace flashloom::recovery_property_test
