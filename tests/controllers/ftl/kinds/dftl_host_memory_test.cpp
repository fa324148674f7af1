// DFTL with a host memory buffer behind its map cache: transfers over the link and to flash, counted by hand; no map
// entry is lost when the host takes the buffer back or the buffer is gone.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
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

// The sequence of Dftl.CostsReadsAndProgramsOfTranslationPages: two entries are cached; the buffer has two slots, of
// which page 0 takes one.
TEST(DftlHostMemory, SavesReadsOfFlashButNoProgramsWhereItIsWrittenThrough) {
  InstantDevice dftl(device(2, 2, "write_through"));
  const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
  const HostMemoryBuffer::Counters& counts = dftl.host_memory->counters();
  write_units(dftl, {0, 128, 256});  // nothing is on flash yet; entry 0 is evicted: page 0 is written
  EXPECT_EQ(counts.misses, 3U);
  EXPECT_EQ(counts.fills + counts.reads + counts.writes, 0U);
  write_units(dftl, {0});  // page 0 is read from flash and sent to the host
  EXPECT_EQ(cache.reads, 1U);
  EXPECT_EQ(counts.misses, 4U);
  EXPECT_EQ(counts.fills, 1U);
  EXPECT_EQ(counts.writes, 1U);
  EXPECT_EQ(counts.write_bytes, 512U);
  write_units(dftl, {1});  // a line of page 0 comes from the host
  EXPECT_EQ(counts.hits, 1U);
  EXPECT_EQ(counts.reads, 1U);
  EXPECT_EQ(counts.read_bytes, 64U);
  // entry 0 is evicted: page 0 is read from the host and written to both; then a line of it is read
  write_units(dftl, {2});
  EXPECT_EQ(counts.hits, 2U);
  EXPECT_EQ(counts.reads, 3U);
  EXPECT_EQ(counts.read_bytes, 64U + 512 + 64);
  EXPECT_EQ(counts.writes, 2U);
  EXPECT_EQ(counts.write_bytes, 1024U);
  write_units(dftl, {3});  // clean entry 1 is evicted; a line is read
  EXPECT_EQ(counts.hits, 3U);
  EXPECT_EQ(counts.reads, 4U);
  EXPECT_EQ(counts.read_bytes, 64U + 512 + 64 + 64);
  EXPECT_EQ(counts.hits + counts.misses, cache.misses);
  EXPECT_EQ(cache.reads, 1U);   // 5 without the buffer
  EXPECT_EQ(cache.writes, 4U);  // 4 without it, too
  EXPECT_EQ(counts.write_backs, 0U);
  EXPECT_EQ(dftl.audit(), 0U);
}

TEST(DftlHostMemory, TakesChangedEntriesUntilItIsAskedBack) {
  InstantDevice dftl(device(2, 2, "write_back"));
  const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
  const HostMemoryBuffer::Counters& counts = dftl.host_memory->counters();
  write_units(dftl, {0, 128, 256, 0, 1});  // as above: pages 0, 1 and 2 are written, page 0 is in the buffer
  EXPECT_EQ(cache.writes, 3U);
  write_units(dftl, {2});  // entry 0 is evicted and cleans entry 1, too: two entries go to the host, none to flash
  EXPECT_EQ(cache.writes, 3U);
  EXPECT_EQ(counts.writes, 1U + 2);
  EXPECT_EQ(counts.write_bytes, 512U + 2 * 4);
  write_units(dftl, {3});  // clean entry 1 is evicted
  EXPECT_EQ(counts.writes, 3U);
  EXPECT_EQ(counts.reads, 3U);
  EXPECT_EQ(counts.read_bytes, 3 * 64U);

  revoke(dftl);  // page 0 is read from the buffer once more and written to flash
  EXPECT_EQ(counts.revocations, 1U);
  EXPECT_EQ(counts.write_backs, 1U);
  EXPECT_EQ(counts.reads, 4U);
  EXPECT_EQ(counts.read_bytes, 3 * 64U + 512);
  EXPECT_EQ(cache.writes, 4U);
  EXPECT_EQ(cache.reads, 1U);
  write_units(dftl, {4});  // entry 2 is evicted, clean since then; page 0 comes from flash and is kept nowhere
  EXPECT_EQ(cache.writes, 4U);
  EXPECT_EQ(cache.reads, 2U);
  EXPECT_EQ(counts.hits + counts.misses, 7U);
  EXPECT_EQ(counts.fills, 1U);
  EXPECT_EQ(dftl.audit(), 0U);
}

// While there is a buffer, each entry that the map cache lacks is looked up in it once. Data are right whatever becomes
// of the buffer.
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
          EXPECT_LE(counts.fills, 16U);  // each page once: none is evicted
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
