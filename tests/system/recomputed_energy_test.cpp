// Energy for other currents, powers and energies is computed from the counts of one run: a second run with these values
// acts the same, to the bit, and uses the computed energy. This checks for every key of the schema that it is
// classified correctly.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sc_main/assembly/config/validate.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/uncertainty/energy_work.hpp"
#include "sc_main/program/uncertainty/uncertain_keys.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/tier_device.hpp"
#include "workloads/random.hpp"

namespace flashloom::recomputed_energy_test {
namespace {

const char* const kSleepy =
    "power.states=[{}, { operational = false, idle_power = \"5 mW\", idle_time = \"1 ms\", entry_latency = \"100 us\", "
    "exit_latency = \"200 us\" }]";

DeviceConfig device(const std::string& name) {
  if (name == "banked")
    return small_preset("nvme-tlc-1tb", {"dram.kind=ddr3_1600", "dram.model=banked", "precondition.fill=1.0", kSleepy});
  if (name == "points")
    return small_preset(
        "tiny",
        {"cpu.model=arm", "cpu.cores=2", "cpu.voltage=1.1 V", "cpu.governor=ondemand",
         "cpu.points=[{ clock = \"250 MHz\", voltage = \"0.8 V\" }, { clock = \"1 GHz\", voltage = "
         "\"1.1 V\" }]",
         "cpu.sampling_interval=200 us", "cpu.sleep_time=300 us", "cpu.sleep_power=1 mW", "cpu.wake_latency=20 us"});
  if (name == "tier") return small_tier();
  if (name == "compressed")
    return small_preset("tiny", {"precondition.fill=1.0", "compression.granule=512 B", "compression.energy=10 pJ/B"});
  if (name == "models")
    return small_preset("nvme-tlc-1tb", {"precondition.fill=1.0",
                                         "ftl.logical_size=3 MiB",
                                         "nand.energy_model=bits",
                                         "nand.read_energy=0.15 nJ/bit",
                                         "nand.program_energy=3.31 nJ/bit",
                                         "nand.erase_energy=0.07 nJ/bit",
                                         "nand.idle_power=12.7 mW",
                                         "nand.bus_energy_model=capacitance",
                                         "nand.bus_capacitance=5 pF",
                                         "nand.bus_die_capacitance=3 pF",
                                         "nand.bus_termination_power=1 mW",
                                         "controller.idle_power=300 mW",
                                         "controller.byte_energy=50 pJ/B",
                                         "link.transfer_energy=5 pJ/bit",
                                         "link.lane_power=20 mW",
                                         "link.l0s_time=5 us",
                                         "link.l0s_power=8 mW",
                                         "link.l0s_exit_latency=1 us",
                                         "link.l1_time=100 us",
                                         "link.l1_power=2 mW",
                                         "link.l1_exit_latency=10 us",
                                         "dram.power_down_time=1 us",
                                         "dram.power_down_power=20 mW",
                                         "dram.power_down_exit=10 ns",
                                         "dram.self_refresh_time=200 us",
                                         "dram.self_refresh_power=5 mW",
                                         "dram.self_refresh_exit=200 ns",
                                         "power.regulator_efficiency=0.85",
                                         "power.plp=true",
                                         "power.plp_leakage=5 mW",
                                         "nand.slc_blocks=4",
                                         "nand.slc_read_energy=0.1 nJ/bit",
                                         "nand.slc_program_energy=1 nJ/bit"});
  if (name == "planes")
    return small_preset("nvme-tlc-1tb",
                        {"precondition.fill=1.0", "nand.plane_current_share=0.6", "nand.idle_power=5 mW"});
  if (name == "planes_apart")
    return small_preset("nvme-tlc-1tb",
                        {"precondition.fill=1.0", "nand.plane_current_share=0.6", "nand.idle_power=5 mW",
                         "nand.independent_planes=2", "nand.multi_plane_read=true", "nand.program_suspend=true"});
  if (name == "network")
    return small_preset("nvme-tlc-1tb", {"precondition.fill=1.0", "nand.network.topology=mesh",
                                         "nand.network.router_power=2 mW", "nand.bus_energy_model=capacitance"});
  if (name == "nvram")
    return small_preset("tiny", {"nvram.kind=pcm", "nvram.size=16 MiB", "ftl.map_location=nvram", "power.cap_dies=1",
                                 "nvram.refresh_interval=10 us", "nvram.refresh_time=100 ns"});
  if (name == "sram")
    return small_preset("tiny", {"nand.blocks=24", "ftl.over_provisioning=2", "dram.size=0 B", "sram.size=1 MiB",
                                 "sram.read_energy=8 pJ/B", "sram.write_energy=9 pJ/B", "sram.background_power=2 mW",
                                 "ftl.kind=dftl", "hmb.size=16 KiB"});
  if (name == "cuts") return small_preset("calibration", {"power.cut_at=3 ms", "power.plp=true"});
  if (name == "errors")  // every other read takes soft decoding
    return small_preset(
        "tiny", {"precondition.fill=1.0", "nand.spare_size=512 B", "nand.errors.model=power_law",
                 "nand.errors.pe_cycles=3000", "nand.errors.retention_age=365 d", "nand.errors.retry_rates=[]"});
  return small_preset(name, {"precondition.fill=1.0"});
}

/// Draws other values for all keys that a run does not act on: 0.5 to 1.5 times the nominal value, or a small one for
/// zero.
DeviceConfig redrawn(const DeviceConfig& nominal, std::uint64_t seed) {
  Random random(seed);
  DeviceConfig config = nominal;
  for (const ConfigKey& key : config_schema()) {
    if (!why_it_runs_again(nominal, key).empty()) continue;
    std::vector<double> values = numbers_of(key, nominal);
    for (double& value : values)
      value =
          std::clamp(value == 0 && key.table != "cpu" ? 1e-9 : value * (0.5 + random.unit()), key.minimum, key.maximum);
    if (key.path() == "power.regulator_efficiency") values[0] = std::min(values[0], 0.99);  // 1 means no regulator
    set_numbers(key, config, values);
  }
  return config;
}

Json run(const DeviceConfig& config, std::uint64_t seed) {
  MixOptions mix = mix_for(config, seed, 1'500);
  mix.gap_ps = 20 * kMicrosecond;
  mix.capacity = host_capacity_bytes(config);
  return simulate(config, {{random_mix(mix), seed % 2 == 0 ? 0U : 16U, 0}});
}

class RecomputedEnergy : public testing::TestWithParam<std::string> {};

TEST_P(RecomputedEnergy, IsThatOfAnotherRun) {
  const DeviceConfig config = device(GetParam());
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const DeviceConfig other = redrawn(config, seed);
    Json first = run(config, seed), second = run(other, seed);
    EXPECT_EQ(first["work"], second["work"]);
    const EnergyFigures expected = energy_of(work_from(first["work"]), other);
    const Json& energy = second["energy"];
    EXPECT_NEAR(expected.total_j / energy["total_j"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(expected.background_j / energy["background_j"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(expected.average_w / energy["average_w"].get<double>(), 1, 1e-9);
    for (const auto& [row, figures] : energy["operations"].items())
      EXPECT_NEAR(expected.operations.at(row), figures["j"].get<double>(), 1e-9 * figures["j"].get<double>()) << row;
    std::map<std::string, double> kinds;
    for (const Json& component : energy["components"])
      kinds[component["kind"].get<std::string>()] += component["j"].get<double>();
    for (const auto& [kind, joules] : kinds) EXPECT_NEAR(expected.kinds.at(kind), joules, 1e-9 * joules) << kind;
    EXPECT_GT(std::abs(energy["total_j"].get<double>() / first["energy"]["total_j"].get<double>() - 1), 1e-3);
    // All else in the two results is equal: counts, latencies, media.
    for (Json* const result : {&first, &second}) {
      for (const char* const key : {"energy", "config", "power"}) result->erase(key);
      EXPECT_EQ(result->count("digest"), 1U);
    }
    EXPECT_EQ(first, second);
  }
}

const std::vector<std::string> kDevices = {"tiny",   "calibration", "nvme-tlc-1tb", "banked",  "points",
                                           "models", "planes",      "planes_apart", "tier",    "nvram",
                                           "sram",   "cuts",        "errors",       "network", "compressed"};
INSTANTIATE_TEST_SUITE_P(Devices, RecomputedEnergy, testing::ValuesIn(kDevices), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Each key declared to affect only energy does affect it on at least one of these devices, so the test above has tried
// it. Exempt: the heap's memory has no host driver here, an array has no recomputation, cpu.voltage acts through
// points, a busy disk does not spin down (hdd_cache_test.cpp has that), and the supply voltage is only the voltage at
// which currents are reported.
TEST(RecomputedEnergyKeys, AreAllTried) {
  const std::set<std::string> apart = {"power.supply_voltage", "hdd.standby_power", "hdd.spin_up_power"};
  std::set<std::string> silent;
  for (const ConfigKey& key : config_schema())
    if (key.draws_only && key.table != "heap.nvram" && key.table != "array.nvram" && apart.count(key.path()) == 0)
      silent.insert(key.path());
  for (const std::string& name : kDevices) {
    const DeviceConfig config = device(name);
    const EnergyWork work = work_from(run(config, 1)["work"]);
    const double nominal = energy_of(work, config).total_j;
    for (const ConfigKey& key : config_schema()) {
      if (silent.count(key.path()) == 0 || !why_it_runs_again(config, key).empty()) continue;
      DeviceConfig other = config;
      std::vector<double> values = numbers_of(key, config);
      for (double& value : values) value = value == 0 ? key.maximum : value * 0.5;
      set_numbers(key, other, values);
      if (energy_of(work, other).total_j != nominal) silent.erase(key.path());
    }
  }
  EXPECT_EQ(silent, std::set<std::string>{});
}

// Why why_it_runs_again() has exceptions: under a power cap the same change alters the run.
TEST(RecomputedEnergyKeys, OfACapActOnTime) {
  const DeviceConfig config = small_preset("tiny", {"power.cap=100 mW"});
  DeviceConfig other = config;
  other.nand.program_current *= 1.3;
  ASSERT_NE(why_it_runs_again(config, *find_config_key("nand.program_current")), "");
  EXPECT_NE(run(config, 1)["work"], run(other, 1)["work"]);
}

}  // namespace
}  // namespace flashloom::recomputed_energy_test
