// Keys of senses and of partly filled blocks that a device file may not have; how tR follows; which key overrides
// which.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "tests/support/refused_keys.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::bad_cells_test {
namespace {

const char* const kDevice = "[nand]\nsenses = [1, 2, 4, 8]\nsense_time = \"10 us\"\nread_setup = \"30 us\"\n";
const std::vector<Picoseconds> kTimes = {40 * kMicrosecond, 50 * kMicrosecond, 70 * kMicrosecond, 110 * kMicrosecond};

TEST(CellKeys, AreRefusedWithKeyAndReason) {
  expect_refused(
      kDevice,
      {{{"nand.senses=[1, 2, 4]", "nand.program_time=[1 ms, 2 ms, 3 ms, 4 ms]"},
        {"nand.senses", "3 page types beside 4"}},
       {{"nand.senses=[1, 2, 4]", "nand.pages_per_program=4"}, {"nand.senses", "3 page types beside 4"}},
       {{"nand.senses=[1, 2, 4, 9]"}, {"nand.senses", "16 in all for 4 page types; valid: 15"}},
       {{"nand.senses=[1, 1, 5]"}, {"nand.senses", "2 page types of fewest senses have 2", "4 levels", "at least 3"}},
       {{"nand.senses=[1, 2, 4, 8, 16, 16]"}, {"nand.senses", "6 page types; valid: at most 5"}},
       {{"nand.senses=[0, 1]"}, {"nand.senses", "out of range"}},
       {{"nand.senses=[1, 2]", "nand.read_time=[40 us, 60 us]"},
        {"--set nand.read_time: ", "40 us, 50 us", "senses = []"}},
       {{"nand.open_read_factor=0.5"}, {"nand.open_read_factor", "out of range"}},
       {{"nand.errors.model=power_law", "nand.spare_size=512 B", "nand.errors.open_word_lines=2"},
        {"nand.errors.open_word_lines", "open_block_factor"}},
       {{"nand.partial_erase_limit=0.5", "nand.in_order_program=false"}, {"nand.partial_erase_limit", "in_order"}},
       {{"nand.partial_erase_limit=0.5", "nand.failed_program=7"},
        {"nand.partial_erase_limit", "has not been decided"}},
       {{"nand.partial_erase_limit=1.5"}, {"nand.partial_erase_limit", "out of range"}}});
  const char* const both = "[nand]\nsenses = [1, 2]\nread_time = \"40 us\"\n";
  expect_refused(both, {{{}, {"bad.toml:3: nand.read_time: ", "39 us, 78 us"}}});
  EXPECT_EQ(error_of(kDevice, {}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"nand.senses=[4, 4, 4, 3]", "nand.partial_erase_limit=1"}), "accepted");
}

TEST(CellKeys, MakeReadTimesAndReadBack) {
  const DeviceConfig config = load_config_text(kDevice, "good.toml", {"nand.open_read_factor=1.5"}).device;
  EXPECT_EQ(config.nand.read_time, kTimes);
  const DeviceConfig again = load_config_text(effective_toml(config), "again.toml", {}).device;
  EXPECT_EQ(again.nand.read_time, kTimes);
  EXPECT_EQ(again.nand.senses, config.nand.senses);
  EXPECT_EQ(effective_json(again).dump(), effective_json(config).dump());
}

// Keys laid over a file replace the file's, whichever of the two ways gives the read times.
TEST(CellKeys, GiveWayToWhatIsLaidOver) {
  const auto times = [](const std::string& text, const std::vector<std::string>& overrides) {
    return load_config_text(text, "device.toml", overrides).device.nand.read_time;
  };
  const std::string plain = "[nand]\nread_time = \"50 us\"\nsource = { read_time = \"a data sheet\" }\n";
  const std::vector<std::string> senses = {"nand.senses=[1, 2, 4, 8]", "nand.sense_time=10 us",
                                           "nand.read_setup=30 us"};
  EXPECT_EQ(times(plain, senses), kTimes);
  const DeviceConfig config = load_config_text(plain, "device.toml", senses).device;
  EXPECT_EQ(config.sources.at("nand.read_time"), "nand.read_setup + nand.senses x nand.sense_time");
  EXPECT_EQ(times(plain, {"nand.senses=[]"}), std::vector<Picoseconds>{50 * kMicrosecond});
  EXPECT_EQ(times(kDevice, {"nand.read_time=25 us"}), std::vector<Picoseconds>{25 * kMicrosecond});
  EXPECT_EQ(times("base = \"" + source_dir() + "/configs/tiny.toml\"\n" + kDevice, {}), kTimes);
  EXPECT_EQ(times(kDevice, {"nand.sense_time=20 us"}).back(), 190 * kMicrosecond);
}

}  // namespace
}  // namespace flashloom::bad_cells_test
