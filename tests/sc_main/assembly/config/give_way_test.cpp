// Values that came with a choice are dropped when the choice is changed above them.
#include "sc_main/assembly/config/give_way.hpp"

#include <gtest/gtest.h>

#include "sc_main/assembly/config/load.hpp"

namespace flashloom::give_way_test {
namespace {

constexpr const char* kDrive =
    "[host]\ndriver = \"polling\"\nsubmit_cost = \"9 us\"\n"
    "[link]\nkind = \"pcie\"\nmax_payload = \"512 B\"\nlanes = 2\n"
    "[host_interface]\nqueue_depth = 7\n"
    "[dram]\nkind = \"ddr4_2400\"\nsize = \"2 GiB\"\nbandwidth = \"1 GB/s\"\n[dram.timing]\nbanks = 4\n"
    "[nand]\ninterface = \"nv_ddr2\"\ntiming_mode = 5\ntransfer_rate = \"333 MT/s\"\n"
    "source = { transfer_rate = \"a data sheet\" }\nuncertainty = { transfer_rate = \"-5 % to +5 %\" }\n";

LoadedConfig load(const std::vector<std::string>& overrides, const std::string& text = kDrive) {
  return load_config_text(text, "drive.toml", overrides);
}

TEST(GiveWay, AChangedChoiceBringsItsFigures) {
  const LoadedConfig driver = load({"host.driver=kernel"});
  EXPECT_EQ(driver.device.host.submit_cost, load({}, "[host]\ndriver = \"kernel\"\n").device.host.submit_cost);
  EXPECT_EQ(driver.dropped, (DroppedValues{{"host.driver", {"host.submit_cost"}}}));

  const LoadedConfig sata = load({"link.kind=sata", "host_interface.kind=sata"});
  EXPECT_EQ(sata.device.link.max_payload, 8192u);
  EXPECT_EQ(sata.device.link.lanes, 2u);
  EXPECT_EQ(sata.device.host_interface.queue_depth, 32u);
  EXPECT_EQ(sata.dropped, (DroppedValues{{"host_interface.kind", {"host_interface.queue_depth"}},
                                         {"link.kind", {"link.max_payload"}}}));

  const LoadedConfig dram = load({"dram.kind=lpddr4_3200"});
  EXPECT_EQ(dram.device.dram.bandwidth, load({}, "[dram]\nkind = \"lpddr4_3200\"\n").device.dram.bandwidth);
  EXPECT_EQ(dram.device.dram.size, std::uint64_t{2} << 30);
  EXPECT_EQ(dram.dropped, (DroppedValues{{"dram.kind", {"dram.bandwidth", "dram.timing.banks"}}}));
}

TEST(GiveWay, SourcesAndRangesGoWithTheirValues) {
  const LoadedConfig mode = load({"nand.timing_mode=4"});
  EXPECT_EQ(mode.device.nand.transfer_rate, 200'000'000u);  // ONFI 4.1, NV-DDR2 mode 4: 10 ns
  EXPECT_EQ(mode.device.sources.count("nand.transfer_rate"), 0u);
  EXPECT_EQ(mode.device.ranges.count("nand.transfer_rate"), 0u);
  EXPECT_EQ(mode.dropped, (DroppedValues{{"nand.timing_mode", {"nand.transfer_rate"}}}));
}

TEST(GiveWay, WhatIsWrittenBesideOrAboveTheNewChoiceStays) {
  EXPECT_EQ(load({"host.submit_cost=3 us", "host.driver=kernel"}).device.host.submit_cost, 3 * kMicrosecond);
  EXPECT_EQ(load({"host.driver=kernel", "host.submit_cost=3 us"}).device.host.submit_cost, 3 * kMicrosecond);
  EXPECT_EQ(load({}).device.host.submit_cost, 9 * kMicrosecond);
  EXPECT_TRUE(load({}).dropped.empty());
}

TEST(GiveWay, TheSameChoiceAndOnesThatBringNothingChangeNothing) {
  for (const char* const choice : {"host.driver=polling", "host.driver=none", "link.kind=pcie", "dram.kind=ddr4_2400",
                                   "dram.kind=custom", "host_interface.kind=nvme", "nand.timing_mode=5"}) {
    const LoadedConfig loaded = load({choice});
    EXPECT_TRUE(loaded.dropped.empty()) << choice;
    EXPECT_EQ(loaded.device.host.submit_cost, 9 * kMicrosecond) << choice;
    EXPECT_EQ(loaded.device.dram.bandwidth, 1'000'000'000u) << choice;
  }
}

TEST(GiveWay, TheTextNamesChoiceAndKeys) {
  EXPECT_EQ(dropped_text("dram.kind", {"dram.bandwidth", "dram.timing.banks"}),
            "dram.kind brings its own figures: dropped dram.bandwidth, dram.timing.banks");
}

}  // namespace
}  // namespace flashloom::give_way_test
