#include "models/nand/nand_media.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/nand/nand_config.hpp"
#include "tests/support/media_commands.hpp"

namespace flashloom::nand_media_test {
namespace {

NandConfig small() {
  NandConfig config;
  config.channels = 2;
  config.ways = 1;
  config.blocks = 4;
  config.pages = 4;
  config.page_size = 8192;  // two units of 4 KiB
  return config;
}

TEST(NandMedia, ReadsWhatWasProgrammed) {
  const NandConfig config = small();
  NandMedia media(NandGeometry(config, 4096), true, 3);
  program(media, 1, 2, 0, 40);
  Command c(media);
  OnfiCommand& read = c(FlashOperation::Read, 1, 2, 0);
  read.first_unit = 1;
  media.apply(read);
  EXPECT_EQ(read.status, FlashStatus::Good);
  EXPECT_EQ(c.oob[0], 41U);
  EXPECT_EQ(c.tokens[0], 4003U);
  EXPECT_EQ(c.tokens[2], 4005U);
  EXPECT_EQ(media.oob({Die{1}, Block{2}, Page{0}}, 1), 41U);
  EXPECT_EQ(media.tokens({Die{1}, Block{2}, Page{0}}, 1)[2], 4005U);
  EXPECT_EQ(media.write_pointer(Die{1}, Block{2}), 1U);
  EXPECT_EQ(media.page({Die{1}, Block{2}, Page{0}}).status, FlashStatus::Good);
  EXPECT_EQ(media.page({Die{1}, Block{2}, Page{1}}).status, FlashStatus::Erased);
  EXPECT_EQ(media.oob({Die{1}, Block{2}, Page{1}}, 0), 0U);

  c.oob[0] = 7;
  c.tokens[0] = 7;
  media.apply(c(FlashOperation::Read, 1, 2, 1));
  EXPECT_EQ(c.command.status, FlashStatus::Erased);
  EXPECT_EQ(c.oob[0], 0U);
  EXPECT_EQ(c.tokens[0], 0U);
}

TEST(NandMedia, EraseMakesABlockProgrammableAgain) {
  NandMedia media(NandGeometry(small(), 4096), true, 0);
  for (std::uint32_t page = 0; page < 4; ++page) program(media, 0, 1, page, 10 + page);
  Command c(media);
  media.apply(c(FlashOperation::Erase, 0, 1, 0));
  EXPECT_EQ(media.erase_count(Die{0}, Block{1}), 1U);
  EXPECT_EQ(media.write_pointer(Die{0}, Block{1}), 0U);
  EXPECT_EQ(read_status(media, 0, 1, 0), FlashStatus::Erased);
  EXPECT_EQ(media.oob({Die{0}, Block{1}, Page{3}}, 0), 0U);
  program(media, 0, 1, 0, 90);
  EXPECT_EQ(media.oob({Die{0}, Block{1}, Page{0}}, 1), 91U);
}

TEST(NandMedia, BlocksInSlcModeHaveFewerPages) {
  NandConfig config = small();
  config.read_time = {50, 60};
  config.slc_blocks = 1;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  for (std::uint32_t page = 0; page < 2; ++page) program(media, 1, 0, page, 10 + page);
  EXPECT_EQ(media.oob({Die{1}, Block{0}, Page{1}}, 1), 12U);
  Command c(media);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 1, 0, 2)), "in SLC mode a block has 2 pages");
  EXPECT_HAS(violation(media, c(FlashOperation::Read, 1, 0, 2)), "no such address");
  for (std::uint32_t page = 0; page < 4; ++page) program(media, 1, 1, page, 20 + page);
  media.apply(c(FlashOperation::Erase, 1, 0, 0));
  program(media, 1, 0, 0, 30);
  EXPECT_EQ(read_status(media, 1, 0, 1), FlashStatus::Erased);
}

