// The log-structured file system: places, victims and requests worked by hand, and the cleaner against the closed form.
#include <gtest/gtest.h>

#include "tests/workloads/generators/generator_support.hpp"
#include "workloads/generators/f2fs_area.hpp"
#include "workloads/generators/section_logs.hpp"

namespace flashloom::f2fs_test {
namespace {

constexpr std::uint64_t kBlock = 4096;

TEST(SectionLogs, FillsSectionsAndCleansTheOneWithFewestValidBlocks) {
  SectionLogs logs(4, 4, 2, 16);
  for (std::uint32_t block = 0; block < 8; ++block) EXPECT_EQ(logs.append(0, block), block);
  EXPECT_EQ(logs.append(1, 8), 8U);  // the other log has a section of its own
  EXPECT_EQ(logs.free_sections(), 1U);
  EXPECT_FALSE(logs.victim(CleanerPolicy::Greedy));  // all blocks of the full sections are valid
  EXPECT_EQ(logs.append(1, 0), 9U);
  EXPECT_EQ(logs.append(1, 4), 10U);
  EXPECT_EQ(logs.append(1, 5), 11U);
  EXPECT_EQ(logs.valid_in(0), 3U);
  EXPECT_EQ(logs.valid_in(1), 2U);
  EXPECT_EQ(logs.victim(CleanerPolicy::Greedy), 1U);
  EXPECT_EQ(logs.blocks_in(1), (std::vector<std::uint32_t>{6, 7}));
  logs.append(0, 6);
  EXPECT_EQ(logs.empty_sections(), 0U);
  logs.append(0, 7);
  EXPECT_EQ(logs.empty_sections(), 1U);  // free after a checkpoint
  EXPECT_EQ(logs.free_sections(), 0U);
  EXPECT_EQ(logs.take_empty(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(logs.free_sections(), 1U);
  logs.invalidate(0);
  EXPECT_EQ(logs.place_of(0), SectionLogs::kNowhere);
  EXPECT_EQ(logs.valid_in(2), 3U);
}

// Section 0 is old with 3 of 4 valid, section 1 young with 2. At time 8 the benefits, ages relative to the span since
// 0, are (1/4)(8 - 1)/8 / (7/4) = 0.125 and (2/4)(8 - 5)/8 / (6/4) = 0.125; a block later the old one has more.
TEST(SectionLogs, CostAndBenefitPreferTheOlderSection) {
  SectionLogs logs(8, 4, 2, 32);
  for (std::uint32_t block = 0; block < 8; ++block) logs.append(0, block);
  for (std::uint32_t block = 20; block < 32; ++block) logs.append(1, block);
  logs.invalidate(0);
  logs.invalidate(4);
  logs.invalidate(5);
  EXPECT_EQ(logs.victim(CleanerPolicy::Greedy), 1U);
  EXPECT_EQ(logs.victim(CleanerPolicy::CostBenefit), 1U);  // 0.5 x 14/18 / 1.5 against 0.25 x 1 / 1.75
  for (std::uint32_t block = 20; block < 28; ++block) logs.append(0, block);
  logs.invalidate(28);
  // The youngest section, with 3 of 4 valid, is worth less than an old one with as many.
  logs.invalidate(6);
  logs.invalidate(7);
  ASSERT_EQ(logs.empty_sections(), 3U);
  EXPECT_EQ(logs.victim(CleanerPolicy::CostBenefit), 0U);
}

// 2 MiB: two files of four blocks, in sections of 16. Tables: pack 2 x 5, NAT 2 x 1, SIT 2 x 1, summaries of 32
// sections.
TEST(F2fs, TheFirstCheckpointHasTheRequestsWorkedByHand) {
  constexpr std::uint64_t kSection = 16 * kBlock;
  const Values values = {
      {"section", bytes(kSection)}, {"file", bytes(4 * kBlock)}, {"fill", 0.0196}, {"overprovision", 0.5}};
  F2fsArea area;
  area.file_blocks = 4;
  area.lay_out({.capacity = 2 * kMiB}, kSection, 0.5, 0.0196);
  ASSERT_EQ(area.files, 2U);
  ASSERT_EQ(area.main_begin, 3 * kSection);  // 46 blocks
  ASSERT_EQ(area.sections, 29U);
  const std::vector<Request> all = requests_of(generate("f2fs", values, 2 * kMiB, 1, true), 10);
  const auto expect = [&](std::size_t i, RequestKind kind, std::uint64_t offset, std::uint64_t blocks,
                          std::uint64_t application) {
    EXPECT_EQ(all[i].kind, kind) << i;
    EXPECT_EQ(all[i].offset, offset) << i;
    EXPECT_EQ(all[i].length, blocks * kBlock) << i;
    EXPECT_EQ(all[i].application_bytes, application) << i;
  };
  const std::uint64_t main = 3 * kSection;
  expect(0, RequestKind::Write, main, 4, 4 * kBlock);  // warm data
  expect(1, RequestKind::Write, main + 4 * kBlock, 4, 4 * kBlock);
  expect(2, RequestKind::Write, main + kSection, 1, 0);      // hot data: the directory
  expect(3, RequestKind::Write, main + 2 * kSection, 1, 0);  // hot node: the directory's inode
  expect(4, RequestKind::Write, main + 3 * kSection, 2, 0);  // warm nodes: the files' inodes
  // four segments and three nodes: their entries are in the journals
  expect(5, RequestKind::Flush, 0, 0, 0);
  expect(6, RequestKind::Write, 0, 5, 0);
  expect(7, RequestKind::Flush, 0, 0, 0);
  EXPECT_EQ(all[8].application_bytes, kBlock);  // an update, behind the data written before
  EXPECT_EQ(all[8].offset, main + 8 * kBlock);
}

TEST(F2fs, AnFsyncWritesTheNodesOfItsFile) {
  const Values values = {{"fsync", 1.0}, {"load", false}, {"fill", 0.3}};
  const std::vector<Request> all = requests_of(generate("f2fs", values, 128 * kMiB, 1, true), 30);
  for (std::size_t i = 0; i < all.size(); i += 3) {
    EXPECT_EQ(all[i].application_bytes, kBlock);
    EXPECT_EQ(all[i + 1].length, kBlock);  // the inode
    EXPECT_EQ(all[i + 1].application_bytes, 0U);
    EXPECT_NE(all[i].offset / (2 * kMiB), all[i + 1].offset / (2 * kMiB));  // in another section
    EXPECT_EQ(all[i + 2].kind, RequestKind::Flush);
  }
}

// A file of 923 blocks has only an inode; one of 923 + 3 x 1018 has three direct nodes, one of them behind an indirect
// node.
TEST(F2fs, NodesFollowFromTheSizeOfAFile) {
  F2fsArea area;
  area.file_blocks = 923;
  area.lay_out({.capacity = 1024 * kMiB}, 2 * kMiB, 0.05, 0.5);
  EXPECT_EQ(area.nodes_per_file(), 1U);
  area.file_blocks = 923 + 3 * 1018;
  area.lay_out({.capacity = 1024 * kMiB}, 2 * kMiB, 0.05, 0.5);
  EXPECT_EQ(area.direct_nodes, 4U);
  EXPECT_EQ(area.indirect_nodes, 1U);
  EXPECT_EQ(area.node_of(1, 922), area.first_node(1));
  EXPECT_EQ(area.node_of(1, 923), area.first_node(1) + 1);
  EXPECT_EQ(area.node_of(1, 923 + 1018), area.first_node(1) + 2);
  EXPECT_TRUE(area.is_indirect(area.indirect_node(1, 0)));
  EXPECT_FALSE(area.is_indirect(area.first_node(2)));
  EXPECT_EQ(area.reserved, 27U);  // mkfs.f2fs -o 5
}

// Greedy cleaning of uniform updates: a / (a + W(-a e^-a)), where a is the sections in use over the sections' worth of
// data (Desnoyers, SYSTOR 2012, for large blocks). Few files keep nodes few.
TEST(F2fs, TheCleanersWriteAmplificationIsNearTheClosedForm) {
  const Values values = {{"file", bytes(923 * kBlock)}, {"fill", 0.65}, {"fsync", 0.0}, {"overprovision", 0.5}};
  GeneratedWorkload workload = generate("f2fs", values, 256 * kMiB, 1, true);
  EXPECT_TRUE(workload.accounts);
  std::uint64_t application = 0;
  std::uint64_t read = 0;
  Request request;
  while (application < 3000 * kMiB && workload.source->next(request)) {
    application += request.application_bytes;
    if (application > 1500 * kMiB && request.kind == RequestKind::Read) read += request.length;
  }
  const double measured = 1 + static_cast<double>(read) / (1500.0 * kMiB);
  F2fsArea area;
  area.file_blocks = 923;
  area.lay_out({.capacity = 256 * kMiB}, 2 * kMiB, 0.5, 0.65);
  const double alpha = static_cast<double>(area.sections - area.reserved - 3) * area.section_blocks /
                       (static_cast<double>(area.files) * 923);
  double w = -0.5;  // W(-a e^-a), the branch above -1
  for (int i = 0; i < 200; ++i) w = -alpha * std::exp(-alpha) * std::exp(-w);
  EXPECT_NEAR(measured, alpha / (alpha + w), 0.1 * measured) << "alpha " << alpha;
}

// Over zones: a section is a zone of 48 of 64 blocks, written in order and freed by a reset; no block is written in
// place.
TEST(F2fs, OverZonesSectionsAreZones) {
  GeneratorContext context{.space = {.capacity = 64 * kMiB, .sector_size = 4096}, .seed = 1, .endless = true};
  context.space.zones = {.bytes = 64 * kBlock, .capacity = 48 * kBlock, .max_open = 8};
  GeneratedWorkload workload =
      make_generator(*find_generator("f2fs"), {{"file", bytes(64 * kKiB)}, {"fill", 0.6}, {"replace", 0.01}}, context);
  EXPECT_TRUE(workload.source->knows_zones());
  std::vector<std::uint64_t> pointers(256);
  std::uint64_t resets = 0;
  Request request;
  for (int i = 0; i < 100'000 && workload.source->next(request); ++i) {
    std::uint64_t& pointer = pointers[request.offset / (64 * kBlock)];
    const std::uint64_t at = request.offset % (64 * kBlock);
    ASSERT_NE(request.kind, RequestKind::Trim);
    if (request.kind == RequestKind::Write) {
      ASSERT_EQ(at, pointer) << i;
      pointer += request.length;
      ASSERT_LE(pointer, 48 * kBlock);
    } else if (request.kind == RequestKind::ZoneReset) {
      ASSERT_EQ(pointer, 48 * kBlock);
      pointer = 0;
      ++resets;
    } else if (request.kind == RequestKind::Read) {
      ASSERT_LE(at + request.length, pointer);
    }
  }
  EXPECT_GT(resets, 100U);
}

// Data read back were written, trims cover whole sections, and each block is written once between two trims.
TEST(F2fs, BlocksAreWrittenOnceBetweenTrims) {
  for (const double background : {0.0, 1.0}) {
    const Values values = {{"replace", 0.02}, {"fsync", 0.3},
                           {"cold", 0.2},     {"checkpoint", bytes(4 * kMiB)},
                           {"fill", 0.6},     {"background", background == 0 ? bytes(0) : bytes(256 * kKiB)}};
    GeneratedWorkload workload = generate("f2fs", values, 256 * kMiB, 1, true);
    F2fsArea area;
    area.file_blocks = 256;
    area.lay_out({.capacity = 256 * kMiB}, 2 * kMiB, 0.05, 0.6);
    std::vector<bool> written(256 * kMiB / kBlock);
    std::uint64_t trims = 0;
    Request request;
    for (int i = 0; i < 300'000 && workload.source->next(request); ++i) {
      if (request.kind == RequestKind::Flush || request.offset < area.main_begin) continue;
      if (request.kind == RequestKind::Trim) {
        ++trims;
        ASSERT_EQ(request.length, 2 * kMiB);
      }
      for (std::uint64_t block = request.offset / kBlock; block < (request.offset + request.length) / kBlock; ++block) {
        ASSERT_EQ(written[block], request.kind == RequestKind::Read || (request.kind == RequestKind::Trim)) << i;
        written[block] = request.kind != RequestKind::Trim;
      }
    }
    EXPECT_GT(trims, 20U);
  }
}

}  // namespace
}  // namespace flashloom::f2fs_test
