// Keys of an array that a device file may not have, and why.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_array_test {
namespace {

TEST(ArrayKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"array.level=raid4"}, {"array.level", "raid5"}},
      {{"array.level=raid6", "array.drives=3"}, {"array.drives", "at least 4"}},
      {{"array.level=raid5", "array.drives=2"}, {"array.drives", "at least 3"}},
      {{"array.level=raid10", "array.drives=5"}, {"array.drives", "an even number"}},
      {{"array.chunk=6 KiB"}, {"array.chunk", "no multiple of ftl.mapping_unit"}},
      {{"array.chunk=1 GiB", "nand.blocks=32", "ftl.over_provisioning=1"}, {"array.chunk", "is more than a drive has"}},
      {{"array.chunk=16 MiB", "dram.size=8 MiB", "buffer.size=1 MiB"}, {"array.chunk", "one command", "at most 8 MiB"}},
      {{"array.level=raid0", "array.fail_at=1 ms"}, {"array.fail_at", "nothing is left"}},
      {{"array.fail_at=1 ms", "array.failed_drive=4"}, {"array.failed_drive", "none of 4 drives"}},
      {{"array.level=jbod", "array.rebuild_at=1 ms"}, {"array.rebuild_at", "nothing can be rebuilt"}},
      {{"array.level=raid0", "array.journal=bitmap"}, {"array.journal", "not redundant"}},
      {{"array.level=raid1", "array.journal=write_ahead"}, {"array.journal", "valid with array.level \"raid1\""}},
      {{"array.journal=write_ahead"}, {"array.journal", "array.nvram.size"}},
      // A stripe of three chunks and its parity, with 64 bytes in front.
      {{"array.journal=write_ahead", "array.nvram.kind=pcm", "array.nvram.size=256 KiB"},
       {"array.nvram.size", "valid: at least 262208 B"}},
      // An array that is no good is named before the tier that it would be the cache of.
      {{"hdd.capacity=1 GiB", "array.drives=2"}, {"array.drives", "at least 3"}},
      {{"array.gc=staggered", "ftl.gc_background=0"}, {"array.gc", "ftl.gc_background"}},
      {{"verify=false", "power.cut_at=1 ms"}, {"verify", "whether drives agree"}},
      {{"power.plp=true", "power.plp_energy=1 J"}, {"power.plp_energy", "0 J"}}};
  expect_refused("[array]\nlevel = \"raid5\"\n", all);
}

TEST(ArrayKeys, AreAcceptedWhereTheyFit) {
  const char* const device = "[array]\nlevel = \"raid5\"\n";
  EXPECT_EQ(error_of(device, {}), "accepted");
  EXPECT_EQ(error_of(device, {"array.journal=write_ahead", "array.nvram.kind=pcm", "array.nvram.size=262208 B"}),
            "accepted");
  EXPECT_EQ(error_of(device, {"verify=true", "power.cut_at=1 ms", "power.plp=true"}), "accepted");
  EXPECT_EQ(error_of(device, {"hdd.capacity=1 GiB"}), "accepted");
}

}  // namespace
}  // namespace flashloom::bad_array_test