// A mode chosen for a block applies from its next first program after an erase, lasts until the one after that, and
// outlives a power cut, as it is stored in the media.
TEST(NandMedia, KeepsTheModeThatABlockIsProgrammedIn) {
  NandConfig config = small();
  config.read_time = {50, 60};
  config.slc_dynamic = 2;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  const Die die{1};
  const Block block{2};
  EXPECT_FALSE(media.in_slc_mode(die, block));
  media.choose_mode(die, block, true);
  EXPECT_FALSE(media.in_slc_mode(die, block)) << "nothing is programmed yet";
  program(media, 1, 2, 0, 10);
  program(media, 1, 2, 1, 20);
  EXPECT_TRUE(media.in_slc_mode(die, block));
  EXPECT_FALSE(media.in_slc_mode(die, Block{1}));
  Command c(media);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 1, 2, 2)), "in SLC mode a block has 2 pages");
  EXPECT_HAS(violation(media, c(FlashOperation::Read, 1, 2, 2)), "no such address");
  EXPECT_TRUE(media.slc_mode_of(c(FlashOperation::Erase, 1, 2, 0)));
  media.choose_mode(die, block, false);  // its erase has not come yet
  EXPECT_TRUE(media.in_slc_mode(die, block));
  const std::uint64_t programmed = media.digest();
  media.apply(c(FlashOperation::Erase, 1, 2, 0));
  EXPECT_NE(media.digest(), programmed);
  EXPECT_EQ(media.slc_erases(die, block), 1U);
  for (std::uint32_t page = 0; page < 4; ++page) program(media, 1, 2, page, 30 + page);
  EXPECT_FALSE(media.in_slc_mode(die, block));
  media.apply(c(FlashOperation::Erase, 1, 2, 0));
  EXPECT_EQ(media.slc_erases(die, block), 1U);
  EXPECT_EQ(media.erase_count(die, block), 2U);
}

// A torn first program sets the mode; a torn erase keeps it, and the next erase counts in that mode.
TEST(NandMedia, KnowsTheModeOfWhatWasTorn) {
  NandConfig config = small();
  config.read_time = {50, 60};
  config.slc_dynamic = 2;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  media.choose_mode(Die{0}, Block{1}, true);
  Command c(media);
  media.tear(c(FlashOperation::Program, 0, 1, 0));
  EXPECT_TRUE(media.in_slc_mode(Die{0}, Block{1}));
  media.tear(c(FlashOperation::Erase, 0, 1, 0));
  EXPECT_TRUE(media.in_slc_mode(Die{0}, Block{1}));
  media.apply(c(FlashOperation::Erase, 0, 1, 0));
  EXPECT_EQ(media.slc_erases(Die{0}, Block{1}), 1U);
  media.apply(c(FlashOperation::Erase, 0, 1, 0));
  EXPECT_EQ(media.slc_erases(Die{0}, Block{1}), 1U) << "nothing was programmed meanwhile";
}

TEST(NandMedia, ReadsBlocksInDifferentModesApart) {
  NandConfig config = small();
  config.planes = 2;
  config.multi_plane_read = true;
  config.read_time = {50, 60};
  config.slc_dynamic = 2;
  NandMedia media(NandGeometry(config, 4096), true, 0);
  media.choose_mode(Die{0}, Block{0}, true);
  program(media, 0, 0, 0, 1);
  program(media, 0, 1, 0, 1);
  const FlashAddress slc{Die{0}, Block{0}, Page{0}};
  const FlashAddress tlc{Die{0}, Block{1}, Page{0}};
  EXPECT_FALSE(media.together(slc, tlc));
  media.choose_mode(Die{0}, Block{3}, true);
  program(media, 0, 3, 0, 1);
  EXPECT_TRUE(media.together(slc, {Die{0}, Block{3}, Page{0}}));
}

TEST(NandMedia, ViolationsNameAddressAndHistory) {
  NandMedia media(NandGeometry(small(), 4096), true, 0);
  Command c(media);
  media.apply(c(FlashOperation::Erase, 1, 3, 0));
  program(media, 1, 3, 0, 1);
  program(media, 0, 0, 0, 1);
  program(media, 1, 3, 1, 1);

  const std::string twice = violation(media, c(FlashOperation::Program, 1, 3, 1));
  EXPECT_HAS(twice, "program (host) of die 1, block 3, page 1");
  EXPECT_HAS(twice, "not been erased");
  EXPECT_HAS(twice, "write pointer 2, erase count 1, last: #0 erase, #1 program page 0, #3 program page 1");

  const std::string order = violation(media, c(FlashOperation::Program, 1, 3, 3));
  EXPECT_HAS(order, "in order; the next is page 2");
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 1, 2, 1)), "nothing in the device's last 1024 operations");
  EXPECT_HAS(violation(media, c(FlashOperation::Read, 2, 0, 0)), "no such address; the device has 2 dies of 4 blocks");
  EXPECT_HAS(violation(media, c(FlashOperation::Read, 0, 4, 0)), "no such address");
  EXPECT_HAS(violation(media, c(FlashOperation::Erase, 0, 4, 0)), "no such address");
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 0, 4)), "no such address");
  OnfiCommand& odd = c(FlashOperation::Read, 0, 0, 0);
  odd.first_unit = 1;
  odd.units = 2;
  EXPECT_HAS(violation(media, odd), "units of one page");
  OnfiCommand& half = c(FlashOperation::Program, 0, 0, 1);
  half.units = 1;
  EXPECT_HAS(violation(media, half), "fills its program unit, of 2 mapping units, and not 1");
  // No violation has changed the media, and legal commands are still legal.
  EXPECT_EQ(violation(media, c(FlashOperation::Program, 1, 3, 2)), "");
  EXPECT_THROW(media.apply(c(FlashOperation::Program, 1, 3, 0)), FirmwareViolation);
}

