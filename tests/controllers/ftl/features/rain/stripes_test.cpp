// Parity over dies: which members hold it, and which pages of a stripe it covers.
#include "controllers/ftl/features/rain/stripes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "controllers/ftl/features/superblocks/superblocks.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/media_bench.hpp"
#include "tests/support/media_commands.hpp"

namespace flashloom::stripes_test {
namespace {

NandConfig device(std::uint32_t dies, std::uint32_t planes = 1) {
  NandConfig config;
  config.channels = dies;
  config.ways = 1;
  config.planes = planes;
  config.blocks = 8;
  config.pages = 4;
  return config;
}

FtlConfig with_parity(std::uint32_t parities, std::uint32_t dies = 0) {
  FtlConfig config;
  config.gc_unit = "superblock";
  config.superblock_dies = dies;
  config.rain = parities;
  return config;
}

struct Bench : MediaBench {
  using MediaBench::MediaBench;

  // Opens a superblock as the collector does.
  void open(GcUnit superblock) {
    for (const BlockNumber block : blocks.members_of(superblock)) {
      if (blocks[block].state == BlockState::Bad) continue;
      blocks.open_free(block);
      blocks[block].parity = stripes.choose(block);
    }
  }
  void decide(BlockNumber block) { blocks[block].decided = blocks.programs().give_out(block, ++sequence) + 1; }
  std::vector<int> roles(GcUnit superblock) {
    std::vector<int> roles;
    for (const BlockNumber block : blocks.members_of(superblock)) roles.push_back(stripes.choose(block));
    return roles;
  }

