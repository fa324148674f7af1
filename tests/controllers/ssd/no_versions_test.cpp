// A drive whose power is never cut keeps no versions of its data, which changes nothing that it does.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/memory_archive.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::no_versions_test {
namespace {

DeviceConfig fitting_device() {
  DeviceConfig config = any_device();
  if (RecoveryMethods::needs_versions(config.ftl.kind.name)) {
    config.ftl.kind = {"page_map", {}};
    config.hmb.size = 0;
  }
  return config;
}

void carry_out(InstantDevice& device, std::uint64_t seed, std::uint32_t requests) {
  MixOptions mix;
  mix.seed = seed;
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = device.config.ftl.mapping_unit;
  mix.requests = requests;
  mix.max_units = 24;
  mix.streams = 4;
  for (const Request& request : random_mix(mix)) device.run(request);
  device.come_to_rest();
}

std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(1, 1'000'000); }

RC_GTEST_PROP(NoVersions, ChangeNothingThatADriveDoes, ()) {
  InstantDevice device(fitting_device(), false);
  InstantDevice full(device.config);
  RC_ASSERT(!full.media.low_bits_only());
  RC_CLASSIFY(device.media.low_bits_only());
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t seed = any_seed();
    const auto requests = *rc::gen::inRange<std::uint32_t>(1, 2500);
    carry_out(device, seed, requests);
    carry_out(full, seed, requests);
    RC_ASSERT(device.flash.counters() == full.flash.counters());
    RC_ASSERT(device.firmware->ftl().statistics().units_written == full.firmware->ftl().statistics().units_written);
    RC_ASSERT(device.audit() == full.audit());
  }
  // A drive loaded from its state goes on as it does.
  const std::string bytes = saved(device);
  InstantDevice again(device.config, false);
  RC_ASSERT(load_state(again, bytes));
  const bool alike = saved(again) == bytes;
  RC_ASSERT(alike);
}

// A state says whether it has versions; a drive that needs none loads any state and saves it without them.
RC_GTEST_PROP(NoVersions, AreMissedByADriveWhosePowerIsCut, ()) {
  InstantDevice device(fitting_device(), false);
  carry_out(device, any_seed(), 500);
  InstantDevice cut(device.config);
  RC_ASSERT(load_state(cut, saved(device)));
  RC_ASSERT(cut.media.high_bits_missing() == device.media.low_bits_only());

  InstantDevice full(device.config);
  carry_out(full, any_seed(), 500);
  InstantDevice without(device.config, false);
  RC_ASSERT(load_state(without, saved(full)));
  RC_ASSERT(!without.media.high_bits_missing());
  const std::uint64_t seed = any_seed();
  carry_out(without, seed, 500);
  carry_out(full, seed, 500);
  RC_ASSERT(without.audit() == full.audit());
  InstantDevice late(device.config);
  RC_ASSERT(load_state(late, saved(without)));
  RC_ASSERT(late.media.high_bits_missing() == without.media.low_bits_only());
}

}  // namespace
}  // namespace flashloom::no_versions_test