TEST(NandMedia, OutOfOrderWhereTheDeviceAllowsIt) {
  NandMedia media(NandGeometry(small(), 4096), false, 0);
  program(media, 0, 0, 2, 20);
  program(media, 0, 0, 0, 1);
  EXPECT_EQ(media.write_pointer(Die{0}, Block{0}), 3U);
  EXPECT_EQ(read_status(media, 0, 0, 1), FlashStatus::Erased);
  EXPECT_EQ(read_status(media, 0, 0, 2), FlashStatus::Good);
  Command c(media);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 0, 2)), "not been erased");
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 0, 0)), "not been erased");
  media.apply(c(FlashOperation::Erase, 0, 0, 0));
  EXPECT_EQ(read_status(media, 0, 0, 2), FlashStatus::Erased);
}

TEST(NandMedia, OneShotProgramUnitsOverPlanes) {
  NandConfig config = small();
  config.planes = 2;
  config.multi_plane_program = true;
  config.pages_per_program = 2;
  const NandGeometry geometry(config, 4096);
  ASSERT_EQ(geometry.pages, 8U);
  ASSERT_EQ(geometry.program_pages, 4U);
  NandMedia media(geometry, true, 0);
  program(media, 0, 1, 0, 100);
  program(media, 0, 1, 4, 200);
  EXPECT_EQ(media.write_pointer(Die{0}, Block{1}), 8U);
  EXPECT_EQ(media.oob({Die{0}, Block{1}, Page{0}}, 5), 105U);
  EXPECT_EQ(media.oob({Die{0}, Block{1}, Page{2}}, 1), 105U);
  EXPECT_EQ(media.oob({Die{0}, Block{1}, Page{7}}, 1), 207U);
  Command c(media);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 0, 2)), "a program begins at a program unit, of 4 pages");
}

// On a drive that tears writes the page reads as good, with the contents that the command gives for a tear.
TEST(NandMedia, TornContentsTakeThePlaceOfATornPage) {
  NandMedia media(NandGeometry(small(), 4096), true, 2);
  Command c(media);
  c.oob = {5, 6};
  c.tokens = {9, 9, 8, 8};
  std::vector<SectorToken> left = {9, 3, 8, 8};
  std::uint64_t struck = 0;
  const TornContents contents{.tokens = left.data(), .units = 1, .struck = &struck};
  OnfiCommand& program = c(FlashOperation::Program, 0, 0, 0);
  program.torn = &contents;
  media.tear(program);
  EXPECT_EQ(struck, 1U);
  EXPECT_EQ(read_status(media, 0, 0, 0), FlashStatus::Good);
  EXPECT_EQ(media.oob({Die{0}, Block{0}, Page{0}}, 0), 5U);
  const SectorToken* const tokens = media.tokens({Die{0}, Block{0}, Page{0}}, 0);
  EXPECT_EQ(std::vector<SectorToken>(tokens, tokens + 4), left);
  program.address.page = Page{1};
  media.apply(program);  // power holds: the page is complete
  EXPECT_EQ(struck, 1U);
  EXPECT_EQ(media.tokens({Die{0}, Block{0}, Page{1}}, 0)[1], 9U);
}

TEST(NandMedia, TornProgramConsumesItsPages) {
  NandMedia media(NandGeometry(small(), 4096), true, 2);
  program(media, 0, 0, 0, 1);
  Command c(media);
  c.oob[0] = 5;
  media.tear(c(FlashOperation::Program, 0, 0, 1));
  EXPECT_EQ(read_status(media, 0, 0, 0), FlashStatus::Good);
  EXPECT_EQ(read_status(media, 0, 0, 1), FlashStatus::Torn);
  EXPECT_EQ(read_status(media, 0, 0, 2), FlashStatus::Erased);
  EXPECT_EQ(media.oob({Die{0}, Block{0}, Page{1}}, 0), 0U);
  EXPECT_EQ(media.tokens({Die{0}, Block{0}, Page{1}}, 0), nullptr);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 0, 1)), "torn program page 1");
  program(media, 0, 0, 2, 3);  // the next page can be programmed
  media.tear(c(FlashOperation::Read, 0, 0, 0));
  EXPECT_EQ(read_status(media, 0, 0, 0), FlashStatus::Good);
}

