// The torture of the pair must catch broken tiers, and must not report whole ones. One simulation per process.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "controllers/runtime/fault.hpp"
#include "sc_main/stack/tier/pair_torture.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/tier_device.hpp"
#include "tests/support/unreadable_pages.hpp"

namespace flashloom::tier_fault_test {
namespace {

constexpr std::uint64_t kCuts = 100;

struct Case {
  Fault fault;
  std::string name;
  std::string policy = "pwc";
  double errors = 0;  // see unreadable_pages()
};

void PrintTo(const Case& broken, std::ostream* out) { *out << broken.name; }

nlohmann::ordered_json torture(const Case& broken, std::uint64_t seed) {
  return in_child([&] {
    selected_fault = broken.fault;
    std::vector<std::string> overrides = {"tier.policy=" + broken.policy};
    if (broken.errors != 0) overrides = unreadable_pages(broken.errors, {overrides[0], "tier.journal_copies=1"});
    PairTorture pair(small_tier(overrides), seed);
    const bool good = pair.run(kCuts);
    return nlohmann::ordered_json{{"good", good}, {"cut", pair.failure().cut}, {"what", pair.failure().what}};
  });
}

class BrokenTier : public testing::TestWithParam<Case> {};

TEST_P(BrokenTier, IsCaughtWithinAHundredCuts) {
  nlohmann::ordered_json result = torture(GetParam(), 1);
  // Read errors soon end the use of the SSD, possibly before the fault shows: then try another pair.
  for (std::uint64_t seed = 2; seed <= 10 && GetParam().errors != 0 && result["good"].get<bool>(); ++seed)
    result = torture(GetParam(), seed);
  EXPECT_FALSE(result["good"].get<bool>());
  std::printf("cut %d: %s\n", result["cut"].get<int>(), result["what"].get<std::string>().c_str());
}

INSTANTIATE_TEST_SUITE_P(
    Faults, BrokenTier,
    testing::Values(Case{Fault::SingleWriteInPass, "SingleWriteInPass"}, Case{Fault::UpdateNotSaid, "UpdateNotSaid"},
                    Case{Fault::CleanNotTaken, "CleanNotTaken"}, Case{Fault::StartCopiesNothing, "StartCopiesNothing"},
                    Case{Fault::TierNotFlushed, "TierNotFlushed"}, Case{Fault::FillUnlocked, "FillUnlocked"},
                    Case{Fault::DirtyDropped, "DirtyDropped", "write_back"},
                    Case{Fault::DirtyNotSaid, "DirtyNotSaid", "write_back"},
                    Case{Fault::TierNotFlushed, "TierNotFlushed_write_back", "write_back"},
                    Case{Fault::FillUnlocked, "FillUnlocked_write_back", "write_back"},
                    Case{Fault::FillUnlocked, "FillUnlocked_write_invalidate", "write_invalidate"},
                    Case{Fault::HoleIsTheEnd, "HoleIsTheEnd", "write_back", 2e-3},
                    Case{Fault::LossNotWritten, "LossNotWritten", "write_back", 2e-3},
                    Case{Fault::LossNotWritten, "LossNotWritten_pwc", "pwc", 2e-3}),
    [](const auto& test) { return test.param.name; });

class WholeTier : public testing::TestWithParam<std::string> {};

TEST_P(WholeTier, IsNotCaught) {
  const auto result = torture({Fault::None, "None", GetParam()}, 1);
  EXPECT_TRUE(result["good"].get<bool>()) << result["what"];
}

INSTANTIATE_TEST_SUITE_P(Faults, WholeTier, testing::Values("pwc", "write_back", "write_invalidate", "hdd_only"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace flashloom::tier_fault_test
