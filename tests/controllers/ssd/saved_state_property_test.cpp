// A device loaded from a saved state goes on as the saved one, whatever its history and the requests that follow.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "policies/memory_archive.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::saved_state_property_test {
namespace {

MixOptions any_mix(const InstantDevice& device) {
  MixOptions mix;
  mix.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = device.config.ftl.mapping_unit;
  mix.requests = *rc::gen::inRange(1, 600);
  mix.max_units = *rc::gen::inRange(1, 24);
  mix.whole_units = *rc::gen::arbitrary<bool>();
  mix.streams = 4;
  return mix;
}

RC_GTEST_PROP(SavedState, GoesOnAsTheDeviceThatWasSaved, ()) {
  InstantDevice device(any_device());
  for (const Request& request : random_mix(any_mix(device))) device.run(request);
  if (*rc::gen::arbitrary<bool>()) device.restart();
  for (const Request& request : random_mix(any_mix(device))) device.run(request);

  device.come_to_rest();
  const std::string bytes = saved(device);
  InstantDevice again(device.config);
  RC_ASSERT(load_state(again, bytes));
  const bool alike = saved(again) == bytes;  // RC_ASSERT of the strings would print them
  RC_ASSERT(alike);
  again.firmware->ftl().check();
  RC_ASSERT(again.media.digest() == device.media.digest());

  const bool cut = *rc::gen::arbitrary<bool>();
  for (const Request& request : random_mix(any_mix(device))) {
    device.run(request);
    again.run(request);
  }
  if (cut) {
    device.restart();
    again.restart();
  }
  device.come_to_rest();
  again.come_to_rest();
  RC_ASSERT(again.media.digest() == device.media.digest());
  const bool still_alike = saved(again) == saved(device);
  RC_ASSERT(still_alike);
  RC_ASSERT(again.audit() == 0U);
  RC_ASSERT(again.oracle->reads_checked() == (device.audit(), device.oracle->reads_checked()));
}

// A programmed page keeps its buffer space while later programs of its word line may still hurt it.
TEST(SavedStateOfWordLines, HoldsWhatLaterProgramsMayHurt) {
  for (const char* kind : {"page_map", "dftl", "log_block", "block_map"}) {
    DeviceConfig config;
    config.verify = true;
    config.nand.channels = 2;
    config.nand.blocks = 32;
    config.nand.pages = 12;
    config.nand.program_time.resize(3, config.nand.program_time.front());
    config.nand.paired_pages = true;
    config.ftl.kind.name = kind;
    config.ftl.over_provisioning = 1.5;
    config.buffer.size = 0;  // the least that works
    std::uint32_t exposed = 0;
    for (std::uint32_t saved_after = 1; saved_after <= 60; ++saved_after) {
      InstantDevice device(config);
      const std::uint64_t unit = config.ftl.mapping_unit;
      const std::uint64_t units = device.firmware->capacity_bytes() / unit;
      const auto write = [&](InstantDevice& into, std::uint32_t number) {
        into.write(number * 7 % units * unit, unit);
      };
      for (std::uint32_t number = 0; number < saved_after; ++number) write(device, number);
      if (device.firmware->buffer().destaging_units() != 0) ++exposed;
      InstantDevice again(config);
      ASSERT_TRUE(device.runtime.quiescent()) << kind << saved_after;
      ASSERT_TRUE(load_state(again, saved(device)));
      for (std::uint32_t number = saved_after; number < saved_after + 1200; ++number) {
        write(device, number);
        write(again, number);
        ASSERT_EQ(again.firmware->buffer().dirty_units(), device.firmware->buffer().dirty_units())
            << kind << ", saved after " << saved_after << ", write " << number;
      }
      ASSERT_TRUE(device.runtime.quiescent()) << kind << " device " << saved_after;
      ASSERT_TRUE(again.runtime.quiescent()) << kind << " again " << saved_after;
      EXPECT_TRUE(saved(again) == saved(device)) << kind << ", saved after " << saved_after;
      EXPECT_EQ(again.audit(), 0U);
    }
    EXPECT_GT(exposed, 0U) << kind;
  }
}

}  // namespace
}  // namespace flashloom::saved_state_property_test
