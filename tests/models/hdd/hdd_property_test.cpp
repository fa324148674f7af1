// Random commands and power cuts on random disks, against a reference that knows which tokens may be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "models/common/split_mix.hpp"
#include "tests/models/hdd/disk_bench.hpp"

namespace flashloom::hdd_property_test {
namespace {

constexpr std::uint64_t kSectors = 400;  // logical sectors of 512 B that commands address

HddConfig any_disk(std::uint64_t seed) {
  const auto draw = [seed](std::uint64_t n, std::uint64_t below) { return split_mix(seed, 1000 + n) % below; };
  HddConfig config = plain_disk();
  config.order = std::string(disk_orders()[draw(0, disk_orders().size())].name);
  config.write_cache = draw(1, 3) != 0;
  config.write_buffer = (1 + draw(2, 30)) * kDiskSector;
  config.queue_depth = static_cast<std::uint32_t>(1 + draw(3, 12));
  config.read_segments = static_cast<std::uint32_t>(draw(4, 3));
  config.read_buffer = config.read_segments * (1 + draw(5, 20)) * kDiskSector;
  config.read_ahead = draw(6, 40) * kDiskSector;
  config.destage_window = static_cast<std::uint32_t>(1 + draw(7, 8));
  config.standby_after = draw(8, 2) * 300 * kMillisecond;
  config.spin_up_time = kSecond;
  config.command_overhead = draw(9, 2) * kMillisecond;
  config.max_wait = draw(10, 2) * 20 * kMillisecond;
  return config;
}

// The tokens that a logical sector may hold; its tokens rise.
struct Known {
  SectorToken newest = 0;              // of the write that completed last
  std::set<SectorToken> after_cut{0};  // may be there after a power cut
  std::set<SectorToken> open;          // written by commands in flight
};

// Sends one command at a time for each sector, so that their order is known, and many for different sectors.
struct Driver {
  Driver(DiskBench& b, std::uint64_t s) : bench(b), seed(s) {
    bench.on_complete = [this](DiskBench::Io& io) { completed(io); };
  }
  std::uint64_t draw(std::uint64_t below) { return split_mix(seed, ++drawn) % below; }

  void step() {
    const std::uint64_t first = draw(kSectors);
    const std::uint64_t count = 1 + draw(std::min<std::uint64_t>(kSectors - first, draw(2) == 0 ? 4 : 40));
    const std::uint64_t kind = draw(10);
    if (kind == 0) {
      DiskBench::Io& flush = bench.make(IoOperation::Flush, 0, 0);
      for (auto& [number, sector] : sectors)
        if (acknowledged[number]) flushed[&flush].emplace_back(number, sector.newest);
      bench.send(flush);
      return;
    }
    for (std::uint64_t i = first; i < first + count; ++i)
      if (busy.count(i) != 0) return;
    for (std::uint64_t i = first; i < first + count; ++i) busy.insert(i);
    if (kind < 5) {
      bench.send(bench.make(IoOperation::Read, first * 512, count * 512));
      return;
    }
    DiskBench::Io& io = bench.make(IoOperation::Write, first * 512, count * 512, ++token);
    io.fua = kind == 5;
    for (std::uint64_t i = first; i < first + count; ++i) sectors[i].open.insert(token);
    bench.send(io);
  }

  void completed(DiskBench::Io& io) {
    const bool ok = io.status == IoStatus::Ok;
    if (io.operation == IoOperation::Flush) {
      // Data acknowledged before the flush came survive, or data written later.
      if (ok)
        for (const auto& [number, newest] : flushed[&io]) make_durable(number, newest);
      flushed.erase(&io);
      return;
    }
    ASSERT_EQ(io.breakdown.sum(), ok ? io.latency() : 0);
    const std::uint64_t first = io.offset / 512;
    for (std::uint64_t i = first; i < first + io.length / 512; ++i) {
      busy.erase(i);
      Known& sector = sectors[i];
      if (io.operation == IoOperation::Read) {
        if (!ok) continue;
        ASSERT_EQ(io.contents[i - first], sector.newest) << "sector " << i;
        continue;
      }
      const SectorToken written = *sector.open.begin();
      sector.open.clear();
      sector.after_cut.insert(written);
      if (!ok) continue;
      sector.newest = written;
      acknowledged[i] = true;
      if (io.fua || !cached) make_durable(i, written);
    }
  }

  // Tokens below this one can no longer come back: tokens of a sector rise.
  void make_durable(std::uint64_t number, SectorToken token_at_least) {
    std::set<SectorToken>& after = sectors[number].after_cut;
    after.erase(after.begin(), after.lower_bound(token_at_least));
  }

  void cut() {
    bench.hdd.power_cut(kMillisecond);
    busy.clear();
    DiskBench::run_for(kMillisecond);
    bench.hdd.power_on([] {});
    for (auto& [number, sector] : sectors) {
      const SectorToken now = bench.peek(number * 512);
      ASSERT_TRUE(sector.after_cut.count(now) != 0) << "sector " << number << " holds " << now;
      sector.newest = now;
      sector.after_cut = {now};
    }
  }

  DiskBench& bench;
  std::uint64_t seed;
  std::uint64_t drawn = 0;
  bool cached = true;
  SectorToken token = 0;
  std::map<std::uint64_t, Known> sectors;
  std::set<std::uint64_t> busy;
  std::map<std::uint64_t, bool> acknowledged;
  std::map<DiskBench::Io*, std::vector<std::pair<std::uint64_t, SectorToken>>> flushed;
};

void torture(std::uint64_t seed) {
  const HddConfig config = any_disk(seed);
  DiskBench bench(config);
  Driver driver(bench, seed);
  driver.cached = config.write_cache;
  for (int step = 0; step < 3000; ++step) {
    driver.step();
    if (driver.draw(3) == 0)
      DiskBench::run_for(driver.draw(10) == 0 ? kSecond / 2 : driver.draw(30 * kMillisecond) + 1);
    if (driver.draw(150) == 0) driver.cut();
    if (testing::Test::HasFatalFailure()) return;
  }
  DiskBench::run();
  EXPECT_EQ(bench.completed.size(), bench.ios.size());  // every request has completed
  EXPECT_EQ(bench.hdd.dirty_bytes(), 0U);
  for (const auto& [number, sector] : driver.sectors) ASSERT_EQ(bench.peek(number * 512), sector.newest);
  if (kernel_now() < bench.completed.back()->at.complete) DiskBench::run_until(bench.completed.back()->at.complete);
  bench.ledger.finish(kernel_now() + 10 * kSecond);
}

class HddProperty : public testing::TestWithParam<std::uint64_t> {};
TEST_P(HddProperty, KeepsWhatItPromises) { torture(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, HddProperty, testing::Range(std::uint64_t{1}, std::uint64_t{25}));

}  // namespace
}  // namespace flashloom::hdd_property_test
