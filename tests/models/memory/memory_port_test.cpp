// The port against memories that are not Flashloom's.
#include "models/memory/memory_port.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/foreign_memories.hpp"

namespace flashloom::memory_port_test {
namespace {

using Log = std::vector<std::pair<std::string, Picoseconds>>;

struct Access final : MemoryAccess {
  Access(Log& out, std::string id, std::uint64_t where, Picoseconds after = 0) : log(&out), name(std::move(id)) {
    address = where;
    bytes = 64;
    at = kernel_now() + after;
  }
  void on_complete() override { log->emplace_back(name, kernel_now()); }
  Log* log;
  std::string name;
};

/// Answers at once: TLM_COMPLETED, or TLM_UPDATED with BEGIN_RESP, after 100 ns.
struct AtOnce : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  AtOnce(const sc_core::sc_module_name& name, bool complete)
      : sc_core::sc_module(name), socket("socket"), completes(complete) {
    socket.bind(*this);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      ended.push_back(kernel_now());
      return tlm::TLM_COMPLETED;
    }
    payload.set_response_status(payload.get_address() < 1000 ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    delay += kernel_time(100 * kNanosecond);
    if (completes) return tlm::TLM_COMPLETED;
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  tlm::tlm_target_socket<> socket;
  bool completes;
  std::vector<Picoseconds> ended;
};

TEST(MemoryPort, TargetThatCompletesAtOnce) {
  MemoryPort port("port");
  AtOnce memory("memory", true);
  port.socket.bind(memory.socket);
  Log log;
  EXPECT_EQ(port.access(false, 0, 64, 5 * kNanosecond), 105 * kNanosecond);
  Access good(log, "good", 0, 7 * kNanosecond), bad(log, "bad", 5000);
  EXPECT_TRUE(port.access(good));
  EXPECT_EQ(good.at, kernel_now() + 107 * kNanosecond);
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(port.access(bad));
  EXPECT_EQ(bad.response, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(port.outstanding(), 0U);
}

TEST(MemoryPort, TargetThatBeginsTheResponseAtOnce) {
  MemoryPort port("port");
  AtOnce memory("memory", false);
  port.socket.bind(memory.socket);
  Log log;
  Access first(log, "first", 0), second(log, "second", 0);
  EXPECT_TRUE(port.access(first));
  EXPECT_EQ(first.at, kernel_now() + 100 * kNanosecond);
  EXPECT_TRUE(first.ok());
  EXPECT_FALSE(port.access(second));  // the response also ends the first request
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(log, (Log{{"second", 200 * kNanosecond}}));
  EXPECT_TRUE(second.ok());
  EXPECT_EQ(memory.ended, (std::vector<Picoseconds>{100 * kNanosecond, 200 * kNanosecond}));
  EXPECT_EQ(port.access(false, 0, 64), 100 * kNanosecond);
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(memory.ended.size(), 3U);
  EXPECT_EQ(port.outstanding(), 0U);
}

TEST(MemoryPort, TargetWithFourPhases) {
  MemoryPort port("port");
  FourPhases memory("memory");
  port.socket.bind(memory.socket);
  Log log;
  Access a(log, "a", 0), b(log, "b", 64), c(log, "c", 128, 50 * kNanosecond);
  EXPECT_FALSE(port.access(a));
  EXPECT_FALSE(port.access(b));
  EXPECT_FALSE(port.access(c));
  sc_core::sc_start(kernel_time(kMicrosecond));
  // Requests 0-10, 10-20, 50-60 ns (c is sent at 20, to arrive at 50); responses 100 ns later.
  EXPECT_EQ(log, (Log{{"a", 110 * kNanosecond}, {"b", 120 * kNanosecond}, {"c", 160 * kNanosecond}}));
  EXPECT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(memory.violations, 0);
  EXPECT_EQ(memory.ended.size(), 3U);
  EXPECT_EQ(port.outstanding(), 0U);
  EXPECT_THROW(port.access(false, 0, 64), sc_core::sc_report);
}

TEST(MemoryPort, AnnotatedPhases) {
  MemoryPort port("port");
  FourPhases memory("memory");
  memory.annotated = 3 * kNanosecond;
  port.socket.bind(memory.socket);
  Log log;
  Access a(log, "a", 0), b(log, "b", 64);
  port.access(a);
  port.access(b);
  sc_core::sc_start(kernel_time(kMicrosecond));
  // a: accepted at 10 + 3, responds at 110 + 3. b: 13, 23 + 3, 123 + 3.
  EXPECT_EQ(log, (Log{{"a", 113 * kNanosecond}, {"b", 126 * kNanosecond}}));
  EXPECT_EQ(memory.violations, 0);
}

TEST(MemoryPort, ForeignBlockingMemory) {
  MemoryPort port("port");
  Blocking memory("memory");
  port.socket.bind(memory.socket);
  Log log;
  Access a(log, "a", 0), b(log, "b", 64);
  EXPECT_FALSE(port.access(a));
  EXPECT_FALSE(port.access(b));
  sc_core::sc_start(kernel_time(kMicrosecond));
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0], (std::pair<std::string, Picoseconds>{"a", 40 * kNanosecond}));
  EXPECT_EQ(log[1].first, "b");
  EXPECT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(port.outstanding(), 0U);
}

TEST(MemoryPort, PowerCutForgetsButKeepsTheProtocol) {
  MemoryPort port("port");
  FourPhases memory("memory");
  port.socket.bind(memory.socket);
  Log log;
  Access after(log, "after", 0);
  {
    Access a(log, "a", 0), b(log, "b", 64), c(log, "c", 128);
    port.access(a);
    port.access(b);
    port.access(c);
    sc_core::sc_start(kernel_time(15 * kNanosecond));
    port.drop_all();
  }
  EXPECT_FALSE(port.access(after));
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(log, (Log{{"after", 130 * kNanosecond}}));  // requested at 20, after the end of b's request
  EXPECT_EQ(memory.violations, 0);
  EXPECT_EQ(memory.ended.size(), 3U);
  EXPECT_EQ(port.outstanding(), 0U);
}

TEST(MemoryPort, TargetGoesOnWithACopyOfDroppedData) {
  MemoryPort port("port");
  FourPhases memory("memory");
  port.socket.bind(memory.socket);
  Log log;
  {
    std::vector<std::byte> sent(64, std::byte{7});
    Access a(log, "a", 0);
    a.write = true;
    a.data = sent.data();
    port.access(a);
    sc_core::sc_start(kernel_time(15 * kNanosecond));
    port.drop_all();
    port.drop_all();  // a second cut has nothing left to copy
  }
  ASSERT_EQ(memory.pending.size(), 1U);
  const tlm::tlm_generic_payload& payload = *memory.pending.front();
  const unsigned char* const data = payload.get_data_ptr();
  EXPECT_EQ(std::vector<int>(data, data + payload.get_data_length()), std::vector<int>(64, 7));
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(port.outstanding(), 0U);
  EXPECT_TRUE(log.empty());
}

}  // namespace
}  // namespace flashloom::memory_port_test
