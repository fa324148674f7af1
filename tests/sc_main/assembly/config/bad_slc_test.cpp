// Keys of blocks in pseudo-SLC mode: values refused, and values read back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_slc_test {
namespace {

const char* const kDevice =
    "[nand]\nslc_blocks = 4\nread_time = [\"50 us\", \"60 us\", \"70 us\"]\nprogram_time = \"900 us\"\n";

TEST(SlcKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"nand.slc_blocks=0", "nand.slc_endurance=5"}, {"nand.slc_endurance", "needs nand.slc_blocks"}},
      {{"nand.slc_blocks=256"}, {"nand.slc_blocks", "256 of the 256 blocks"}},
      {{"nand.slc_blocks=252"}, {"at most half of them, 2"}},
      {{"nand.read_time=50 us"}, {"nand.slc_blocks", "cells of several bits"}},
      {{"nand.pages=8", "nand.pages_per_program=4"}, {"nand.slc_blocks", "no whole program unit"}},
      {{"nand.paired_pages=true"}, {"nand.paired_pages", "valid with nand.slc_blocks: false"}},
      {{"nand.copyback=true"}, {"nand.copyback", "folding"}},
      {{"nand.slc_read_time=71 us"}, {"nand.slc_read_time", "longest nand.read_time, 70 us"}},
      {{"nand.slc_program_time=301 us", "nand.pages_per_program=3", "nand.pages=252"},
       {"nand.slc_program_time", "makes 903 us"}},
      {{"nand.slc_erase_time=4 ms"}, {"nand.slc_erase_time", "nand.erase_time"}},
      {{"ftl.kind=log_block", "ftl.over_provisioning=1"}, {"nand.slc_blocks", "FTLs that map pages"}},
      {{"ftl.gc_unit=superblock"}, {"ftl.gc_unit", "does not fold"}},
      {{"nand.slc_blocks=-1"}, {"nand.slc_blocks", "out of range"}},
      {{"nand.slc_dynamic=253"}, {"nand.slc_dynamic", "at most 252"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "nand.slc_endurance=5"},
       {"nand.slc_endurance", "nand.slc_dynamic with nand.endurance"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "nand.read_time=50 us"}, {"nand.slc_dynamic", "several bits"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "nand.copyback=true"}, {"valid with nand.slc_dynamic: false"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "nand.paired_pages=true"}, {"valid with nand.slc_dynamic: false"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "nand.slc_read_time=71 us"}, {"nand.slc_read_time", "70 us"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "ftl.gc_unit=superblock"}, {"valid with nand.slc_dynamic: block"}},
      {{"nand.slc_blocks=0", "nand.slc_dynamic=8", "ftl.kind=log_block", "ftl.over_provisioning=1"},
       {"nand.slc_dynamic", "FTLs that map pages"}},
      // One more block is open on a die, in SLC mode.
      {{"nand.slc_blocks=0", "nand.blocks=32", "nand.slc_dynamic=8", "ftl.over_provisioning=0.1"},
       {"each die of 32 erase units must keep 10 free (gc_high 3, 5 open, 1 to collect from, 1 for metadata)"}}};
  expect_refused(kDevice, all);
  EXPECT_EQ(error_of(kDevice, {}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"nand.slc_program_time=300 us", "nand.pages_per_program=3", "nand.pages=252"}),
            "accepted");
}

TEST(SlcKeys, ReadBack) {
  const DeviceConfig config =
      load_config_text(kDevice, "good.toml",
                       {"nand.slc_program_time=150 us", "nand.slc_erase_time=2 ms", "nand.slc_endurance=40000",
                        "nand.slc_dynamic=9", "ftl.slc_low=3", "ftl.slc_idle=false"})
          .device;
  const DeviceConfig again = load_config_text(effective_toml(config), "again.toml", {}).device;
  EXPECT_EQ(again.nand.slc_blocks, 4U);
  EXPECT_EQ(again.nand.slc_dynamic, 9U);
  EXPECT_EQ(again.nand.slc_program_time, 150 * kMicrosecond);
  EXPECT_EQ(again.nand.slc_erase_time, 2 * kMillisecond);
  EXPECT_EQ(again.nand.slc_endurance, 40000U);
  EXPECT_EQ(again.ftl.slc_low, 3U);
  EXPECT_FALSE(again.ftl.slc_idle);
}

}  // namespace
}  // namespace flashloom::bad_slc_test
