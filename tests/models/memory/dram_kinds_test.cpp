#include "models/memory/dram_kinds.hpp"

#include <gtest/gtest.h>

namespace flashloom::dram_kinds_test {
namespace {

TEST(DramKinds, AllHaveFiguresAndSources) {
  ASSERT_EQ(dram_kinds().size(), 3U);
  for (const DramKind& kind : dram_kinds()) {
    const DramConfig& dram = kind.defaults;
    EXPECT_EQ(dram.kind, kind.name);
    EXPECT_EQ(find_dram_kind(kind.name), &kind);
    EXPECT_FALSE(kind.source.empty());
    EXPECT_FALSE(dram.banked) << "a kind is figures; the model is chosen apart";
    EXPECT_EQ(dram.timing.row_size % dram.timing.burst, 0U);
    EXPECT_EQ(dram.size % (std::uint64_t{dram.timing.row_size} * dram.timing.banks), 0U);
    EXPECT_GT(dram.activate_energy, 0);
    EXPECT_GT(dram.open_power, 0);
    EXPECT_LT(dram.refresh_time, dram.refresh_interval);
    EXPECT_FALSE(dram.sleeps()) << "when is the controller's business";
    EXPECT_LT(dram.power_down_power, dram.background_power);
    EXPECT_GT(dram.self_refresh_power, 0);
    EXPECT_LT(dram.power_down_exit, dram.self_refresh_exit);
    EXPECT_EQ(dram.read_latency, dram.timing.row_column + dram.timing.column_read);
  }
  EXPECT_EQ(find_dram_kind("ddr5"), nullptr);
}

// One rail of 1.5 V, two devices, 6.4 GB/s: by hand.
TEST(DramKinds, EnergiesOfTheTechnicalNote) {
  const DramConfig& ddr3 = find_dram_kind("ddr3_1600")->defaults;
  // 2 x 1.5 x (110 mA x 47.5 ns - 45 mA x 35 ns - 42 mA x 12.5 ns)
  EXPECT_NEAR(ddr3.activate_energy, 3 * (5.225e-9 - 1.575e-9 - 0.525e-9), 1e-15);
  EXPECT_NEAR(ddr3.read_energy, 3 * 0.225 / 6.4e9, 1e-18);
  EXPECT_NEAR(ddr3.write_energy, 3 * 0.235 / 6.4e9, 1e-18);
  EXPECT_NEAR(ddr3.refresh_energy, 3 * 0.173 * 160e-9, 1e-15);
  EXPECT_NEAR(ddr3.background_power, 3 * 0.042, 1e-12);
  EXPECT_NEAR(ddr3.open_power, 3 * 0.003, 1e-12);
  EXPECT_NEAR(ddr3.power_down_power, 3 * 0.012, 1e-12);
  EXPECT_NEAR(ddr3.self_refresh_power, 3 * 0.012, 1e-12);
}

TEST(DramKinds, RailsAdd) {
  DramConfig config;
  config.bandwidth = 1'000'000'000;
  config.refresh_time = 100 * kNanosecond;
  config.timing.row_active = 40 * kNanosecond;
  config.timing.precharge = 10 * kNanosecond;
  const DramRail rails[] = {{.voltage = 2, .idd0 = 3, .idd2n = 1, .idd3n = 2, .idd4r = 5, .idd4w = 4, .idd5 = 6},
                            {.voltage = 1, .idd0 = 1, .idd2p = 3, .idd6 = 2}};
  set_dram_energies(config, rails, 2);
  // 4 V x (3 x 50 - 2 x 40 - 1 x 10) + 2 V x 50, A ns
  EXPECT_NEAR(config.activate_energy, 340e-9, 1e-15);
  EXPECT_NEAR(config.read_energy, 12e-9, 1e-17);
  EXPECT_NEAR(config.write_energy, 8e-9, 1e-17);
  EXPECT_NEAR(config.refresh_energy, 4 * 5 * 100e-9, 1e-14);
  EXPECT_NEAR(config.background_power, 4, 1e-12);
  EXPECT_NEAR(config.open_power, 4, 1e-12);
  EXPECT_NEAR(config.power_down_power, 6, 1e-12);
  EXPECT_NEAR(config.self_refresh_power, 4, 1e-12);
}

}  // namespace
}  // namespace flashloom::dram_kinds_test
