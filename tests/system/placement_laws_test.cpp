// Every placement with every stream separation, on whole devices: power cuts lose nothing, and both clocks decide
// alike, except with placements that declare that they look at what is in flight.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>

#include "policies/registry.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::placement_laws_test {
namespace {

struct Device {
  const char* preset;
  std::vector<std::string> overrides;
};

const std::vector<Device>& devices() {
  static const std::vector<Device> all = {
      {"tiny", {"nand.blocks=24"}},
      // Planes programmed apart.
      {"mqsim-default", {"nand.blocks=20"}},
      // One-shot programs of 48 mapping units on four planes: they fill slowly.
      {"nvme-tlc-1tb", {"nand.blocks=24", "ftl.logical_size=18 MiB", "buffer.size=3 MiB"}}};
  return all;
}

struct Case {
  std::string placement;
  std::string streams;
  std::size_t device;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.placement + "_" + info.param.streams + "_" + devices()[info.param.device].preset;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

std::vector<std::string> parts(const char* family, bool time_dependent_too) {
  std::vector<std::string> names;
  for (const PartInfo* info : PartCatalog::instance().parts(family))
    if (time_dependent_too || !info->time_dependent) names.push_back("\"" + info->name + "\"");
  return names;
}

std::vector<Case> cases(bool time_dependent_too) {
  std::vector<std::string> placements = parts("placement", time_dependent_too);
  placements.insert(placements.end(), {R"({ name = "static_order", order = "PDWC", by = "address" })",
                                       R"({ name = "superblock", dies = 1 })"});
  std::vector<std::string> streams = parts("streams", time_dependent_too);
  std::replace(streams.begin(), streams.end(), std::string("\"host\""), std::string(R"({ name = "host", count = 2 })"));
  // Each pair runs on one device, in rotation; the default placement runs on all.
  std::vector<Case> all;
  for (std::size_t i = 0; i < placements.size(); ++i)
    for (std::size_t j = 0; j < streams.size(); ++j)
      for (std::size_t device = 0; device < devices().size(); ++device)
        if ((i + j) % devices().size() == device || placements[i] == "\"static_order\"")
          all.push_back({placements[i], streams[j], device});
  return all;
}

void PrintTo(const Case& which, std::ostream* out) {
  *out << which.placement << " " << which.streams << " " << devices()[which.device].preset;
}

DeviceConfig device_of(const Case& which, std::vector<std::string> overrides = {}) {
  const Device& device = devices()[which.device];
  overrides.insert(overrides.begin(), device.overrides.begin(), device.overrides.end());
  overrides.insert(overrides.end(), {"ftl.placement=" + which.placement, "ftl.streams=" + which.streams,
                                     "precondition.fill=0.9", "power.off_time=1 ms"});
  return small_preset(device.preset, overrides);
}

class PlacementsAndStreams : public testing::TestWithParam<Case> {};
class TimelessPlacements : public testing::TestWithParam<Case> {};

TEST_P(PlacementsAndStreams, LoseNothingAtAPowerCut) {
  DeviceConfig config = device_of(GetParam());
  MixOptions mix = mix_for(config, 7, 1200);
  mix.fua = 10;
  mix.flushes = 2;
  mix.reads = 25;
  mix.streams = 5;
  const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};
  const Json whole = simulate(config, jobs);
  EXPECT_EQ(whole["verify"]["mismatches"], 0) << whole["verify"]["first_mismatch"];
  EXPECT_GT(whole["ftl"]["gc_runs"], 0);

  const auto length = whole["end_ps"].get<Picoseconds>();
  Random random(GetParam().placement.size() * 31 + GetParam().streams.size());
  for (int cut = 0; cut < 3; ++cut) {
    config.power.cut_at = length / 10 + random.below(length * 8 / 10);
    const Json result = simulate(config, jobs);
    EXPECT_EQ(result["power"]["cuts"], 1);
    EXPECT_EQ(result["host"]["completions"], jobs[0].requests.size());
    EXPECT_EQ(result["host"]["media_errors"], 0);
    EXPECT_EQ(result["verify"]["mismatches"], 0)
        << "cut at " << config.power.cut_at << ": " << result["verify"]["first_mismatch"];
  }
}

TEST_P(TimelessPlacements, DecideAlikeOnBothClocks) {
  const DeviceConfig config = device_of(GetParam());
  MixOptions mix = mix_for(config, 8, 1500);
  mix.whole_units = true;
  mix.reads = 20;
  mix.streams = 5;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  expect_wrote_alike(timed, instant);
  EXPECT_GT(instant["ftl_statistics"]["gc_runs"], 0);
}

INSTANTIATE_TEST_SUITE_P(Parts, PlacementsAndStreams, testing::ValuesIn(cases(true)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, TimelessPlacements, testing::ValuesIn(cases(false)), name_of);

}  // namespace
}  // namespace flashloom::placement_laws_test
