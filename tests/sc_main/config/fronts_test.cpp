#include "sc_main/config/fronts.hpp"

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
      {"[ftl]\nkind = \"dftl\"\n[hmb]\nsize = \"1 MiB\"\nlost_at = \"1 s\"\n",
       "d.toml:5: hmb.lost_at: ", drivers},
      {"[power]\ncut_at = \"1 ms\"\n", "d.toml:2: power.cut_at: ", {Front::Linux, Front::Nbd, Front::KeptNbd}},
  };
  for (const Case& each : cases) {
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
}

}  // namespace
}  // namespace flashloom::fronts_test
