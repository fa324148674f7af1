// The log-structured merge tree: decisions and requests worked by hand, write amplification against the formula.
#include <gtest/gtest.h>

#include "tests/workloads/generators/generator_support.hpp"
#include "workloads/generators/lsm_tree.hpp"
#include "workloads/random.hpp"

namespace flashloom::lsm_test {
namespace {

constexpr std::uint64_t kEntry = 1024;

std::shared_ptr<LsmFile> file_of(std::vector<LsmKey> keys) {
  auto file = std::make_shared<LsmFile>();
  file->keys = std::move(keys);
  return file;
}

/// The keys of each file of a level.
std::vector<std::vector<LsmKey>> keys_of(const LsmTree& tree, std::uint32_t level) {
  std::vector<std::vector<LsmKey>> all;
  for (const auto& file : tree.level(level)) all.push_back(file->keys);
  return all;
}

using Keys = std::vector<std::vector<LsmKey>>;

// Files of two entries, L0 compacted at two files, L1 of four entries.
LsmShape small_shape() {
  LsmShape shape;
  shape.entry = kEntry;
  shape.levels = 4;
  shape.l0_trigger = 2;
  shape.level_base = 4 * kEntry;
  shape.multiplier = 10;
  shape.target_file = 2 * kEntry;
  shape.dynamic = false;
  return shape;
}

TEST(LsmTree, MergesTheNewestOfEachKeyAndCutsFilesAtTheirSize) {
  LsmTree tree(small_shape());
  tree.add_flushed(file_of({1, 5, 9}));
  EXPECT_FALSE(tree.pick());
  tree.add_flushed(file_of({5, 7}));
  const auto compaction = tree.pick();
  ASSERT_TRUE(compaction);
  EXPECT_EQ(compaction->from, 0U);
  EXPECT_EQ(compaction->to, 1U);
  EXPECT_FALSE(compaction->moves);
  EXPECT_EQ(keys_of(tree, 0), (Keys{{1, 5, 9}, {5, 7}}));  // until the compaction is installed
  tree.install(*compaction);
  EXPECT_EQ(keys_of(tree, 0), Keys{});
  EXPECT_EQ(keys_of(tree, 1), (Keys{{1, 5}, {7, 9}}));
  std::uint64_t index = 9;
  ASSERT_NE(tree.find(7, index), nullptr);
  EXPECT_EQ(index, 0U);
  EXPECT_EQ(tree.find(8, index), nullptr);
  ASSERT_TRUE(tree.pick());  // L1 is at its target: a score of 1
  EXPECT_TRUE(tree.pick()->moves);
}

TEST(LsmTree, TakesTheFileThatOverlapsLeastAndMovesOneThatOverlapsNothing) {
  LsmTree tree(small_shape());
  // L1: {1,5} {7,9} {11,13}: six entries, where four are the target.
  tree.add_flushed(file_of({1, 5, 9}));
  tree.add_flushed(file_of({7, 11, 13}));
  tree.install(*tree.pick());
  ASSERT_EQ(keys_of(tree, 1), (Keys{{1, 5}, {7, 9}, {11, 13}}));
  const auto move = tree.pick();  // none overlaps L2: the first file moves as it is
  ASSERT_TRUE(move);
  EXPECT_TRUE(move->moves);
  EXPECT_EQ(move->from, 1U);
  tree.install(*move);
  EXPECT_EQ(keys_of(tree, 2), (Keys{{1, 5}}));
  EXPECT_EQ(tree.level(2)[0]->level, 2U);
  // L0 {0,6} {2,8} merge with L1 {7,9}, which their range overlaps: L1 {0,2} {6,7} {8,9} {11,13}.
  tree.add_flushed(file_of({0, 6}));
  tree.add_flushed(file_of({2, 8}));
  tree.install(*tree.pick());
  EXPECT_EQ(keys_of(tree, 1), (Keys{{0, 2}, {6, 7}, {8, 9}, {11, 13}}));
  // {0,2} overlaps {1,5} of L2, the other files nothing: these move down until two entries are left.
  for (int i = 0; i < 3; ++i) tree.install(*tree.pick());
  EXPECT_EQ(keys_of(tree, 1), (Keys{{0, 2}}));
  EXPECT_EQ(keys_of(tree, 2), (Keys{{1, 5}, {6, 7}, {8, 9}, {11, 13}}));
  EXPECT_FALSE(tree.pick());
}

TEST(LsmTree, InputsGrowWhereThatCostsNothingBelow) {
  LsmShape shape = small_shape();
  shape.levels = 3;
  LsmTree tree(shape);
  // L2 {0,9}; L1 {1,2} {3,4} {5,6}: {1,2} is taken, and the other files lie within the range that is merged anyway.
  tree.add_flushed(file_of({0}));
  tree.add_flushed(file_of({9}));
  tree.install(*tree.pick());
  for (int i = 0; i < 2; ++i) {
    tree.add_flushed(file_of({20, 21, 22}));
    tree.add_flushed(file_of({23, 24, 25}));
    tree.install(*tree.pick());
    while (const auto next = tree.pick()) tree.install(*next);
  }
  ASSERT_FALSE(tree.level(2).empty());
  ASSERT_EQ(tree.level(2)[0]->keys, (std::vector<LsmKey>{0, 9}));
  tree.add_flushed(file_of({1, 2, 3}));
  tree.add_flushed(file_of({4, 5, 6}));
  tree.install(*tree.pick());
  auto next = tree.pick();
  while (next && next->moves) {
    tree.install(*next);
    next = tree.pick();
  }
  ASSERT_TRUE(next);
  ASSERT_EQ(next->lower.size(), 1U);
  EXPECT_EQ(next->lower[0]->keys, (std::vector<LsmKey>{0, 9}));
  EXPECT_EQ(next->upper.size(), 3U);
}

// VersionStorageInfo::CalculateBaseBytes: from a last level of 5000 entries and a base of 4 follow targets of 500, 50,
// 5; the base level gets at most 4.
TEST(LsmTree, DynamicTargetsFollowFromTheLastLevel) {
  LsmShape shape = small_shape();
  shape.dynamic = true;
  shape.levels = 7;
  LsmTree tree(shape);
  EXPECT_EQ(tree.base_level(), 6U);
  tree.bulk_load(5000);
  EXPECT_EQ(tree.bytes_of(6), 5000 * kEntry);
  EXPECT_EQ(tree.base_level(), 2U);
  EXPECT_EQ(tree.target_of(6), 5000 * kEntry);
  EXPECT_EQ(tree.target_of(5), 500 * kEntry);
  EXPECT_EQ(tree.target_of(4), 50 * kEntry);
  EXPECT_EQ(tree.target_of(3), 5 * kEntry);
  EXPECT_EQ(tree.target_of(2), 4 * kEntry);  // 0.5 entries, but no level's target is below the base
}

TEST(LsmTree, StaticTargetsMultiplyAndABulkLoadGoesWhereThereIsRoom) {
  LsmTree tree(small_shape());
  EXPECT_EQ(tree.target_of(1), 4 * kEntry);
  EXPECT_EQ(tree.target_of(2), 40 * kEntry);
  EXPECT_EQ(tree.target_of(3), 400 * kEntry);
  EXPECT_EQ(tree.bulk_load(41).front()->level, 3U);
}

// One key: a memtable of four updates of 4 KiB is flushed to a file of 4 KiB; four such files are merged to one.
TEST(Lsm, LogFlushesAndCompactionsHaveTheBytesWorkedByHand) {
  const Values values = {{"keys", std::int64_t{1}},
                         {"entry", bytes(4096)},
                         {"load", std::string("none")},
                         {"scale", std::int64_t{1}},
                         {"wal_write", bytes(4096)},
                         {"write_buffer_size", bytes(4 * 4096)},
                         {"max_bytes_for_level_base", bytes(64 * 4096)},
                         {"target_file_size_base", bytes(4 * 4096)},
                         {"background", 10000.0}};
  constexpr std::size_t kRound = 4 * (4 + 3) + 4 + 2 + 4;  // four memtables, and a compaction of L0 alone
  std::vector<Request> all = requests_of(generate("lsm", values, kMiB, 1, true), 2 * kRound + 2);
  const auto sum = [&](std::size_t from, std::size_t to, RequestKind kind) {
    std::uint64_t bytes = 0;
    for (std::size_t i = from; i < to; ++i) bytes += all[i].kind == kind ? all[i].length : 0;
    return bytes;
  };
  // Four log writes into the first slot; a file into the second slot, synced; the log is trimmed.
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i].kind, RequestKind::Write);
    EXPECT_EQ(all[i].offset, i * 4096);
    EXPECT_EQ(all[i].length, 4096);
    EXPECT_EQ(all[i].application_bytes, 4096U);
  }
  EXPECT_EQ(all[4].kind, RequestKind::Write);
  EXPECT_EQ(all[4].offset, 4 * 4096);
  EXPECT_EQ(all[4].length, 4096);
  EXPECT_EQ(all[4].application_bytes, 0U);
  EXPECT_EQ(all[5].kind, RequestKind::Flush);
  EXPECT_EQ(all[6].kind, RequestKind::Trim);
  EXPECT_EQ(all[6].offset, 0);
  EXPECT_EQ(all[6].length, 4 * 4096);
  // 16 writes of the log, 4 of flushes, 1 of the compaction, which reads the four files.
  EXPECT_EQ(sum(0, kRound, RequestKind::Write), 21 * 4096U);
  EXPECT_EQ(sum(0, kRound, RequestKind::Read), 4 * 4096U);
  EXPECT_EQ(sum(0, kRound, RequestKind::Trim), 8 * 16384U);
  // The second compaction also reads and trims the file that the first one wrote.
  EXPECT_EQ(sum(kRound, all.size(), RequestKind::Write), 21 * 4096U);
  EXPECT_EQ(sum(kRound, all.size(), RequestKind::Read), 5 * 4096U);
  EXPECT_EQ(sum(kRound, all.size(), RequestKind::Trim), 9 * 16384U);
}

