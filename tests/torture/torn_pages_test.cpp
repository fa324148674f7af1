// Torn pages worked by hand: their effect on the media, when data count as durable, and what a mount finds.
#include <gtest/gtest.h>

#include <vector>

#include "controllers/ftl/program/word_lines.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::torn_pages_test {
namespace {

/// One die of blocks of 8 pages of one unit.
DeviceConfig one_die(const std::string& page_order, std::size_t types) {
  DeviceConfig config;
  config.verify = true;
  config.nand.channels = config.nand.ways = 1;
  config.nand.blocks = 16;
  config.nand.pages = 8;
  config.nand.page_size = 4096;
  config.nand.page_order = page_order;
  config.nand.paired_pages = types > 1;
  config.nand.program_time.assign(types, 300 * kMicrosecond);
  config.ftl.over_provisioning = 1.5;
  config.buffer.size = 64 << 10;
  return config;
}

std::vector<std::uint32_t> safe_pages(const std::string& page_order, std::size_t types) {
  const DeviceConfig config = one_die(page_order, types);
  const WordLines lines(NandGeometry(config.nand, 4096));
  std::vector<std::uint32_t> safe;
  for (std::uint32_t programmed = 0; programmed <= 8; ++programmed) safe.push_back(lines.safe(programmed));
  return safe;
}

// L0 U0 L1 U1 ...; shadow: L0 L1 U0 L2 U1 L3 U2 U3.
TEST(WordLines, ArePairsByHand) {
  EXPECT_EQ(safe_pages("word_line", 1), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(safe_pages("word_line", 2), (std::vector<std::uint32_t>{0, 0, 2, 2, 4, 4, 6, 6, 8}));
  EXPECT_EQ(safe_pages("shadow", 2), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 3, 3, 5, 8}));
}

struct Bench {
  explicit Bench(const std::string& page_order, std::size_t types)
      : config(one_die(page_order, types)), media(NandGeometry(config.nand, 4096), true, 0) {
    command.units = 1;
    command.oob = &word;
  }
  OnfiCommand& at(FlashOperation operation, std::uint32_t page) {
    command.operation = operation;
    command.address = {Die{0}, Block{0}, Page{page}};
    return command;
  }
  void program(std::uint32_t pages) {
    for (std::uint32_t page = 0; page < pages; ++page) media.apply(at(FlashOperation::Program, page));
  }
  FlashStatus status(std::uint32_t page) {
    media.apply(at(FlashOperation::Read, page));
    return command.status;
  }
  DeviceConfig config;
  NandMedia media;
  OobWord word = 7;
  OnfiCommand command;
};

TEST(PairedPages, ATornUpperPageDestroysItsLowerOne) {
  Bench lines("word_line", 2);
  lines.program(3);
  lines.media.tear(lines.at(FlashOperation::Program, 3));  // tears U1
  EXPECT_EQ(lines.status(0), FlashStatus::Good);
  EXPECT_EQ(lines.status(1), FlashStatus::Good);
  EXPECT_EQ(lines.status(2), FlashStatus::Torn);
  EXPECT_EQ(lines.status(3), FlashStatus::Torn);

  Bench shadow("shadow", 2);
  shadow.program(2);
  shadow.media.tear(shadow.at(FlashOperation::Program, 2));  // tears U0
  EXPECT_EQ(shadow.status(0), FlashStatus::Torn);
  EXPECT_EQ(shadow.status(1), FlashStatus::Good);

  Bench lower("shadow", 2);
  lower.program(3);
  lower.media.tear(lower.at(FlashOperation::Program, 3));  // tears L2: a lower page damages no other
  for (std::uint32_t page = 0; page < 3; ++page) EXPECT_EQ(lower.status(page), FlashStatus::Good);
}

// Program units of two pages, in two passes, in blocks of eight pages.
NandMedia two_passes() {
  NandConfig config = one_die("word_line", 1).nand;
  config.pages_per_program = 2;
  config.program_passes = 2;
  config.first_pass_time = 100 * kMicrosecond;
  return {NandGeometry(config, 4096), true, 0};
}

class TwoPasses : public testing::Test {
 protected:
  OnfiCommand& at(FlashOperation operation, std::uint32_t page) {
    command.operation = operation;
    command.address = {Die{0}, Block{0}, Page{page}};
    command.units = operation == FlashOperation::Program ? 2 : 1;
    command.oob = words;
    return command;
  }
  void program(std::uint32_t page) {
    words[0] = 7;  // reads overwrite the words
    words[1] = 8;
    media.apply(at(FlashOperation::Program, page));
  }
  std::vector<FlashStatus> states() {
    std::vector<FlashStatus> all;
    for (std::uint32_t page = 0; page < 8; ++page) {
      media.apply(at(FlashOperation::Read, page));
      all.push_back(command.status);
    }
    return all;
  }
  static std::vector<FlashStatus> of(std::initializer_list<FlashStatus> units) {
    std::vector<FlashStatus> all;
    for (const FlashStatus unit : units) all.insert(all.end(), 2, unit);
    return all;
  }

