// Registers, PCI configuration, interrupts and resets, against the sequences of the specification.
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.hpp"

namespace flashloom::nvme_registers_test {
namespace {

using nvme::Status;

constexpr std::uint32_t kCc = 0x14;
constexpr std::uint32_t kCsts = 0x1c;

TEST(NvmeRegisters, SayWhatTheDeviceFileSays) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny", {"host.queues=3", "host_interface.queue_depth=128"}));
    NvmeHost& host = bench.host;
    Json json;
    bench.run([&] {
      json["before"] = host.read32(0x08);
      host.set_up_pci();
      json["cap"] = {host.read64(0) & 0xffffU, host.read32(0) >> 16U & 1U, host.read32(4) >> 5U & 1U};
      json["vs"] = host.read32(8);
      std::uint64_t whole = 0;
      host.access(false, false, 0, &whole, 8);
      json["whole"] = whole == host.read64(0);
      std::uint8_t byte = 0;
      json["byte"] = host.access(false, false, 0, &byte, 1) == tlm::TLM_BURST_ERROR_RESPONSE;
      std::uint32_t word = 0;
      json["crooked"] = host.access(false, false, 2, &word, 4) == tlm::TLM_BURST_ERROR_RESPONSE;
      json["beyond"] = host.access(false, false, bench.system.controller().bar0_bytes(), &word, 4) ==
                       tlm::TLM_ADDRESS_ERROR_RESPONSE;
      host.write32(0x0c, 6);
      host.write32(0x10, 2);
      json["masks"] = host.read32(0x0c);
      // PCI: identity, class, size of the BAR, capabilities.
      json["class"] = host.read_configuration(0x08) >> 8U;
      host.write_configuration(0x10, 0xffffffff);
      host.write_configuration(0x14, 0xffffffff);
      json["size"] = ~(host.read_configuration(0x10) & ~0xfU) + 1U;
      json["type"] = host.read_configuration(0x10) & 0xfU;
      host.write_configuration(0x00, 0);
      json["identity"] = host.read_configuration(0x00) != 0;
      host.write_configuration(0x05, 0xff, 1);
      json["command"] = host.read_configuration(0x04, 2);
      std::vector<std::uint32_t> capabilities;
      for (std::uint32_t at = host.read_configuration(0x34, 1); at != 0; at = host.read_configuration(at + 1, 1))
        capabilities.push_back(host.read_configuration(at, 1));
      json["capabilities"] = capabilities;
      json["vectors"] = (host.read_configuration(0x52, 2) & 0x7ffU) + 1;
    });
    json["bytes"] = bench.system.controller().bar0_bytes();
    return json;
  });
  EXPECT_EQ(result["before"], 0xffffffffU);  // Memory Space Enable is not set
  EXPECT_EQ(result["cap"], Json({127, 1, 1}));
  EXPECT_EQ(result["vs"], 0x00010400);
  for (const char* const key : {"whole", "byte", "crooked", "beyond", "identity"}) EXPECT_TRUE(result[key]) << key;
  EXPECT_EQ(result["masks"], 4);
  EXPECT_EQ(result["class"], 0x010802);
  EXPECT_EQ(result["size"], result["bytes"]);
  EXPECT_EQ(result["type"], 4);
  EXPECT_EQ(result["command"], 0x0506 & 0x0547);
  EXPECT_EQ(result["capabilities"], Json({0x01, 0x11, 0x10}));
  EXPECT_EQ(result["vectors"], 4);
  EXPECT_EQ(result["bytes"], 16384);
}

TEST(NvmeRegisters, MaskedInterruptsArePendingAndComeLater) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny"));
    NvmeHost& host = bench.host;
    Json json;
    bench.run_ready([&] {
      const std::uint64_t page = host.allocate(4096);
      const auto settle = [] { sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS)); };
      host.write32(0x2000 + 12, 1);  // vector 0
      const std::uint64_t before = host.interrupts;
      host.send(0, host.identify(1, 0, page));
      settle();
      json["masked"] = host.interrupts - before;
      json["pending"] = host.read32(0x3000);
      host.write32(0x2000 + 12, 0);
      settle();
      json["after"] = {host.interrupts - before, host.read32(0x3000)};
      host.write_configuration(0x52, 0xc000, 2);  // Function Mask
      host.send(0, host.identify(1, 0, page));
      settle();
      json["function"] = {host.interrupts - before, host.read32(0x3000)};
      host.write_configuration(0x52, 0x8000, 2);
      settle();
      json["function_after"] = host.interrupts - before;
    });
    return json;
  });
  EXPECT_EQ(result["masked"], 0);
  EXPECT_EQ(result["pending"], 1);
  EXPECT_EQ(result["after"], Json({1, 0}));
  EXPECT_EQ(result["function"], Json({1, 1}));
  EXPECT_EQ(result["function_after"], 2);
}