TEST(NandMedia, TornEraseMustBeRepeated) {
  NandMedia media(NandGeometry(small(), 4096), true, 0);
  program(media, 0, 0, 0, 1);
  Command c(media);
  media.tear(c(FlashOperation::Erase, 0, 0, 0));
  EXPECT_TRUE(media.torn(Die{0}, Block{0}));
  EXPECT_EQ(read_status(media, 0, 0, 0), FlashStatus::Torn);
  EXPECT_EQ(read_status(media, 0, 0, 3), FlashStatus::Torn);
  EXPECT_EQ(media.oob({Die{0}, Block{0}, Page{0}}, 0), 0U);
  EXPECT_EQ(media.write_pointer(Die{0}, Block{0}), 4U);
  EXPECT_HAS(violation(media, c(FlashOperation::Program, 0, 0, 0)), "torn in its erase");
  media.apply(c(FlashOperation::Erase, 0, 0, 0));
  EXPECT_FALSE(media.torn(Die{0}, Block{0}));
  EXPECT_EQ(media.erase_count(Die{0}, Block{0}), 1U);
  program(media, 0, 0, 0, 2);
  EXPECT_EQ(read_status(media, 0, 0, 0), FlashStatus::Good);
}

TEST(NandMedia, AnUntouchedTerabyteCostsNothing) {
  NandConfig config;
  config.channels = 8;
  config.ways = 8;
  config.blocks = 4096;
  config.pages = 256;
  config.page_size = 16384;
  const NandGeometry geometry(config, 4096);
  ASSERT_EQ(geometry.raw_bytes(), std::uint64_t{1} << 40);
  NandMedia media(geometry, true, 8);  // 268 M units of 8 + 32 bytes: 11 GB of address space
  program(media, 63, 4095, 0, 3);
  EXPECT_EQ(media.oob({Die{63}, Block{4095}, Page{0}}, 3), 6U);
  EXPECT_EQ(media.write_pointer(Die{62}, Block{4095}), 0U);
}

TEST(NandMedia, DigestSeesEverything) {
  const NandGeometry geometry(small(), 4096);
  const auto digest = [&](auto&& change) {
    NandMedia media(geometry, true, 1);
    program(media, 0, 0, 0, 1);
    program(media, 1, 1, 0, 9);
    change(media);
    return media.digest();
  };
  const std::uint64_t base = digest([](NandMedia&) {});
  EXPECT_EQ(base, digest([](NandMedia&) {}));
  std::vector<std::uint64_t> others = {digest([](NandMedia& m) { program(m, 0, 0, 1, 2); }),
                                       digest([](NandMedia& m) { program(m, 0, 0, 1, 3); }),
                                       digest([](NandMedia& m) { program(m, 0, 1, 0, 2); }),
                                       digest([](NandMedia& m) {
                                         Command c(m);
                                         c.tokens[0] = 1;  // one token differs from the next variant
                                         c.oob[0] = 2;
                                         m.apply(c(FlashOperation::Program, 0, 0, 1));
                                       }),
                                       digest([](NandMedia& m) {
                                         Command c(m);
                                         c.oob[0] = 2;
                                         m.apply(c(FlashOperation::Program, 0, 0, 1));
                                       }),
                                       digest([](NandMedia& m) {
                                         Command c(m);
                                         c.oob[0] = 2;
                                         c.command.origin = Origin::Gc;
                                         m.apply(c(FlashOperation::Program, 0, 0, 1));
                                       }),
                                       digest([](NandMedia& m) {
                                         Command c(m);
                                         m.tear(c(FlashOperation::Program, 0, 0, 1));
                                       }),
                                       digest([](NandMedia& m) {
                                         Command c(m);
                                         m.apply(c(FlashOperation::Erase, 0, 3, 0));
                                       }),
                                       digest([](NandMedia& m) {
                                         Command c(m);
                                         m.tear(c(FlashOperation::Erase, 0, 3, 0));
                                       }),
                                       base};
  std::sort(others.begin(), others.end());
  EXPECT_EQ(std::adjacent_find(others.begin(), others.end()), others.end());
}

