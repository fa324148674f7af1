// Decoding at the limits of the correction strength, and the weak blocks that the ECC engine reports.
#include "controllers/flash/ecc_engine.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "models/nand/nand_config.hpp"

namespace flashloom::ecc_engine_test {
namespace {

class EccEngineTest : public testing::Test, protected WeakBlocks {
 protected:
  static NandConfig make_config() {
    NandConfig config;
    config.channels = config.ways = 1;
    config.blocks = 4;
    config.pages = 4;
    config.errors.model = "power_law";
    config.errors.retry_rates = {0.5, 0.25};
    config.ecc.strength = 10;
    config.ecc.soft_strength = 15;
    return config;
  }
  void weak(Die, Block block) override { told.push_back(block.value()); }
  OnfiCommand read_with(std::uint16_t errors, std::uint8_t retry = 0) {
    OnfiCommand read;
    read.units = 1;
    read.bytes = 4096;
    read.oob = &word;
    read.tokens = tokens.data();
    read.retry = retry;
    read.bit_errors = errors;
    read.at.complete = 1000;
    word = 42;
    tokens.assign(8, 7);
    return read;
  }

  NandConfig config = make_config();
  NandGeometry geometry{config, 4096};
  NandMedia media{geometry, true, 8};
  OobWord word = 0;
  std::vector<SectorToken> tokens;
  std::vector<std::uint32_t> told;
};

TEST_F(EccEngineTest, CorrectsUpToItsStrengthAndNeverPassesDataOnBeyond) {
  EccEngine ecc(config, media, 0, 0);
  OnfiCommand good = read_with(10);
  ecc.decode(good, true);
  EXPECT_EQ(good.status, FlashStatus::Good);
  EXPECT_EQ(good.at.decoded, 1000 + 20 * kMicrosecond);
  EXPECT_EQ(tokens, std::vector<SectorToken>(8, 7));
  OnfiCommand bad = read_with(11);
  ecc.decode(bad, true);
  EXPECT_EQ(bad.status, FlashStatus::Uncorrectable);
  EXPECT_EQ(bad.at.decoded, 1000 + 20 * kMicrosecond) << "it takes as long to find out";
  EXPECT_EQ(tokens, std::vector<SectorToken>(8, 0));
  EXPECT_EQ(word, 42U) << "the words of the spare area have a code of their own";
}

TEST_F(EccEngineTest, DecodesSoftlyBehindTheLastLevel) {
  EccEngine ecc(config, media, 0, 0);
  for (const auto& [errors, status] : {std::pair{15, FlashStatus::Good}, {16, FlashStatus::Uncorrectable}}) {
    OnfiCommand soft = read_with(static_cast<std::uint16_t>(errors), ecc.soft_level());
    ecc.decode(soft, true);
    EXPECT_EQ(soft.status, status);
    EXPECT_EQ(soft.at.decoded, 1000 + 80 * kMicrosecond);
  }
  OnfiCommand sense = read_with(99, EccEngine::kSense);
  ecc.decode(sense, true);
  EXPECT_EQ(sense.status, FlashStatus::Good) << "nothing is decoded";
  EXPECT_EQ(sense.at.decoded, 1000U);
}

TEST_F(EccEngineTest, LeavesAloneWhatIsErasedOrTornAndSpareAreas) {
  EccEngine ecc(config, media, 0, 0);
  OnfiCommand torn = read_with(99);
  torn.status = FlashStatus::Torn;
  ecc.decode(torn, true);
  EXPECT_EQ(torn.status, FlashStatus::Torn);
  OnfiCommand spare = read_with(99);
  spare.bytes = 8;
  spare.spare_only = true;
  ecc.decode(spare, true);
  EXPECT_EQ(spare.status, FlashStatus::Good);
}

TEST_F(EccEngineTest, CountsRetriesByLevelAndTellsOfBlocksThatNeedThem) {
  EccEngine ecc(config, media, 0, 2);
  ecc.watch(this);
  OnfiCommand read = read_with(0);
  read.address.block = Block{3};
  ecc.count_retry(read, 1, true);
  EXPECT_TRUE(told.empty());
  ecc.count_retry(read, 2, false);
  ecc.count_retry(read, 3, true);
  EXPECT_EQ(told, (std::vector<std::uint32_t>{3, 3}));
  read.origin = Origin::Gc;
  ecc.count_uncorrectable(read);
  const EccStatistics& statistics = ecc.statistics();
  EXPECT_EQ(statistics.retries, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(statistics.recovered, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(statistics.soft_decodes, 1U);
  EXPECT_EQ(statistics.soft_recovered, 1U);
  EXPECT_EQ(statistics.uncorrectable_total(), 1U);
  EXPECT_EQ(statistics.on_dead_die, 0U);
}

TEST_F(EccEngineTest, TellsOfBlocksThatAreReadTooOften) {
  media.model_errors(config, 1);
  EccEngine ecc(config, media, 3, 0);
  ecc.watch(this);
  std::vector<OobWord> words = {1};
  OnfiCommand program;
  program.operation = FlashOperation::Program;
  program.units = 1;
  program.oob = words.data();
  media.apply(program);
  for (int i = 0; i < 4; ++i) {
    OnfiCommand read = read_with(0);
    media.apply(read);
    ecc.decode(read, false);
    EXPECT_EQ(told.size(), i < 2 ? 0U : static_cast<std::size_t>(i - 1));
  }
}

}  // namespace
}  // namespace flashloom::ecc_engine_test
