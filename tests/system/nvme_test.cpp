// A drive behind NVMe registers: a small driver, host memory, real bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/nvme_bench.hpp"

namespace flashloom::nvme_test {
namespace {

using nvme::Status;

// Initializes the controller like a driver, then writes and reads back data of all sizes.
Json life(const DeviceConfig& config, Picoseconds memory_latency) {
  return in_child([&]() -> Json {
    NvmeBench bench(config, {.memory_latency = memory_latency});
    NvmeHost& host = bench.host;
    Json result;
    bench.run([&] {
      host.set_up_pci();
      result["enabled"] = host.enable();
      const std::uint64_t page = host.allocate(4096);
      result["identify"] = static_cast<int>(host.status_of(0, host.identify(1, 0, page)));
      result["model"] = std::string(reinterpret_cast<const char*>(host.memory.at(page)) + 24, 4);
      result["namespace"] = static_cast<int>(host.status_of(0, host.identify(0, 1, page)));
      result["sectors"] = nvme::get_field<std::uint64_t>(host.memory.at(page), 0);
      host.create_queues(1, 64);
      const std::uint64_t from = host.allocate(1 << 20);
      const std::uint64_t list = host.allocate(3 * 4096);
      int wrong = 0;
      int failed = 0;
      for (const std::uint32_t blocks : {1U, 8U, 16U, 17U, 1024U}) {
        for (const std::uint32_t offset : {0U, 512U}) {
          std::vector<std::byte> wanted(blocks * 512);
          fill_bytes(wanted.data(), wanted.size(), blocks + offset);
          for (const std::uint8_t opcode : {nvme::kWrite, nvme::kRead}) {
            std::byte* const data = host.memory.at(from + offset);
            if (opcode == nvme::kWrite)
              std::memcpy(data, wanted.data(), wanted.size());
            else
              std::memset(data, 0, wanted.size());
            nvme::Entry entry = host.io(opcode, 100, blocks, from + offset);
            const std::uint32_t pages = (offset + blocks * 512 + 4095) / 4096;
            if (pages == 2) entry.pointer2 = from + 4096;
            if (pages > 2) {
              entry.pointer2 = list;
              for (std::uint32_t i = 1; i < pages; ++i)
                nvme::put(host.memory.at(list), 8 * (i - 1), from + std::uint64_t{i} * 4096);
            }
            failed += host.status_of(1, entry) != Status::Success ? 1 : 0;
            if (opcode == nvme::kRead) wrong += std::memcmp(data, wanted.data(), wanted.size()) != 0 ? 1 : 0;
          }
        }
      }
      result["wrong"] = wrong;
      result["failed"] = failed;
      result["flush"] = static_cast<int>(host.status_of(1, host.io(nvme::kFlush, 0, 1, 0)));
      // Many reads at once.
      for (std::uint32_t i = 0; i < 40; ++i) host.put(1, host.io(nvme::kRead, i, 1, from + i * 4096));
      host.ring(1);
      while (host.unclaimed(1) < 40) {
        sc_core::wait(host.interrupted);
        host.take_completions();
      }
      host.write32(0x14, (host.read32(0x14) & ~0xc000U) | 0x4000U);
      while ((host.read32(0x1c) & 0xcU) != 0x8U) sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
      result["shut_down"] = true;
      host.disable();
    });
    result["violations"] = host.memory.violations;
    result["mismatches"] = bench.simulation.oracle()->mismatches();
    result["completions"] = bench.simulation.host().statistics().completions;
    return result;
  });
}

TEST(Nvme, ADriversLifeWithBytes) {
  const DeviceConfig config = small_preset("tiny");
  for (const Picoseconds latency : {Picoseconds{0}, 80 * kNanosecond}) {
    const Json result = life(config, latency);
    EXPECT_TRUE(result["enabled"]);
    EXPECT_EQ(result["identify"], 0);
    EXPECT_EQ(result["model"], "tiny");
    EXPECT_EQ(result["namespace"], 0);
    EXPECT_EQ(result["sectors"], capacity_bytes(config) / 512);
    EXPECT_EQ(result["failed"], 0);
    EXPECT_EQ(result["wrong"], 0);
    EXPECT_EQ(result["flush"], 0);
    EXPECT_EQ(result["violations"], 0);
    EXPECT_EQ(result["mismatches"], 0);
    EXPECT_EQ(result["completions"], 20 + 1 + 40 + 1);
  }
}

}  // namespace
}  // namespace flashloom::nvme_test
