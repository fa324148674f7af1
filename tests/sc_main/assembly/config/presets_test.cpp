// Every preset in configs/ loads, validates, and reads back from its own effective form.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "models/nand/nand_geometry.hpp"
#include "sc_main/assembly/config/key_range.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::presets_test {
namespace {

std::vector<std::string> preset_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/configs"))
    if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

std::string path_of(const std::string& preset) { return source_dir() + "/configs/" + preset + ".toml"; }

DeviceConfig load_preset(const std::string& preset) { return load_config(path_of(preset)).device; }

class Preset : public testing::TestWithParam<std::string> {};

TEST_P(Preset, LoadsUnderItsOwnName) {
  const LoadedConfig loaded = load_config(path_of(GetParam()));
  EXPECT_EQ(loaded.device.name, GetParam());
  EXPECT_FALSE(loaded.device.description.empty());
  EXPECT_EQ(loaded.file, GetParam() + ".toml");
  EXPECT_EQ(loaded.hash.size(), 16u);
}

TEST_P(Preset, EffectiveConfigurationReadsBack) {
  const DeviceConfig device = load_preset(GetParam());
  const std::string text = effective_toml(device);
  const DeviceConfig again = load_config_text(text, "effective.toml").device;
  EXPECT_EQ(effective_toml(again), text);
  EXPECT_EQ(effective_json(again).dump(), effective_json(device).dump());
  EXPECT_EQ(again.sources, device.sources);
}

/// Latencies carry a source.
TEST_P(Preset, TimesCarrySources) {
  const DeviceConfig device = load_preset(GetParam());
  for (const char* key : {"nand.read_time", "nand.program_time", "nand.erase_time"})
    EXPECT_EQ(device.sources.count(key), 1u) << key;
  if (!device.cpu.ideal) {
    EXPECT_EQ(device.sources.count("cpu.cycles"), 1u);
  }
}

/// preset_names() of tests/support goes by it.
TEST_P(Preset, TheNameSaysWhetherItHasZones) {
  const std::string text = effective_toml(load_preset(GetParam()));
  EXPECT_EQ(GetParam().ends_with("-zns"), text.find("name = \"zoned\"") != std::string::npos);
}

bool is_of_energy(const ConfigKey& key) {
  return key.quantity == Quantity::Current || key.quantity == Quantity::Power || key.quantity == Quantity::Energy ||
         key.quantity == Quantity::EnergyPerByte || key.quantity == Quantity::Capacitance;
}

/// Whether the device has the part and, of two ways to compute an energy, uses this key's.
bool is_in_use(const DeviceConfig& device, const ConfigKey& key) {
  if (key.table == "cpu") return !device.cpu.ideal;
  if (key.table == "nvram") return device.nvram.size != 0;
  if (key.table == "sram") return device.dramless();
  if (key.table == "hdd") return device.hdd.capacity != 0;
  if (key.table == "heap" || key.table == "heap.nvram") return device.heap.present();
  if (key.table == "dram") {
    if (key.name == "activate_energy" || key.name == "open_power") return device.dram.banked;
    if (key.name == "power_down_power") return device.dram.power_down_time != 0;
    if (key.name == "self_refresh_power") return device.dram.self_refresh_time != 0;
  }
  if (key.table != "nand") return true;
  const bool bits = device.nand.energy_model == "bits";
  const bool charge = device.nand.bus_energy_model == "capacitance";
  if (key.quantity == Quantity::EnergyPerByte) return bits;
  if (key.quantity == Quantity::Capacitance) return charge;
  if (key.name == "bus_current") return !charge;
  if (key.name == "standby_current") return device.nand.idle_power == 0;
  return !bits || key.quantity != Quantity::Current;
}

/// Every current, power and energy other than 0 has a source, and a range that holds it (which the reader checks).
TEST_P(Preset, FiguresOfEnergyCarrySourcesAndRanges) {
  const DeviceConfig device = load_preset(GetParam());
  int figures = 0;
  for (const ConfigKey& key : config_schema()) {
    if (!is_of_energy(key) || !is_in_use(device, key)) continue;
    const std::vector<double> values = numbers_of(key, device);
    if (std::all_of(values.begin(), values.end(), [](double value) { return value == 0; })) continue;
    ++figures;
    EXPECT_EQ(device.sources.count(key.path()), 1u) << key.path();
    EXPECT_EQ(device.ranges.count(key.path()), 1u) << key.path();
  }
  EXPECT_GE(figures, 5);
}

INSTANTIATE_TEST_SUITE_P(All, Preset, testing::ValuesIn(preset_names()), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

std::uint64_t raw_bytes(const DeviceConfig& device) {
  return NandGeometry(device.nand, device.ftl.mapping_unit).raw_bytes();
}

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(Presets, HaveTheCapacitiesThatTheyClaim) {
  EXPECT_EQ(raw_bytes(load_preset("calibration")), 16 * kGiB);
  EXPECT_EQ(raw_bytes(load_preset("cosmos-openssd")), 8 * kGiB);
  EXPECT_EQ(raw_bytes(load_preset("mqsim-default")), 512 * kGiB);
  EXPECT_EQ(raw_bytes(load_preset("slc-small-block")), kGiB / 8);
  const DeviceConfig tlc = load_preset("nvme-tlc-1tb");
  EXPECT_EQ(tlc.ftl.logical_size / 4096, 1'953'525'168u / 8);
  EXPECT_GT(raw_bytes(tlc), tlc.ftl.logical_size / 100 * 107);
  const DeviceConfig elpis = load_preset("samsung-980-pro-1tb");
  EXPECT_EQ(elpis.ftl.logical_size, tlc.ftl.logical_size);
  EXPECT_EQ(raw_bytes(elpis), raw_bytes(tlc));
  const DeviceConfig mlc = load_preset("samsung-970-pro-512gb");
  EXPECT_EQ(mlc.ftl.logical_size / 512, 1'000'215'216u);
  EXPECT_EQ(raw_bytes(mlc), 16 * 32 * kGiB);
  const DeviceConfig planar = load_preset("intel-750-400gb");
  EXPECT_EQ(planar.ftl.logical_size / 512, 781'422'768u);
  EXPECT_NEAR(static_cast<double>(raw_bytes(planar)) / static_cast<double>(planar.ftl.logical_size), 1.223, 0.005);
}

TEST(Presets, CosmosGrowsToTheBoardsFullSize) {
  const auto full = load_config(path_of("cosmos-openssd"), {"nand.blocks=4096"});
  EXPECT_EQ(raw_bytes(full.device), 128 * kGiB);
}

TEST(Presets, TheOneTerabyteDriveScalesDown) {
  const auto small = load_config(path_of("nvme-tlc-1tb"), {"nand.blocks=64", "ftl.logical_size=60 GiB"});
  EXPECT_EQ(raw_bytes(small.device), std::uint64_t{64} * 2 * 1152 * 16384 * 32);
}

TEST(Presets, FilesAreFoundAndUnknownNamesRefused) {
  const auto files = preset_files();  // of the working folder or of the program's place: maybe none
  for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_EQ(find_device_file(path_of("tiny")), path_of("tiny"));
  EXPECT_THROW(find_device_file("no-such-preset"), ConfigError);
}

}  // namespace
}  // namespace flashloom::presets_test
