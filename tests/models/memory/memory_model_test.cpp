#include "models/memory/memory_model.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/common/timer_queue.hpp"
#include "models/memory/memory_port.hpp"
#include "tests/support/systemc_threads.hpp"

namespace flashloom::memory_model_test {
namespace {

MemoryConfig dram_config() {
  MemoryConfig config;
  config.size = 1 << 20;
  config.bandwidth = 1'000'000'000;  // 1 ns a byte
  config.read_latency = 50 * kNanosecond;
  config.write_latency = 30 * kNanosecond;
  config.read_energy = 70e-12;
  config.write_energy = 60e-12;
  config.background_power = 0.03;
  return config;
}

struct Bench {
  explicit Bench(const MemoryConfig& config) : memory("dram", config, "dram", ledger) {
    port.socket.bind(memory.socket);
  }
  EnergyLedger ledger;
  MemoryPort port{"port"};
  MemoryModel memory;
};

TEST(MemoryModel, LatencyIsPipelinedOccupancyIsNot) {
  Bench bench(dram_config());
  EXPECT_EQ(bench.port.access(false, 0, 4096), 4'146 * kNanosecond);
  EXPECT_EQ(bench.port.access(true, 4096, 512), 4'638 * kNanosecond);                   // 4096 + 512 + 30
  EXPECT_EQ(bench.port.access(false, 0, 64), 4'722 * kNanosecond);                      // 4672 + 50
  EXPECT_EQ(bench.port.access(false, 0, 64, 10 * kMicrosecond), 10'114 * kNanosecond);  // arrives later
  sc_core::sc_start(kernel_time(20 * kMicrosecond));
  EXPECT_EQ(bench.port.access(false, 0, 0), 50 * kNanosecond);
  EXPECT_EQ(bench.port.outstanding(), 0U);
  EXPECT_EQ(bench.memory.counters().reads, 4U);
  EXPECT_EQ(bench.memory.counters().writes, 1U);
  EXPECT_EQ(bench.memory.counters().read_bytes, 4224U);
  EXPECT_EQ(bench.memory.counters().write_bytes, 512U);
}

// Standby 30 mW; power-down 10 mW after 5 us, self-refresh 4 mW after 20 us.
TEST(MemoryModel, AnIdleMemoryIsInPowerDown) {
  MemoryConfig config = dram_config();
  config.power_down_time = 5 * kMicrosecond;
  config.power_down_power = 0.01;
  config.power_down_exit = 25 * kNanosecond;
  config.self_refresh_time = 20 * kMicrosecond;
  config.self_refresh_power = 0.004;
  config.self_refresh_exit = 640 * kNanosecond;
  config.read_energy = 0;
  Bench bench(config);
  EXPECT_EQ(bench.port.access(false, 0, 1000), 1'050 * kNanosecond);
  sc_core::sc_start(kernel_time(5 * kMicrosecond));
  EXPECT_EQ(bench.port.access(false, 0, 1000), 1'050 * kNanosecond);  // idle for 4 us
  sc_core::sc_start(kernel_time(10 * kMicrosecond));
  EXPECT_EQ(bench.port.access(false, 0, 1000), 1'075 * kNanosecond);  // at 15: idle since 6, down since 11
  sc_core::sc_start(kernel_time(35 * kMicrosecond));
  EXPECT_EQ(bench.port.access(false, 0, 1000), 1'690 * kNanosecond);  // at 50: idle since 16.025, down at 21.025
  bench.ledger.finish(60 * kMicrosecond);                             // idle since 51.64
  const EnergyReport report = bench.ledger.report();
  const ComponentEnergy& memory = report.components.at(0);
  EXPECT_EQ(memory.states.at(1).residency, (4'000 + 15'000 + 3'360) * kNanosecond);
  EXPECT_EQ(memory.states.at(2).residency, 13'975 * kNanosecond);
  EXPECT_NEAR(report.total_j, 22.36e-6 * 0.01 + 13.975e-6 * 0.004 + (60 - 22.36 - 13.975) * 1e-6 * 0.03, 1e-15);
}

TEST(MemoryModel, RefreshTakesBandwidthAndEnergy) {
  MemoryConfig config = dram_config();
  config.refresh_interval = 4 * kMicrosecond;
  config.refresh_time = 800 * kNanosecond;  // a fifth of the time
  config.refresh_energy = 20e-9;            // 5 mW
  Bench bench(config);
  EXPECT_EQ(bench.memory.effective_bandwidth(), 800'000'000U);
  EXPECT_EQ(bench.port.access(false, 0, 4096), 5'170 * kNanosecond);  // 4096 / 0.8 + 50
  EXPECT_EQ(bench.port.access(true, 0, 1000), 6'400 * kNanosecond);
  bench.ledger.finish(kMillisecond);
  const EnergyReport report = bench.ledger.report();
  EXPECT_NEAR(report.background_j, 35e-6, 1e-17);
  EXPECT_NEAR(report.operations.at("dram.read").joules, 4096 * 70e-12, 1e-18);
  EXPECT_NEAR(report.operations.at("dram.write").joules, 1000 * 60e-12, 1e-18);
  EXPECT_EQ(report.operations.at("dram.read").count, 4096U);
  EXPECT_EQ(report.components.at(0).kind, "dram");
}

TEST(MemoryModel, UnlimitedBandwidthNeverQueues) {
  MemoryConfig config = dram_config();
  config.bandwidth = 0;
  Bench bench(config);
  EXPECT_EQ(bench.port.access(false, 0, 1 << 20), 50 * kNanosecond);
  EXPECT_EQ(bench.port.access(false, 0, 1 << 20), 50 * kNanosecond);
}

TEST(MemoryModel, AddressBeyondTheEnd) {
  Bench bench(dram_config());
  EXPECT_NO_THROW(bench.port.access(false, (1 << 20) - 64, 64));
  EXPECT_THROW(bench.port.access(false, (1 << 20) - 64, 65), sc_core::sc_report);
  EXPECT_THROW(bench.port.access(true, ~std::uint64_t{0}, 2), sc_core::sc_report);
  EXPECT_EQ(bench.memory.counters().reads, 1U);
  EXPECT_EQ(bench.port.outstanding(), 0U);
}

TEST(MemoryModel, PowerCutFreesThePort) {
  Bench bench(dram_config());
  bench.port.access(false, 0, 100'000);
  sc_core::sc_start(kernel_time(kMicrosecond));
  bench.memory.drop_all(0);
  EXPECT_EQ(bench.port.access(false, 0, 64), 114 * kNanosecond);
}

TEST(MemoryModel, WearIsWritesOverEndurance) {
  MemoryConfig config = dram_config();
  config.size = 1000;
  config.endurance = 100;
  Bench bench(config);
  for (int i = 0; i < 50; ++i) bench.port.access(true, 0, 500);
  bench.port.access(false, 0, 500);
  EXPECT_DOUBLE_EQ(bench.memory.wear(), 0.25);
}

TEST(MemoryModel, ImpossibleConfigurations) {
  EnergyLedger ledger;
  MemoryConfig config = dram_config();
  config.size = 0;
  EXPECT_THROW(MemoryModel("a", config, "dram", ledger), std::invalid_argument);
  config.size = 1;
  config.refresh_interval = config.refresh_time = 5;
  EXPECT_THROW(MemoryModel("b", config, "dram", ledger), std::invalid_argument);
}

/// A third-party initiator with a thread.
struct Blocking : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  explicit Blocking(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
    SC_HAS_PROCESS(Blocking);
    SC_THREAD(run);
    note_systemc_threads();
    socket.bind(*this);
  }
  void run() {
    tlm::tlm_generic_payload read;
    read.set_read();
    read.set_data_length(64);
    read.set_streaming_width(64);
    sc_core::sc_time delay = kernel_time(10 * kNanosecond);
    socket->b_transport(read, delay);
    first_end = kernel_now() + delay.value();
    first = read.get_response_status();
    unsigned char enable = 0xff;
    read.set_byte_enable_ptr(&enable);
    socket->b_transport(read, delay);
    enabled = read.get_response_status();
    read.set_byte_enable_ptr(nullptr);
    read.set_streaming_width(8);
    socket->b_transport(read, delay);
    streamed = read.get_response_status();
    read.set_command(tlm::TLM_IGNORE_COMMAND);
    read.set_streaming_width(64);
    socket->b_transport(read, delay);
    ignored = read.get_response_status();
    tlm::tlm_dmi dmi;
    direct = socket->get_direct_mem_ptr(read, dmi);
    debugged = socket->transport_dbg(read);
    end = kernel_now();
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  tlm::tlm_initiator_socket<> socket;
  Picoseconds first_end = 0, end = 0;
  tlm::tlm_response_status first{}, enabled{}, streamed{}, ignored{};
  bool direct = true;
  unsigned debugged = 1;
};

TEST(MemoryModel, ForeignBlockingInitiator) {
  EnergyLedger ledger;
  MemoryModel memory("dram", dram_config(), "dram", ledger);
  Blocking initiator("initiator");
  initiator.socket.bind(memory.socket);
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(initiator.first_end, 124 * kNanosecond);  // 10 + 64 + 50
  EXPECT_EQ(initiator.first, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(initiator.enabled, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_EQ(initiator.streamed, tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(initiator.ignored, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(initiator.end, 124 * kNanosecond);
  EXPECT_FALSE(initiator.direct);
  EXPECT_EQ(initiator.debugged, 0U);
  EXPECT_EQ(memory.counters().reads, 1U);
}

}  // namespace
}  // namespace flashloom::memory_model_test
