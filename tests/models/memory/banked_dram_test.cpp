#include "models/memory/banked_dram.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "models/common/timer_queue.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom::banked_dram_test {
namespace {

constexpr Picoseconds kNs = kNanosecond;

// Round numbers: 4 banks, rows of 1 KiB, bursts of 64 B that take 64 ns.
DramConfig four_banks() {
  DramConfig config;
  config.size = 1 << 20;
  config.bandwidth = 1'000'000'000;
  config.timing = {.banks = 4,
                   .row_size = 1024,
                   .burst = 64,
                   .row_column = 20 * kNs,
                   .precharge = 15 * kNs,
                   .row_active = 40 * kNs,
                   .column_read = 10 * kNs,
                   .column_write = 5 * kNs,
                   .read_precharge = 6 * kNs,
                   .write_recovery = 12 * kNs,
                   .write_read = 9 * kNs,
                   .row_row = 8 * kNs,
                   .four_activates = 50 * kNs};
  config.activate_energy = 2e-9;
  config.read_energy = 70e-12;
  config.write_energy = 60e-12;
  config.background_power = 0.03;
  config.open_power = 0.01;
  return config;
}

constexpr std::uint64_t kRow = 1024;       // the next bank
constexpr std::uint64_t kSameBank = 4096;  // the next row of the same bank

struct Bench {
  explicit Bench(const DramConfig& config) : memory("dram", config, ledger) { port.socket.bind(memory.socket); }
  /// Time from now to the end of the access.
  Picoseconds read(std::uint64_t address, std::uint32_t bytes = 64) { return port.access(false, address, bytes); }
  Picoseconds write(std::uint64_t address, std::uint32_t bytes = 64) { return port.access(true, address, bytes); }
  void run_to(Picoseconds at) { sc_core::sc_start(kernel_time(at - kernel_now())); }
  EnergyLedger ledger;
  MemoryPort port{"port"};
  BankedDram memory;
};

TEST(BankedDram, MissHitAndConflictToTheTick) {
  Bench bench(four_banks());
  EXPECT_EQ(bench.read(0), 94 * kNs);  // closed: tRCD 20 + CL 10 + 64
  bench.run_to(1000 * kNs);
  EXPECT_EQ(bench.read(64), 74 * kNs);          // open: CL + 64
  EXPECT_EQ(bench.read(kRow - 64), 138 * kNs);  // waits for the bus
  bench.run_to(2000 * kNs);
  EXPECT_EQ(bench.read(kSameBank), 109 * kNs);  // another row: tRP 15 + tRCD 20 + CL 10 + 64
  bench.run_to(3000 * kNs);
  EXPECT_EQ(bench.write(kSameBank), 69 * kNs);  // open: CWL 5 + 64
  const BankedDram::Rows rows = bench.memory.rows();
  EXPECT_EQ(rows.misses, 1U);
  EXPECT_EQ(rows.hits, 3U);
  EXPECT_EQ(rows.conflicts, 1U);
  EXPECT_EQ(rows.bursts(), 5U);
}

TEST(BankedDram, APrechargeWaitsForRowActiveTime) {
  DramConfig config = four_banks();
  config.bandwidth = 64'000'000'000;  // a burst takes 1 ns
  Bench bench(config);
  EXPECT_EQ(bench.read(0), 31 * kNs);
  // Activated at 0: precharge at tRAS 40, activate at 55, column at 75, data until 86.
  EXPECT_EQ(bench.read(kSameBank), 86 * kNs);
}

TEST(BankedDram, APrechargeWaitsForReadsAndWrites) {
  DramConfig config = four_banks();
  config.timing.row_active = 20 * kNs;
  Bench reads(config);
  EXPECT_EQ(reads.read(0), 94 * kNs);  // column at 20
  // Precharge at 20 + tRTP 6, activate at 41, column at 61: the data could begin at 71, but the bus is busy until 94.
  EXPECT_EQ(reads.read(kSameBank), 158 * kNs);
}

TEST(BankedDram, WriteRecoveryAndTurnaround) {
  DramConfig config = four_banks();
  Bench bench(config);
  EXPECT_EQ(bench.write(0), 89 * kNs);             // tRCD 20 + CWL 5 + 64
  EXPECT_EQ(bench.read(64), (89 + 9 + 74) * kNs);  // tWTR behind the data, then CL + 64
  bench.run_to(1000 * kNs);
  EXPECT_EQ(bench.write(64), 69 * kNs);  // until 1069
  // Precharge at 1069 + tWR 12 = 1081, activate 1096, column 1116, data 1121 to 1185.
  EXPECT_EQ(bench.write(kSameBank), 185 * kNs);
}

TEST(BankedDram, ActivatesKeepTheirDistance) {
  DramConfig config = four_banks();
  config.bandwidth = 64'000'000'000;
  config.timing.banks = 8;
  Bench bench(config);
  // Activates keep tRRD 8: 0, 8, 16, 24; the fifth waits for tFAW 50. Data are complete tRCD + CL + 1 after each.
  for (const Picoseconds activate : {0, 8, 16, 24, 50, 58, 66, 74})
    EXPECT_EQ(bench.read(static_cast<std::uint64_t>(bench.memory.counters().reads) * kRow), (activate + 31) * kNs);
}

TEST(BankedDram, AStreamIsLimitedByTheBus) {
  Bench bench(four_banks());
  // 64 KiB in one piece, then in pieces of 4 KiB: an activate is hidden behind the data of the row before.
  EXPECT_EQ(bench.read(0, 65536), (30 + 65536) * kNs);
  bench.run_to(100'000 * kNs);
  Picoseconds end = 0;
  for (std::uint64_t address = 65536; address < 131072; address += 4096) end = bench.write(address, 4096);
  // Bank 0 has another row open, whose last read is long done: tRP + tRCD + CWL.
  EXPECT_EQ(end, (15 + 20 + 5 + 65536) * kNs);
  const BankedDram::Rows rows = bench.memory.rows();
  EXPECT_EQ(rows.misses, 4U);
  EXPECT_EQ(rows.conflicts, 124U);
  EXPECT_EQ(rows.bursts(), 2048U);
}

TEST(BankedDram, PartsOfBurstsAreWholeOnes) {
  Bench bench(four_banks());
  EXPECT_EQ(bench.read(60, 8), (30 + 128) * kNs);              // two bursts
  EXPECT_EQ(bench.read(kRow - 4, 8), (30 + 128 + 128) * kNs);  // the end of a row and the beginning of another
  EXPECT_EQ(bench.memory.rows().bursts(), 4U);
  EXPECT_EQ(bench.memory.counters().read_bytes, 16U);
  EXPECT_EQ(bench.read(0, 0), 0U);
  EXPECT_EQ(bench.memory.rows().bursts(), 4U);
}

TEST(BankedDram, WhoMeetsARefreshWaits) {
  DramConfig config = four_banks();
  config.refresh_interval = 1000 * kNs;
  config.refresh_time = 100 * kNs;
  Bench bench(config);
  bench.run_to(999 * kNs);
  EXPECT_EQ(bench.read(0), 94 * kNs);  // begins before the refresh, which waits until 1093
  // Row 0 is open and may be closed by now: precharge at 1093, refresh from 1108 to 1208, then a miss.
  EXPECT_EQ(bench.read(64), (1208 + 94 - 999) * kNs);
  bench.run_to(2000 * kNs);
  // Due at 2000: precharge, 2015 to 2115, miss.
  EXPECT_EQ(bench.read(64), (115 + 94) * kNs);
  bench.run_to(5050 * kNs);
  // Rows were closed at 3000; the refresh of 5000 lasts until 5100.
  EXPECT_EQ(bench.read(64), (50 + 94) * kNs);
  bench.run_to(5500 * kNs);
  EXPECT_EQ(bench.read(64), 74 * kNs);
  const BankedDram::Rows rows = bench.memory.rows();
  EXPECT_EQ(rows.refreshes, 5U);
  EXPECT_EQ(rows.refresh_waits, 3U);
  // Each wait counts from the first instant at which the column could have gone: after the data of 999 at 1083, at
  // 2000, at 5050.
  EXPECT_EQ(rows.refresh_wait_time, (1208 - 1083 + 115 + 50) * kNs);
  EXPECT_EQ(rows.misses, 4U);
  EXPECT_EQ(rows.hits, 1U);
}

TEST(BankedDram, AStreamLosesTheShareOfRefresh) {
  DramConfig config = four_banks();
  config.refresh_interval = 4000 * kNs;
  config.refresh_time = 285 * kNs;
  Bench bench(config);
  const Picoseconds end = bench.read(0, 1 << 20);
  const double rate = static_cast<double>(1 << 20) / (static_cast<double>(end) * 1e-12);
  // Of each 4 us a refresh costs tRP + tRFC + tRCD + CL before data flow again; a postponed one moves by a row at most.
  EXPECT_NEAR(rate, 1e9 * (4000.0 - 285 - 15 - 30) / 4000, 0.005e9);
}

TEST(BankedDram, EnergyByHand) {
  DramConfig config = four_banks();
  config.refresh_interval = 2000 * kNs;
  config.refresh_time = 100 * kNs;
  config.refresh_energy = 20e-9;  // 10 mW
  Bench bench(config);
  bench.read(0, 128);  // activate at 0, row open until the refresh at 2000
  bench.run_to(100 * kNs);
  bench.write(kSameBank);  // conflict
  bench.run_to(5000 * kNs);
  bench.write(kRow, 8);  // a whole burst; activate at 5000, open until the refresh of 6000
  bench.ledger.finish(8000 * kNs);
  const EnergyReport report = bench.ledger.report();
  EXPECT_NEAR(report.operations.at("dram.activate").joules, 3 * 2e-9, 1e-18);
  EXPECT_NEAR(report.operations.at("dram.read").joules, 128 * 70e-12, 1e-18);
  EXPECT_NEAR(report.operations.at("dram.write").joules, 128 * 60e-12, 1e-18);
  EXPECT_EQ(report.operations.at("dram.open").count, 3'000'000U);  // ps
  EXPECT_NEAR(report.operations.at("dram.open").joules, 0.01 * 3e-6, 1e-18);
  EXPECT_NEAR(report.background_j, (0.03 + 0.01) * 8e-6, 1e-17);
  EXPECT_NEAR(report.total_j, 6e-9 + 128 * 130e-12 + 30e-9 + 320e-9, 1e-17);
  EXPECT_EQ(report.components.at(0).states.at(0).residency, 8000 * kNs);
}

TEST(BankedDram, EachBurstIsAHitAMissOrAConflict) {
  DramConfig config = four_banks();
  config.refresh_interval = 3900 * kNs;
  config.refresh_time = 200 * kNs;
  Bench bench(config);
  std::mt19937_64 random(7);
  std::uint64_t bursts = 0;
  Picoseconds before = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t address = random() % ((1 << 20) - 8192);
    const auto bytes = static_cast<std::uint32_t>(1 + random() % 8192);
    bursts += (address + bytes - 1) / 64 - address / 64 + 1;
    const Picoseconds end = kernel_now() + bench.port.access(random() % 2 == 0, address, bytes);
    // Accesses complete in order, never faster than the bus.
    ASSERT_GE(end, before + bytes * kNs);
    before = end;
    if (i % 16 == 0) bench.run_to(std::max(end, kernel_now() + random() % kMicrosecond));
  }
  const BankedDram::Rows rows = bench.memory.rows();
  EXPECT_EQ(rows.bursts(), bursts);
  EXPECT_GT(rows.conflicts, 0U);
  EXPECT_GT(rows.misses, 0U);
  bench.memory.reset_counters();
  EXPECT_EQ(bench.memory.rows().bursts(), 0U);
  bench.ledger.finish(before);
  // Refreshes are as many as were due, except postponed ones.
  EXPECT_NEAR(static_cast<double>(bench.memory.rows().refreshes + rows.refreshes),
              static_cast<double>(before / (3900 * kNs)), 1);
  EXPECT_EQ(bench.ledger.report().operations.at("dram.activate").count, rows.misses + rows.conflicts);
}

TEST(BankedDram, APowerCutClosesTheRowsAndStopsRefresh) {
  DramConfig config = four_banks();
  config.refresh_interval = 1000 * kNs;
  config.refresh_time = 100 * kNs;
  Bench bench(config);
  bench.read(0, 512);  // until 542
  bench.run_to(200 * kNs);
  bench.memory.drop_all(10'000 * kNs);
  bench.ledger.power_off(200 * kNs, 10'200 * kNs);
  bench.run_to(10'200 * kNs);
  EXPECT_EQ(bench.memory.rows().refreshes, 0U);
  EXPECT_EQ(bench.read(0), 94 * kNs);  // the row is closed and the bus is free
  bench.ledger.finish(12'000 * kNs);
  EXPECT_EQ(bench.memory.rows().refreshes, 2U);  // 11 us, and the one at the end
  EXPECT_EQ(bench.ledger.report().components.at(0).states.back().residency, 10'000 * kNs);
}

TEST(BankedDram, ImpossibleConfigurations) {
  EnergyLedger ledger;
  DramConfig config = four_banks();
  config.timing.banks = 0;
  EXPECT_THROW(BankedDram("a", config, ledger), std::invalid_argument);
  config = four_banks();
  config.timing.row_size = 1000;
  EXPECT_THROW(BankedDram("b", config, ledger), std::invalid_argument);
  config = four_banks();
  config.bandwidth = 0;
  EXPECT_THROW(BankedDram("c", config, ledger), std::invalid_argument);
  config = four_banks();
  config.refresh_interval = config.refresh_time = 100;
  EXPECT_THROW(BankedDram("d", config, ledger), std::invalid_argument);
}

// Power-down closes the rows: tRP before it; the next access opens its row again after tXP. The memory draws 30 mW, 10
// in power-down, and 10 more while a row is open.
TEST(BankedDram, PowerDownClosesTheRows) {
  DramConfig config = four_banks();
  config.power_down_time = 500 * kNs;
  config.power_down_power = 0.01;
  config.power_down_exit = 25 * kNs;
  config.activate_energy = config.read_energy = 0;
  Bench bench(config);
  EXPECT_EQ(bench.read(0), 94 * kNs);
  bench.run_to(400 * kNs);
  EXPECT_EQ(bench.read(0), 74 * kNs);  // open, until 474 ns
  bench.run_to(2000 * kNs);
  EXPECT_EQ(bench.read(0), 119 * kNs);  // closed at 974, in power-down from 989: 25 + tRCD 20 + CL 10 + 64
  EXPECT_EQ(bench.memory.rows().misses, 2U);
  bench.run_to(2500 * kNs);
  bench.ledger.finish(2500 * kNs);
  const EnergyReport report = bench.ledger.report();
  EXPECT_EQ(report.components.at(0).states.at(1).residency, 1'011 * kNs);
  // Rows are open from 0 to 974, and from 2025 to 2500.
  EXPECT_NEAR(report.total_j, 1.011e-6 * 0.01 + 1.489e-6 * 0.03 + (0.974e-6 + 0.475e-6) * 0.01, 1e-16);
}

// A refresh of 100 ns is due every 1000 ns, but none in self-refresh.
TEST(BankedDram, SelfRefreshNeedsNoRefresh) {
  DramConfig config = four_banks();
  config.refresh_interval = 1000 * kNs;
  config.refresh_time = 100 * kNs;
  config.self_refresh_time = 2000 * kNs;
  config.self_refresh_power = 0.004;
  config.self_refresh_exit = 200 * kNs;
  Bench bench(config);
  EXPECT_EQ(bench.read(0), 94 * kNs);
  bench.run_to(10'250 * kNs);
  // Idle since 94; refreshes at 1000 (which closes the row) and 2000, until 2100; in self-refresh from 2100 on. Awake
  // at 10450.
  EXPECT_EQ(bench.read(0), (200 + 94) * kNs);
  EXPECT_EQ(bench.memory.rows().refreshes, 2U);
  bench.ledger.finish(10'600 * kNs);
  const ComponentEnergy memory = bench.ledger.report().components.at(0);
  EXPECT_EQ(memory.states.at(2).residency, (10'250 - 2'100) * kNs);
  EXPECT_EQ(memory.states.at(1).residency, 0U);
}

}  // namespace
}  // namespace flashloom::banked_dram_test
