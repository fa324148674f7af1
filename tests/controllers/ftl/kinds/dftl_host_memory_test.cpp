// DFTL with a host memory buffer behind its map cache: what goes over the link, and what goes to flash, counted by
// hand; nothing is lost when the host takes it back, or it is gone.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/system/instant_device.hpp"
#include "tests/support/small_dftl.hpp"
#include "workloads/random.hpp"

namespace flashloom::dftl_host_memory_test {
namespace {

DeviceConfig device(std::int64_t cmt_entries, std::uint64_t slots, const std::string& map_update) {
  DeviceConfig config = small_dftl(cmt_entries);
  config.hmb.size = slots * 512;
  config.hmb.map_update = map_update;
  return config;
}

void write_units(InstantDevice& device, const std::vector<std::uint64_t>& units) {
  for (const std::uint64_t unit : units) device.write(unit * 512, 512);
}

void revoke(InstantDevice& device) {
  device.host_memory->offer(0);
  device.runtime.spawn([&] { return device.firmware->host_memory_changed(); });
  EXPECT_TRUE(device.runtime.quiescent());
}

// The sequence of Dftl.CostsReadsAndProgramsOfTranslationPages: two entries are cached; two slots, of which page 0
// takes one.
TEST(DftlHostMemory, SavesReadsOfFlashButNoProgramsWhereItIsWrittenThrough) {
  InstantDevice dftl(device(2, 2, "write_through"));
  const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
  const HostMemoryBuffer::Counters& counts = dftl.host_memory->counters();
  write_units(dftl, {0, 128, 256});  // nothing is on flash yet; 0 leaves: page 0 is written
  EXPECT_EQ(counts.misses, 3U);
  EXPECT_EQ(counts.fills + counts.reads + counts.writes, 0U);
  write_units(dftl, {0});  // page 0 is read from flash, and sent to the host
  EXPECT_EQ(cache.reads, 1U);
  EXPECT_EQ(counts.misses, 4U);
  EXPECT_EQ(counts.fills, 1U);
  EXPECT_EQ(counts.writes, 1U);
  EXPECT_EQ(counts.write_bytes, 512U);
  write_units(dftl, {1});  // a line of page 0 comes from the host
  EXPECT_EQ(counts.hits, 1U);
  EXPECT_EQ(counts.reads, 1U);
  EXPECT_EQ(counts.read_bytes, 64U);
  write_units(dftl, {2});  // 0 leaves: page 0 is read from the host, written to both; and a line of it is read
  EXPECT_EQ(counts.hits, 2U);
  EXPECT_EQ(counts.reads, 3U);
  EXPECT_EQ(counts.read_bytes, 64U + 512 + 64);
  EXPECT_EQ(counts.writes, 2U);
  EXPECT_EQ(counts.write_bytes, 1024U);
  write_units(dftl, {3});  // 1 leaves, clean; a line
  EXPECT_EQ(counts.hits, 3U);
  EXPECT_EQ(counts.reads, 4U);
  EXPECT_EQ(counts.read_bytes, 64U + 512 + 64 + 64);
  EXPECT_EQ(counts.hits + counts.misses, cache.misses);
  EXPECT_EQ(cache.reads, 1U);   // 5 without
  EXPECT_EQ(cache.writes, 4U);  // as without
  EXPECT_EQ(counts.write_backs, 0U);
  EXPECT_EQ(dftl.audit(), 0U);
}

TEST(DftlHostMemory, TakesChangedEntriesUntilItIsAskedBack) {
  InstantDevice dftl(device(2, 2, "write_back"));
  const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
  const HostMemoryBuffer::Counters& counts = dftl.host_memory->counters();
  write_units(dftl, {0, 128, 256, 0, 1});  // as above: pages 0, 1 and 2 are written, page 0 is in the buffer
  EXPECT_EQ(cache.writes, 3U);
  write_units(dftl, {2});  // 0 leaves, and 1 is clean with it: two entries are sent to the host, nothing to flash
  EXPECT_EQ(cache.writes, 3U);
  EXPECT_EQ(counts.writes, 1U + 2);
  EXPECT_EQ(counts.write_bytes, 512U + 2 * 4);
  write_units(dftl, {3});  // 1 leaves, clean
  EXPECT_EQ(counts.writes, 3U);
  EXPECT_EQ(counts.reads, 3U);
  EXPECT_EQ(counts.read_bytes, 3 * 64U);

  revoke(dftl);  // page 0 is read from it once more, and written
  EXPECT_EQ(counts.revocations, 1U);
  EXPECT_EQ(counts.write_backs, 1U);
  EXPECT_EQ(counts.reads, 4U);
  EXPECT_EQ(counts.read_bytes, 3 * 64U + 512);
  EXPECT_EQ(cache.writes, 4U);
  EXPECT_EQ(cache.reads, 1U);
  write_units(dftl, {4});  // 2 leaves, clean since then; page 0 comes from flash, and is kept nowhere
  EXPECT_EQ(cache.writes, 4U);
  EXPECT_EQ(cache.reads, 2U);
  EXPECT_EQ(counts.hits + counts.misses, 7U);
  EXPECT_EQ(counts.fills, 1U);
  EXPECT_EQ(dftl.audit(), 0U);
}

// Each entry that the map cache lacks is looked up once while there is a buffer; whatever becomes of that, data are
// right.
TEST(DftlHostMemory, LosesNothing) {
  enum class End { Kept, Revoked, Lost };
  for (const char* const map_update : {"write_through", "write_back"})
    for (const std::uint64_t slots : {1U, 5U, 16U, 100U})
      for (const End end : {End::Kept, End::Revoked, End::Lost}) {
        if (end == End::Lost && std::string(map_update) == "write_back") continue;  // refused by the configuration
        InstantDevice dftl(device(8, slots, map_update));
        Random random(slots);
        const auto requests = [&](int count) {
          for (int i = 0; i < count; ++i)
            dftl.run({.offset = random.below(2048) * 512,
                      .length = 512,
                      .kind = random.below(3) != 0 ? RequestKind::Write : RequestKind::Read});
        };
        requests(8000);
        const FtlStatistics& statistics = dftl.firmware->ftl().statistics();
        const HostMemoryBuffer::Counters& counts = dftl.host_memory->counters();
        EXPECT_EQ(counts.hits + counts.misses, statistics.map_cache.misses);
        EXPECT_GT(counts.hits, 0U);
        EXPECT_GT(statistics.gc_runs, 0U);
        if (slots >= 16) {
          EXPECT_LE(counts.fills, 16U);  // each page once: none ever leaves
        }
        const std::uint64_t looked_up = counts.hits + counts.misses;
        if (end == End::Revoked) revoke(dftl);
        if (end == End::Lost) {
          dftl.host_memory->lose(true);
          dftl.firmware->host_memory_lost();
        }
        requests(2000);
        if (end == End::Kept)
          EXPECT_GT(counts.hits + counts.misses, looked_up);
        else
          EXPECT_EQ(counts.hits + counts.misses, looked_up);
        EXPECT_EQ(counts.revocations, end == End::Revoked ? 1U : 0U);
        EXPECT_EQ(counts.losses, end == End::Lost ? 1U : 0U);
        EXPECT_EQ(dftl.audit(), 0U) << map_update << ", " << slots << " slots: " << dftl.oracle->first_mismatch();
        dftl.restart();
        EXPECT_EQ(dftl.audit(), 0U) << map_update << ", " << slots << " slots: " << dftl.oracle->first_mismatch();
      }
}

}  // namespace
}  // namespace flashloom::dftl_host_memory_test
