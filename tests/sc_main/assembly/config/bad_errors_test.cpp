// Keys of bit errors, error correction, scrubbing and failing blocks: values refused, and values read back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_errors_test {
namespace {

const char* const kDevice = "[nand]\nspare_size = \"512 B\"\n[nand.errors]\nmodel = \"power_law\"\n";

TEST(ErrorKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"nand.errors.model=power"}, {"nand.errors.model", "none | power_law"}},
      {{"nand.errors.base=0.6"}, {"nand.errors.base", "0 .. 0.5"}},
      {{"nand.errors.retention_age=3 weeks"}, {"nand.errors.retention_age", "90 d", "h"}},
      {{"nand.errors.retention_age=200 h", "nand.errors.retry_rates=[0.5, 1.5]"},
       {"nand.errors.retry_rates", "0 .. 1"}},
      {{"nand.errors.page_factors=[1, 2]"}, {"nand.errors.page_factors", "1 page types"}},
      {{"nand.errors.page_factors=[]"}, {"nand.errors.page_factors", "0 values"}},
      {{"nand.ecc.codeword=3 KiB"}, {"nand.ecc.codeword", "does not divide ftl.mapping_unit"}},
      {{"nand.ecc.parity=200 B"}, {"nand.ecc.parity", "do not fit the spare area", "512 B"}},
      {{"nand.ecc.soft_strength=10"}, {"nand.ecc.soft_strength", "less than nand.ecc.strength"}},
      {{"controller.read_page_latency=5 us"},
       {"controller.read_page_latency", "5 us", "nand.ecc.decode_time, 20 us", "0 s"}},
      {{"nand.copyback=true"}, {"nand.copyback", "past the error correction"}},
      {{"ftl.scrub_level=6"}, {"ftl.scrub_level", "5 levels"}},
      {{"ftl.scrub_reads=100", "ftl.kind=fast", "ftl.over_provisioning=1"}, {"ftl.scrub_reads", "FTLs that map pages"}},
      {{"ftl.scrub_reads=100", "nand.errors.model=none"}, {"ftl.scrub_reads", "needs a nand.errors.model"}},
      {{"nand.factory_bad_blocks=10 %", "ftl.kind=log_block", "ftl.over_provisioning=1"},
       {"nand.factory_bad_blocks", "FTLs that map pages"}},
      {{"nand.factory_bad_blocks=40 %"}, {"ftl.over_provisioning", "leaves no room"}},
      {{"nand.program_failure_rate=1 %", "ftl.kind=log_block", "ftl.over_provisioning=1"},
       {"nand.program_failure_at", "FTLs that map pages", "\"cycle\""}},
      {{"nand.failed_program=7", "ftl.kind=fast", "ftl.over_provisioning=1"},
       {"nand.failed_program", "FTLs that map pages"}},
      {{"nand.die_failure_at=7", "nand.failed_die=4000"}, {"nand.failed_die", "is none of the"}},
      {{"nand.die_failure_at=7", "nand.errors.model=none"}, {"nand.die_failure_at", "needs a nand.errors.model"}},
      {{"nand.program_time_spread=95 %"}, {"nand.program_time_spread", "out of range"}}};
  expect_refused(kDevice, all);
  EXPECT_EQ(error_of(kDevice, {}), "accepted");
}

