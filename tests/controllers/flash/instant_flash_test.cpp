#include "controllers/flash/instant_flash.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/nand/nand_config.hpp"

namespace flashloom::instant_flash_test {
namespace {

class InstantFlashTest : public testing::Test {
 protected:
  InstantFlashTest() {
    command.oob = oob.data();
    command.address = {Die{1}, Block{2}, Page{0}};
  }
  static NandConfig make_config() {
    NandConfig config;
    config.page_size = 8192;
    config.spare_size = 1024;
    config.pages_per_program = 3;
    config.pages = 12;
    config.transfer_spare = true;
    return config;
  }

  NandConfig config = make_config();
  NandGeometry geometry{config, 4096};
  NandTiming timing{config, geometry};
  NandMedia media{geometry, true, 0};
  InstantFlash flash{media, timing};
  std::vector<OobWord> oob = std::vector<OobWord>(6, 42);
  OnfiCommand command;
};

TEST_F(InstantFlashTest, CompletesAtOnceAndCountsByOrigin) {
  command.operation = FlashOperation::Program;
  command.origin = Origin::Gc;
  command.units = 6;
  command.payload_units = 4;
  command.bytes = 6 * 4096;
  EXPECT_TRUE(flash.submit(command));
  EXPECT_EQ(command.status, FlashStatus::Good);
  EXPECT_EQ(flash.counters().at(FlashOperation::Program, Origin::Gc), (FlashCount{1, 3, 4, 3 * 9216}));
  EXPECT_EQ(flash.counters().at(FlashOperation::Program, Origin::Padding), (FlashCount{0, 0, 2, 0}));
  EXPECT_EQ(flash.counters().total(FlashOperation::Program), (FlashCount{1, 3, 6, 3 * 9216}));

  command.operation = FlashOperation::Read;
  command.origin = Origin::Host;
  command.units = 1;
  command.first_unit = 1;
  command.bytes = 4096;
  oob.assign(6, 0);
  EXPECT_TRUE(flash.submit(command));
  EXPECT_EQ(oob[0], 42U);
  EXPECT_EQ(flash.counters().at(FlashOperation::Read, Origin::Host), (FlashCount{1, 1, 1, 4608}));

  command.operation = FlashOperation::Erase;
  command.origin = Origin::Wear;
  EXPECT_TRUE(flash.submit(command));
  EXPECT_EQ(flash.counters().at(FlashOperation::Erase, Origin::Wear), (FlashCount{1, 1, 0, 0}));
  EXPECT_EQ(media.erase_count(Die{1}, Block{2}), 1U);
  flash.counters().reset();
  EXPECT_EQ(flash.counters(), FlashCounters{});
}

TEST_F(InstantFlashTest, CompletesWhatIsHandedOverTogetherInItsOrder) {
  struct Order final : FlashCompletion {
    std::vector<OnfiCommand*> done;
    void on_flash_complete(OnfiCommand& each) override { done.push_back(&each); }
  } order;
  command.operation = FlashOperation::Read;
  command.units = 1;
  command.completion = &order;
  std::vector<OnfiCommand> reads(3, command);
  reads[0].next = &reads[1];
  reads[1].next = &reads[2];
  flash.submit_all(reads.data());
  EXPECT_EQ(order.done, (std::vector<OnfiCommand*>{&reads[0], &reads[1], &reads[2]}));
  flash.submit_all(nullptr);
  EXPECT_EQ(order.done.size(), 3U);
}

TEST_F(InstantFlashTest, AViolationIsNotCounted) {
  command.operation = FlashOperation::Program;
  command.units = 6;
  command.address.page = Page{3};
  EXPECT_THROW(flash.submit(command), FirmwareViolation);
  EXPECT_EQ(flash.counters(), FlashCounters{});
}

TEST(Origin, Names) {
  const char* names[kOrigins] = {"host", "gc", "map", "wear", "merge", "recovery", "rmw", "scrub", "padding", "parity"};
  for (std::size_t i = 0; i < kOrigins; ++i) EXPECT_STREQ(to_string(static_cast<Origin>(i)), names[i]);
}

}  // namespace
}  // namespace flashloom::instant_flash_test
