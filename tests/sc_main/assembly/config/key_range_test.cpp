// Ranges of keys in device files: read, refused, overridden, written back.
#include "sc_main/assembly/config/key_range.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"

namespace flashloom::key_range_test {
namespace {

LoadedConfig loaded(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_config_text(text, "test.toml", overrides);
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    loaded(text, overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr const char* kNand =
    "[nand]\nprogram_current = \"25 mA\"\nread_time = [\"25 us\", \"60 us\"]\n"
    "[nand.uncertainty]\nprogram_current = \"17 mA to 35 mA\"\nread_time = \"-30 % to +40 %\"\n";

TEST(KeyRange, IsReadWithUnitsOrRelative) {
  const DeviceConfig device = loaded(kNand).device;
  const KeyRange& current = device.ranges.at("nand.program_current");
  EXPECT_FALSE(current.relative);
  EXPECT_EQ(current.low, 0.017);
  EXPECT_EQ(current.high, 0.035);
  const KeyRange& time = device.ranges.at("nand.read_time");
  EXPECT_TRUE(time.relative);
  EXPECT_DOUBLE_EQ(time.low, 0.7);
  EXPECT_DOUBLE_EQ(time.high, 1.4);
}

TEST(KeyRange, OfARatioIsRelativeOnlyWithSigns) {
  const ConfigKey& key = *find_config_key("ftl.over_provisioning");
  EXPECT_FALSE(parse_range(key, "5 % to 9 %").relative);
  EXPECT_EQ(parse_range(key, "5 % to 9 %").high, 0.09);
  EXPECT_TRUE(parse_range(key, "-5 % to +9 %").relative);
  EXPECT_TRUE(parse_range(key, "0 % to +9 %").relative);
  EXPECT_EQ(parse_range(*find_config_key("nand.channels"), "2 to 8").high, 8);
  EXPECT_EQ(parse_range(*find_config_key("cpu.clock"), "400 MHz to 1 GHz").low, 4e8);
}

// A list is scaled by one factor; the ends are met exactly; each whole number of a count has the same share.
TEST(KeyRange, SaysTheValueAtAShare) {
  const ConfigKey& time = *find_config_key("nand.read_time");
  EXPECT_EQ(numbers_at(time, parse_range(time, "-50 % to +100 %"), {10, 40}, 0), (std::vector<double>{5, 20}));
  EXPECT_EQ(numbers_at(time, parse_range(time, "-50 % to +100 %"), {10, 40}, 1), (std::vector<double>{20, 80}));
  EXPECT_EQ(numbers_at(time, parse_range(time, "-50 % to +100 %"), {10, 40}, 0.5), (std::vector<double>{10, 40}));
  EXPECT_EQ(numbers_at(time, parse_range(time, "-50 % to +100 %"), {10, 40}, 0.25), (std::vector<double>{7.5, 30}));
  EXPECT_EQ(numbers_at(time, parse_range(time, "-50 % to +100 %"), {10, 40}, 0.75), (std::vector<double>{15, 60}));
  EXPECT_EQ(numbers_at(time, parse_range(time, "0 % to +100 %"), {10, 40}, 0.5), (std::vector<double>{15, 60}));
  const ConfigKey& count = *find_config_key("nand.channels");
  const KeyRange channels = parse_range(count, "2 to 4");
  std::vector<int> seen(5);
  for (int i = 0; i < 300; ++i) ++seen[static_cast<std::size_t>(numbers_at(count, channels, {3}, (i + 0.5) / 300)[0])];
  EXPECT_EQ(seen, (std::vector<int>{0, 0, 100, 100, 100}));
  EXPECT_EQ(numbers_at(count, channels, {3}, 1), std::vector<double>{4});
}

TEST(KeyRange, OfWholeQuantitiesIsRounded) {
  DeviceConfig config;
  const ConfigKey& key = *find_config_key("nand.erase_time");
  set_numbers(key, config, {1234.6});
  EXPECT_EQ(config.nand.erase_time, 1235U);
  EXPECT_EQ(numbers_of(key, config), std::vector<double>{1235});
}

TEST(KeyRange, IsWrittenBack) {
  const DeviceConfig device = loaded(kNand).device;
  const std::string text = effective_toml(device);
  EXPECT_NE(text.find("[nand.uncertainty]\nread_time = \"-30 % to +40 %\"\nprogram_current = \"17 mA to 35 mA\"\n"),
            std::string::npos)
      << text;
  const DeviceConfig again = loaded(text).device;
  EXPECT_EQ(effective_toml(again), text);
  EXPECT_EQ(effective_json(again)["uncertainty"]["nand.program_current"], "17 mA to 35 mA");
  EXPECT_FALSE(effective_json(loaded("").device).contains("uncertainty"));
}

TEST(KeyRange, IsOverriddenAndDropped) {
  EXPECT_EQ(
      loaded(kNand, {"nand.uncertainty.program_current=20 mA to 30 mA"}).device.ranges.at("nand.program_current").low,
      0.02);
  EXPECT_EQ(loaded(kNand, {"nand.uncertainty.program_current=none"}).device.ranges.count("nand.program_current"), 0U);
  EXPECT_TRUE(loaded(kNand, {"nand.uncertainty=none"}).device.ranges.empty());
  const std::vector<std::string> all_but_one = {"nand.uncertainty=none", "nand.uncertainty.erase_time=1 ms to 9 ms"};
  EXPECT_EQ(loaded(kNand, all_but_one).device.ranges.size(), 1U);
  EXPECT_EQ(loaded("", {"seed=5", "uncertainty.seed=1 to 9"}).device.ranges.at("seed").high, 9);
}

// A range belongs to the file's figure: an override of the figure drops the range, unless it brings one.
TEST(KeyRange, GoesWithTheFigureThatIsOverridden) {
  EXPECT_EQ(loaded(kNand, {"nand.program_current=50 mA"}).device.ranges.count("nand.program_current"), 0U);
  const std::vector<std::string> both = {"nand.program_current=50 mA",
                                         "nand.uncertainty.program_current=\"-10 % to +10 %\""};
  EXPECT_TRUE(loaded(kNand, both).device.ranges.at("nand.program_current").relative);
}

// The same holds for all figures that a kind gives.
TEST(KeyRange, GoesWithTheKindThatIsOverridden) {
  const std::string text =
      "[nvram]\nkind = \"pcm\"\nsize = \"16 MiB\"\nbackground_power = \"10 mW\"\n"
      "[nvram.uncertainty]\nread_latency = \"100 ns to 200 ns\"\nbackground_power = \"5 mW to 20 mW\"\n";
  EXPECT_EQ(loaded(text).device.ranges.size(), 2U);
  const DeviceConfig other = loaded(text, {"nvram.kind=stt_mram"}).device;
  EXPECT_EQ(other.ranges.count("nvram.read_latency"), 0U);
  EXPECT_EQ(other.ranges.count("nvram.background_power"), 0U);
}

TEST(KeyRange, RefusesWhatIsNone) {
  const auto of_current = [](const std::string& range) {
    return error_of("[nand]\nprogram_current = \"25 mA\"\n[nand.uncertainty]\nprogram_current = \"" + range + "\"\n");
  };
  EXPECT_EQ(of_current("17 mA to 35 mA"), "accepted");
  for (const auto& [range, says] : std::vector<std::pair<std::string, std::string>>{
           {"17 mA", "has no two bounds"},
           {"17 to 35 mA", "has no unit"},
           {"17 mW to 35 mW", "has the unit \"mW\""},
           {"35 mA to 17 mA", "begins above its end"},
           {"30 mA to 35 mA", "does not hold nand.program_current, 25 mA"},
           {"+10 % to +20 %", "does not hold the value itself"},
           {"-120 % to +20 %", "reaches below nothing"},
           {"1 mA to 20 A", "reaches 20 A; valid for nand.program_current: 0 A .. 10 A"},
           {"17 mA to 35 mA with nand.erase_curent", "did you mean \"nand.erase_current\""},
           {"17 mA to 35 mA with nand.program_current", "goes with itself"}}) {
    const std::string error = of_current(range);
    EXPECT_NE(error.find(says), std::string::npos) << range << ": " << error;
    EXPECT_EQ(error.find("test.toml:4: nand.uncertainty.program_current: "), 0U) << error;
  }
}

TEST(KeyRange, RefusesKeysThatHaveNone) {
  EXPECT_NE(
      error_of("[nand.uncertainty]\nprogram_curent = \"1 mA to 2 mA\"\n").find("did you mean \"program_current\""),
      std::string::npos);
  EXPECT_NE(error_of("[nand.uncertainty]\ninterface = \"1 to 2\"\n").find("which has no range"), std::string::npos);
  EXPECT_NE(error_of("[cpu.uncertainty]\ncycles = \"-10 % to +10 %\"\n").find("is a table; ranges are of keys"),
            std::string::npos);
  EXPECT_NE(error_of("[nand]\nuncertainty = 3\n").find("must be a table"), std::string::npos);
  EXPECT_NE(error_of("[nand.uncertainty]\nread_time = 3\n").find("must be a string"), std::string::npos);
  EXPECT_NE(error_of("[nand]\nread_time = [\"1 us\", \"2 us\"]\n[nand.uncertainty]\nread_time = \"1 us to 3 us\"\n")
                .find("cannot be of the 2 values"),
            std::string::npos);
  EXPECT_NE(error_of("[nand]\nbus_current = \"0 A\"\n[nand.uncertainty]\nbus_current = \"-1 % to +1 %\"\n")
                .find("is relative to nand.bus_current, which is 0"),
            std::string::npos);
}

TEST(KeyRange, RefusesAChainOfKeysThatGoTogether) {
  const std::string error = error_of(
      "[nand.uncertainty]\nread_current = \"-10 % to +10 % with nand.erase_current\"\n"
      "program_current = \"-10 % to +10 % with nand.read_current\"\n");
  EXPECT_NE(error.find("valid: with nand.erase_current"), std::string::npos) << error;
}

}  // namespace
}  // namespace flashloom::key_range_test
