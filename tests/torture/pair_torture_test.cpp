// Power cuts of a tier, under every policy and with devices of several guarantees: at any instant, in passes, between
// the halves of a dual write, in metadata writes, in starts. Nothing that must survive is lost. 300 cuts for each;
// 10,000 with ./check --long.
#include "sc_main/torture/pair_torture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/support/in_child.hpp"
#include "tests/support/tier_device.hpp"

namespace flashloom::pair_torture_test {
namespace {

struct Policy {
  const char* name;
  const char* choice;
};
constexpr Policy kPolicies[] = {{"pwc", "pwc"},
                                {"write_back", "write_back"},
                                {"write_back_arc_larc", "{name=\"write_back\",replacement=\"arc\",admission=\"larc\"}"},
                                {"write_invalidate", "write_invalidate"},
                                {"write_invalidate_read", "{name=\"write_invalidate\",fill=\"read\"}"},
                                {"write_invalidate_read_drop", "{name=\"write_invalidate\",fill=\"read_drop\"}"},
                                {"hdd_only", "hdd_only"}};

struct Shape {
  const char* name;
  std::vector<std::string> overrides;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"volatile_caches", {}},
      {"plp_and_no_disk_cache", {"power.plp=true", "hdd.write_cache=false"}},
      {"capacitors_too_small", {"power.plp=true", "power.plp_energy=200 uJ", "power.plp_flush=flash",
                                "hdd.write_cache=false"}},
      {"buffer_in_nvram", {"buffer.location=nvram", "nvram.kind=stt_mram", "hdd.write_cache=false"}},
      {"small_segments", {"tier.segment=4 KiB", "tier.cache_size=128 KiB", "tier.journal=4 KiB"}}};
  return all;
}

class PairOfDevices : public testing::TestWithParam<std::tuple<Policy, std::size_t>> {};

TEST_P(PairOfDevices, LosesNothingThatMustSurvive) {
  const auto& [policy, shape] = GetParam();
  const std::uint64_t cuts = std::getenv("FLASHLOOM_LONG") != nullptr ? 10'000 : 300;
  std::vector<std::string> overrides = shapes()[shape].overrides;
  overrides.push_back(std::string("tier.policy=") + policy.choice);
  const Json result = in_child([&]() -> Json {
    PairTorture pair(small_tier(overrides), 1);
    const bool good = pair.run(cuts);
    for (const std::string& line : pair.failure().history)
      if (!good) std::cout << "  " << line << '\n';
    const PairTortureCounts counts = pair.counts();
    return {{"good", good},
            {"what", pair.failure().what},
            {"cut", pair.failure().cut},
            {"in_start", counts.in_start},
            {"passes", counts.passes},
            {"filled", counts.segments_filled},
            {"sectors", counts.sectors_checked}};
  });
  ASSERT_TRUE(result["good"].get<bool>()) << "cut " << result["cut"] << ": " << result["what"];
  std::cout << cuts << " cuts, " << result["in_start"] << " in a start; " << result["sectors"] << " sectors verified\n";
  EXPECT_GT(result["in_start"].get<std::uint64_t>(), 0U);
  EXPECT_EQ(result["passes"].get<std::uint64_t>() != 0, std::string(policy.name) == "pwc");
  EXPECT_EQ(result["filled"].get<std::uint64_t>() != 0, std::string(policy.name) != "hdd_only");
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, PairOfDevices,
                         testing::Combine(testing::ValuesIn(kPolicies),
                                          testing::Range<std::size_t>(0, shapes().size())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  shapes()[std::get<1>(test.param)].name;
                         });

// What the SSD cannot correct the HDD has, or the host hears of an error: no read gets other data.
class PairWithBitErrors : public testing::TestWithParam<std::string> {};

TEST_P(PairWithBitErrors, ReadsFromTheHddWhatTheSsdCannot) {
  std::vector<std::string> overrides = {"nand.spare_size=2208 B",       "nand.errors.model=power_law",
                                        "nand.errors.base=2e-3",        "nand.errors.wear_factor=0",
                                        "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0",
                                        "nand.errors.retry_rates=[]",   "nand.ecc.soft_reads=0",
                                        "nand.ecc.strength=26",         "tier.policy=" + GetParam()};
  const Json result = in_child([&]() -> Json {
    PairTorture pair(small_tier(overrides), 2);
    const bool good = pair.run(100);
    return {{"good", good}, {"what", pair.failure().what}, {"unreadable", pair.counts().unreadable_requests}};
  });
  ASSERT_TRUE(result["good"].get<bool>()) << result["what"];
  EXPECT_GT(result["unreadable"].get<std::uint64_t>(), GetParam() == "pwc" ? 0U : 10U);
}

INSTANTIATE_TEST_SUITE_P(Fills, PairWithBitErrors,
                         testing::Values("pwc", "write_invalidate", "{name=\"write_invalidate\",fill=\"read\"}",
                                         "{name=\"write_invalidate\",fill=\"read_drop\"}"),
                         [](const auto& test) { return "fill" + std::to_string(test.index); });

}  // namespace
}  // namespace flashloom::pair_torture_test
