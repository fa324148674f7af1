// How often blocks can be erased, and what the media do with a block that was erased more often.
#include "models/nand/block_endurance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/nand/nand_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom::block_endurance_test {
namespace {

NandConfig device(std::uint32_t endurance, double deviation = 0, double program_failures = 0) {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.blocks = 4;
  config.pages = 4;
  config.endurance = endurance;
  config.endurance_deviation = deviation;
  config.program_failures = program_failures;
  return config;
}

TEST(BlockEndurance, IsUnlimitedUnlessSaid) {
  const BlockEndurance endurance(device(0, 0.1), 1);
  EXPECT_FALSE(endurance.limited());
  EXPECT_FALSE(endurance.worn_out(3, ~0U));
}

TEST(BlockEndurance, IsTheSameForAllBlocksWithoutADeviation) {
  const BlockEndurance endurance(device(100), 1);
  for (std::uint32_t block = 0; block < 50; ++block) {
    EXPECT_FALSE(endurance.worn_out(block, 100));
    EXPECT_TRUE(endurance.worn_out(block, 101));
  }
}

TEST(BlockEndurance, OfBlocksInSlcModeIsTheirOwn) {
  NandConfig config = device(10);
  config.slc_blocks = 1;
  config.slc_endurance = 30;
  const BlockEndurance endurance(config, 1);
  for (const std::uint32_t die : {0U, 1U, 7U}) {
    EXPECT_FALSE(endurance.worn_out(die * 4, 30));
    EXPECT_TRUE(endurance.worn_out(die * 4, 31));
    EXPECT_TRUE(endurance.worn_out(die * 4 + 1, 11));
  }
  config.endurance = 0;
  const BlockEndurance others_last(config, 1);
  EXPECT_TRUE(others_last.limited());
  EXPECT_TRUE(others_last.worn_out(4, 31));
  EXPECT_FALSE(others_last.worn_out(5, ~0U));
  config.endurance = 10;
  config.slc_endurance = 0;
  EXPECT_FALSE(BlockEndurance(config, 1).worn_out(4, ~0U));
}

// Ten TLC cycles or thirty SLC cycles: three SLC cycles wear a block as much as one TLC cycle.
TEST(BlockEndurance, AddsUpBothKindsOfCycles) {
  NandConfig config = device(10);
  config.slc_dynamic = 1;
  config.slc_endurance = 30;
  const BlockEndurance endurance(config, 1);
  EXPECT_EQ(endurance.wear(12, 0), 12U);
  EXPECT_EQ(endurance.wear(12, 9), 6U);
  EXPECT_EQ(endurance.wear(12, 8), 6U);
  EXPECT_FALSE(endurance.worn_out(2, 32, 32));  // worn by 10 2/3 cycles
  EXPECT_TRUE(endurance.worn_out(2, 33, 33));
  EXPECT_FALSE(endurance.worn_out(2, 16, 9));
  EXPECT_TRUE(endurance.worn_out(2, 17, 9));
  EXPECT_TRUE(endurance.worn_out(2, 11));
  config.slc_endurance = 0;
  EXPECT_EQ(BlockEndurance(config, 1).wear(12, 9), 12U) << "each counts whole";
}

TEST(BlockEndurance, HasTheMeanAndTheDeviationAskedFor) {
  constexpr std::uint32_t kBlocks = 20000;
  const BlockEndurance endurance(device(1000, 0.1), 7);
  double sum = 0;
  double squares = 0;
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    const std::uint32_t limit = endurance.limit(block);
    EXPECT_FALSE(endurance.worn_out(block, limit));
    EXPECT_TRUE(endurance.worn_out(block, limit + 1));
    sum += limit;
    squares += static_cast<double>(limit) * limit;
  }
  const double mean = sum / kBlocks;
  EXPECT_NEAR(mean, 1000, 6 * 100 / std::sqrt(kBlocks));
  EXPECT_NEAR(std::sqrt(squares / kBlocks - mean * mean), 100, 3);
  EXPECT_EQ(endurance.limit(5), BlockEndurance(device(1000, 0.1), 7).limit(5));
  EXPECT_NE(endurance.limit(5), BlockEndurance(device(1000, 0.1), 8).limit(5));
}

TEST(BlockEndurance, LetsTheShareAskedForFailInPrograms) {
  const BlockEndurance endurance(device(10, 0, 0.25), 3);
  std::uint32_t in_program = 0;
  for (std::uint32_t block = 0; block < 10000; ++block) in_program += endurance.fails_in_program(block) ? 1 : 0;
  EXPECT_NEAR(in_program, 2500, 260);
}

class WornMedia : public testing::TestWithParam<double> {};