// Random legal and illegal commands, against a map of pages.
RC_GTEST_PROP(NandMedia, AgreesWithAMapOfPages, ()) {
  NandConfig config = small();
  config.channels = 1;
  config.blocks = 2;
  const bool in_order = *rc::gen::arbitrary<bool>();
  NandMedia media(NandGeometry(config, 4096), in_order, 0);
  struct ModelBlock {
    std::map<std::uint32_t, std::optional<OobWord>> pages;  // nullopt: torn
    bool torn = false;
  };
  ModelBlock model[2];
  OobWord word = 1;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const auto block = *rc::gen::inRange<std::uint32_t>(0, 2);
    const auto page = *rc::gen::inRange<std::uint32_t>(0, 4);
    const int what = *rc::gen::weightedElement<int>({{6, 0}, {1, 1}, {1, 2}, {1, 3}});
    ModelBlock& m = model[block];
    Command c(media);
    if (what == 0 || what == 1) {
      std::uint32_t next = 0;
      for (const auto& [p, content] : m.pages) next = p + 1;
      const bool legal = !m.torn && m.pages.count(page) == 0 && (!in_order || page == next);
      c.oob[0] = word;
      c.oob[1] = word + 1;
      OnfiCommand& command = c(FlashOperation::Program, 0, block, page);
      if (!legal) {
        RC_ASSERT_THROWS_AS(media.apply(command), FirmwareViolation);
      } else if (what == 0) {
        media.apply(command);
        m.pages[page] = word;
      } else {
        media.tear(command);
        m.pages[page] = std::nullopt;
      }
      word += 2;
    } else {
      OnfiCommand& command = c(FlashOperation::Erase, 0, block, 0);
      m.pages.clear();
      m.torn = what == 3;
      if (what == 2)
        media.apply(command);
      else
        media.tear(command);
    }
  }
  using Unit = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, OobWord>;
  std::vector<Unit> expected;
  for (std::uint32_t block = 0; block < 2; ++block) {
    for (std::uint32_t page = 0; page < 4; ++page) {
      const auto found = model[block].pages.find(page);
      FlashStatus status = FlashStatus::Erased;
      if (model[block].torn || (found != model[block].pages.end() && !found->second)) status = FlashStatus::Torn;
      if (status == FlashStatus::Erased && found != model[block].pages.end()) {
        status = FlashStatus::Good;
        for (std::uint32_t unit = 0; unit < 2; ++unit) expected.emplace_back(block, page, unit, *found->second + unit);
      }
      RC_ASSERT(read_status(media, 0, block, page) == status);
      RC_ASSERT(media.page({Die{0}, Block{block}, Page{page}}).status == status);
    }
  }
  std::vector<Unit> got;
  media.for_each_unit([&got](const FlashAddress& a, std::uint32_t unit, OobWord w) {
    got.emplace_back(a.block.value(), a.page.value(), unit, w);
  });
  RC_ASSERT(got == expected);
}

// A power cut tears some pages of a metadata program unit. A mount does not count that unit and gives its word to
// another one; its erase must take nothing from that other unit.
TEST(NandMedia, TheWordOfATornProgramUnitMayBeUsedAgain) {
  NandConfig config = small();
  config.planes = 2;
  config.multi_plane_program = true;
  constexpr OobWord kWord = 42;
  std::uint32_t partly = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    NandMedia media(NandGeometry(config, 4096), true, 0);
    media.set_tearing({.mixed = true, .seed = seed});
    const auto metadata = [&](Command& c, std::uint32_t block) -> OnfiCommand& {
      std::fill(c.oob.begin(), c.oob.end(), kWord);
      c.command.origin = Origin::Map;
      return c(FlashOperation::Program, 0, block, 0);
    };
    Command torn(media), whole(media), erase(media);
    media.keep_content(kWord, {1});
    media.tear(metadata(torn, 0));
    const bool first = read_status(media, 0, 0, 0) == FlashStatus::Good;
    const bool second = read_status(media, 0, 0, 1) == FlashStatus::Good;
    if (first == second) continue;
    ++partly;
    media.keep_content(kWord, {2});
    media.apply(metadata(whole, 1));
    media.apply(erase(FlashOperation::Erase, 0, 0, 0));
    EXPECT_EQ(media.content(kWord), std::vector<std::uint64_t>{2});
    media.apply(erase(FlashOperation::Erase, 0, 1, 0));
    EXPECT_THROW(media.content(kWord), std::logic_error);
  }
  EXPECT_GT(partly, 5U);
}

}  // namespace
}  // namespace flashloom::nand_media_test
