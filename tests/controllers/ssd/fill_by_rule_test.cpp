// A sequential fill told by a rule leaves the drive that unit-by-unit writes leave, whatever the device and the
// requests that follow.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "controllers/host/preconditioner.hpp"
#include "policies/memory_archive.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike_drives.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::fill_by_rule_test {
namespace {

using Fill = Preconditioner::Fill;

// A random device that a rule fits; long blocks are filled by whole turns.
DeviceConfig fitting_device() {
  DeviceConfig config = any_device();
  config.verify = false;
  config.ftl.kind = {"page_map", {}};
  config.ftl.recovery = {"oob_scan", {}};
  config.ftl.rain = 0;
  config.ftl.streams.name = *rc::gen::element(std::string("single"), std::string("origin"));
  config.ftl.streams.parameters = {};
  config.nand.paired_pages = false;
  config.nand.program_passes = 1;
  config.hmb.size = 0;
  config.buffer.mode = "write_back";
  config.buffer.location = "dram";
  config.buffer.evict = "pages";
  config.buffer.replacement = {*rc::gen::element(std::string("lru"), std::string("fifo")), {}};
  config.buffer.correlation = {"none", {}};
  config.ftl.gc_mode = *rc::gen::element(std::string("paced"), std::string("paced"), std::string("blocking"));
  config.nand.pages *= *rc::gen::element(1, 1, 5);
  config.precondition.fill = *rc::gen::element(1.0, 1.0, 0.7);
  config.precondition.request_size = std::uint64_t{config.ftl.mapping_unit} * *rc::gen::inRange(1, 40);
  return config;
}

bool told(InstantDevice& device) {
  const std::uint64_t unit = device.config.ftl.mapping_unit;
  const auto span =
      device.host().fill_span(device.firmware->capacity_bytes() / unit, device.config.precondition.request_size);
  if (span.why != nullptr) RC_LOG() << "no rule: " << span.why << std::endl;
  return span.end != span.begin;
}

PreconditionResult fill(InstantDevice& device, Fill how) {
  InstantHost host = device.host();
  return Preconditioner(device.config.precondition, 1, host, *device.firmware, how).run({});
}

std::vector<Request> any_requests(const InstantDevice& device) {
  MixOptions mix;
  mix.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = device.config.ftl.mapping_unit;
  mix.requests = *rc::gen::inRange(1, 2500);
  mix.max_units = *rc::gen::inRange(1, 24);
  mix.streams = 4;
  return random_mix(mix);
}

void carry_out(InstantDevice& device, const std::vector<Request>& requests) {
  for (const Request& request : requests) device.run(request);
}

RC_GTEST_PROP(FillByRule, IsTheFillThatIsWritten, ()) {
  InstantDevice device(fitting_device());
  InstantDevice written(device.config);
  const bool any = told(device);
  RC_CLASSIFY(any);
  fill(device, Fill::ByRule);
  fill(written, Fill::Written);
  expect_alike(device, written);
  device.firmware->ftl().check();
  const std::vector<Request> requests = any_requests(device);
  carry_out(written, requests);
  carry_out(device, requests);
  if (*rc::gen::arbitrary<bool>()) {
    device.restart();
    written.restart();
    const std::vector<Request> more = any_requests(device);
    carry_out(written, more);
    carry_out(device, more);
  }
  expect_alike(device, written);
  device.firmware->ftl().check();
}

// Cuts power during a program, an erase or a read, which tears the pages and blocks concerned; false if the mount
// fails.
bool cut_and_mount(InstantDevice& device, const std::vector<Request>& requests, std::uint64_t command) {
  device.media.set_tearing({.mixed = true, .seed = command});
  device.cuts.arm({.count = command}, command);
  const bool all = std::ranges::all_of(requests, [&](const Request& request) { return device.try_run(request); });
  RC_ASSERT(all || device.cuts.cut());
  device.media.power_lost();
  device.cuts.power_on();
  return device.boot();
}

RC_GTEST_PROP(FillByRule, OutlivesCuts, ()) {
  InstantDevice device(fitting_device());
  InstantDevice written(device.config);
  fill(device, Fill::ByRule);
  fill(written, Fill::Written);
  for (int cuts = *rc::gen::inRange(1, 4); cuts != 0; --cuts) {
    const std::vector<Request> requests = any_requests(device);
    const auto command = *rc::gen::inRange<std::uint64_t>(1, 2000);
    RC_ASSERT(cut_and_mount(written, requests, command));
    RC_ASSERT(cut_and_mount(device, requests, command));
    RC_ASSERT(device.media.digest() == written.media.digest());
  }
  const std::vector<Request> requests = any_requests(device);
  carry_out(written, requests);
  carry_out(device, requests);
  expect_alike(device, written);
  device.firmware->ftl().check();
}

// Reads of the filled data, a part of which the rule still tells.
RC_GTEST_PROP(FillByRule, IsReadWithoutErrors, ()) {
  InstantDevice device(fitting_device());
  fill(device, Fill::ByRule);
  const std::uint64_t unit = device.config.ftl.mapping_unit;
  for (std::uint64_t at = 0; at < device.firmware->capacity_bytes(); at += 7 * unit) {
    const std::uint64_t length = std::min(3 * unit, device.firmware->capacity_bytes() - at);
    RC_ASSERT(device.run({.offset = at, .length = length, .kind = RequestKind::Read}) == IoStatus::Ok);
  }
  device.firmware->ftl().check();
}

// A state saved by a drive with a rule equals one of a drive without, and a drive loaded from it goes on alike.
RC_GTEST_PROP(FillByRule, IsSavedAndLoaded, ()) {
  InstantDevice device(fitting_device());
  fill(device, Fill::ByRule);
  device.come_to_rest();
  const std::string bytes = saved(device);
  InstantDevice again(device.config);
  RC_ASSERT(load_state(again, bytes));
  again.flash.counters() = device.flash.counters();
  const std::vector<Request> requests = any_requests(device);
  carry_out(device, requests);
  carry_out(again, requests);
  expect_alike(device, again);
}

void expect_most_told(DeviceConfig config) {
  config.nand.pages = 96;
  config.nand.blocks = 64;
  config.ftl.over_provisioning = 0.3;
  config.precondition.fill = 1;
  InstantDevice device(config);
  const std::uint64_t units = device.firmware->capacity_bytes() / config.ftl.mapping_unit;
  const auto span = device.host().fill_span(units, config.precondition.request_size);
  EXPECT_EQ(span.why, nullptr);
  fill(device, Fill::ByRule);
  std::uint32_t by_rule = 0;
  const std::uint32_t blocks = device.geometry.dies * device.geometry.blocks;
  for (std::uint32_t block = 0; block < blocks; ++block) by_rule += device.media.is_by_rule(block) ? 1 : 0;
  EXPECT_GT(by_rule, blocks / 2);
  EXPECT_LT(by_rule, blocks);
}

// TLC with one-shot programs of several planes, and program units of one mapping unit.
TEST(FillByRule, TellsMostOfADrive) {
  DeviceConfig config;
  expect_most_told(config);
  config.nand.planes = 2;
  config.nand.multi_plane_program = true;
  config.nand.pages_per_program = 3;
  config.nand.page_size = 16384;
  expect_most_told(config);
}

TEST(FillByRule, SaysWhyThereIsNone) {
  const auto why = [](auto change) -> std::string {
    DeviceConfig config;
    change(config);
    InstantDevice device(config);
    const auto span = device.host().fill_span(device.firmware->capacity_bytes() / config.ftl.mapping_unit, 128 << 10);
    return span.why == nullptr ? "" : span.why;
  };
  EXPECT_EQ(why([](DeviceConfig&) {}), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.verify = true; }), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.ftl.kind.name = "dftl"; }), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.ftl.kind.name = "log_block"; }), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.ftl.recovery.name = "checkpoint"; }), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.ftl.streams.name = "bloom_filters"; }), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.buffer.mode = "write_through"; }), "");
  EXPECT_NE(why([](DeviceConfig& config) { config.buffer.replacement.name = "arc"; }), "");
}

}  // namespace
}  // namespace flashloom::fill_by_rule_test
