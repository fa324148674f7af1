#include "models/nand/nand_media_copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "models/nand/nand_config.hpp"
#include "tests/support/media_commands.hpp"

namespace flashloom::nand_media_copy_test {
namespace {

struct Copied {
  OobWord word;
  std::uint32_t source;
};

constexpr std::uint32_t kPages = 8;

NandConfig pages_of_a_unit() {
  NandConfig config;
  config.channels = 2;
  config.ways = 1;
  config.blocks = 4;
  config.pages = kPages;
  config.page_size = 4096;
  return config;
}

/// Media whose block 1 of die 0 is full, and whose block 2 of die 1 has one page.
class NandMediaCopy : public ::testing::Test {
 protected:
  explicit NandMediaCopy(std::uint32_t sectors = 0)
      : fast_(NandGeometry(pages_of_a_unit(), 4096), true, sectors),
        slow_(NandGeometry(pages_of_a_unit(), 4096), true, sectors) {
    for (NandMedia* const media : {&fast_, &slow_}) {
      for (std::uint32_t page = 0; page < kPages; ++page) program(*media, 0, 1, page, 40 + page);
      program(*media, 1, 2, 0, 90);
    }
  }

  /// Copies units of block 1 of die 0 into block 2 of die 1 from `page` on.
  struct Commands {
    OobWord word = 0;
    OnfiCommand read;
    OnfiCommand program;
  };
  static void make(Commands& commands, std::uint32_t page) {
    commands.read.operation = FlashOperation::Read;
    commands.read.address = {Die{0}, Block{1}, Page{0}};
    commands.program.operation = FlashOperation::Program;
    commands.program.address = {Die{1}, Block{2}, Page{page}};
    commands.program.sequence = 7;
    for (OnfiCommand* const command : {&commands.read, &commands.program}) {
      command->origin = Origin::Gc;
      command->units = 1;
      command->payload_units = 1;
      command->oob = &commands.word;
    }
  }
  /// What FlashPort::copy() does by default.
  static void one_by_one(NandMedia& media, Commands& commands, std::span<const Copied> units) {
    for (const Copied& unit : units) {
      commands.read.address.page = Page{unit.source - kFirst};
      media.apply(commands.read);
      media.apply(commands.program);
      ++commands.program.address.page;
      ++commands.program.sequence;
    }
  }

  static constexpr std::uint32_t kFirst = 100;  // number of the block's first unit
  NandMedia fast_;
  NandMedia slow_;
};

TEST_F(NandMediaCopy, IsWhatReadsAndProgramsAre) {
  const std::vector<Copied> units{{41, kFirst + 1}, {44, kFirst + 4}, {47, kFirst + 7}};
  Commands fast, slow;
  make(fast, 1);
  make(slow, 1);
  ASSERT_TRUE(fast_.copy_plainly(fast.read, fast.program, kFirst, units));
  one_by_one(slow_, slow, units);
  EXPECT_EQ(fast_.digest(), slow_.digest());
  EXPECT_EQ(fast_.write_pointer(Die{1}, Block{2}), 4U);
  EXPECT_EQ(fast_.oob({Die{1}, Block{2}, Page{2}}, 0), 44U);
  EXPECT_EQ(fast_.page({Die{1}, Block{2}, Page{3}}).origin, Origin::Gc);
  EXPECT_EQ(fast.word, slow.word);
  EXPECT_EQ(fast.read.address.page, slow.read.address.page);
  EXPECT_EQ(fast.read.sequence, slow.read.sequence);
  EXPECT_EQ(fast.read.status, slow.read.status);
  EXPECT_EQ(fast.program.address.page, slow.program.address.page);
  EXPECT_EQ(fast.program.sequence, slow.program.sequence);
  EXPECT_EQ(fast.program.status, slow.program.status);
}

TEST_F(NandMediaCopy, LeavesWhatIsOutOfTheOrdinary) {
  Commands commands;
  const std::vector<Copied> one{{41, kFirst + 1}};
  const auto copies = [&](std::uint32_t page, const std::vector<Copied>& units) {
    make(commands, page);
    return fast_.copy_plainly(commands.read, commands.program, kFirst, units);
  };
  const std::uint64_t before = fast_.digest();
  EXPECT_FALSE(copies(1, {{42, kFirst + 1}}));       // the page holds another word
  EXPECT_FALSE(copies(1, {{41, kFirst + kPages}}));  // not a unit of the block
  EXPECT_FALSE(copies(2, one));                      // not the next page
  EXPECT_FALSE(copies(0, one));
  EXPECT_FALSE(copies(1, std::vector<Copied>(kPages, one[0])));  // more than there is room for
  EXPECT_FALSE(copies(1, {}));
  EXPECT_EQ(fast_.digest(), before);
  make(commands, 1);
  commands.program.address.block = Block{3};  // the block is empty, and its first page must begin it
  commands.program.address.page = Page{0};
  EXPECT_FALSE(fast_.copy_plainly(commands.read, commands.program, kFirst, one));
  EXPECT_TRUE(copies(1, one));
}

class NandMediaCopyVerified : public NandMediaCopy {
 protected:
  NandMediaCopyVerified() : NandMediaCopy(1) {}
};

TEST_F(NandMediaCopyVerified, IsLeftToReadsAndPrograms) {  // tokens must be copied, too
  Commands commands;
  make(commands, 1);
  EXPECT_FALSE(fast_.copy_plainly(commands.read, commands.program, kFirst, std::vector<Copied>{{41, kFirst + 1}}));
}

}  // namespace
}  // namespace flashloom::nand_media_copy_test
