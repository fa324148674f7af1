// The energy ledger closes with every energy model on, whatever happens to the device; models that take no time change
// no timing.
#include <gtest/gtest.h>

#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/tier_device.hpp"

namespace flashloom::energy_models_test {
namespace {

const std::vector<std::string> kNoTime = {
    "nand.energy_model=bits",           "nand.idle_power=12.7 mW",         "nand.bus_energy_model=capacitance",
    "nand.bus_termination_power=10 mW", "link.transfer_energy=5 pJ/bit",   "link.lane_power=50 mW",
    "controller.idle_power=300 mW",     "controller.byte_energy=100 pJ/B", "power.regulator_efficiency=0.85"};
const std::vector<std::string> kSleep = {"link.l0s_time=3 us",          "link.l0s_power=20 mW",
                                         "link.l0s_exit_latency=1 us",  "link.l1_time=30 us",
                                         "link.l1_power=5 mW",          "link.l1_exit_latency=10 us",
                                         "dram.power_down_time=1 us",   "dram.power_down_power=10 mW",
                                         "dram.power_down_exit=25 ns",  "dram.self_refresh_time=100 us",
                                         "dram.self_refresh_power=5 mW"};

std::vector<std::string> together(std::vector<std::string> all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void expect_closed(const Json& result) {
  const Json& energy = result["energy"];
  const double total = energy["total_j"], simulated = result["simulated_s"];
  double components = 0, operations = energy["background_j"];
  for (const Json& component : energy["components"]) {
    components += component["j"].get<double>();
    double residency = 0;
    for (const auto& [name, time] : component["residency_s"].items()) residency += time.get<double>();
    EXPECT_NEAR(residency / simulated, 1.0, 1e-12) << component["name"];
  }
  for (const auto& [name, operation] : energy["operations"].items()) operations += operation["j"].get<double>();
  EXPECT_NEAR(components / total, 1.0, 1e-12);
  EXPECT_NEAR(operations / total, 1.0, 1e-12);
}

struct Scene {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

class EnergyModels : public testing::TestWithParam<Scene> {};

TEST_P(EnergyModels, TheLedgerCloses) {
  std::vector<std::string> overrides = together(together(kNoTime, kSleep), GetParam().overrides);
  overrides.push_back("precondition.fill=0.9");
  const DeviceConfig config = small_preset(GetParam().preset, overrides);
  MixOptions mix = mix_for(config, 11, 2000);
  mix.gap_ps = 20 * kMicrosecond;
  const Json result = simulate(config, {{random_mix(mix), 0, 0}});
  expect_closed(result);
  const Json& rows = result["energy"]["operations"];
  EXPECT_GT(rows.at("nand.program")["count"].get<double>(), 0);
  EXPECT_GT(rows.at("controller")["j"].get<double>(), 0);
  // The regulator loses 15/85 of what the others draw, except what the device as a whole draws while it sleeps.
  const double total = result["energy"]["total_j"], lost = rows.at("regulator")["j"];
  if (config.power.states.empty()) {
    EXPECT_NEAR(lost / (total - lost), 0.15 / 0.85, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, EnergyModels,
    testing::Values(Scene{"plain", "tiny", {}}, Scene{"banked", "tiny", {"dram.kind=ddr3_1600", "dram.model=banked"}},
                    Scene{"cuts", "tiny", {"power.cuts=4", "power.cut_spacing=6 ms", "power.off_time=1 ms"}},
                    Scene{"capacitors",
                          "tiny",
                          {"power.cuts=3", "power.cut_spacing=8 ms", "power.off_time=1 ms", "power.plp=true"}},
                    Scene{"suspension",
                          "tiny",
                          {"nand.program_suspend=true", "nand.erase_suspend=true", "nand.cache_read=true",
                           "nand.cache_program=true", "power.cuts=3", "power.cut_spacing=6 ms"}},
                    Scene{"planes_apart",
                          "tiny",
                          {"nand.planes=4", "nand.independent_planes=4", "nand.program_suspend=true", "power.cuts=3",
                           "power.cut_spacing=6 ms"}},
                    Scene{"copyback", "tiny", {"nand.planes=2", "nand.copyback=true", "nand.multi_plane_read=true"}},
                    Scene{"capped", "tiny", {"power.cap=0.5 W", "nand.page_register=true"}},
                    Scene{"tlc", "nvme-tlc-1tb", {}},
                    Scene{"states",
                          "tiny",
                          {R"(power.states=[{}, { operational = false, idle_power = "5 mW", idle_time = "50 us", )"
                           R"(entry_latency = "10 us", exit_latency = "100 us" }])",
                           "power.cuts=2", "power.cut_spacing=8 ms"}}),
    [](const auto& test) { return std::string(test.param.name); });

// Keys that only choose how energy is computed take no time and change no count.
TEST(EnergyModels, WhatTakesNoTimeChangesNone) {
  const DeviceConfig plain = small_preset("tiny", {"precondition.fill=0.9"});
  const DeviceConfig other = small_preset("tiny", together(kNoTime, {"precondition.fill=0.9"}));
  const auto run = [](const DeviceConfig& config) {
    Json result = simulate(config, {{random_mix(mix_for(config, 3, 1500)), 8, 0}});
    for (const char* const part : {"energy", "config", "config_hash", "device"}) result.erase(part);
    return result;
  };
  const Json a = run(plain), b = run(other);
  for (const char* const part : {"host", "counters", "ftl_statistics", "latency_ps", "end_ps", "digest", "utilization"})
    EXPECT_EQ(a[part], b[part]) << part;
}

// Programming takes 3.31 nJ per bit, reading 0.15 nJ.
TEST(EnergyModels, JoulesByTheBitsOfARun) {
  const DeviceConfig config = small_preset("tiny", {"precondition.fill=0.9", "nand.energy_model=bits"});
  const Json result = simulate(config, {{random_mix(mix_for(config, 3, 1500)), 8, 0}});
  const Json& rows = result["energy"]["operations"];
  const double programmed = rows.at("nand.program")["count"], read = rows.at("nand.read")["count"];
  EXPECT_GT(programmed, config.nand.page_size);  // the end of the run may cut a program short
  EXPECT_GT(read, config.nand.page_size);
  EXPECT_NEAR(rows.at("nand.program")["j"].get<double>(), programmed * 8 * 3.31e-9, 1e-9 * programmed * 8 * 3.31e-9);
  EXPECT_NEAR(rows.at("nand.read")["j"].get<double>(), read * 8 * 0.15e-9, 1e-9 * read * 8 * 0.15e-9);
}

// Each way adds load to the wires of its channel: the same bytes cost more.
TEST(EnergyModels, WaysCostEnergyOnTheBus) {
  double before = 0;
  for (const char* const ways : {"nand.ways=1", "nand.ways=2", "nand.ways=4"}) {
    const DeviceConfig config = small_preset("tiny", {ways, "nand.bus_energy_model=capacitance"});
    MixOptions mix = mix_for(config, 5, 500);
    mix.capacity = 1 << 20;
    const Json row = simulate(config, {{random_mix(mix), 4, 0}})["energy"]["operations"]["nand.transfer"];
    const double joules_a_byte = row["j"].get<double>() / row["count"].get<double>();
    EXPECT_GT(joules_a_byte, before);
    before = joules_a_byte;
  }
}

// The HDD of a tier has a power supply of its own.
TEST(EnergyModels, RegulatorsAreTheSsdsAlone) {
  const DeviceConfig config = small_tier({"power.regulator_efficiency=0.8"});
  const Json result = simulate(config, {{random_mix([&] {
                                           MixOptions mix = mix_for(config, 5, 300);
                                           mix.capacity = host_capacity_bytes(config);
                                           mix.trims = 0;
                                           return mix;
                                         }()),
                                         4, 0}});
  double disk = 0, lost = 0;
  for (const Json& component : result["energy"]["components"]) {
    if (component["kind"] == "hdd") disk += component["j"].get<double>();
    if (component["kind"] == "regulator") lost += component["j"].get<double>();
  }
  EXPECT_GT(disk, 0);
  EXPECT_NEAR(lost, (result["energy"]["total_j"].get<double>() - disk) * 0.2, 1e-9 * lost);
  expect_closed(result);
}

}  // namespace
}  // namespace flashloom::energy_models_test
