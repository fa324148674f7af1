// Blocks of a NandMedia that are not full: their erases, their modes, and second passes that a power cut prevents.
#include <gtest/gtest.h>

#include "models/nand/nand_config.hpp"
#include "tests/support/media_commands.hpp"

namespace flashloom::unfilled_blocks_test {
namespace {

NandConfig small() {
  NandConfig config;
  config.channels = config.ways = 1;
  config.blocks = config.pages = 4;
  return config;
}

// A block may be erased when three of its four pages are programmed, in SLC mode both of two.
TEST(UnfilledBlocks, RefusesToEraseWhatIsNotFilledFarEnough) {
  NandConfig config = small();
  config.read_time = {50, 60};
  config.slc_blocks = 1;
  config.partial_erase_limit = 0.6;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  Command c(media);
  const auto refused = [&](std::uint32_t block) { return violation(media, c(FlashOperation::Erase, 0, block, 0)); };
  EXPECT_EQ(refused(1), "") << "it is erased";
  program(media, 0, 1, 0, 10);
  EXPECT_EQ(media.pages_before_erase(Die{0}, Block{1}), 2U);
  EXPECT_HAS(refused(1), "nand.partial_erase_limit");
  EXPECT_THROW(media.apply(c(FlashOperation::Erase, 0, 1, 0)), FirmwareViolation);
  for (const std::uint32_t page : {1U, 2U}) program(media, 0, 1, page, 20 + page);
  EXPECT_TRUE(media.open({Die{0}, Block{1}, Page{0}}));
  EXPECT_EQ(refused(1), "");
  media.tear(c(FlashOperation::Erase, 0, 1, 0));
  EXPECT_EQ(refused(1), "") << "torn in its erase";
  program(media, 0, 0, 0, 30);
  EXPECT_HAS(refused(0), "nand.partial_erase_limit");
  program(media, 0, 0, 1, 31);
  EXPECT_FALSE(media.open({Die{0}, Block{0}, Page{0}})) << "full, in SLC mode";
  EXPECT_EQ(refused(0), "");
}

// The pages that must be filled before an erase follow the mode of the block's data, whatever mode is chosen next.
TEST(UnfilledBlocks, ABlockKeepsItsModeToItsErase) {
  NandConfig config = small();
  config.read_time = {50, 60};
  config.slc_dynamic = 2;
  config.partial_erase_limit = 1;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  media.choose_mode(Die{0}, Block{2}, true);
  program(media, 0, 2, 0, 10);
  media.choose_mode(Die{0}, Block{2}, false);
  EXPECT_EQ(media.pages_before_erase(Die{0}, Block{2}), 1U);
  Command c(media);
  EXPECT_TRUE(media.slc_mode_of(c(FlashOperation::Program, 0, 2, 1)));
  program(media, 0, 2, 1, 11);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 2, 2)), "in SLC mode a block has 2 pages");
  media.apply(c(FlashOperation::Erase, 0, 2, 0));
  EXPECT_FALSE(media.slc_mode_of(c(FlashOperation::Program, 0, 2, 0)));
  for (std::uint32_t page = 0; page < 4; ++page) program(media, 0, 2, page, 20 + page);
  EXPECT_EQ(read_status(media, 0, 2, 3), FlashStatus::Good);
}

// A second pass that comes after a power cut has no data.
TEST(UnfilledBlocks, WhatWaitsForItsSecondPassIsLostWithThePower) {
  NandConfig config = small();
  config.pages = 6;
  config.pages_per_program = 2;
  config.program_passes = 2;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  for (const std::uint32_t block : {0U, 1U}) {
    for (const std::uint32_t page : {0U, 2U}) program(media, 0, block, page, 10 + page);
    EXPECT_EQ(read_status(media, 0, block, 1), FlashStatus::Good);
    EXPECT_EQ(read_status(media, 0, block, 2), FlashStatus::Torn);
    if (block == 1) media.power_lost();
    program(media, 0, block, 4, 20);
    EXPECT_EQ(read_status(media, 0, block, 1), FlashStatus::Good);
    EXPECT_EQ(read_status(media, 0, block, 2), block == 1 ? FlashStatus::Torn : FlashStatus::Good);
    EXPECT_EQ(read_status(media, 0, block, 5), FlashStatus::Good);
  }
}

}  // namespace
}  // namespace flashloom::unfilled_blocks_test
