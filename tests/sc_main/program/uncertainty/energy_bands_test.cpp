// Bands of energies with known distributions.
#include "sc_main/program/uncertainty/energy_bands.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "sc_main/assembly/config/key_range.hpp"

namespace flashloom::energy_bands_test {
namespace {

using Json = nlohmann::ordered_json;

/// A die at 1 V that reads for `read` and programs for `program` seconds, for 1 GB of the host's.
EnergyWork die_at_work(double read, double program) {
  return {.seconds = 10, .bytes = 1e9, .parts = {{"die0", "nand", {0, read, program, 0}, {}}}};
}

DeviceConfig with_ranges(const std::vector<std::pair<std::string, std::string>>& ranges) {
  DeviceConfig config;
  config.nand.array_voltage = 1;
  config.nand.read_current = config.nand.program_current = 0.02;
  for (const auto& [path, text] : ranges) config.ranges[path] = parse_range(*find_config_key(path), text);
  return config;
}

Json bands(const DeviceConfig& config, const EnergyWork& work, const SamplingOptions& options) {
  return energy_bands(UncertaintyPlan(config, options), work, {}).first;
}

// Program current uniform from 10 mA to 30 mA for 100 s at 1 V, reads of 20 mA for 50 s: 1 J + uniform from 1 J to 3 J.
TEST(EnergyBands, OfOneKeyAreUniform) {
  const DeviceConfig config = with_ranges({{"nand.program_current", "10 mA to 30 mA"}});
  const Json json = bands(config, die_at_work(50, 100), {.samples = 1000});
  const Json& total = json["total_j"];
  EXPECT_NEAR(total["mean"].get<double>(), 3, 2e-3);
  EXPECT_NEAR(total["p5"].get<double>(), 2.1, 3e-3);  // a stratum is 2 mJ wide
  EXPECT_NEAR(total["p50"].get<double>(), 3.0, 3e-3);
  EXPECT_NEAR(total["p95"].get<double>(), 3.9, 3e-3);
  EXPECT_NEAR(json["average_w"]["p95"].get<double>(), 0.39, 3e-4);
  EXPECT_NEAR(json["j_per_gb"]["p5"].get<double>(), 2.1, 3e-3);
  EXPECT_EQ(json["operations"]["nand.read"]["p5"], json["operations"]["nand.read"]["p95"]);
  EXPECT_NEAR(json["operations"]["nand.program"]["p95"].get<double>(), 2.9, 3e-3);
  EXPECT_EQ(json["kinds"]["nand"], total);
  EXPECT_EQ(json["runs"], 1);
  EXPECT_EQ(json["reruns"], 0);
  const Json& key = json["keys"]["nand.program_current"];
  EXPECT_EQ(key["low"], 0.01);
  EXPECT_EQ(key["high"], 0.03);
  EXPECT_EQ(key["nominal"], 0.02);
  EXPECT_EQ(key["unit"], "A");
  EXPECT_EQ(key["runs_again"], false);
  EXPECT_TRUE(key["reason"].is_null());
  ASSERT_EQ(json["tornado"].size(), 1U);
  EXPECT_DOUBLE_EQ(json["tornado"][0]["j_per_gb_low"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(json["tornado"][0]["j_per_gb_high"].get<double>(), 4);
}

// Two such keys: the sum of two uniforms of width w has its 5 % at w sqrt(0.1) and its 95 % at 2 w - w sqrt(0.1).
TEST(EnergyBands, OfTwoKeysAreTriangular) {
  const DeviceConfig config =
      with_ranges({{"nand.program_current", "10 mA to 30 mA"}, {"nand.read_current", "-50 % to +50 %"}});
  const Json total = bands(config, die_at_work(100, 100), {.samples = 8000})["total_j"];
  const double corner = 2 * std::sqrt(0.1);
  EXPECT_NEAR(total["mean"].get<double>(), 4, 1e-3);
  EXPECT_NEAR(total["p5"].get<double>(), 2 + corner, 0.04);
  EXPECT_NEAR(total["p50"].get<double>(), 4, 0.04);
  EXPECT_NEAR(total["p95"].get<double>(), 6 - corner, 0.04);
}

// Keys that go together share a sample: a uniform of twice the width, and one entry of the tornado.
TEST(EnergyBands, OfKeysThatGoTogetherAreUniform) {
  const DeviceConfig config = with_ranges(
      {{"nand.program_current", "10 mA to 30 mA"}, {"nand.read_current", "-50 % to +50 % with nand.program_current"}});
  const Json json = bands(config, die_at_work(100, 100), {.samples = 1000});
  EXPECT_NEAR(json["total_j"]["p5"].get<double>(), 2.2, 6e-3);
  EXPECT_NEAR(json["total_j"]["p95"].get<double>(), 5.8, 6e-3);
  ASSERT_EQ(json["tornado"].size(), 1U);
  EXPECT_EQ(json["tornado"][0]["keys"], (Json{"nand.read_current", "nand.program_current"}));
  EXPECT_DOUBLE_EQ(json["tornado"][0]["total_j_high"].get<double>(), 6);
}

TEST(EnergyBands, TheTornadoBeginsWithTheWidest) {
  const DeviceConfig config =
      with_ranges({{"nand.read_current", "19 mA to 21 mA"}, {"nand.program_current", "10 mA to 30 mA"}});
  const Json json = bands(config, die_at_work(100, 100), {.samples = 10});
  EXPECT_EQ(json["tornado"][0]["key"], "nand.program_current");
  EXPECT_EQ(json["tornado"][1]["key"], "nand.read_current");
}

// A device with more ranges makes the same draws for a key that both devices have.
TEST(EnergyBands, AKeyIsDrawnAlikeWhateverIsBesideIt) {
  const DeviceConfig one = with_ranges({{"nand.program_current", "10 mA to 30 mA"}});
  DeviceConfig two = with_ranges({{"nand.program_current", "10 mA to 30 mA"}, {"cpu.active_power", "-9 % to +9 %"}});
  two.cpu.active_power = 1;
  const UncertaintyPlan a(one, {.samples = 50}), b(two, {.samples = 50});
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(a.share(0, i), b.share(1, i));
}

TEST(EnergyBands, TheTableHasASampleARow) {
  const DeviceConfig config = with_ranges({{"nand.program_current", "10 mA to 30 mA"}});
  const UncertaintyPlan plan(config, {.samples = 5});
  std::istringstream table(energy_bands(plan, die_at_work(50, 100), {}).second);
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line,
            "sample,nand.program_current,total_j,background_j,average_w,j_per_gb,nand_j,operations.nand.erase_j,"
            "operations.nand.program_j,operations.nand.read_j");
  for (int row = 0; row < 5; ++row) {
    ASSERT_TRUE(std::getline(table, line));
    double sample = 0, current = 0, total = 0;
    char comma = 0;
    std::istringstream(line) >> sample >> comma >> current >> comma >> total;
    EXPECT_EQ(sample, row);
    EXPECT_NEAR(total, 1 + 100 * current, 1e-12);
  }
  EXPECT_FALSE(std::getline(table, line));
}

// A key that acts on time: 4 draws with a run each, and two runs at the bounds. Program time 1 ms to 3 ms.
class TimedKey : public testing::Test {
 protected:
  TimedKey() {
    config_ = with_ranges({{"nand.program_time", "1 ms to 3 ms"}, {"nand.program_current", "10 mA to 30 mA"}});
    config_.nand.program_time = {2 * kMillisecond};
  }
  DeviceConfig config_;
};

TEST_F(TimedKey, IsRunOnceADraw) {
  const UncertaintyPlan plan(config_, {.samples = 8, .runs = 4});
  ASSERT_EQ(plan.reruns(), 6U);
  std::vector<RerunOutcome> outcomes;
  for (std::size_t rerun = 0; rerun < plan.reruns(); ++rerun) {
    const DeviceConfig config = plan.config_of_rerun(rerun);
    EXPECT_EQ(config.nand.program_current, 0.02);
    const double ms = static_cast<double>(config.nand.program_time[0]) / kMillisecond;
    if (rerun == 4) {
      EXPECT_EQ(ms, 1);
    } else if (rerun == 5) {
      EXPECT_EQ(ms, 3);
    }
    outcomes.push_back({.work = die_at_work(0, 50 * ms)});
  }
  const Json json = energy_bands(plan, die_at_work(0, 100), outcomes).first;
  EXPECT_EQ(json["runs"], 4);
  EXPECT_EQ(json["reruns"], 6);
  EXPECT_EQ(json["samples"], 8);
  EXPECT_EQ(json["keys"]["nand.program_time"]["runs_again"], true);
  EXPECT_EQ(json["keys"]["nand.program_time"]["low"], 1e-3);
  ASSERT_EQ(json["tornado"].size(), 2U);
  for (const Json& entry : json["tornado"]) {
    EXPECT_DOUBLE_EQ(entry["total_j_low"].get<double>(), 1);
    EXPECT_DOUBLE_EQ(entry["total_j_high"].get<double>(), 3);
  }
}

TEST_F(TimedKey, OfARunThatFailedSamplesAreLeftOut) {
  const UncertaintyPlan plan(config_, {.samples = 8, .runs = 4});
  std::vector<RerunOutcome> outcomes(6, RerunOutcome{.work = die_at_work(0, 100)});
  outcomes[1] = {.failure = "no"};
  outcomes[5] = {.failure = "no, too"};
  const auto [json, csv] = energy_bands(plan, die_at_work(0, 100), outcomes);
  EXPECT_EQ(json["samples"], 8);
  EXPECT_EQ(json["left_out"], 2);
  ASSERT_EQ(json["failed"].size(), 2U);
  EXPECT_EQ(json["failed"][0]["run"], "draw 1");
  EXPECT_EQ(json["failed"][1]["run"], "nand.program_time at its high bound");
  EXPECT_EQ(json["tornado"].size(), 1U);
  EXPECT_EQ(csv.find("\n1,"), std::string::npos);
  EXPECT_NE(csv.find("\n2,"), std::string::npos);
  EXPECT_THROW(energy_bands(plan, die_at_work(0, 100), std::vector<RerunOutcome>(6, RerunOutcome{.failure = "no"})),
               std::runtime_error);
}

TEST_F(TimedKey, KeepsItsValueWithOneRun) {
  UncertaintyPlan plan(config_, {.samples = 8, .runs = 1});
  EXPECT_EQ(plan.reruns(), 0U);
  const Json json = energy_bands(plan, die_at_work(0, 100), {}).first;
  EXPECT_EQ(json["held"], Json{"nand.program_time"});
  EXPECT_EQ(json["tornado"].size(), 1U);
}

TEST(EnergyBands, NeedARange) { EXPECT_THROW(UncertaintyPlan(DeviceConfig{}, {.samples = 3}), std::invalid_argument); }

}  // namespace
}  // namespace flashloom::energy_bands_test
