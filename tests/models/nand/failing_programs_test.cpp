// Programs that fail in the middle of a block: how often they are drawn, and what they leave in the cells.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/nand/block_endurance.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom::failing_programs_test {
namespace {

NandConfig device() {
  NandConfig config;
  config.channels = 2;
  config.ways = 1;
  config.blocks = 4;
  config.pages = 4;
  return config;
}

std::uint32_t failures(const BlockEndurance& endurance, std::uint32_t erases) {
  std::uint32_t count = 0;
  for (std::uint32_t block = 0; block < 20000; ++block)
    for (std::uint32_t page = 0; page < 4; ++page) count += endurance.program_fails(block, erases, page) ? 1 : 0;
  return count;
}

void expect_share(std::uint32_t count, double rate) {
  EXPECT_NEAR(count, 80000 * rate, 5 * std::sqrt(80000 * rate * (1 - rate)));
}

// The rate doubles after `failure_growth` cycles and grows on: at c cycles it is (1 + c / growth) times as high.
TEST(FailingPrograms, AreDrawnAtARateThatGrowsWithWear) {
  NandConfig config = device();
  config.program_failure_rate = 0.002;
  const BlockEndurance constant(config, 5);
  expect_share(failures(constant, 0), 0.002);
  expect_share(failures(constant, 300), 0.002);
  config.failure_growth = 100;
  const BlockEndurance grows(config, 5);
  expect_share(failures(grows, 0), 0.002);
  expect_share(failures(grows, 100), 0.004);
  expect_share(failures(grows, 300), 0.008);
  config.errors.pe_cycles = 100;
  expect_share(failures(BlockEndurance(config, 5), 200), 0.008);
}

// When programs draw their failures one by one, a cycle does not draw for them.
TEST(FailingPrograms, AreNotDrawnTwice) {
  NandConfig config = device();
  config.program_failure_rate = 0.05;
  const BlockEndurance endurance(config, 5);
  EXPECT_TRUE(endurance.programs_fail());
  EXPECT_TRUE(endurance.limited());
  for (std::uint32_t block = 0; block < 100; ++block) EXPECT_FALSE(endurance.worn_out(block, 100000));
  config.program_failure_at = "cycle";
  EXPECT_FALSE(BlockEndurance(config, 5).programs_fail());
  EXPECT_EQ(failures(BlockEndurance(config, 5), 7), 0U);
}

// Hazard a (1 + n / g) at cycle n: c cycles are survived with probability exp(log(1 - a) (c + c^2 / 2 g)).
TEST(FailingErases, GrowWithWear) {
  NandConfig config = device();
  config.erase_failure_rate = 0.002;
  config.failure_growth = 100;
  const BlockEndurance endurance(config, 3);
  constexpr double kBlocks = 20000;
  for (const std::uint32_t cycles : {10U, 100U, 300U}) {
    std::uint32_t alive = 0;
    for (std::uint32_t block = 0; block < 20000; ++block) alive += endurance.worn_out(block, cycles) ? 0 : 1;
    const double expected = std::exp(std::log1p(-0.002) * (cycles + cycles * cycles / 200.0));
    EXPECT_NEAR(alive, kBlocks * expected, 5 * std::sqrt(kBlocks * expected * (1 - expected))) << cycles;
  }
}

class FailedProgram : public testing::Test {
 protected:
  static NandConfig config() {
    NandConfig config = device();
    config.failed_program = 1000;  // programs may fail
    return config;
  }

  FlashStatus carry_out(FlashOperation operation, std::uint32_t page) {
    OnfiCommand command;
    command.operation = operation;
    command.address = {Die{0}, Block{1}, Page{page}};
    command.units = 1;
    word_ = operation == FlashOperation::Program ? 70 + page : 0;
    command.oob = &word_;
    command.sequence = page;
    media_.apply(command);
    return command.status;
  }

