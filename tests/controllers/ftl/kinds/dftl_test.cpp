// DFTL: with the whole map cached it is page mapping; it hits as often as an offline simulation; the costs of the map
// are counted by hand.
// costs is counted by hand.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <set>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/request_sources.hpp"
#include "tests/support/small_dftl.hpp"
#include "workloads/random.hpp"

namespace flashloom::dftl_test {
namespace {

TEST(Dftl, WithTheWholeMapCachedIsPageMapping) {
  for (const std::uint32_t units_per_page : {1U, 4U}) {
    DeviceConfig config = small_dftl(1 << 20);
    config.nand.page_size *= units_per_page;
    config.nand.blocks = 64 / units_per_page;
    InstantDevice dftl(config);
    config.ftl.kind = {"page_map", {}};
    InstantDevice page_map(config);
    MixOptions mix;
    mix.capacity = 2048 * 512;
    mix.unit = 512;
    mix.requests = 6000;
    for (const Request& request : random_mix(mix)) {
      dftl.run(request);
      page_map.run(request);
    }
    EXPECT_TRUE(dftl.flash.counters() == page_map.flash.counters());
    EXPECT_GT(dftl.flash.counters().at(FlashOperation::Erase, Origin::Gc).pages, 0U);
    EXPECT_EQ(dftl.firmware->ftl().statistics().map_cache.reads, 0U);
    EXPECT_EQ(dftl.audit(), 0U);
  }
}

// Offline simulation of LRU over entries, which remembers the changed ones.
class OfflineCache {
 public:
  OfflineCache(std::size_t entries, bool batch) : entries_(entries), batch_(batch) {}
  void access(std::uint64_t unit, bool write) {
    const auto found = std::find(order_.begin(), order_.end(), unit);
    if (found != order_.end()) {
      ++hits;
      order_.erase(found);
    } else {
      ++misses;
      if (order_.size() == entries_) {
        const std::uint64_t victim = order_.front();
        order_.pop_front();
        if (changed_.erase(victim) != 0) {
          const std::uint64_t page = victim / 128;
          reads += on_flash_.count(page);  // the page is updated, so read first
          on_flash_.insert(page);
          ++writes;
          if (batch_) std::erase_if(changed_, [page](std::uint64_t other) { return other / 128 == page; });
        }
      }
      reads += on_flash_.count(unit / 128);
    }
    order_.push_back(unit);
    if (write) changed_.insert(unit);
  }
  std::uint64_t hits = 0, misses = 0, reads = 0, writes = 0;

 private:
  std::size_t entries_;
  bool batch_;
  std::list<std::uint64_t> order_;  // least recent first
  std::set<std::uint64_t> changed_;
  std::set<std::uint64_t> on_flash_;  // translation pages
};

TEST(Dftl, HitsAsAnOfflineSimulationSays) {
  for (const bool batch : {true, false})
    for (const std::size_t entries : {1U, 16U, 100U, 500U}) {
      DeviceConfig config = small_dftl(static_cast<std::int64_t>(entries), batch);
      config.nand.blocks = 1024;  // no garbage collection, which would change entries, too
      InstantDevice dftl(config);
      OfflineCache offline(entries, batch);
      Random random(entries);
      for (int i = 0; i < 12'000; ++i) {
        // Three quarters of the accesses go to a sixteenth of the units.
        const std::uint64_t unit = random.below(4) != 0 ? random.below(128) * 16 : random.below(2048);
        const bool write = random.below(3) != 0;
        dftl.run({.offset = unit * 512, .length = 512, .kind = write ? RequestKind::Write : RequestKind::Read});
        offline.access(unit, write);
      }
      const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
      EXPECT_EQ(cache.hits, offline.hits);
      EXPECT_EQ(cache.misses, offline.misses);
      EXPECT_EQ(cache.reads, offline.reads);
      EXPECT_EQ(cache.writes, offline.writes);
      const FlashCounters& flash = dftl.flash.counters();
      EXPECT_EQ(flash.at(FlashOperation::Read, Origin::Map).units, offline.reads);
      EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Map).units, offline.writes);
      EXPECT_EQ(flash.at(FlashOperation::Erase, Origin::Gc).pages, 0U);
      EXPECT_GT(offline.hits, 0U);
      EXPECT_EQ(dftl.audit(), 0U);
    }
}

