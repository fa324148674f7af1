// Values that keys of the energy models refuse, and values that they read and write.
#include <gtest/gtest.h>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_energy_test {
namespace {

constexpr const char* kTlc =
    "[nand]\npages = 24\nread_time = [\"50 us\", \"60 us\", \"70 us\"]\nprogram_time = \"600 us\"\n";

TEST(BadEnergy, Refused) {
  expect_refused(
      kTlc, {{{R"(nand.read_energy=["1 nJ/B", "2 nJ/B"])"}, {"nand.read_energy", "2 values for 3 page types"}},
             {{R"(nand.program_energy=["1 nJ/B", "2 nJ/B"])"}, {"nand.program_energy", "one a page type"}},
             {{"nand.read_energy=[]"}, {"nand.read_energy", "one a page type"}},
             {{"nand.read_energy=1 nJ"}, {"nand.read_energy", "energy per byte", "nJ/bit"}},
             {{"nand.energy_model=bits", "nand.plane_current_share=0.5"}, {"nand.plane_current_share", "valid: 0"}},
             {{"nand.energy_model=joules"}, {"nand.energy_model", "current", "bits"}},
             {{"nand.energy_model=bits", "nand.erase_energy=10 uJ/B"}, {"nand.erase_energy", "at most 200 W"}},
             {{"nand.energy_model=bits", "nand.read_energy=5 uJ/B"}, {"nand.read_energy", "at most 200 W"}},
             {{"nand.bus_energy_model=capacitance", "nand.bus_capacitance=1 nF", "nand.io_voltage=20 V"},
              {"nand.bus_capacitance", "at most 200 W"}},
             {{"nand.bus_capacitance=5 V"}, {"nand.bus_capacitance", "capacitance", "pF"}},
             {{"link.kind=sata", "host_interface.kind=sata", "link.l0s_time=5 us"}, {"link.l0s_time", "link.l1_time"}},
             {{"dram.power_down_time=5 us", "dram.self_refresh_time=5 us"}, {"dram.self_refresh_time", "is not above"}},
             {{"power.regulator_efficiency=0.4"}, {"power.regulator_efficiency", "out of range"}},
             {{"controller.byte_energy=1 mJ/B"}, {"controller.byte_energy", "out of range"}}});
}

// The current model does not check the watts that the energies would make.
TEST(BadEnergy, EnergiesAreOfTheirModel) {
  EXPECT_EQ(error_of(kTlc, {"nand.read_energy=1 uJ/B"}), "accepted");
  EXPECT_EQ(error_of(kTlc, {"nand.bus_capacitance=1 nF", "nand.io_voltage=20 V"}), "accepted");
}

TEST(BadEnergy, ABitIsAnEighthOfAByte) {
  const LoadedConfig loaded = load_config_text(
      kTlc, "good.toml", {R"(nand.read_energy=["0.15 nJ/bit", "1.3 nJ/B", "0.2 nJ/bit"])", "nand.idle_power=12.7 mW"});
  EXPECT_EQ(loaded.device.nand.read_energy, (std::vector<double>{1.2e-9, 1.3e-9, 1.6e-9}));
  EXPECT_EQ(loaded.device.nand.program_energy, std::vector<double>{26.48e-9});
  const DeviceConfig again = load_config_text(effective_toml(loaded.device), "again.toml", {}).device;
  EXPECT_EQ(again.nand.read_energy, loaded.device.nand.read_energy);
  EXPECT_EQ(again.nand.idle_power, 12.7e-3);
}

}  // namespace
}  // namespace flashloom::bad_energy_test
