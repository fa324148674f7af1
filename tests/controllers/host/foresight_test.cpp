#include "controllers/host/foresight.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/alike_drives.hpp"
#include "tests/support/any_device.hpp"
#include "tests/support/request_sources.hpp"

namespace flashloom::foresight_test {
namespace {

constexpr std::uint64_t kAhead = Foresight::kAhead;

// Reads at offsets 0, 1, 2, ...: as many as the test allows, each with the range count that the test sets.
class Allowed final : public RequestSource {
 public:
  bool next(Request& request) override {
    if (left_ == 0) return false;
    --left_;
    request = {.offset = given_++, .length = 1, .kind = RequestKind::Read};
    request.range_count = ranges_;
    return true;
  }
  void allow(std::uint64_t requests) { left_ = requests; }
  void with_ranges(std::uint32_t ranges) { ranges_ = ranges; }
  std::uint64_t given() const { return given_; }

 private:
  std::uint64_t left_ = 0;
  std::uint64_t given_ = 0;
  std::uint32_t ranges_ = 0;
};

TEST(Foresight, KnowsSoManyAheadAndGivesThemInTheirOrder) {
  InstantDevice device{DeviceConfig{}};
  Allowed source;
  Foresight foresight(source, *device.firmware);
  Request request;
  EXPECT_FALSE(foresight.next(request));
  source.allow(100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(foresight.next(request));
    EXPECT_EQ(request.offset, i);
    EXPECT_EQ(source.given(), std::min<std::uint64_t>(i + kAhead, 100));
  }
  EXPECT_FALSE(foresight.next(request));
  source.allow(2);  // the source goes on after it had none
  EXPECT_TRUE(foresight.next(request));
  EXPECT_TRUE(foresight.next(request));
  EXPECT_EQ(request.offset, 101);
  EXPECT_FALSE(foresight.next(request));
}

TEST(Foresight, TakesNothingBehindRangesThatTheSourceKeeps) {
  InstantDevice device{DeviceConfig{}};
  Allowed source;
  Foresight foresight(source, *device.firmware);
  source.allow(100);
  source.with_ranges(2);
  Request request;
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(foresight.next(request));
    EXPECT_EQ(source.given(), i + 1);
  }
}

RC_GTEST_PROP(Foresight, ChangesNothingThatADriveDoes, ()) {
  DeviceConfig config = any_device();
  config.verify = false;
  InstantDevice device(config);
  InstantDevice other(config);
  MixOptions mix;
  mix.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  mix.capacity = device.firmware->capacity_bytes();
  mix.unit = config.ftl.mapping_unit;
  mix.requests = *rc::gen::inRange<std::uint32_t>(1, 2500);
  mix.max_units = 24;
  mix.streams = 4;
  ListSource requests(random_mix(mix));
  ListSource same(random_mix(mix));
  Foresight foresight(same, *other.firmware);
  device.host().run(requests);
  other.host().run(foresight);
  expect_alike(device, other);
}

}  // namespace
}  // namespace flashloom::foresight_test
