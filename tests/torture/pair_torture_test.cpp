// Power cuts of a tier, under every policy and with devices of several guarantees: at any instant, in passes, between
// the halves of a dual write, in metadata writes, in starts. Nothing that must survive is lost. Some cuts for each;
// 10,000 with ./check --long.
#include "sc_main/stack/tier/pair_torture.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "tests/support/effort.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/tier_device.hpp"
#include "tests/support/unreadable_pages.hpp"

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
      {"capacitors_too_small",
       {"power.plp=true", "power.plp_energy=200 uJ", "power.plp_flush=flash", "hdd.write_cache=false"}},
      {"buffer_in_nvram", {"buffer.location=nvram", "nvram.kind=stt_mram", "hdd.write_cache=false"}},
      {"small_segments", {"tier.segment=4 KiB", "tier.cache_size=128 KiB", "tier.journal=4 KiB"}}};
  return all;
}

class PairOfDevices : public testing::TestWithParam<std::tuple<Policy, std::size_t>> {};

TEST_P(PairOfDevices, LosesNothingThatMustSurvive) {
  const auto& [policy, shape] = GetParam();
  const std::uint64_t cuts = effort(60, 10'000);
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

struct UnreadableSsd {
  const char* name;
  const char* policy;
  std::vector<std::string> overrides;
  double errors;         // see unreadable_pages()
  bool retires = false;  // always retires the SSD
};
void PrintTo(const UnreadableSsd& ssd, std::ostream* out) { *out << ssd.name; }

const std::vector<UnreadableSsd>& unreadable_ssds() {
  static const std::vector<UnreadableSsd> all = {
      {"pwc", "pwc", {}, 2e-3},
      {"write_invalidate", "write_invalidate", {}, 2e-3},
      {"write_invalidate_read", "{name=\"write_invalidate\",fill=\"read\"}", {}, 2e-3},
      {"write_invalidate_read_drop", "{name=\"write_invalidate\",fill=\"read_drop\"}", {}, 2e-3},
      {"write_back", "write_back", {}, 2e-3},
      {"write_back_hardly", "write_back", {}, 1.5e-3},
      {"write_back_one_copy", "write_back", {"tier.journal_copies=1"}, 2.5e-3, true},
      {"write_back_small_journals",
       "write_back",
       {"tier.segment=4 KiB", "tier.cache_size=128 KiB", "tier.journal=4 KiB"},
       1.5e-3},
      {"write_back_large_units",
       "write_back",
       {"nand.page_size=16 KiB", "ftl.mapping_unit=16 KiB", "tier.journal=4 KiB"},
       1.5e-3},
      {"write_back_in_nvram",
       "write_back",
       {"buffer.location=nvram", "nvram.kind=stt_mram", "hdd.write_cache=false"},
       1.5e-3},
      {"write_back_of_failing_blocks",
       "write_back",
       {"nand.program_failure_rate=0.001", "nand.erase_failure_rate=0.001"},
       1.5e-3},
      {"write_back_of_a_failing_die",
       "write_back",
       {"nand.ways=2", "nand.die_failure_at=1500", "nand.failed_die=1"},
       0,
       true},
      {"pwc_of_a_failing_die", "pwc", {"nand.ways=2", "nand.die_failure_at=1500", "nand.failed_die=1"}, 0}};
  return all;
}

// The HDD supplies what the SSD cannot correct, or the host gets an error: no read returns wrong data.
class PairWithBitErrors : public testing::TestWithParam<UnreadableSsd> {};

TEST_P(PairWithBitErrors, ReadsFromTheHddWhatTheSsdCannot) {
  const UnreadableSsd& ssd = GetParam();
  std::vector<std::string> overrides = unreadable_pages(ssd.errors, ssd.overrides);
  overrides.push_back(std::string("tier.policy=") + ssd.policy);
  const std::uint64_t seeds = effort(3, 100);
  std::uint64_t unreadable = 0;
  std::uint64_t retired = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Json result = in_child([&]() -> Json {
      PairTorture pair(small_tier(overrides), seed);
      const bool good = pair.run(100);
      const PairTortureCounts counts = pair.counts();
      return {{"good", good},
              {"what", pair.failure().what},
              {"cut", pair.failure().cut},
              {"unreadable", counts.unreadable_requests + counts.unreadable_blocks + counts.lost_requests},
              {"retired", counts.retired}};
    });
    ASSERT_TRUE(result["good"].get<bool>()) << "seed " << seed << ", cut " << result["cut"] << ": " << result["what"];
    unreadable += result["unreadable"].get<std::uint64_t>();
    retired += result["retired"].get<bool>() ? 1 : 0;
  }
  EXPECT_GT(unreadable, 0U);
  if (ssd.retires) {
    EXPECT_EQ(retired, seeds);
  }
}

INSTANTIATE_TEST_SUITE_P(Ssds, PairWithBitErrors, testing::ValuesIn(unreadable_ssds()),
                         [](const auto& test) { return test.param.name; });

struct Cache {
  const char* name;
  std::vector<std::string> overrides;
  bool loses = false;  // may lose stripes whose parity is in doubt
};

const std::vector<Cache>& arrays() {
  static const std::vector<Cache> all = {
      {"raid0", {"array.level=raid0", "array.drives=2"}},
      {"mirrors_rebuilt", {"array.level=raid1", "array.drives=2", "array.fail_at=200 ms", "array.rebuild_at=300 ms"}},
      {"raid10_on_capacitors", {"array.level=raid10", "power.plp=true", "hdd.write_cache=false"}},
      {"raid5", {"array.level=raid5"}},
      {"raid5_failed", {"array.level=raid5", "array.fail_at=200 ms"}, true},
      {"raid5_rebuilt_from_a_bitmap",
       {"array.level=raid5", "array.journal=bitmap", "array.bitmap_chunk=16 KiB", "array.fail_at=200 ms",
        "array.rebuild_at=300 ms"},
       true},
      {"raid6_failed_with_a_journal", {"array.level=raid6", "array.journal=write_ahead", "array.fail_at=200 ms"}}};
  return all;
}

// An array in the place of the SSD, cut at its own steps, too: without a journal a drive that fails may take what a cut
// left in doubt with it; else no request fails.
class PairWithAnArray : public testing::TestWithParam<std::tuple<const char*, std::size_t>> {};

TEST_P(PairWithAnArray, LosesNothingThatMustSurvive) {
  const auto& [policy, number] = GetParam();
  const Cache& cache = arrays()[number];
  std::vector<std::string> overrides = {std::string("tier.policy=") + policy, "array.chunk=16 KiB",
                                        "array.rebuild_rate=0 B/s", "array.nvram.kind=pcm", "array.nvram.size=256 KiB"};
  overrides.insert(overrides.end(), cache.overrides.begin(), cache.overrides.end());
  const std::uint64_t cuts = effort(60, 3'000);
  const Json result = in_child([&]() -> Json {
    PairTorture pair(small_tier(overrides), 1);
    const bool good = pair.run(cuts);
    const PairTortureCounts counts = pair.counts();
    return {{"good", good},
            {"what", pair.failure().what},
            {"cut", pair.failure().cut},
            {"behind_array", counts.behind_array},
            {"filled", counts.segments_filled},
            {"retired", counts.retired}};
  });
  ASSERT_TRUE(result["good"].get<bool>()) << "cut " << result["cut"] << ": " << result["what"];
  EXPECT_GT(result["filled"].get<std::uint64_t>(), 0U);
  if (std::string(cache.name) != "raid0") {
    EXPECT_GT(result["behind_array"].get<std::uint64_t>(), 0U);
  }
  if (!cache.loses) {
    EXPECT_FALSE(result["retired"].get<bool>());
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, PairWithAnArray,
                         testing::Combine(testing::Values("pwc", "write_back", "write_invalidate"),
                                          testing::Range<std::size_t>(0, arrays().size())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + arrays()[std::get<1>(test.param)].name;
                         });

}  // namespace
}  // namespace flashloom::pair_torture_test
