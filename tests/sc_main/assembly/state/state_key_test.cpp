#include "sc_main/assembly/state/state_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sc_main/assembly/config/load.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::state_key_test {
namespace {

StateKeys keys_with(const std::vector<std::string>& overrides) {
  return state_keys(load_config(source_dir() + "/configs/tiny.toml", overrides).device);
}

TEST(StateKey, WhatActsOnTimeOnlyIsNotInIt) {
  const StateKeys keys = keys_with({});
  for (const char* const same : {"name=other",
                                 "description=other",
                                 "seed=2",
                                 "host.queues=4",
                                 "host.iodepth=64",
                                 "link.lanes=2",
                                 "host_interface.commands=8",
                                 "cpu.model=ideal",
                                 "cpu.cycles.map_lookup=7",
                                 "dram.bandwidth=1 GB/s",
                                 "nand.read_time=25 us",
                                 "nand.program_time=300 us",
                                 "nand.erase_time=1 ms",
                                 "nand.transfer_rate=800 MT/s",
                                 "nand.bus_width=16",
                                 "nand.command_cycle=10 ns",
                                 "nand.program_cycles=9",
                                 "nand.read_current=30 mA",
                                 "nand.io_voltage=1.8 V",
                                 "nand.spare_size=256 B",
                                 "ftl.arbitration.bound=3",
                                 "precondition.fill=0.5",
                                 "power.cut_at=1 s",
                                 "ftl.logical_size=25 MiB"})
    EXPECT_EQ(difference(keys, keys_with({same})), "") << same;
}

TEST(StateKey, DevicesOfAsManyDiesShareStates) {
  const auto differ = [](std::vector<std::string> of_both) {
    std::vector<std::string> one = of_both;
    one.insert(one.end(), {"nand.channels=4", "nand.ways=1"});
    of_both.insert(of_both.end(), {"nand.channels=1", "nand.ways=2", "nand.dies=2"});
    return difference(keys_with(one), keys_with(of_both));
  };
  for (const char* const placement :
       {"static_order", "cold", "cold_least_loaded", "least_loaded", "least_worn", "superblock"})
    EXPECT_EQ(differ({std::string("ftl.placement=") + placement}), "") << placement;
  EXPECT_EQ(differ({"ftl.placement.order=PCWD"}), "");
  for (const char* const apart : {"ftl.placement.order=WCDP", "ftl.placement.order=CWPD"})
    EXPECT_NE(differ({apart}), "") << apart;
  EXPECT_EQ(difference(keys_with({}), keys_with({"nand.network.topology=crossbar"})), "");
}

TEST(StateKey, WhatShapesTheDeviceIsInIt) {
  const StateKeys keys = keys_with({});
  for (const char* const other :
       {"nand.channels=4", "nand.ways=1", "nand.dies=2", "nand.planes=2", "nand.blocks=32", "nand.pages=64",
        "nand.page_size=8 KiB", "nand.pages_per_program=2", "nand.in_order_program=false", "buffer.size=2 MiB",
        "buffer.mode=write_through", "buffer.destage_units=40", "ftl.mapping_unit=2 KiB", "ftl.over_provisioning=0.5",
        "ftl.logical_size=12 MiB", "ftl.gc_low=1", "ftl.gc_high=4", "host_interface.sector_size=4 KiB", "verify=true"})
    EXPECT_NE(difference(keys, keys_with({other})), "") << other;
  EXPECT_EQ(difference(keys_with({"verify=true"}), keys_with({"verify=true", "power.cut_at=1 s"})),
            "power.cut_at is none in the state and a cut here");
  EXPECT_EQ(difference(keys_with({"verify=true", "power.cut_at=2 s"}), keys_with({"verify=true", "power.cut_at=1 s"})),
            "");
}

TEST(StateKey, PartsAreInItWithTheirParameters) {
  DeviceConfig config = load_config(source_dir() + "/configs/tiny.toml").device;
  const StateKeys keys = state_keys(config);
  for (const char* const path : {"ftl.kind", "ftl.garbage_collection", "ftl.placement", "buffer.replacement"})
    EXPECT_EQ(std::count_if(keys.begin(), keys.end(), [&](const auto& key) { return key.first == path; }), 1) << path;
}

TEST(StateKey, DifferencesNameKeysAndBothValues) {
  EXPECT_EQ(
      difference({{"a", "1"}, {"b", "2"}, {"c", "3"}}, {{"a", "1"}, {"b", "4"}, {"d", "5"}}),
      "b is 2 in the state and 4 here; c is 3 in the state and unknown here; d is unknown in the state and 5 here");
}

// FNV-1a, 64 bits, of "a = 1\n", computed independently.
TEST(StateKey, HashIsOfTheLines) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : std::string("a = 1\n")) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  EXPECT_EQ(hash_of({{"a", "1"}}), text);
}

}  // namespace
}  // namespace flashloom::state_key_test
