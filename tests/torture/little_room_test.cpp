// Power cuts of devices with just the space that the configuration check requires: blocks of few units programmed in
// two passes, and capacitors that hold up a buffer until blocks have failed.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::little_room_test {
namespace {

struct Shape {
  const char* name;
  std::vector<std::string> overrides;
  bool wears_down = false;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"second_passes_behind_an_slc_cache",
       {"nand.program_passes=2", "nand.pages_per_program=3", "nand.pages=9", "nand.blocks=20", "nand.slc_blocks=2",
        "nand.page_size=8 KiB", "buffer.size=128 KiB", "ftl.over_provisioning=1.5715"}},
      {"second_passes_where_copies_share_superblocks",
       {"nand.program_passes=2", "nand.pages_per_program=3", "nand.pages=9", "nand.blocks=16", "ftl.streams=single",
        "ftl.gc_unit=superblock", "buffer.size=128 KiB", "ftl.over_provisioning=0.7778"}},
      {"stripes_where_copies_share_superblocks",
       {"nand.channels=4", "nand.ways=1", "nand.pages_per_program=2", "nand.pages=8", "nand.blocks=34", "ftl.rain=1",
        "ftl.streams=single", "ftl.gc_unit=superblock", "buffer.size=128 KiB", "ftl.over_provisioning=0.9711"}},
      {"capacitors_and_blocks_that_wear_out",
       {"power.plp=true", "nand.channels=5", "nand.blocks=24", "nand.pages=8", "nand.endurance=3",
        "nand.program_failures=0.5", "ftl.gc_unit=superblock", "buffer.size=64 KiB", "ftl.over_provisioning=3"},
       true},
      {"capacitors_and_parity_over_programs_that_fail",
       {"power.plp=true", "nand.channels=4", "nand.blocks=24", "nand.pages=8", "nand.program_failure_rate=0.02",
        "ftl.rain=1", "ftl.gc_unit=superblock", "buffer.size=128 KiB", "ftl.over_provisioning=3"},
       true}};
  return all;
}

class LittleRoom : public testing::TestWithParam<std::size_t> {};

TEST_P(LittleRoom, IsEnough) {
  const Shape& shape = shapes()[GetParam()];
  TortureCounts sum;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    DriveTorture drive(preset("tiny", shape.overrides), seed);
    const bool good = drive.run(100);
    sum += drive.counts();
    if (good) continue;
    for (const std::string& line : drive.failure().history) std::cout << "  " << line << '\n';
    FAIL() << "seed " << seed << ", cut " << drive.failure().cut << ": " << drive.failure().what;
  }
  EXPECT_EQ(sum.read_only != 0, shape.wears_down);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LittleRoom, testing::Range<std::size_t>(0, shapes().size()),
                         [](const auto& test) { return std::string(shapes()[test.param].name); });

}  // namespace
}  // namespace flashloom::little_room_test
