#include "models/link/host_link.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/common/timer_queue.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom::host_link_test {
namespace {

using Direction = HostLink::Direction;

/// PCIe 1 x 4: 1 ns a byte. Packets of 1000 bytes with 24 of overhead; 200 ns one way.
LinkConfig plain() {
  LinkConfig config;
  config.generation = 1;
  config.lanes = 4;
  config.max_payload = 1000;
  config.packet_overhead = 24;
  config.latency = 200 * kNanosecond;
  config.active_power = 0.5;
  config.idle_power = 0.1;
  return config;
}

std::uint64_t pcie_rate(std::uint32_t generation, std::uint32_t lanes) {
  EnergyLedger ledger;
  LinkConfig config;
  config.generation = generation;
  config.lanes = lanes;
  return HostLink("link", config, ledger).transfer_rate_bytes_per_s();
}

TEST(HostLink, LineRates) {
  EXPECT_EQ(pcie_rate(1, 1), 250'000'000U);
  EXPECT_EQ(pcie_rate(2, 4), 2'000'000'000U);
  EXPECT_EQ(pcie_rate(3, 4), 3'938'461'538U);
  EXPECT_EQ(pcie_rate(4, 4), 7'876'923'076U);
  EXPECT_EQ(pcie_rate(5, 16), 63'015'384'615U);
  EXPECT_EQ(pcie_rate(6, 1), 7'562'500'000U);
  EnergyLedger ledger;
  LinkConfig sata;
  sata.kind = "sata";
  sata.max_payload = 8192;
  const HostLink link("sata", sata, ledger);
  EXPECT_EQ(link.transfer_rate_bytes_per_s(), 600'000'000U);
  EXPECT_EQ(link.payload_rate_bytes_per_s(), 598'247'322U);  // 600e6 x 8192 / 8216
}

// A transfer takes 1024 ns. Throttled to a quarter, the direction rests for 3072 ns after each; a transfer's own time
// and energy do not change.
TEST(HostLink, RestsBehindEachTransferWhileItIsThrottled) {
  EnergyLedger ledger;
  HostLink link("link", plain(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  link.throttle(0.25);
  for (Picoseconds n = 0; n < 4; ++n)
    EXPECT_EQ(link.transfer(Direction::Up, 1000), (n * 4 * 1024 + 1024 + 200) * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Down, 1000), 1'224 * kNanosecond);
  EXPECT_EQ(link.busy_time(Direction::Up), 4 * 1'024 * kNanosecond);
  link.throttle(1);
  EXPECT_EQ(link.transfer(Direction::Up, 1000), (4 * 4 * 1024 + 1024 + 200) * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Up, 1000), (4 * 4 * 1024 + 2048 + 200) * kNanosecond);
  ledger.finish(kMillisecond);
  const EnergyReport books = ledger.report();
  EXPECT_NEAR(books.operations.at("link").joules, 7 * 1.024e-6 * 0.5, 1e-15);
}

TEST(HostLink, TransfersQueueEachWay) {
  EnergyLedger ledger;
  HostLink link("link", plain(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  EXPECT_EQ(link.duration(4096), 4'216 * kNanosecond);  // 5 packets
  EXPECT_EQ(link.duration(1000), 1'024 * kNanosecond);
  EXPECT_EQ(link.duration(1001), 1'049 * kNanosecond);
  EXPECT_EQ(link.duration(0), 0U);
  EXPECT_EQ(link.transfer(Direction::Up, 4096), 4'416 * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Up, 64), 4'504 * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Down, 64), 288 * kNanosecond);  // the other way is free
  EXPECT_EQ(link.transfer(Direction::Down, 64, kMicrosecond), 1'288 * kNanosecond);
  sc_core::sc_start(kernel_time(2 * kMicrosecond));
  EXPECT_EQ(link.transfer(Direction::Up, 1000), 3'528 * kNanosecond);  // 4304 + 1024 + 200 - 2000
  EXPECT_EQ(link.bytes_moved(Direction::Up), 5160U);
  EXPECT_EQ(link.busy_time(Direction::Down), 176 * kNanosecond);
}

// SATA sends frames one way at a time.
TEST(HostLink, SataHasOnePairOfWiresForBothWays) {
  EnergyLedger ledger;
  LinkConfig config = plain();
  config.kind = "sata";
  config.sata_rate = 10'000'000'000;
  HostLink link("link", config, ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  EXPECT_EQ(link.transfer(Direction::Up, 1000), 1'224 * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Down, 64), (1'024 + 88 + 200) * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Up, 64), (1'024 + 88 + 88 + 200) * kNanosecond);
  EXPECT_EQ(link.busy_time(Direction::Up), 1'112 * kNanosecond);
  EXPECT_EQ(link.busy_time(Direction::Down), 88 * kNanosecond);
  sc_core::sc_start(kernel_time(500 * kNanosecond));
  link.drop_all();
  EXPECT_EQ(link.transfer(Direction::Down, 64), 288 * kNanosecond);
}

TEST(HostLink, ReadsComeDownWritesGoUpTheSocket) {
  EnergyLedger ledger;
  HostLink link("link", plain(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  EXPECT_EQ(port.access(false, 0, 64), 288 * kNanosecond);
  EXPECT_EQ(port.access(true, ~std::uint64_t{0} - 63, 4096, 10 * kNanosecond), 4'426 * kNanosecond);
  EXPECT_EQ(link.bytes_moved(Direction::Down), 64U);
  EXPECT_EQ(link.bytes_moved(Direction::Up), 4096U);
}

TEST(HostLink, EnergyOfBothWaysOverAnIdleLink) {
  EnergyLedger ledger;
  HostLink link("link", plain(), ledger);
  link.transfer(Direction::Up, 1000);
  link.transfer(Direction::Down, 976);  // 1000 ns with overhead
  link.transfer(Direction::Down, 976);
  ledger.finish(10 * kMicrosecond);
  const EnergyReport report = ledger.report();
  EXPECT_NEAR(report.operations.at("link").joules, 0.5 * 3.024e-6, 1e-17);
  EXPECT_NEAR(report.background_j, 1e-6, 1e-17);
  ASSERT_EQ(report.components.size(), 3U);
  EXPECT_EQ(report.components[1].states[1].residency, 2 * kMicrosecond);
  EXPECT_EQ(report.components[2].states[1].residency, 1'024 * kNanosecond);
  EXPECT_EQ(report.components[0].kind, "link");
}

TEST(HostLink, PowerCut) {
  EnergyLedger ledger;
  HostLink link("link", plain(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  link.transfer(Direction::Up, 10'000);
  link.transfer(Direction::Up, 10'000);
  sc_core::sc_start(kernel_time(kMicrosecond));
  link.drop_all();
  EXPECT_EQ(link.busy_time(Direction::Up), kMicrosecond);
  EXPECT_EQ(link.transfer(Direction::Up, 1000), 1'224 * kNanosecond);
  ledger.finish(5 * kMicrosecond);
  EXPECT_EQ(ledger.report().components.at(2).states.at(1).residency, 2'024 * kNanosecond);
}

// Lanes at 20 mW in L0, 8 in L0s, 2 in L1: four of them draw 80, 32 and 8 mW, half of that in each direction.
LinkConfig sleeping() {
  LinkConfig config = plain();
  config.lane_power = 0.02;
  config.l0s_time = 2 * kMicrosecond;
  config.l0s_power = 0.008;
  config.l0s_exit_latency = 300 * kNanosecond;
  config.l1_time = 10 * kMicrosecond;
  config.l1_power = 0.002;
  config.l1_exit_latency = 5 * kMicrosecond;
  return config;
}

// 976 bytes take 1000 ns.
TEST(HostLink, AnIdleDirectionIsInL0s) {
  EnergyLedger ledger;
  HostLink link("link", sleeping(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  EXPECT_EQ(link.transfer(Direction::Up, 976), 1'200 * kNanosecond);
  sc_core::sc_start(kernel_time(2 * kMicrosecond));
  EXPECT_EQ(link.transfer(Direction::Up, 976), 1'200 * kNanosecond);  // idle for 1 us: still in L0
  sc_core::sc_start(kernel_time(5 * kMicrosecond));
  // At 7 us: up idle since 3, in L0s since 5; down in L0s since 2.
  EXPECT_EQ(link.transfer(Direction::Up, 976), 1'500 * kNanosecond);
  ledger.finish(9 * kMicrosecond);
  const EnergyReport report = ledger.report();
  const ComponentEnergy& down = report.components.at(1);
  const ComponentEnergy& up = report.components.at(2);
  EXPECT_EQ(down.states.at(2).name, "l0s");
  EXPECT_EQ(down.states.at(2).residency, 7 * kMicrosecond);
  EXPECT_EQ(up.states.at(2).residency, 2 * kMicrosecond);
  EXPECT_EQ(up.states.at(1).residency, 3 * kMicrosecond);
  EXPECT_EQ(up.states.at(3).residency, 0U);
  // Down: 2 us at 40 mW, 7 us at 16. Up: 3 us at 540 mW, 2 us at 16, 4 us at 40. And 100 mW all the time.
  EXPECT_NEAR(report.operations.at("link").joules, 3e-6 * 0.54, 1e-17);
  EXPECT_NEAR(report.total_j, 2e-6 * 0.04 + 7e-6 * 0.016 + 3e-6 * 0.54 + 2e-6 * 0.016 + 4e-6 * 0.04 + 0.9e-6, 1e-16);
}

TEST(HostLink, BothDirectionsLeaveL1Together) {
  EnergyLedger ledger;
  HostLink link("link", sleeping(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  EXPECT_EQ(link.transfer(Direction::Up, 976), 1'200 * kNanosecond);
  sc_core::sc_start(kernel_time(21 * kMicrosecond));
  // Both directions are idle since 1 us and in L1 since 11. The link is awake at 26 us; the other direction waits for
  // that, too.
  EXPECT_EQ(link.transfer(Direction::Down, 976), 6'200 * kNanosecond);
  EXPECT_EQ(link.transfer(Direction::Up, 976), 6'200 * kNanosecond);
  ledger.finish(30 * kMicrosecond);
  const EnergyReport report = ledger.report();
  for (const std::size_t way : {1U, 2U}) {
    const ComponentEnergy& pipe = report.components.at(way);
    EXPECT_EQ(pipe.states.at(3).residency, 10 * kMicrosecond) << pipe.name;
    // In L0s before that, from 2 or 3 us to 11, and again from 29 on.
    EXPECT_EQ(pipe.states.at(2).residency, (way == 1 ? 9 : 8) * kMicrosecond + kMicrosecond) << pipe.name;
  }
}

TEST(HostLink, APowerCutEndsTheIdleTime) {
  EnergyLedger ledger;
  HostLink link("link", sleeping(), ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  sc_core::sc_start(kernel_time(30 * kMicrosecond));
  link.drop_all();
  ledger.power_off(30 * kMicrosecond, 50 * kMicrosecond);
  sc_core::sc_start(kernel_time(25 * kMicrosecond));
  EXPECT_EQ(link.transfer(Direction::Up, 976), 1'500 * kNanosecond);  // power is back since 50, in L0s since 52
  ledger.finish(60 * kMicrosecond);
  const ComponentEnergy up = ledger.report().components.at(2);
  EXPECT_EQ(up.states.at(3).residency, 20 * kMicrosecond);
  EXPECT_EQ(up.states.at(2).residency, 8 * kMicrosecond + 3 * kMicrosecond + 1'700 * kNanosecond);
  EXPECT_EQ(up.states.at(4).residency, 20 * kMicrosecond);
}

// 976 bytes with 24 of overhead at 1 nJ a byte take 1 uJ. A transfer cut by a power failure counts the bytes that were
// sent.
TEST(HostLink, EnergyOfTheBytesOnTheWires) {
  EnergyLedger ledger;
  LinkConfig config = plain();
  config.transfer_energy = 1e-9;
  config.active_power = config.idle_power = 0;
  HostLink link("link", config, ledger);
  MemoryPort port("port");
  port.socket.bind(link.socket);
  link.transfer(Direction::Up, 976);
  link.transfer(Direction::Up, 976);
  sc_core::sc_start(kernel_time(1'250 * kNanosecond));
  link.drop_all();
  ledger.finish(2 * kMicrosecond);
  const EnergyReport report = ledger.report();
  EXPECT_EQ(report.operations.at("link").count, 1'250U);
  EXPECT_NEAR(report.total_j, 1.25e-6, 1e-18);
  EXPECT_NEAR(report.power.joules(), 1.25e-6, 1e-15);
}

/// Lets a piece of 2 us begin every 10 us.
class Rationed final : public PowerBudget {
 public:
  Picoseconds longest_piece(std::uint64_t microwatts) const override {
    EXPECT_EQ(microwatts, microwatts_);
    return 2'100 * kNanosecond;  // two packets, and a part of one
  }
  Picoseconds book(Picoseconds ready, std::uint64_t microwatts, Picoseconds time) override {
    EXPECT_EQ(microwatts, microwatts_);
    booked += time;
    const Picoseconds begin = std::max(ready, next_);
    next_ = begin + 10 * kMicrosecond;
    return begin;
  }
  void expect(std::uint64_t microwatts) { microwatts_ = microwatts; }
  Picoseconds booked = 0;

 private:
  std::uint64_t microwatts_ = 0;
  Picoseconds next_ = 0;
};

// 1 ns a byte at 1 nJ a byte on the wires and 2 nJ a byte of data: 1 W, and 3 W for data. 5000 bytes are five packets of
// 1.024 us, in pieces of two, two and one: the last begins at 20 us.
TEST(HostLink, TransfersKeepToABudgetInPieces) {
  EnergyLedger ledger;
  LinkConfig config = plain();
  config.transfer_energy = 1e-9;
  HostLink link("link_budget", config, ledger);
  link.charge_data(ledger.add("controller", "controller", {{{"idle", 0, kBackground}}, {{"byte", 2e-9, "byte"}}}),
                   2e-9);
  Rationed budget;
  link.keep_to(budget);
  PromptMemory& host = link;
  budget.expect(3'000'000);
  EXPECT_EQ(host.serve(true, kHostData, 5000, 0), (20'000 + 1'024 + 200) * kNanosecond);
  EXPECT_EQ(budget.booked, 5 * 1'024 * kNanosecond);
  EXPECT_EQ(link.busy_time(Direction::Up), 5 * 1'024 * kNanosecond);
  budget.expect(1'000'000);
  EXPECT_EQ(host.serve(true, 0, 16, 0), (30'000 + 40 + 200) * kNanosecond);
  ledger.finish(kMillisecond);
  EXPECT_EQ(ledger.report().operations.at("byte").count, 5000U);
  EXPECT_EQ(ledger.report().operations.at("link").count, 5U * 1024 + 40);
}

TEST(HostLink, IdealCostsNothing) {
  EnergyLedger ledger;
  LinkConfig config = plain();
  config.kind = "ideal";
  HostLink link("link", config, ledger);
  EXPECT_EQ(link.transfer(Direction::Up, 1 << 30, 5), 5U);
  EXPECT_EQ(link.transfer(Direction::Up, 1 << 30), 0U);
  EXPECT_EQ(link.transfer_rate_bytes_per_s(), 0U);
  EXPECT_EQ(link.bytes_moved(Direction::Up), std::uint64_t{2} << 30);
  link.drop_all();
  ledger.finish(10);
  EXPECT_TRUE(ledger.report().components.empty());
}

TEST(HostLink, ImpossibleConfigurations) {
  EnergyLedger ledger;
  const auto refuse = [&ledger](auto change) {
    LinkConfig config;
    change(config);
    EXPECT_THROW(HostLink("link", config, ledger), std::invalid_argument);
  };
  refuse([](LinkConfig& c) { c.kind = "usb"; });
  refuse([](LinkConfig& c) { c.generation = 0; });
  refuse([](LinkConfig& c) { c.generation = 7; });
  refuse([](LinkConfig& c) { c.lanes = 0; });
  refuse([](LinkConfig& c) { c.lanes = 33; });
  refuse([](LinkConfig& c) { c.max_payload = 0; });
  refuse([](LinkConfig& c) {
    c.kind = "sata";
    c.sata_rate = 0;
  });
}

}  // namespace
}  // namespace flashloom::host_link_test