  NandMedia media_{NandGeometry(config(), config().page_size), true, 0, BlockEndurance(config(), 1)};
  OobWord word_ = 0;
};

TEST_F(FailedProgram, LeavesWhatIsBeforeItUntilTheLastEraseOfItsBlock) {
  media_.plant_failure({Die{0}, Block{1}, Page{2}});
  EXPECT_TRUE(media_.program_fails({Die{0}, Block{1}, Page{2}}, 0));
  EXPECT_FALSE(media_.program_fails({Die{0}, Block{1}, Page{1}}, 0));
  EXPECT_EQ(carry_out(FlashOperation::Program, 0), FlashStatus::Good);
  EXPECT_EQ(carry_out(FlashOperation::Program, 1), FlashStatus::Good);
  EXPECT_FALSE(media_.failed(Die{0}, Block{1}));
  EXPECT_EQ(carry_out(FlashOperation::Program, 2), FlashStatus::Failed);

  EXPECT_TRUE(media_.failed(Die{0}, Block{1}));
  EXPECT_FALSE(media_.bad(Die{0}, Block{1})) << "what is in it can be read";
  EXPECT_EQ(carry_out(FlashOperation::Read, 1), FlashStatus::Good);
  EXPECT_EQ(word_, 71U);
  const FlashStatus status = carry_out(FlashOperation::Read, 2);
  EXPECT_TRUE(status == FlashStatus::Torn || status == FlashStatus::Corrupt);
  EXPECT_NE(word_, 72U) << "its word is not taken for one of data";
  EXPECT_EQ(media_.oob({Die{0}, Block{1}, Page{2}}, 0), 0U);

  EXPECT_EQ(carry_out(FlashOperation::Erase, 0), FlashStatus::Failed);
  EXPECT_TRUE(media_.bad(Die{0}, Block{1}));
  EXPECT_FALSE(media_.bad(Die{0}, Block{2}));
  EXPECT_THROW(carry_out(FlashOperation::Program, 0), FirmwareViolation);
  EXPECT_EQ(media_.program_failures(), 1U);
  EXPECT_EQ(media_.erase_failures(), 0U) << "that block was to be given up";
}

TEST_F(FailedProgram, OfADeadDieAreAll) {
  EXPECT_EQ(carry_out(FlashOperation::Program, 0), FlashStatus::Good);
  media_.kill_die(Die{0});
  EXPECT_TRUE(media_.dead(Die{0}));
  EXPECT_FALSE(media_.dead(Die{1}));
  EXPECT_TRUE(media_.program_fails({Die{0}, Block{1}, Page{1}}, 0));
  EXPECT_FALSE(media_.program_fails({Die{1}, Block{1}, Page{1}}, 0));
  EXPECT_FALSE(media_.bad(Die{0}, Block{1})) << "it holds something";
  EXPECT_TRUE(media_.bad(Die{0}, Block{0}));
  EXPECT_EQ(carry_out(FlashOperation::Program, 1), FlashStatus::Good) << "decided upon before";
  media_.plant_failure({Die{0}, Block{1}, Page{2}});
  EXPECT_EQ(carry_out(FlashOperation::Program, 2), FlashStatus::Failed);
  EXPECT_EQ(carry_out(FlashOperation::Erase, 0), FlashStatus::Failed);
  EXPECT_TRUE(media_.bad(Die{0}, Block{1}));
}

TEST_F(FailedProgram, OfADeadDieAreItsErasesFromThenOn) {
  EXPECT_EQ(carry_out(FlashOperation::Program, 0), FlashStatus::Good);
  media_.kill_die(Die{0});
  EXPECT_EQ(carry_out(FlashOperation::Erase, 0), FlashStatus::Good) << "decided upon before";
  EXPECT_EQ(carry_out(FlashOperation::Program, 0), FlashStatus::Good);
  EXPECT_EQ(carry_out(FlashOperation::Erase, 0), FlashStatus::Good);
  media_.plant_erase_failure(Die{0}, Block{1});
  EXPECT_EQ(carry_out(FlashOperation::Program, 0), FlashStatus::Good) << "decided upon before that erase";
  EXPECT_EQ(carry_out(FlashOperation::Erase, 0), FlashStatus::Failed);
  EXPECT_TRUE(media_.bad(Die{0}, Block{1}));
}

TEST(PlantedFailure, NeedsCellsWhoseProgramsFail) {
  NandMedia media(NandGeometry(device(), device().page_size), true, 0, BlockEndurance(device(), 1));
  EXPECT_THROW(media.plant_failure({Die{0}, Block{0}, Page{0}}), std::logic_error);
  EXPECT_THROW(media.plant_erase_failure(Die{0}, Block{0}), std::logic_error);
}

}  // namespace
}  // namespace flashloom::failing_programs_test