// Worked by hand with two cached entries.
TEST(Dftl, CostsReadsAndProgramsOfTranslationPages) {
  InstantDevice dftl(small_dftl(2));
  const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
  const auto write = [&](std::uint64_t unit) { dftl.write(unit * 512, 512); };
  write(0);    // entry of page 0
  write(128);  // entry of page 1
  EXPECT_EQ(cache.writes + cache.reads, 0U);
  write(256);  // changed entry 0 is evicted: page 0 is written for the first time
  EXPECT_EQ(cache.writes, 1U);
  EXPECT_EQ(cache.reads, 0U);
  write(0);  // 128 is evicted: page 1 is written; page 0 is read for 0
  EXPECT_EQ(cache.writes, 2U);
  EXPECT_EQ(cache.reads, 1U);
  write(1);  // 256 is evicted: page 2 is written; page 0 is read for 1
  EXPECT_EQ(cache.writes, 3U);
  EXPECT_EQ(cache.reads, 2U);
  write(2);  // 0 is evicted: page 0 is read and written, which cleans 1, too; then it is read for 2
  EXPECT_EQ(cache.writes, 4U);
  EXPECT_EQ(cache.reads, 4U);
  write(3);  // clean 1 is evicted; page 0 is read for 3
  EXPECT_EQ(cache.writes, 4U);
  EXPECT_EQ(cache.reads, 5U);
  EXPECT_EQ(cache.hits, 0U);
  EXPECT_EQ(cache.misses, 7U);
}

// Units of 8 KiB: one translation page of 2048 entries in frames of 1024. A host read fetches the frames of the entries
// that it lacks; only the last entries are cached.
TEST(Dftl, ReadsTheFramesThatHoldItsEntries) {
  DeviceConfig config = small_dftl(2);
  config.nand.page_size = config.ftl.mapping_unit = 8192;
  config.nand.blocks = 64;
  config.ftl.logical_size = 2048 * 8192;
  InstantDevice dftl(config);
  for (std::uint64_t unit = 0; unit < 2048; ++unit) dftl.write(unit * 8192, 8192);
  const FtlStatistics::MapCache& cache = dftl.firmware->ftl().statistics().map_cache;
  const auto read = [&](std::uint64_t first, std::uint64_t units) {
    dftl.run({.offset = first * 8192, .length = units * 8192, .kind = RequestKind::Read});
  };
  const auto moved = [&](std::uint64_t first, std::uint64_t units) {
    const std::uint64_t reads = cache.reads;
    const std::uint64_t before = dftl.flash.counters().at(FlashOperation::Read, Origin::Map).bus_bytes;
    read(first, units);
    EXPECT_EQ(cache.reads, reads + 1);
    return dftl.flash.counters().at(FlashOperation::Read, Origin::Map).bus_bytes - before;
  };
  read(0, 2);  // evicts the entries changed last, which are written
  EXPECT_EQ(moved(5, 1), 4096U);
  EXPECT_EQ(moved(1023, 1), 4096U);
  EXPECT_EQ(moved(1024, 1), 4096U);
  EXPECT_EQ(moved(1022, 4), 8192U);  // both frames
}

// The more is cached, the less the map costs; the changed entries of a victim's page are written together.
TEST(Dftl, CostsLessTheMoreIsCached) {
  std::uint64_t writes_before = ~std::uint64_t{0};
  for (const std::int64_t entries : {8, 64, 512, 4096}) {
    DeviceConfig config = small_dftl(entries);
    config.nand.blocks = 48;
    InstantDevice dftl(config);
    Random random(7);
    for (int i = 0; i < 20'000; ++i) dftl.write(random.below(2048) * 512, 512);
    const FtlStatistics& statistics = dftl.firmware->ftl().statistics();
    EXPECT_LT(statistics.map_cache.writes, writes_before);
    EXPECT_GT(statistics.gc_runs, 0U);
    writes_before = statistics.map_cache.writes;
    dftl.restart();
    EXPECT_EQ(dftl.audit(), 0U) << dftl.oracle->first_mismatch();
  }
  EXPECT_EQ(writes_before, 0U);  // everything was cached
}

}  // namespace
}  // namespace flashloom::dftl_test
