// A memory answers a plain call as it answers transactions.
#include "models/common/prompt_memory.hpp"

#include <gtest/gtest.h>

#include <random>

#include "models/common/timer_queue.hpp"
#include "models/link/host_link.hpp"
#include "models/memory/memory_model.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom::prompt_memory_test {
namespace {

/// Relays transactions, so that the port finds no PromptMemory behind it.
class Relay : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
 public:
  explicit Relay(const sc_core::sc_module_name& name) : sc_module(name), in("in"), out("out") {
    in.bind(*this);
    out.bind(*this);
  }
  tlm::tlm_target_socket<> in;
  tlm::tlm_initiator_socket<> out;
  std::uint64_t transactions = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    ++transactions;
    return out->nb_transport_fw(transaction, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return in->nb_transport_bw(transaction, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override {
    out->b_transport(transaction, delay);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  unsigned int transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
};

/// Makes the same accesses by two ports to equal memories, one of them through a relay.
void expect_alike(tlm::tlm_target_socket<>& asked, tlm::tlm_target_socket<>& told, std::uint64_t size) {
  MemoryPort direct("direct"), through("through");
  Relay relay("relay");
  direct.socket.bind(asked);
  through.socket.bind(relay.in);
  relay.out.bind(told);
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    const bool write = random() % 2 != 0;
    const auto bytes = static_cast<std::uint32_t>(random() % 9000);
    const std::uint64_t address = random() % (size - bytes);
    const Picoseconds now = kernel_now();
    const Picoseconds at = now + random() % (2 * kMicrosecond);
    const Picoseconds arrival = random() % 4 == 0 ? now / 2 : at;  // a past time: the access arrives now
    ASSERT_EQ(direct.at_once(write, address, bytes, arrival), through.at_once(write, address, bytes, arrival)) << i;
    if (random() % 3 == 0) sc_core::sc_start(kernel_time(random() % (5 * kMicrosecond)));
  }
  EXPECT_EQ(relay.transactions, 2000U);
  EXPECT_EQ(direct.outstanding() + through.outstanding(), 0U);
}

TEST(PromptMemory, OfAFlatMemory) {
  MemoryConfig config;
  config.size = 1 << 20;
  config.bandwidth = 3'000'000'000;
  config.read_latency = 50 * kNanosecond;
  config.write_latency = 30 * kNanosecond;
  config.read_energy = 70e-12;
  config.power_down_time = 3 * kMicrosecond;
  config.power_down_exit = 25 * kNanosecond;
  EnergyLedger ledger;
  MemoryModel asked("asked", config, "dram", ledger), told("told", config, "dram", ledger);
  expect_alike(asked.socket, told.socket, config.size);
  EXPECT_EQ(asked.counters().reads, told.counters().reads);
  EXPECT_EQ(asked.counters().write_bytes, told.counters().write_bytes);
}

TEST(PromptMemory, OfTheLink) {
  EnergyLedger ledger;
  const LinkConfig config;
  HostLink asked("asked", config, ledger), told("told", config, ledger);
  expect_alike(asked.socket, told.socket, 1 << 20);
  EXPECT_EQ(asked.bytes_moved(HostLink::Direction::Up), told.bytes_moved(HostLink::Direction::Up));
  EXPECT_EQ(asked.busy_time(HostLink::Direction::Down), told.busy_time(HostLink::Direction::Down));
}

TEST(PromptMemory, RefusesAsTheProtocolDoes) {
  MemoryConfig config;
  config.size = 4096;
  EnergyLedger ledger;
  MemoryModel memory("memory", config, "dram", ledger);
  MemoryPort port("port");
  port.socket.bind(memory.socket);
  EXPECT_NO_THROW(port.at_once(false, 0, 4096, 0));
  EXPECT_THROW(port.at_once(false, 1, 4096, 0), sc_core::sc_report);
  EXPECT_NO_THROW(port.at_once(true, 4096, 0, 0));
  EXPECT_EQ(memory.counters().reads, 1U);
  EXPECT_EQ(memory.counters().writes, 1U);
}

}  // namespace
}  // namespace flashloom::prompt_memory_test