  BlockTable blocks{context};
  OobLayout layout{8};
  Stripes stripes{context, blocks, layout};
  std::uint64_t sequence = 0;
};

using Roles = std::vector<int>;

TEST(StripeLayout, TurnsFromSuperblockToSuperblock) {
  Bench p(device(4), with_parity(1));
  EXPECT_EQ(p.roles(0), (Roles{1, 0, 0, 0}));
  EXPECT_EQ(p.roles(1), (Roles{0, 1, 0, 0}));
  EXPECT_EQ(p.roles(7), (Roles{0, 0, 0, 1}));
  Bench pq(device(4), with_parity(2));
  EXPECT_EQ(pq.roles(1), (Roles{0, 1, 2, 0}));
  EXPECT_EQ(pq.roles(3), (Roles{2, 0, 0, 1}));
}

// On a die with two planes both members hold parity, so that a failed die costs each stripe one member.
TEST(StripeLayout, IsOfOneDieOnAllItsPlanes) {
  Bench bench(device(3, 2), with_parity(1));
  EXPECT_EQ(bench.roles(1), (Roles{0, 0, 1, 1, 0, 0}));
  for (const BlockNumber block : bench.blocks.members_of(2))
    for (std::uint32_t n = 0; n < 3; ++n) {
      const BlockNumber other = bench.stripes.member(block, n);
      EXPECT_EQ(bench.blocks.gc_unit_of(other), 2U);
      EXPECT_EQ(bench.blocks.die_of(other), n);
      EXPECT_EQ(bench.blocks.bank_of(other) % 2, bench.blocks.bank_of(block) % 2);
    }
}

TEST(StripeLayout, StaysInItsGroupOfDies) {
  Bench bench(device(4), with_parity(1, 2));
  EXPECT_EQ(bench.roles(0), (Roles{1, 0}));
  const GcUnit of_other_group = bench.blocks.gc_units_of_group() + 1;
  const BlockNumber block = bench.blocks.member(of_other_group, 0);
  EXPECT_EQ(bench.blocks.die_of(bench.stripes.member(block, 1)), 3U);
}

TEST(StripeLayout, LeavesOutBadMembers) {
  Bench bench(device(4), with_parity(1));
  bench.blocks[bench.blocks.member(1, 1)].state = BlockState::Bad;
  EXPECT_EQ(bench.roles(1)[2], 1);
  EXPECT_EQ(bench.roles(1)[3], 0);
}

// Members are filled stripe by stripe; a stripe's parity is due when the last of its other members is decided upon.
TEST(StripeLayout, IsCompleteWithItsLastMember) {
  Bench bench(device(3), with_parity(1));
  bench.open(0);
  const auto member = [&](std::uint32_t n) { return bench.blocks.member(0, n); };
  EXPECT_FALSE(bench.stripes.complete(member(0)));
  bench.decide(member(1));
  EXPECT_FALSE(bench.stripes.in_turn(member(1)));
  EXPECT_TRUE(bench.stripes.in_turn(member(2)));
  EXPECT_FALSE(bench.stripes.complete(member(0)));
  EXPECT_EQ(bench.stripes.decided(member(1)), 0U) << "no parity covers it";
  EXPECT_EQ(bench.stripes.wanted(member(2)), 1U);
  bench.decide(member(2));
  EXPECT_TRUE(bench.stripes.complete(member(0)));
  bench.blocks.programs().give_out(member(0), ++bench.sequence);
  EXPECT_EQ(bench.stripes.decided(member(1)), 1U);
  EXPECT_EQ(bench.stripes.protected_pages(member(1)), 0U) << "not on flash";
  bench.blocks.programs().submitted(member(0), Origin::Parity);
  bench.blocks.programs().done(member(0), 0);
  EXPECT_EQ(bench.stripes.protected_pages(member(1)), 1U);
  EXPECT_EQ(bench.stripes.wanted(member(1)), 0U);
}

// A stripe does not wait for a failed member, and failed parity covers no further pages.
TEST(StripeLayout, GoesOnWithoutWhatFails) {
  Bench bench(device(3), with_parity(1));
  bench.open(0);
  const auto member = [&](std::uint32_t n) { return bench.blocks.member(0, n); };
  bench.decide(member(1));
  bench.blocks.programs().give_out(member(2), ++bench.sequence);
  bench.blocks[member(2)].failed = true;
  EXPECT_FALSE(bench.stripes.takes_part(member(2), 0));
  EXPECT_TRUE(bench.stripes.takes_part(member(1), 0));
  EXPECT_TRUE(bench.stripes.complete(member(0)));
  bench.blocks.programs().give_out(member(0), ++bench.sequence);
  bench.blocks[member(0)].failed = true;
  EXPECT_EQ(bench.stripes.protected_pages(member(1)), 0U) << "its status is not known yet";
  bench.blocks.programs().submitted(member(0), Origin::Parity);
  bench.blocks.programs().done(member(0), 0);
  EXPECT_GT(bench.stripes.protected_pages(member(1)), 1U) << "there is nothing to wait for";
}

// A mount cannot tell which of two members whose first programs failed was to hold parity.
TEST(StripeLayout, HasEndedWhereParityAndDataFailedFirst) {
  Bench bench(device(4), with_parity(1));
  bench.open(0);
  for (const std::uint32_t failed : {0U, 1U}) bench.blocks[bench.blocks.member(0, failed)].failed = true;
  for (const std::uint32_t die : {2U, 3U}) program(bench.media, die, 0, 0, bench.layout.encode(die, 1));
  EXPECT_TRUE(bench.stripes.ended(bench.blocks.member(0, 2), 0));
}

TEST(StripeLayout, HasNotEndedBeforeItsParity) {
  Bench bench(device(5), with_parity(2));
  bench.open(0);
  const BlockNumber data = bench.blocks.member(0, 4);
  for (const std::uint32_t failed : {1U, 2U}) bench.blocks[bench.blocks.member(0, failed)].failed = true;
  for (const std::uint32_t die : {3U, 4U})
    for (const std::uint32_t page : {0U, 1U}) program(bench.media, die, 0, page, bench.layout.encode(die, 1));
  program(bench.media, 0, 0, 0, bench.layout.parity(1));
  EXPECT_TRUE(bench.stripes.ended(data, 0)) << "Q, or data, failed with its first program";
  EXPECT_FALSE(bench.stripes.ended(data, 1)) << "P is still to come";
}

// A superblock that would hold parity alone is not used.
TEST(StripeLayout, NeedsAMemberForData) {
  Bench bench(device(3), with_parity(2));
  Superblocks all(bench.context, bench.blocks);
  EXPECT_TRUE(all.usable(0));
  all.lose_member(bench.blocks.member(0, 1));
  EXPECT_FALSE(all.usable(0));
  EXPECT_EQ(all.free()[0].size(), 7U);
}

}  // namespace
}  // namespace flashloom::stripes_test
