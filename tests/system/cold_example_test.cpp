// The worked example of the COLD paper (J. K. Park, J. KSCI 21(2), 2016, figures 2 and 5), on the model's own media:
// four chips with four blocks of four pages. D1-2, D61-63, D16-17, D20-27 and D41-44 are written, then D20-27 and
// D41-44 are updated. Cost of collecting the full blocks that have invalid pages: interleaved, 7 copies and 4 erases
// (for 9 of the 12 invalid pages; three lie in second blocks); with COLD, no copy and 3 erases (for all 12).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "controllers/ftl/oob.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::cold_example_test {
namespace {

constexpr std::uint64_t kPage = 4096;

struct Garbage {
  int copies = 0;
  int erases = 0;
  int invalid = 0;  // pages in those blocks
  std::set<std::uint32_t> chips;
};

// Sends the requests of the figures, given as first page and number of pages, then the updates.
Garbage garbage_of(const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {
      "nand.channels=4",           "nand.ways=1",         "nand.blocks=16",         "nand.pages=4",
      "ftl.over_provisioning=1.5", "buffer.size=256 KiB", "buffer.destage_units=16"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  InstantDevice device(small_preset("tiny", all));
  const auto write = [&device](std::uint64_t first, std::uint64_t pages) {
    device.write(first * kPage, pages * kPage);
  };
  const auto flush = [&device] { device.run({.kind = RequestKind::Flush}); };
  write(1, 2);
  write(61, 3);
  write(16, 2);
  write(20, 8);
  write(41, 4);
  flush();
  // Which pages the first writes filled, and with which units.
  const OobLayout layout(device.firmware->capacity_bytes() / kPage);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> blocks;
  for (std::uint32_t chip = 0; chip < 4; ++chip)
    for (std::uint32_t block = 0; block < device.geometry.blocks; ++block)
      for (std::uint32_t page = 0; page < device.media.write_pointer(Die{chip}, Block{block}); ++page)
        blocks[{chip, block}].push_back(layout.unit(device.media.oob({Die{chip}, Block{block}, Page{page}}, 0)));
  const auto updated = [](std::uint32_t unit) { return (unit >= 20 && unit <= 27) || (unit >= 41 && unit <= 44); };
  Garbage garbage;
  for (const auto& [where, units] : blocks) {
    const auto invalid = static_cast<int>(std::count_if(units.begin(), units.end(), updated));
    if (units.size() != 4 || invalid == 0) continue;
    ++garbage.erases;
    garbage.copies += 4 - invalid;
    garbage.invalid += invalid;
    garbage.chips.insert(where.first);
  }
  return garbage;
}

TEST(ColdExample, InterleavedPagesAreScatteredOverFourBlocks) {
  const Garbage garbage = garbage_of({"ftl.placement=static_order"});
  EXPECT_EQ(garbage.copies, 7);
  EXPECT_EQ(garbage.erases, 4);
  EXPECT_EQ(garbage.invalid, 9);
  EXPECT_EQ(garbage.chips.size(), 4U);
}

// In the paper's figure D20-27 lie on one chip, in two blocks; with pieces of one block each, each piece has a chip of
// its own.
TEST(ColdExample, ColdKeepsThemInBlocksOfTheirOwn) {
  for (const auto& [limit, chips] : {std::pair{8, 2U}, {4, 3U}}) {
    const Garbage garbage =
        garbage_of({"ftl.placement=cold",
                    "buffer.correlation={name=\"spatial\", threshold=4, limit=" + std::to_string(limit) + "}"});
    EXPECT_EQ(garbage.copies, 0);
    EXPECT_EQ(garbage.erases, 3);
    EXPECT_EQ(garbage.invalid, 12);
    EXPECT_EQ(garbage.chips.size(), chips);
  }
}

}  // namespace
}  // namespace flashloom::cold_example_test
