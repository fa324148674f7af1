// Values that [nand.network] refuses, and keys that it refuses beside it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_network_test {
namespace {

const char* const kDevice = "[nand.network]\ntopology = \"mesh\"\n";

TEST(NetworkKeys, AreRefusedWithKeyAndReason) {
  const std::vector<RefusedKeys> all = {
      {{"nand.network.topology=torus"}, {"nand.network.topology", "bus | crossbar | mesh | vertical"}},
      {{"nand.network.routing=random"}, {"nand.network.routing", "minimal | adaptive"}},
      {{"nand.network.detour=65"}, {"nand.network.detour", "0 .. 64"}},
      {{"nand.network.link_width=3"}, {"nand.network.link_width", "3 bits", "0, 1, 2, 4, 8 or 16"}},
      {{"nand.network.link_rate=5 MT/s"}, {"nand.network.link_rate", "5000000 T/s", "10 MT/s"}},
      {{"nand.cache_read=true"}, {"nand.cache_read", "needs a bus for each channel", "topology = \"bus\""}},
      {{"nand.cache_program=true"}, {"nand.cache_program", "needs a bus"}},
      {{"nand.program_suspend=true"}, {"nand.program_suspend", "needs a bus"}},
      {{"nand.erase_suspend=true"}, {"nand.erase_suspend", "needs a bus"}},
      {{"nand.way_switch_time=1 us"}, {"nand.way_switch_time", "chip enables"}},
      {{"power.cap=9 W"}, {"power.cap", "needs a bus"}},
      {{"power.cap_dies=2"}, {"power.cap_dies", "needs a bus"}},
      {{"nand.channels=256", "nand.ways=32", "nand.blocks=32"}, {"nand.network.topology", "8192 chips", "4096"}}};
  expect_refused(kDevice, all);
  EXPECT_EQ(error_of(kDevice, {"nand.network.routing=minimal", "nand.network.link_rate=10 MT/s",
                               "nand.network.link_width=16", "nand.independent_planes=2", "nand.planes=2"}),
            "accepted");
  // Without a network its keys have no effect.
  EXPECT_EQ(error_of(kDevice, {"nand.network.topology=bus", "nand.cache_read=true", "nand.way_switch_time=1 us"}),
            "accepted");
}

}  // namespace
}  // namespace flashloom::bad_network_test
