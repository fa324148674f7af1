// Read times by page type as the host sees them: one request at a time over a filled TLC drive.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::page_types_test {
namespace {

// By hand, as in closed_forms_test.cpp: link entries and ways, 8 cycles of 40 ns, 4096 ns on the bus, 4 KiB on the
// link.
constexpr Picoseconds kBesidesArray = 22'344 + 200'000 + 320'000 + 4'096'000 + 1'137'501 + 10'157 + 200'000;

class PageTypes : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// Lower and middle pages take 45 us, upper ones 57 us. Each block has a third of its pages of each type, in any page
// order, and each page is read once: two thirds of the reads take the short time, one third the long one.
TEST_P(PageTypes, GiveTwoModesInTheRatioOfThePages) {
  const auto [order, one_shot] = GetParam();
  const DeviceConfig config =
      preset("calibration", {"nand.channels=2", "nand.ways=2", "nand.blocks=20", "nand.pages=96",
                             "ftl.logical_size=15 MiB", "nand.read_time=[\"45 us\", \"45 us\", \"57 us\"]",
                             std::string("nand.page_order=") + order, std::string("nand.pages_per_program=") + one_shot,
                             "precondition.fill=1.0", "precondition.request_size=96 KiB"});  // whole program units
  constexpr std::uint64_t kPages = (15 << 20) / 4096;  // ten blocks of 96 pages on each of four dies
  static_assert(kPages == 4 * 10 * 96);
  std::vector<Request> reads(kPages);
  for (std::uint64_t i = 0; i < kPages; ++i) reads[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Read};
  Random random(3);
  for (std::uint64_t i = kPages - 1; i > 0; --i) std::swap(reads[i], reads[random.below(i + 1)]);
  const Json result = simulate(config, {{reads, 1, 0}});
  constexpr Picoseconds kShort = kBesidesArray + 45 * kMicrosecond, kLong = kBesidesArray + 57 * kMicrosecond;
  EXPECT_EQ(result["latency_ps"]["read"][0], kShort);
  EXPECT_EQ(result["latency_ps"]["read"][1], kLong);
  // The total time proves exactly two thirds short reads.
  EXPECT_EQ(result["end_ps"], kPages / 3 * 2 * kShort + kPages / 3 * kLong);
  const Json& latency = result["host"]["read"]["latency_ns"];
  for (const char* const below : {"p50"}) EXPECT_NEAR(latency[below].get<double>(), kShort / 1e3, kShort / 1e3 / 50);
  for (const char* const above : {"p90", "p99"})
    EXPECT_NEAR(latency[above].get<double>(), kLong / 1e3, kLong / 1e3 / 50);
}

// Gray codes: each threshold between two levels is sensed for exactly one page type, so the mean tR depends only on the
// number of thresholds per bit, not on the code.
class Senses : public testing::TestWithParam<std::vector<std::uint32_t>> {};

TEST_P(Senses, MakeTheTimesToTheTick) {
  const std::vector<std::uint32_t>& senses = GetParam();
  std::string list;
  for (const std::uint32_t times : senses) list += (list.empty() ? "" : ",") + std::to_string(times);
  const DeviceConfig config =
      preset("calibration", {"nand.channels=2", "nand.ways=2", "nand.blocks=20", "nand.pages=60",
                             "ftl.logical_size=9600 KiB", "nand.senses=[" + list + "]", "nand.sense_time=12500 ns",
                             "nand.read_setup=20 us", "precondition.fill=1.0", "precondition.request_size=4 KiB"});
  constexpr std::uint64_t kPages = 4 * 10 * 60;
  std::vector<Request> reads(kPages);
  for (std::uint64_t i = 0; i < kPages; ++i) reads[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Read};
  const Json result = simulate(config, {{reads, 1, 0}});
  const auto time = [](std::uint32_t times) { return kBesidesArray + (20'000 + times * 12'500) * kNanosecond; };
  EXPECT_EQ(result["latency_ps"]["read"][0], time(*std::ranges::min_element(senses)));
  EXPECT_EQ(result["latency_ps"]["read"][1], time(*std::ranges::max_element(senses)));
  const std::uint64_t borders = (std::uint64_t{1} << senses.size()) - 1;
  EXPECT_EQ(result["end_ps"],
            kPages * (kBesidesArray + 20 * kMicrosecond) + kPages / senses.size() * borders * 12'500 * kNanosecond);
}

INSTANTIATE_TEST_SUITE_P(Codes, Senses,
                         testing::Values(std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{1, 2},
                                         std::vector<std::uint32_t>{1, 2, 4}, std::vector<std::uint32_t>{2, 3, 2},
                                         std::vector<std::uint32_t>{1, 2, 4, 8}, std::vector<std::uint32_t>{4, 4, 4, 3},
                                         std::vector<std::uint32_t>{1, 2, 4, 8, 16}));

// The last block written is still open; the earlier ones are full.
TEST(OpenBlocks, AreReadMoreSlowly) {
  const DeviceConfig config = preset(
      "calibration", {"nand.channels=1", "nand.ways=1", "nand.blocks=20", "nand.pages=16", "ftl.over_provisioning=1.5",
                      "nand.open_read_factor=1.5", "precondition.fill=0", "verify=true"});
  std::vector<Request> all;
  for (std::uint64_t page = 0; page < 40; ++page)
    all.push_back({.offset = page * 4096, .length = 4096, .kind = RequestKind::Write});
  all.push_back({.kind = RequestKind::Flush});
  const auto longest = [&](std::uint64_t page) {
    std::vector<Request> more = all;
    more.push_back({.offset = page * 4096, .length = 4096, .kind = RequestKind::Read});
    return simulate(config, {{more, 1, 0}})["latency_ps"]["read"][1].get<Picoseconds>();
  };
  EXPECT_EQ(longest(31), kBesidesArray + 50 * kMicrosecond);
  EXPECT_EQ(longest(32), kBesidesArray + 75 * kMicrosecond);
  EXPECT_EQ(longest(39), kBesidesArray + 75 * kMicrosecond);
}

INSTANTIATE_TEST_SUITE_P(Orders, PageTypes,
                         testing::Values(std::pair{"word_line", "1"}, std::pair{"word_line", "3"},
                                         std::pair{"shadow", "1"}));

}  // namespace
}  // namespace flashloom::page_types_test
