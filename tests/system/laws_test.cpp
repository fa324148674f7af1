// Laws that hold at the end of every run: counts, energy and time each add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/nand/nand_geometry.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::laws_test {
namespace {

class Laws : public testing::TestWithParam<std::string> {
 protected:
  Laws() : config(small_preset(GetParam(), {"precondition.fill=1.0"})), geometry(config.nand, config.ftl.mapping_unit) {
    result = simulate(config, {{random_mix(mix_for(config, 7, 4000)), 16, 0}});
  }
  static std::uint64_t sum(const Json& table, std::size_t field) {
    std::uint64_t total = 0;
    for (const Json& origin : table) total += origin[field].get<std::uint64_t>();
    return total;
  }
  DeviceConfig config;
  NandGeometry geometry;
  Json result;
};

constexpr std::size_t kCommands = 0, kPages = 1, kUnits = 2, kBusBytes = 3;  // fields of a counter

TEST_P(Laws, EveryProgrammedUnitHasAnOrigin) {
  const Json& program = result["counters"]["program"];
  const std::uint64_t commands = sum(program, kCommands);
  EXPECT_EQ(sum(program, kPages), commands * geometry.program_pages);
  EXPECT_EQ(sum(program, kUnits), commands * geometry.units_per_program());
  const auto of = [&](const char* origin) { return program[origin][kUnits].get<std::uint64_t>(); };
  EXPECT_EQ(of("host") + of("gc") + of("map") + of("padding"), sum(program, kUnits));
  const Json& ftl = result["ftl_statistics"];
  EXPECT_EQ(of("padding"), ftl["units_padded"]);
  const auto padding_of = [&](const char* origin) {
    return program[origin][kCommands].get<std::uint64_t>() * geometry.units_per_program() - of(origin);
  };
  EXPECT_EQ(of("padding"), padding_of("host") + padding_of("gc") + padding_of("map"));
  // At either end of the measured window some units may wait for their program unit to fill, and some victims for their
  // erase.
  const auto expect_within = [](std::uint64_t a, std::uint64_t b, std::uint64_t bound) {
    EXPECT_LE(std::max(a, b) - std::min(a, b), bound) << a << " and " << b;
  };
  const std::uint64_t program_unit = geometry.units_per_program();
  expect_within(ftl["units_written"], of("host"), program_unit - 1);
  expect_within(ftl["units_moved"], of("gc"), geometry.dies * (program_unit - 1));
  expect_within(ftl["gc_runs"], result["counters"]["erase"]["gc"][kPages], geometry.dies);
  EXPECT_GT(of("gc"), 0U);
}

TEST_P(Laws, RequestsInAreCompletionsOut) {
  const Json& host = result["host"];
  EXPECT_EQ(host["requests"], 4000);
  EXPECT_EQ(host["completions"], 4000);
  EXPECT_EQ(host["read"]["ios"].get<int>() + host["write"]["ios"].get<int>() + host["trim"]["ios"].get<int>() +
                host["flush"]["ios"].get<int>(),
            4000);
  EXPECT_EQ(host["media_errors"], 0);
  const Json& buffer = result["buffer_statistics"];
  EXPECT_LE(buffer["write_hits"], buffer["write_units"]);
  EXPECT_LE(buffer["read_hits"].get<int>() + buffer["destage_hits"].get<int>(), buffer["read_units"].get<int>());
}

TEST_P(Laws, TheLedgerCloses) {
  const Json& energy = result["energy"];
  const double total = energy["total_j"];
  ASSERT_GT(total, 0);
  double components = 0;
  for (const Json& component : energy["components"]) components += component["j"].get<double>();
  double operations = energy["background_j"];
  for (const auto& [name, operation] : energy["operations"].items()) operations += operation["j"].get<double>();
  EXPECT_NEAR(components / total, 1.0, 1e-12);
  EXPECT_NEAR(operations / total, 1.0, 1e-12);
  EXPECT_NEAR(energy["average_w"].get<double>() * result["simulated_s"].get<double>() / total, 1.0, 1e-12);
  // This many windows cover the run, which need not be a whole number of windows.
  const double seconds = result["simulated_s"], window = energy["peak_window_s"];
  EXPECT_GE(energy["peak_w"].get<double>() * std::max(seconds, std::ceil(seconds / window) * window), 0.999 * total);
}

TEST_P(Laws, TimesAddUp) {
  const double simulated = result["simulated_s"];
  for (const Json& component : result["energy"]["components"]) {
    double residency = 0;
    for (const auto& [name, time] : component["residency_s"].items()) residency += time.get<double>();
    EXPECT_NEAR(residency / simulated, 1.0, 1e-12) << component["name"];
  }
  for (const char* const parts : {"channels", "dies"})
    for (const Json& part : result["utilization"][parts]) {
      double shares = 0;
      for (const auto& [name, share] : part.items()) {
        EXPECT_GE(share.get<double>(), 0.0) << name;
        shares += share.get<double>();
      }
      EXPECT_NEAR(shares, 1.0, 1e-12);
    }
  for (const Json& core : result["utilization"]["cores"]) EXPECT_LE(core.get<double>(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(Presets, Laws, testing::ValuesIn(preset_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace flashloom::laws_test
