// A device that was saved and loaded goes on as the one that was saved: whatever history it has, whatever comes.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "controllers/ssd/instant_device.hpp"
#include "policies/memory_archive.hpp"
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

  const std::string bytes = saved(device);
  InstantDevice again(device.config);
  RC_ASSERT(load_state(again, bytes));
  const bool alike = saved(again) == bytes;  // not RC_ASSERT of the strings: it would print them
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
  RC_ASSERT(again.media.digest() == device.media.digest());
  const bool still_alike = saved(again) == saved(device);
  RC_ASSERT(still_alike);
  RC_ASSERT(again.audit() == 0U);
  RC_ASSERT(again.oracle->reads_checked() == (device.audit(), device.oracle->reads_checked()));
}

}  // namespace
}  // namespace flashloom::saved_state_property_test
