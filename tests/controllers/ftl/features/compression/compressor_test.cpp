// Sizes of compressed units, and the engine's checks. Effects on flash: tests/system/compression_test.cpp.
#include "controllers/ftl/features/compression/compressor.hpp"

#include <gtest/gtest.h>

#include <string>

#include "models/common/config_problem.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::compressor_test {
namespace {

struct Engine {
  explicit Engine(const CompressionConfig& config, std::uint64_t seed = 1)
      : compressor(config, 4096, seed, bench.hardware) {}

  MediaBench bench{NandConfig{}};
  Compressor compressor;
};

CompressionConfig saving(double saved, double spread = 0) {
  CompressionConfig config;
  config.granule = 512;
  config.saved = saved;
  config.spread = spread;
  return config;
}

// With eight granules a unit, the size is rounded up, is at least one granule and never more than the data.
TEST(CompressedSizes, ByHand) {
  EXPECT_EQ(Engine(saving(0)).compressor.granules(7, 1, 0), 8U);
  EXPECT_EQ(Engine(saving(0.05)).compressor.granules(7, 1, 0), 8U);
  EXPECT_EQ(Engine(saving(0.3)).compressor.granules(7, 1, 0), 6U);
  EXPECT_EQ(Engine(saving(0.5)).compressor.granules(7, 1, 0), 4U);
  EXPECT_EQ(Engine(saving(0.9)).compressor.granules(7, 1, 0), 1U);
  EXPECT_EQ(Engine(saving(1)).compressor.granules(7, 1, 0), 1U);
}

// Sizes uniform within 20 % of 4 granules, rounded up: 4 and 5 are equally frequent.
TEST(CompressedSizes, SpreadAroundTheirMean) {
  const Engine engine(saving(0.5, 0.2));
  std::uint32_t of_size[9] = {};
  for (std::uint32_t unit = 0; unit < 10000; ++unit) ++of_size[engine.compressor.granules(unit, 3, 0)];
  EXPECT_EQ(of_size[4] + of_size[5], 10000U);
  EXPECT_NEAR(of_size[4], 5000, 200);
}

TEST(CompressedSizes, AreOfUnitVersionAndSeed) {
  const Engine engine(saving(0.5, 1));
  const Engine other(saving(0.5, 1), 2);
  std::uint32_t changed_by_version = 0;
  std::uint32_t changed_by_seed = 0;
  for (std::uint32_t unit = 0; unit < 100; ++unit) {
    const std::uint32_t size = engine.compressor.granules(unit, 1, 0);
    EXPECT_EQ(engine.compressor.granules(unit, 1, 0), size);
    changed_by_version += engine.compressor.granules(unit, 2, 0) != size ? 1 : 0;
    changed_by_seed += other.compressor.granules(unit, 1, 0) != size ? 1 : 0;
  }
  EXPECT_GT(changed_by_version, 50U);
  EXPECT_GT(changed_by_seed, 50U);
}

TEST(CompressedSizes, AreOfWhoWrites) {
  Engine engine(saving(0.5));
  engine.compressor.set_saved(2, 0.75);
  EXPECT_EQ(engine.compressor.granules(0, 1, 0), 4U) << "as the device says";
  EXPECT_EQ(engine.compressor.granules(0, 1, 1), 4U) << "as the device says";
  EXPECT_EQ(engine.compressor.granules(0, 1, 2), 2U);
  EXPECT_EQ(engine.compressor.granules(0, 1, 3), 4U);
}

std::string refused(std::uint32_t granule, std::uint32_t unit) {
  CompressionConfig config;
  config.granule = granule;
  try {
    check_config(config, unit);
  } catch (const ConfigProblem& problem) {
    return problem.key();
  }
  return {};
}

TEST(CompressionConfig, RefusesGranulesThatSayNothing) {
  EXPECT_EQ(refused(0, 4096), "");
  EXPECT_EQ(refused(64, 4096), "");
  EXPECT_EQ(refused(2048, 4096), "");
  EXPECT_EQ(refused(4096, 4096), "compression.granule") << "each unit is one";
  EXPECT_EQ(refused(768, 4096), "compression.granule") << "no power of two";
  EXPECT_EQ(refused(32, 4096), "compression.granule") << "128 of them";
  EXPECT_EQ(refused(1024, 4608), "compression.granule") << "no divisor";
}

}  // namespace
}  // namespace flashloom::compressor_test
