#include "sc_main/assembly/config/fronts.hpp"

#include <gtest/gtest.h>

namespace flashloom::fronts_test {
namespace {

struct Case {
  std::string text;
  std::string expected;
  std::vector<Front> refused;
};

const std::vector<Front> kFronts = {Front::Linux,   Front::LinuxTorture,   Front::Nbd,
                                    Front::KeptNbd, Front::NvmeController, Front::Platform};

void check(const Case& each) {
  const LoadedConfig config = load_config_text(each.text, "d.toml");
  for (const Front front : kFronts) {
    const bool refused = std::find(each.refused.begin(), each.refused.end(), front) != each.refused.end();
    try {
      require_front(config, front);
      EXPECT_FALSE(refused) << each.text << static_cast<int>(front);
    } catch (const ConfigError& error) {
      EXPECT_TRUE(refused) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with(each.expected)) << error.what();
      EXPECT_NE(std::string(error.what()).find("valid: "), std::string::npos) << error.what();
    }
  }
}

TEST(Fronts, SayFileLineKeyAndWhatIsValid) {
  const std::vector<Front> drivers = {Front::Linux, Front::LinuxTorture, Front::NvmeController};
  const std::vector<Case> cases = {
      {"name = \"plain\"\n", "", {}},
      {"[hdd]\ncapacity = \"1 GiB\"\n",
       "d.toml:2: hdd.capacity: ",
       {Front::Linux, Front::LinuxTorture, Front::KeptNbd, Front::NvmeController, Front::Platform}},
      {"[host.cache]\nsize = \"1 MiB\"\n",
       "d.toml:2: host.cache.size: ",
       {Front::Linux, Front::LinuxTorture, Front::NvmeController, Front::Platform}},
      {"link.kind = \"sata\"\n[host_interface]\nkind = \"sata\"\n", "d.toml:3: host_interface.kind: ", drivers},
      {"[array]\nlevel = \"raid0\"\n", "d.toml:2: array.level: ", kFronts},
      {"[host]\ndriver = \"polling\"\n", "d.toml:2: host.driver: ", kFronts},
      {"[host]\ncomplete_cost = \"1 us\"\n", "d.toml:2: host.complete_cost: ", kFronts},
      {"[host]\ndriver = \"polling\"\nsubmit_cost = \"0 s\"\ncomplete_cost = \"0 s\"\n", "", {}},
      {"[ftl]\nkind = \"dftl\"\n[hmb]\nsize = \"1 MiB\"\nmap_update = \"write_back\"\n",
       "d.toml:5: hmb.map_update: ", drivers},
      {"[ftl]\nkind = \"dftl\"\n[hmb]\nsize = \"1 MiB\"\nlost_at = \"1 s\"\n", "d.toml:5: hmb.lost_at: ", drivers},
      {"[power]\ncut_at = \"1 ms\"\n", "d.toml:2: power.cut_at: ", {Front::Linux, Front::Nbd, Front::KeptNbd}},
  };
  for (const Case& each : cases) check(each);
}

// Zones of 512 KiB, and zones of one erase unit on each of six dies, which is no power of two.
TEST(Fronts, ZonesAreOfRegistersAndOfLinuxByPowersOfTwo) {
  const auto zoned = [](int channels, const std::string& kind) {
    return "[nand]\nchannels = " + std::to_string(channels) +
           "\nways = 2\nblocks = 64\npages = 8\npage_size = \"16 KiB\"\n[buffer]\nreplacement = \"fifo\"\n"
           "[host_interface]\nsector_size = \"4 KiB\"\n[ftl]\nkind = " +
           kind + "\n";
  };
  const std::vector<Front> others = {Front::LinuxTorture, Front::Nbd, Front::KeptNbd, Front::Platform};
  check({zoned(2, R"({ name = "zoned", zone_size = "512 KiB" })"), "d.toml:12: ftl.kind: ", others});
  std::vector<Front> with_linux = others;
  with_linux.push_back(Front::Linux);
  check({zoned(3, R"({ name = "zoned" })"), "d.toml:12: ftl.kind: ", with_linux});
}

}  // namespace
}  // namespace flashloom::fronts_test