  static constexpr FlashStatus kGood = FlashStatus::Good;
  static constexpr FlashStatus kTorn = FlashStatus::Torn;
  static constexpr FlashStatus kErased = FlashStatus::Erased;
  NandMedia media = two_passes();
  OobWord words[2] = {7, 8};
  OnfiCommand command;
};

TEST_F(TwoPasses, AUnitCanBeReadWhenTheNextOneHasBeenProgrammed) {
  program(0);
  EXPECT_EQ(states(), of({kTorn, kErased, kErased, kErased}));
  program(2);
  EXPECT_EQ(states(), of({kGood, kTorn, kErased, kErased}));
  program(4);
  EXPECT_EQ(states(), of({kGood, kGood, kTorn, kErased}));
  program(6);  // the last unit gets both passes
  EXPECT_EQ(states(), of({kGood, kGood, kGood, kGood}));
  EXPECT_EQ(media.oob({Die{0}, Block{0}, Page{6}}, 0), 7U);
}

TEST_F(TwoPasses, ACutInAProgramDestroysTheUnitBefore) {
  program(0);
  program(2);
  media.tear(at(FlashOperation::Program, 4));
  EXPECT_EQ(states(), of({kGood, kTorn, kTorn, kErased}));
}

TEST_F(TwoPasses, AreSafeOneUnitLater) {
  const WordLines lines(media.geometry());
  std::vector<std::uint32_t> safe;
  for (std::uint32_t programmed = 0; programmed <= 8; programmed += 2) safe.push_back(lines.safe(programmed));
  EXPECT_EQ(safe, (std::vector<std::uint32_t>{0, 0, 2, 4, 8}));
  EXPECT_EQ(lines.most_exposed(), 2U);
}

TEST(PairedPages, MixedTearingGivesEveryKind) {
  std::array<int, static_cast<std::size_t>(FlashStatus::Corrupt) + 1> seen{};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Bench bench("word_line", 1);
    bench.media.set_tearing({.mixed = true, .seed = seed});
    bench.media.tear(bench.at(FlashOperation::Program, 0));
    ++seen[static_cast<std::size_t>(bench.status(0))];
    if (bench.command.status == FlashStatus::Good) {
      EXPECT_EQ(bench.word, 7U);
    }
    bench.word = 7;
  }
  EXPECT_NEAR(seen[static_cast<std::size_t>(FlashStatus::Torn)], 100, 25);
  EXPECT_NEAR(seen[static_cast<std::size_t>(FlashStatus::Corrupt)], 50, 20);
  EXPECT_NEAR(seen[static_cast<std::size_t>(FlashStatus::Good)], 50, 20);
}

std::uint32_t pages_after_a_flush(const std::string& page_order, std::size_t types, std::uint64_t units) {
  InstantDevice device(one_die(page_order, types));
  device.write(0, units * 4096);
  device.run({.kind = RequestKind::Flush});
  std::uint32_t pages = 0;
  for (std::uint32_t block = 0; block < 16; ++block) pages += device.media.write_pointer(Die{0}, Block{block});
  // Without new data a second flush pads nothing.
  device.run({.kind = RequestKind::Flush});
  for (std::uint32_t block = 0; block < 16; ++block) pages -= device.media.write_pointer(Die{0}, Block{block});
  EXPECT_EQ(pages, 0U);
  for (std::uint32_t block = 0; block < 16; ++block) pages += device.media.write_pointer(Die{0}, Block{block});
  return pages;
}

TEST(PairedPages, AFlushFillsWordLines) {
  EXPECT_EQ(pages_after_a_flush("word_line", 1, 1), 1U);
  EXPECT_EQ(pages_after_a_flush("word_line", 2, 1), 2U);  // L0, padding on U0
  EXPECT_EQ(pages_after_a_flush("word_line", 2, 2), 2U);
  EXPECT_EQ(pages_after_a_flush("shadow", 2, 1), 3U);  // L0, padding on L1 and U0
  EXPECT_EQ(pages_after_a_flush("shadow", 2, 2), 5U);  // L0, L1, padding on U0, L2, U1
}

// A cut strikes the program of a unit's second version: afterwards the unit has that version or the first one. A mount
// reads all programmed pages and the first erased one.
TEST(TornProgram, LeavesTheVersionBefore) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    InstantDevice device(one_die("word_line", 1));
    device.media.set_tearing({.mixed = true, .seed = seed});
    EXPECT_TRUE(device.try_run({.offset = 0, .length = 4096, .kind = RequestKind::Write, .fua = true}));
    device.cuts.arm({.count = 1, .operation = FlashOperation::Program, .origin = Origin::Host}, seed);
    EXPECT_FALSE(device.try_run({.offset = 0, .length = 4096, .kind = RequestKind::Write, .fua = true}));
    EXPECT_EQ(device.cuts.struck().address.page.value(), 1U);
    device.cuts.power_on();
    device.restart();
    EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
    const bool begun = device.media.write_pointer(Die{0}, Block{0}) == 2;
    EXPECT_EQ(device.firmware->ftl().mount_report().reads, begun ? 3U + 15U : 2U + 15U);
    // A second restart shows the same version.
    device.restart();
    EXPECT_EQ(device.audit(), 0U);
  }
}

}  // namespace
}  // namespace flashloom::torn_pages_test
