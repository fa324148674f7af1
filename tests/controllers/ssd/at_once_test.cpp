// Firmware on the instant clock carries out at once what nothing delays. Whatever the device and the requests, it does
// what its coroutines do when they must be able to wait.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike_drives.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::at_once_test {
namespace {

// Arms a power cut that never comes, so that the firmware must be able to wait for the flash.
void let_wait(InstantDevice& device) { device.cuts.arm({.count = ~std::uint64_t{0}}, 1); }

std::vector<Request> any_requests(const InstantDevice& device) {
  MixOptions mix;
  mix.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = device.config.ftl.mapping_unit;
  mix.requests = *rc::gen::inRange(1, 1500);
  mix.max_units = *rc::gen::inRange(1, 24);
  mix.whole_units = *rc::gen::arbitrary<bool>();
  mix.reads = *rc::gen::element(0, 20);
  mix.streams = 4;
  return random_mix(mix);
}

RC_GTEST_PROP(AtOnce, WorkIsThatOfTheCoroutines, ()) {
  InstantDevice device(any_device());
  InstantDevice waiting(device.config);
  let_wait(waiting);
  RC_ASSERT(device.hardware.flash().synchronous());
  RC_ASSERT(!waiting.hardware.flash().synchronous());
  for (const Request& request : any_requests(device)) {
    device.run(request);
    waiting.run(request);
  }
  expect_alike(device, waiting);
  device.firmware->ftl().check();
  RC_ASSERT(device.audit() == 0U);
}

// Without an oracle a host drives the whole source from one coroutine.
RC_GTEST_PROP(AtOnce, ASourceIsItsRequestsOneByOne, ()) {
  DeviceConfig config = any_device();
  config.verify = false;
  InstantDevice device(config);
  InstantDevice waiting(config);
  let_wait(waiting);
  const std::vector<Request> requests = any_requests(device);
  ListSource source(requests);
  InstantHost(device.runtime, *device.firmware, config.host_interface.sector_size, nullptr).run(source);
  for (const Request& request : requests) waiting.run(request);
  expect_alike(device, waiting);
  RC_ASSERT(device.runtime.quiescent() == waiting.runtime.quiescent());
}

}  // namespace
}  // namespace flashloom::at_once_test
