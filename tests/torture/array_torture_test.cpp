// All drives of an array lose power together: at any instant, soon after steps of the array's software, during starts,
// resyncs and rebuilds. 60 cuts for each; 3,000 with ./check --long. And the write hole: it exists without a journal,
// and a journal closes it.
#include "sc_main/stack/array/array_torture.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "tests/support/array_device.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/in_child.hpp"

namespace flashloom::array_torture_test {
namespace {

struct Level {
  const char* name;
  std::uint32_t drives;
};
constexpr Level kLevels[] = {{"jbod", 2}, {"raid0", 3}, {"raid1", 3}, {"raid10", 4}, {"raid5", 4}, {"raid6", 5}};

struct Variant {
  const char* name;
  std::vector<std::string> overrides;
  const char* journal = "none";  ///< of parity; for mirrors "bitmap" replaces "write_ahead"
  bool fails = false;
  bool rebuilds = false;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"whole", {}},
      {"bitmap", {}, "bitmap"},
      {"degraded", {}, "none", true},
      {"journal_degraded", {"array.start_dirty_degraded=true"}, "write_ahead", true},
      {"rebuilt", {}, "none", true, true},
      {"bitmap_rebuilt", {}, "bitmap", true, true},
      {"journal_rebuilt", {}, "write_ahead", true, true},
      {"capacitors", {"power.plp=true"}, "none", true, true},
      {"write_through", {"buffer.mode=write_through"}, "write_ahead", true, true},
      {"in_turns", {"array.gc=staggered", "array.gc_window=1 ms", "ftl.gc_background=8"}, "none"},
      {"dftl", {"ftl.kind=dftl", "ftl.recovery=oob_scan"}, "bitmap", true, true},
      {"one_stripe_in_memory", {"array.stripe_cache=1"}, "write_ahead", true, true}};
  return all;
}

Json tortured(const DeviceConfig& config, std::uint64_t cuts, std::uint64_t seed = 7) {
  return in_child([&]() -> Json {
    ArrayTorture torture(config, seed);
    const bool good = torture.run(cuts);
    const ArrayTortureCounts counts = torture.counts();
    for (const std::string& line : torture.failure().history)
      if (!good) std::cout << "  " << line << '\n';
    return {{"good", good},
            {"what", torture.failure().what},
            {"cuts", counts.cuts},
            {"media_errors", counts.media_errors},
            {"replayed", counts.replayed},
            {"resynced", counts.resynced},
            {"rebuilt", counts.rebuilt}};
  });
}

DeviceConfig array_of(const Level& level, std::vector<std::string> overrides, std::string journal, bool fails,
                      bool rebuilds) {
  const bool parity = std::string(level.name) == "raid5" || std::string(level.name) == "raid6";
  if (!parity && journal == "write_ahead") journal = "bitmap";
  overrides.push_back("array.journal=" + journal);
  if (journal != "none") overrides.insert(overrides.end(), {"array.nvram.kind=pcm", "array.nvram.size=256 KiB"});
  if (journal == "bitmap") overrides.push_back("array.bitmap_chunk=16 KiB");
  if (fails) overrides.push_back("array.fail_at=200 ms");
  if (rebuilds) overrides.push_back("array.rebuild_at=300 ms");
  return small_array(level.name, level.drives, overrides);
}

struct Case {
  Level level;
  std::size_t variant;
};

bool redundant(const Level& level) { return std::string(level.name) != "jbod" && std::string(level.name) != "raid0"; }

// In levels without redundancy no drive may fail, and there is no journal or bitmap.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Level& level : kLevels)
    for (std::size_t variant = 0; variant < variants().size(); ++variant)
      if (redundant(level) || (!variants()[variant].fails && std::string(variants()[variant].journal) == "none"))
        all.push_back({level, variant});
  return all;
}

class ArrayCuts : public testing::TestWithParam<Case> {};

TEST_P(ArrayCuts, LoseNothingThatMustSurvive) {
  const auto& [level, number] = GetParam();
  const Variant& variant = variants()[number];
  const std::uint64_t cuts = effort(30, 3'000);
  const DeviceConfig config = array_of(level, variant.overrides, variant.journal, variant.fails, variant.rebuilds);
  const Json result = tortured(config, cuts);
  ASSERT_TRUE(result["good"].get<bool>()) << result["what"];
  EXPECT_EQ(result["cuts"], cuts);
  EXPECT_EQ(result["rebuilt"].get<std::uint64_t>() != 0, variant.rebuilds);
  const bool journals = config.array.journal == "write_ahead";
  EXPECT_EQ(result["replayed"].get<std::uint64_t>() != 0, journals);
  EXPECT_EQ(result["resynced"].get<std::uint64_t>() != 0, redundant(level) && !journals);
  // Only the stripe being written may lose data, where its parity was needed and no journal exists.
  if (!config.array.has_parity() || journals || !variant.fails) {
    EXPECT_EQ(result["media_errors"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ArrayCuts, testing::ValuesIn(cases()), [](const auto& test) {
  return std::string(test.param.level.name) + "_" + variants()[test.param.variant].name;
});

// A cut between data and parity, followed by a drive failure: parity then yields neither the old nor the new contents.
// With start_dirty_degraded the array trusts it, and verify catches the wrong data; without, the array knows that it is
// doubtful and returns media errors; with a journal there is no doubt.
TEST(WriteHole, IsThereWithoutAJournalAndClosedByOne) {
  for (const Level level : {Level{"raid5", 4}, Level{"raid6", 5}}) {
    const std::vector<std::string> trusting = {"array.start_dirty_degraded=true"};
    const Json hole = tortured(array_of(level, trusting, "none", true, false), 200);
    EXPECT_FALSE(hole["good"].get<bool>()) << level.name;
    EXPECT_NE(hole["what"].get<std::string>().find("holds"), std::string::npos) << hole["what"];
    const Json known = tortured(array_of(level, {}, "none", true, false), 200);
    EXPECT_TRUE(known["good"].get<bool>()) << level.name << known["what"];
    EXPECT_GT(known["media_errors"].get<std::uint64_t>(), 0U) << level.name;
    const Json closed = tortured(array_of(level, trusting, "write_ahead", true, false), 200);
    EXPECT_TRUE(closed["good"].get<bool>()) << level.name << closed["what"];
    EXPECT_EQ(closed["media_errors"], 0) << level.name;
  }
}

}  // namespace
}  // namespace flashloom::array_torture_test
