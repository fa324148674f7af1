// Device files laid over a base file.
#include "sc_main/assembly/config/base.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sc_main/assembly/config/load.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::base_test {
namespace {

class Base : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string problem(const std::string& path) {
    try {
      load_config(path);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      (std::string("flashloom-base-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

constexpr const char* kLower = R"(name = "lower"
[nand]
channels = 4
ways = 2
read_time = "40 us"
program_current = "20 mA"
[nand.source]
read_time = "a data sheet"
channels = "another one"
program_current = "a paper"
[nand.uncertainty]
program_current = "10 mA to 30 mA"
[ftl]
garbage_collection = { name = "d_choices", d = 4 }
source = { garbage_collection = "a guess" }
)";

TEST_F(Base, KeysAboveReplaceThoseBelowWithWhatIsSaidOfThem) {
  write("lower.toml", kLower);
  const LoadedConfig upper = load_config(write("upper.toml", R"(base = "lower.toml"
name = "upper"
[nand]
ways = 8
read_time = "50 us"
program_current = "25 mA"
[nand.source]
read_time = "measured"
[ftl.garbage_collection]
name = "greedy"
)"));
  const DeviceConfig& device = upper.device;
  EXPECT_EQ(device.name, "upper");
  EXPECT_EQ(device.nand.channels, 4u);
  EXPECT_EQ(device.nand.ways, 8u);
  EXPECT_EQ(device.sources.at("nand.read_time"), "measured");
  EXPECT_EQ(device.sources.at("nand.channels"), "another one");
  EXPECT_EQ(device.sources.count("nand.program_current"), 0u) << "the source is of the figure below";
  EXPECT_EQ(device.ranges.count("nand.program_current"), 0u);
  EXPECT_EQ(device.ftl.garbage_collection.name, "greedy");
  EXPECT_EQ(device.sources.count("ftl.garbage_collection"), 0u);
}

TEST_F(Base, MessagesNameTheFileThatSaysIt) {
  const std::string lower = write("lower.toml", "name = \"lower\"\n[nand]\nchannels = 0\n");
  const std::string upper = write("upper.toml", "base = \"lower.toml\"\n[nand]\nways = 2\n");
  EXPECT_EQ(problem(upper).rfind(lower + ":3: nand.channels: ", 0), 0u) << problem(upper);
}

TEST_F(Base, TheHashIsOfBothFiles) {
  write("lower.toml", "name = \"lower\"\n");
  const std::string upper = write("upper.toml", "base = \"lower.toml\"\n");
  const std::string before = load_config(upper).hash;
  write("lower.toml", "name = \"lower\"\n[nand]\nways = 2\n");
  EXPECT_NE(load_config(upper).hash, before);
}

TEST_F(Base, OneThatIsMissingOrLaidOverItselfIsRefused) {
  const std::string missing = write("missing.toml", "name = \"m\"\nbase = \"nowhere\"\n");
  EXPECT_EQ(problem(missing).rfind(missing + ":2: base: ", 0), 0u) << problem(missing);
  const std::string number = write("number.toml", "base = 3\n");
  EXPECT_EQ(problem(number), number + ":1: base: must be the name of a preset, or of a file beside this one");
  write("one.toml", "base = \"two.toml\"\n");
  const std::string two = write("two.toml", "base = \"one.toml\"\n");
  EXPECT_NE(problem(two).find("base: is laid over itself: "), std::string::npos) << problem(two);
}

TEST_F(Base, OneBesideItNeedsNoEnding) {
  write("lower.toml", "name = \"lower\"\n[nand]\nways = 2\n");
  EXPECT_EQ(load_config(write("upper.toml", "base = \"lower\"\n")).device.nand.ways, 2u);
}

TEST_F(Base, APresetIsFoundByName) {
  const std::string upper = write("upper.toml", "base = \"tiny\"\nname = \"my-tiny\"\n[nand]\nways = 4\n");
  add_preset_folder(source_dir() + "/configs");
  const DeviceConfig tiny = load_config(source_dir() + "/configs/tiny.toml", {"nand.ways=4", "name=my-tiny"}).device;
  DeviceConfig device = load_config(upper).device;
  EXPECT_EQ(device.nand.channels, tiny.nand.channels);
  EXPECT_EQ(device.nand.ways, 4u);
  EXPECT_EQ(device.sources.at("nand.read_time"), tiny.sources.at("nand.read_time"));
}

}  // namespace
}  // namespace flashloom::base_test