TEST(Lsm, WithoutALogFlushesCarryWhatTheApplicationWrote) {
  const std::vector<Request> all = requests_of(generate("lsm",
                                                        {{"wal", false},
                                                         {"keys", std::int64_t{1}},
                                                         {"load", std::string("none")},
                                                         {"scale", std::int64_t{1}},
                                                         {"write_buffer_size", bytes(16 * kKiB)},
                                                         {"target_file_size_base", bytes(16 * kKiB)}},
                                                        kMiB, 1, true),
                                               2);
  EXPECT_EQ(all[0].length, 4 * kKiB);  // one key of 1 KiB
  EXPECT_EQ(all[0].application_bytes, 16 * kKiB);
  EXPECT_EQ(all[1].kind, RequestKind::Flush);
}

// A bulk load writes each key once; reads are of 4 KiB, within files.
TEST(Lsm, LoadsBeforehandAndReadsKeys) {
  const Values values = {{"keys", std::int64_t{1000}}, {"read", 0.5}};
  const std::vector<Request> all = requests_of(generate("lsm", values, 64 * kMiB, 1, true), 400);
  std::uint64_t loaded = 0;
  std::size_t i = 0;
  while (all[i].kind != RequestKind::Read && loaded < 1000 * kKiB) {
    loaded += all[i].application_bytes;
    ++i;
  }
  EXPECT_EQ(loaded, 1000 * kKiB);
  std::size_t reads = 0;
  for (; i < all.size(); ++i)
    if (all[i].kind == RequestKind::Read && all[i].length == 4096) ++reads;
  EXPECT_GT(reads, 200U);
}

