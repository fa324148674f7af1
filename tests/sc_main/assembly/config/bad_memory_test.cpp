// Keys of SRAM and of the host memory buffer: values that a device file may not have.
#include <gtest/gtest.h>

#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_memory_test {
namespace {

const char* const kDevice =
    "[dram]\nsize = \"0 B\"\n[sram]\nsize = \"4 MiB\"\n[buffer]\nsize = \"1 MiB\"\n"
    "[ftl]\nkind = \"dftl\"\n[hmb]\nsize = \"1 MiB\"\n";

TEST(BadMemory, Refused) {
  expect_refused(
      kDevice,
      {{{"dram.size=64 MiB"}, {"sram.size", "stands in for a DRAM, and dram.size is 64 MiB", "valid: 0 B"}},
       {{"sram.size=1 MiB"}, {"sram.size", "1 MiB does not hold buffer.size, 1 MiB", "two pages of flash a channel"}},
       {{"ftl.kind=page_map"}, {"hmb.size", "\"page_map\" has its map in memory", "valid: 0 B, or ftl.kind dftl"}},
       {{"hmb.size=1 KiB"}, {"hmb.size", "does not hold a translation page, 4 KiB"}},
       {{"hmb.minimum=2 MiB"}, {"hmb.minimum", "2 MiB is more than hmb.size, 1 MiB"}},
       {{"hmb.revoke_at=1 s", "hmb.lost_at=2 s"}, {"hmb.lost_at", "one of them 0 s"}},
       {{"hmb.return_at=1 s"}, {"hmb.return_at", "is not behind hmb.revoke_at or hmb.lost_at"}},
       {{"hmb.revoke_at=2 s", "hmb.return_at=1 s"}, {"hmb.return_at", "more than that"}},
       {{"hmb.lost_at=1 s", "hmb.map_update=write_back"}, {"hmb.lost_at", "valid: 0 s, or \"write_through\""}},
       {{"hmb.size=0 B", "hmb.revoke_at=1 s"}, {"hmb.size", "neither taken back nor lost"}},
       {{"host_interface.kind=sata", "link.kind=sata", "host_interface.queue_depth=32"},
        {"hmb.size", "host_interface.kind is \"sata\""}}});
  EXPECT_EQ(error_of(kDevice, {}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"hmb.revoke_at=1 s", "hmb.return_at=2 s", "hmb.map_update=write_back"}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"hmb.size=0 B", "ftl.kind=page_map", "sram.size=8 MiB"}), "accepted");
}

}  // namespace
}  // namespace flashloom::bad_memory_test