TEST(NvmeRegisters, ResetsForgetWhatIsInFlight) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny"));
    NvmeHost& host = bench.host;
    Json json;
    bench.run_ready([&] {
      const std::uint64_t data = host.allocate(32 * 4096);
      for (std::uint32_t i = 0; i < 32; ++i)
        host.put(1, host.io(i % 2 == 0 ? nvme::kWrite : nvme::kRead, i * 8, 8, data + i * 4096));
      host.ring(1);
      sc_core::wait(sc_core::sc_time(3, sc_core::SC_US));
      host.disable();
      const std::uint64_t accesses = host.memory.accesses;
      sc_core::wait(sc_core::sc_time(50, sc_core::SC_MS));
      json["quiet"] = host.memory.accesses == accesses;
      host.take_completions();
      json["completions"] = host.unclaimed(1);
      json["again"] = host.enable();
      host.create_queues(1, 16);
      json["read"] = number_of(host.status_of(1, host.io(nvme::kRead, 0, 8, data)));
      // Invalid admin queues, and unreadable ones, set CSTS.CFS.
      host.disable();
      host.write32(0x24, 0);
      host.write32(kCc, 1 | 6U << 16U | 4U << 20U);
      json["no_queue"] = host.read32(kCsts);
      host.write32(kCc, 0);
      json["cleared"] = host.read32(kCsts);
      host.enable();
      host.memory.refuse(0, host.memory.size());
      host.send(0, host.identify(1, 0, data));
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      json["unreachable"] = host.read32(kCsts);
      host.memory.refuse(0, 0);
      json["recovers"] = host.enable();
    });
    return json;
  });
  EXPECT_TRUE(result["quiet"]);
  EXPECT_EQ(result["completions"], 0);
  EXPECT_TRUE(result["again"]);
  EXPECT_EQ(result["read"], 0);
  EXPECT_EQ(result["no_queue"], 2);
  EXPECT_EQ(result["cleared"], 0);
  EXPECT_EQ(result["unreachable"], 3);
  EXPECT_TRUE(result["recovers"]);
}

TEST(NvmeRegisters, WrongDoorbellsAreEvents) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny"));
    NvmeHost& host = bench.host;
    Json json;
    bench.run_ready([&] {
      const std::uint64_t page = host.allocate(4096);
      nvme::Entry request{};
      request.opcode = nvme::kAsynchronousEventRequest;
      const std::uint16_t first = host.send(0, request);
      host.write32(0x1000 + 8, 64);  // the queue has 64 entries
      json["value"] = host.wait_for(0, first).result;
      const std::uint16_t second = host.send(0, request);
      host.write32(0x1000 + 8 * 5, 1);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      host.take_completions();
      json["masked"] = host.unclaimed(0);
      json["log"] = number_of(host.status_of(0, host.log_page(1, 128, page)));
      json["register"] = host.wait_for(0, second).result;
      json["entries"] = {nvme::get_field<std::uint64_t>(host.memory.at(page), 0),
                         nvme::get_field<std::uint16_t>(host.memory.at(page), 8)};
      // The controller holds at most four event requests.
      for (int i = 0; i < 4; ++i) host.send(0, request);
      json["fifth"] = number_of(host.status_of(0, request));
      nvme::Entry abort{};
      abort.opcode = nvme::kAbort;
      abort.dword10 = 0xffffU << 16U;
      json["abort_none"] = host.run(0, abort).result;
    });
    return json;
  });
  EXPECT_EQ(result["value"], 0x00010100);
  EXPECT_EQ(result["masked"], 0);
  EXPECT_EQ(result["log"], 0);
  EXPECT_EQ(result["register"], 0x00010000);
  EXPECT_EQ(result["entries"], Json({2, 5}));
  EXPECT_EQ(result["fifth"], number_of(Status::EventLimit));
  EXPECT_EQ(result["abort_none"], 1);
}

}  // namespace
}  // namespace flashloom::nvme_registers_test