/// Host bytes per application byte, over the last half of `megabytes` of updates.
double amplification(const Values& values, std::uint64_t megabytes) {
  GeneratedWorkload workload = generate("lsm", values, 256 * kMiB, 1, true);
  EXPECT_TRUE(workload.accounts);
  std::uint64_t updates = 0;
  std::uint64_t written = 0;
  std::uint64_t before = 0;
  Request request;
  while (updates < megabytes * kMiB && workload.source->next(request)) {
    updates += request.application_bytes;
    if (request.kind == RequestKind::Write) written += request.length;
    if (updates < megabytes * kMiB / 2) before = written;
  }
  return static_cast<double>(written - before) / static_cast<double>(updates) * 2;
}

// Uniform updates. The log costs 1, a flush 1, and each level the merge of the incoming data with those that they
// overlap: the file that overlaps least has half of the multiplier (most data have come down there since its region was
// merged last). L0 merges 4 files with 4 of the base level, half of which are there when they come. For levels of 128,
// 12.8, 1.28 MiB and 256 KiB of memtables: 1 + 1 + L0 to L4 (1 + 1) + L4 to L5 (5 + 1) + L5 to L6 (5; all its keys are
// there) = 15.
TEST(Lsm, WriteAmplificationIsNearTheFormula) {
  const Values base = {{"fill", 0.5}, {"wal_write", bytes(4096)}};
  const double measured = amplification(base, 512);
  EXPECT_NEAR(measured, 15, 0.1 * 15) << measured;
  Values no_log = base;
  no_log["wal"] = false;
  EXPECT_NEAR(measured - amplification(no_log, 512), 1, 0.1);
  Values skewed = base;
  skewed["distribution"] = std::string("zipf");
  EXPECT_LT(amplification(skewed, 512), 0.7 * measured);
}