TEST(VariationKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"nand.variation.program_block=0.4"}, {"nand.variation.program_block", "0 .. 0.3"}},
      {{"nand.variation.errors_layer=0.1", "nand.errors.model=none"},
       {"nand.variation.errors_layer", "needs a nand.errors.model"}},
      // 32 pages, each a word line.
      {{"nand.pages=32", "nand.variation.layers=33"}, {"nand.variation.layers", "33 layers of the 32 word lines"}},
      {{"nand.pages=32", "nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]", "nand.variation.layers=12"},
       {"nand.variation.layers", "12 layers of the 11 word lines"}},
      {{"ftl.superblock_by=speed", "nand.variation.program_block=0.1"},
       {"ftl.superblock_by", "needs ftl.gc_unit", "valid: position"}},
      {{"ftl.superblock_by=speed", "ftl.gc_unit=superblock", "nand.variation.program_die=0.1"},
       {"ftl.superblock_by", "all alike without", "program_block"}},
      {{"ftl.superblock_by=age"}, {"ftl.superblock_by", "position | speed"}},
      {{"ftl.rain=1"}, {"ftl.rain", "ftl.gc_unit = \"superblock\"", "valid: 0"}},
      {{"ftl.rain=3"}, {"ftl.rain", "0 .. 2"}},
      {{"ftl.rain_memory=sram", "ftl.gc_unit=superblock"}, {"ftl.rain_memory", "needs ftl.rain", "dram"}},
      {{"ftl.rain=2", "ftl.gc_unit=superblock", "ftl.superblock_dies=2"},
       {"ftl.rain", "2 of the 2 dies", "less than 2"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "ftl.superblock_dies=2", "nand.die_failure_at=9"},
       {"ftl.rain", "leaves 1 die of 2 for data", "at least 3 dies"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "nand.channels=64"},
       {"ftl.rain", "longer than firmware computes", "62"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "nand.paired_pages=true", "ftl.over_provisioning=1"},
       {"nand.paired_pages", "whose parity has been programmed"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "nand.pages_per_program=2", "nand.program_passes=2",
        "ftl.over_provisioning=1"},
       {"nand.program_passes", "has no parity", "1"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "ftl.streams=single", "nand.blocks=34", "nand.pages=8",
        "nand.pages_per_program=2", "ftl.over_provisioning=0.57"},
       {"ftl.over_provisioning", "must keep 11 free (10 so that a victim gives a stripe, 1 for metadata)"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "ftl.superblock_dies=2", "ftl.over_provisioning=0.5"},
       {"ftl.over_provisioning", "leaves no room", "parity takes 1 of"}},
      {{"ftl.rain=1", "ftl.gc_unit=superblock", "ftl.over_provisioning=2", "nand.program_failure_rate=0.001",
        "power.plp=true", "buffer.size=1 GiB"},
       {"buffer.size", "worn-out device", "without 1 of parity", "power.plp_flush = \"flash\""}}};
  expect_refused(kDevice, all);
  EXPECT_EQ(error_of(kDevice, {"ftl.superblock_by=speed", "ftl.gc_unit=superblock", "nand.variation.erase_block=0.1",
                               "nand.variation.errors_die=2", "nand.variation.layers=1"}),
            "accepted");
}

TEST(FaultKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"faults.flush_ignored=1.5"}, {"faults.flush_ignored", "0 .. 1"}},
      {{"faults.torn_writes=0.5", "host_interface.sector_size=4 KiB"},
       {"faults.torn_writes", "ftl.mapping_unit, 4 KiB, is one sector of 4 KiB", "at least 8 KiB"}},
      {{"faults.lost_writes=0.5", "hdd.capacity=1 GB", "tier.policy=write_back"},
       {"faults.lost_writes", "hdd.capacity 0 B"}},
      {{"faults.fua_ignored=0.5", "heap.nvram.kind=stt_mram", "heap.nvram.size=16 MiB", "ftl.over_provisioning=1"},
       {"faults.fua_ignored", "no heap"}},
      {{"faults.flushes=1"}, {"flushes", "flush_ignored"}}};
  expect_refused("", all);
  EXPECT_EQ(error_of("", {"faults.torn_writes=0.5", "faults.misdirected_writes=100 %"}), "accepted");
}

TEST(FaultKeys, TellWhoKeepsContents) {
  EXPECT_FALSE(load_config_text("", "good.toml", {}).device.may_forget_durable());
  EXPECT_TRUE(load_config_text("", "good.toml", {"faults.torn_writes=0.01"}).device.may_forget_durable());
}

TEST(ErrorKeys, ReadBack) {
  const DeviceConfig config = load_config_text(kDevice, "good.toml",
                                               {"nand.errors.retention_age=36 h", "nand.errors.retry_rates=[0.5, 0.25]",
                                                "nand.ecc.parity=100 B", "nand.errors.page_factors=0.5",
                                                "ftl.scrub_level=2", "nand.factory_bad_blocks=1 %"})
                                  .device;
  EXPECT_EQ(config.nand.errors.retention_age, 36U * 3600);
  EXPECT_EQ(config.nand.errors.retry_rates, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(config.nand.errors.page_factors, std::vector<double>{0.5});
  const std::string text = effective_toml(config);
  EXPECT_NE(text.find("retention_age = \"36 h\""), std::string::npos) << text;
  EXPECT_NE(text.find("retry_rates = [0.5, 0.25]"), std::string::npos) << text;
  EXPECT_EQ(effective_toml(load_config_text(text, "again.toml", {}).device), text);
}

}  // namespace
}  // namespace flashloom::bad_errors_test