TEST_P(WornMedia, FailsInItsLastEraseOrTheProgramBehind) {
  const NandConfig config = device(2, 0, GetParam());
  const NandGeometry geometry(config, 4096);
  NandMedia media(geometry, true, 0, BlockEndurance(config, 1));
  std::vector<OobWord> words = {17};
  const auto carry_out = [&](FlashOperation operation) {
    OnfiCommand command;
    command.operation = operation;
    command.units = 1;
    command.oob = words.data();
    media.apply(command);
    return command.status;
  };
  for (int cycle = 0; cycle < 2; ++cycle) {
    EXPECT_EQ(carry_out(FlashOperation::Program), FlashStatus::Good);
    EXPECT_EQ(carry_out(FlashOperation::Erase), FlashStatus::Good);
    EXPECT_FALSE(media.bad(Die{0}, Block{0}));
  }
  if (GetParam() == 0) {
    EXPECT_EQ(carry_out(FlashOperation::Erase), FlashStatus::Failed);
    EXPECT_THROW(carry_out(FlashOperation::Program), FirmwareViolation);
  } else {
    EXPECT_EQ(carry_out(FlashOperation::Erase), FlashStatus::Good);
    EXPECT_EQ(carry_out(FlashOperation::Program), FlashStatus::Failed);
  }
  EXPECT_TRUE(media.bad(Die{0}, Block{0}));
  EXPECT_FALSE(media.bad(Die{0}, Block{1}));
  EXPECT_EQ(carry_out(FlashOperation::Read), FlashStatus::Torn);
}

INSTANTIATE_TEST_SUITE_P(Failures, WornMedia, testing::Values(0.0, 1.0));

// Survived cycles are geometric: with one erase (failure rate a) and 4 programs (b each), a cycle is survived with
// probability (1 - a) (1 - b)^4. Within five standard deviations.
TEST(RandomFailures, AreGeometricInThePECycles) {
  NandConfig config = device(0);
  config.erase_failure_rate = 0.004;
  config.program_failure_rate = 0.002;
  config.program_failure_at = "cycle";
  const BlockEndurance endurance(config, 11);
  EXPECT_TRUE(endurance.limited());
  constexpr std::uint32_t kBlocks = 20000;
  const double survives = (1 - 0.004) * std::pow(1 - 0.002, 4);
  for (const std::uint32_t cycles : {1U, 10U, 100U, 300U}) {
    std::uint32_t alive = 0;
    for (std::uint32_t block = 0; block < kBlocks; ++block) alive += endurance.worn_out(block, cycles) ? 0 : 1;
    const double expected = std::pow(survives, cycles);
    EXPECT_NEAR(alive, kBlocks * expected, 5 * std::sqrt(kBlocks * expected * (1 - expected))) << cycles;
  }
  // The share of failures in programs among the cycles that fail.
  const double of_programs = 1 - std::pow(1 - 0.002, 4);
  const double share = of_programs / (of_programs + 0.004);
  std::uint32_t in_program = 0;
  for (std::uint32_t block = 0; block < kBlocks; ++block) in_program += endurance.fails_in_program(block) ? 1 : 0;
  EXPECT_NEAR(in_program, kBlocks * share, 5 * std::sqrt(kBlocks * share * (1 - share)));
}

TEST(RandomFailures, LeaveBlocksThatWearOutFirst) {
  NandConfig config = device(100);
  config.erase_failure_rate = 1e-3;
  const BlockEndurance endurance(config, 1);
  std::uint32_t early = 0;
  for (std::uint32_t block = 0; block < 1000; ++block) {
    EXPECT_LE(endurance.limit(block), 100U);
    early += endurance.limit(block) < 100 ? 1 : 0;
  }
  EXPECT_NEAR(early, 1000 * (1 - std::pow(1 - 1e-3, 100)), 5 * std::sqrt(1000 * 0.095 * 0.905));
}

TEST(FactoryBadBlocks, AreTheShareAskedForAndCanNeitherBeReadNorErased) {
  NandConfig config = device(0);
  config.blocks = 1000;
  config.factory_bad_blocks = 0.02;
  const BlockEndurance endurance(config, 9);
  EXPECT_FALSE(endurance.limited()) << "none fails later";
  const NandGeometry geometry(config, 4096);
  NandMedia media(geometry, true, 0, endurance);
  std::vector<OobWord> words(1);
  std::uint32_t bad = 0;
  for (std::uint32_t block = 0; block < 1000; ++block) {
    if (!media.bad(Die{0}, Block{block})) continue;
    ++bad;
    OnfiCommand command;
    command.address.block = Block{block};
    command.units = 1;
    command.oob = words.data();
    media.apply(command);
    EXPECT_EQ(command.status, FlashStatus::Torn);
    command.operation = FlashOperation::Program;
    EXPECT_THROW(media.apply(command), FirmwareViolation);
    command.operation = FlashOperation::Erase;
    EXPECT_THROW(media.apply(command), FirmwareViolation);
  }
  EXPECT_NEAR(bad, 20, 5 * std::sqrt(20.0));
  EXPECT_GT(bad, 0U);
}

}  // namespace
}  // namespace flashloom::block_endurance_test