// Files of 192 KiB, and zones that hold as much.
const Values kFilesOfZones = {{"fill", 0.3},
                              {"scale", std::int64_t{1}},
                              {"write_buffer_size", bytes(256 * kKiB)},
                              {"target_file_size_base", bytes(192 * kKiB)},
                              {"max_bytes_for_level_base", bytes(kMiB)}};
GeneratorContext over_zones() {
  GeneratorContext context{.space = {.capacity = 64 * kMiB, .sector_size = 4096}, .seed = 1, .endless = true};
  context.space.zones = {.bytes = 256 * kKiB, .capacity = 192 * kKiB};
  return context;
}

TEST(Lsm, WritesFourZonesAtATime) {
  GeneratorContext context = over_zones();
  context.space.zones.max_active = 3;
  EXPECT_THROW(make_generator(*find_generator("lsm"), kFilesOfZones, context), GeneratorError);
  context.space.zones.max_active = 4;
  EXPECT_NO_THROW(make_generator(*find_generator("lsm"), kFilesOfZones, context));
}

// Files of 4 KiB, as the region's size has them, would need more zones than there are.
TEST(Lsm, OverZonesFilesAreAsLargeAsAZone) {
  const GeneratedWorkload workload = make_generator(*find_generator("lsm"), {}, over_zones());
  Request request;
  for (int i = 0; i < 50'000; ++i) ASSERT_TRUE(workload.source->next(request));
}

// Over zones each file has zones of its own, which are finished if the file does not fill them.
TEST(Lsm, OverZonesFilesAreZones) {
  GeneratedWorkload workload = make_generator(*find_generator("lsm"), kFilesOfZones, over_zones());
  EXPECT_TRUE(workload.source->knows_zones());
  std::vector<std::uint64_t> pointers(256);
  std::vector<bool> full(256);
  std::uint64_t finished = 0;
  std::uint64_t active = 0;
  Request request;
  for (int i = 0; i < 50'000 && workload.source->next(request); ++i) {
    const std::uint64_t zone = request.offset / (256 * kKiB);
    const std::uint64_t at = request.offset % (256 * kKiB);
    ASSERT_NE(request.kind, RequestKind::Trim);
    if (request.kind == RequestKind::Write) {
      ASSERT_EQ(at, pointers[zone]) << i;
      ASSERT_FALSE(full[zone]);
      pointers[zone] += request.length;
      full[zone] = pointers[zone] == 192 * kKiB;
    } else if (request.kind == RequestKind::ZoneFinish) {
      full[zone] = true;
      ++finished;
    } else if (request.kind == RequestKind::ZoneReset) {
      pointers[zone] = 0;
      full[zone] = false;
    } else if (request.kind == RequestKind::Read) {
      ASSERT_LE(at + request.length, pointers[zone]);
    }
    std::uint64_t now = 0;
    for (std::size_t z = 0; z < 256; ++z) now += pointers[z] != 0 && !full[z] ? 1 : 0;
    active = std::max(active, now);
  }
  EXPECT_GT(finished, 10U);
  EXPECT_LE(active, 6U);  // logs of two memtables, a flush, a compaction
}

// Requests go to files that exist: no write hits a slot that is in use, and no read hits one that is not.
TEST(Lsm, FilesKeepTheirPlacesUntilTheyAreTrimmed) {
  const Values values = {{"target_file_size_base", bytes(32 * kMiB)}, {"read", 0.3}};  // 128 KiB files in slots of 256
  GeneratedWorkload workload = generate("lsm", values, 256 * kMiB, 1, true);
  std::vector<bool> written(256 * kMiB / 4096);
  Request request;
  for (int i = 0; i < 200'000 && workload.source->next(request); ++i) {
    if (request.kind == RequestKind::Flush) continue;
    for (std::uint64_t page = request.offset / 4096; page < (request.offset + request.length) / 4096; ++page) {
      if (request.kind == RequestKind::Write) {
        ASSERT_FALSE(written[page]) << "request " << i;
      } else if (request.kind == RequestKind::Read) {
        ASSERT_TRUE(written[page]) << "request " << i;
      }
      written[page] = request.kind == RequestKind::Write || (request.kind == RequestKind::Read && written[page]);
    }
  }
}

}  // namespace
}  // namespace flashloom::lsm_test
