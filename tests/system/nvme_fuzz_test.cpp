// Fuzzed hosts: the controller answers or stops, and never crashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/effort.hpp"
#include "tests/support/zoned_host.hpp"
#include "workloads/random.hpp"

namespace flashloom::nvme_fuzz_test {
namespace {

constexpr std::uint64_t kSequences = 20'000;
constexpr std::uint64_t kLongSequences = 1'000'000;
constexpr std::uint64_t kRun = 2'500;         // sequences of one simulation
constexpr std::uint64_t kBetweenResets = 20;  // sequences

class Fuzzer {
 public:
  Fuzzer(NvmeHost& host, bool zoned, std::uint64_t seed) : host_(host), random_(seed), zoned_(zoned) {
    area_ = host.allocate(1 << 20);
    // Lists with random pointers, some of them valid.
    for (std::uint64_t at = 0; at < 1 << 20; at += 8) nvme::put(host.memory.at(area_), at, pointer());
  }

  void sequence() {
    const std::uint64_t steps = 1 + random_.below(6);
    for (std::uint64_t i = 0; i < steps; ++i) step();
  }

 private:
  std::uint32_t any() { return static_cast<std::uint32_t>(random_.below(std::uint64_t{1} << 32U)); }
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }

  std::uint64_t pointer() {
    switch (random_.below(12)) {
      case 0:
        return any();
      case 1:
        return ~std::uint64_t{0} - random_.below(8192);
      case 2:
        return area_ + random_.below(1 << 20);
      case 3:
        return host_.memory.size() - random_.below(8192);
      default:
        return area_ + random_.below(256) * 4096;
    }
  }

  nvme::Entry entry(bool admin) {
    static constexpr std::array<std::uint8_t, 16> kAdmin = {0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09,
                                                            0x0a, 0x0c, 0x0d, 0x14, 0x15, 0x18, 0x80, 0x84};
    static constexpr std::array<std::uint8_t, 11> kIo = {0x00, 0x01, 0x02, 0x04, 0x05, 0x08,
                                                         0x09, 0x0c, 0x0d, 0x12, 0x1d};
    static constexpr std::array<std::uint8_t, 9> kOfZones = {0x79, 0x79, 0x79, 0x7a, 0x7d, 0x7d, 0x01, 0x02, 0x00};
    nvme::Entry entry{};
    entry.opcode = one_in(20)             ? static_cast<std::uint8_t>(any())
                   : admin                ? kAdmin[random_.below(kAdmin.size())]
                   : zoned_ && !one_in(4) ? kOfZones[random_.below(kOfZones.size())]
                                          : kIo[random_.below(kIo.size())];
    // A format takes long.
    if (admin && entry.opcode == nvme::kFormat && !one_in(20)) entry.opcode = nvme::kGetFeatures;
    entry.flags = one_in(4) ? static_cast<std::uint8_t>(any()) : 0;
    entry.name_space = one_in(5) ? any() : static_cast<std::uint32_t>(one_in(4) ? random_.below(3) : 1);
    if (one_in(10)) entry.name_space = nvme::kAllNamespaces;
    entry.pointer1 = pointer();
    entry.pointer2 = one_in(3) ? random_.below(1 << 20) | random_.below(5) << 60U : pointer();
    entry.dword10 = one_in(3) ? any() : static_cast<std::uint32_t>(random_.below(64));
    entry.dword11 = one_in(4) ? any() : static_cast<std::uint32_t>(random_.below(4));
    entry.dword12 = one_in(4) ? any() : static_cast<std::uint32_t>(random_.below(300));
    entry.dword13 = one_in(8) ? any() : 0;
    if (zoned_) aim_at_zones(entry, admin);
    if (admin) {
      if ((entry.opcode == nvme::kGetFeatures || entry.opcode == nvme::kSetFeatures) && one_in(4)) {
        entry.dword10 = static_cast<std::uint32_t>(0x1d + random_.below(2));
        entry.dword11 |= static_cast<std::uint32_t>(random_.below(9)) << 16U;
      }
      if (entry.opcode == nvme::kGetLogPage && one_in(3)) {
        entry.dword10 = static_cast<std::uint32_t>((0x20 + random_.below(5)) | random_.below(2) << 8U | 1023U << 16U);
        entry.dword11 |= static_cast<std::uint32_t>(random_.below(3)) << 16U;
        return entry;
      }
      if (entry.opcode == nvme::kIdentify && !one_in(4)) entry.dword10 = static_cast<std::uint32_t>(random_.below(24));
      if (entry.opcode == nvme::kGetLogPage && !one_in(4))
        entry.dword10 = static_cast<std::uint32_t>(random_.below(8) | random_.below(1024) << 16U);
      if (entry.opcode <= 5 && !one_in(3)) {
        entry.dword10 = static_cast<std::uint32_t>(random_.below(6) | (1 + random_.below(63)) << 16U);
        entry.dword11 = static_cast<std::uint32_t>(1 | random_.below(2) << 1U | random_.below(4) << 16U);
        entry.pointer1 = area_ + random_.below(16) * 65536;
      }
    }
    return entry;
  }

  // Aims commands at zone starts, zone actions, report filters and command sets.
  void aim_at_zones(nvme::Entry& entry, bool admin) {
    if (admin) {
      if (!one_in(3)) entry.dword11 = static_cast<std::uint32_t>(random_.below(4)) << 24U;
      if (!one_in(3)) entry.dword14 = static_cast<std::uint32_t>(random_.below(4)) << 24U;
      return;
    }
    if (!one_in(4)) {
      entry.dword10 = static_cast<std::uint32_t>(random_.below(20) * kZone + (one_in(3) ? random_.below(kZone) : 0));
      entry.dword11 = 0;
    }
    if (!one_in(4))
      entry.dword13 = static_cast<std::uint32_t>((one_in(5) ? 0x10 + random_.below(2) : random_.below(7)) |
                                                 random_.below(9) << 8U | random_.below(2) << 16U);
    if (entry.opcode == nvme::kZoneManagementReceive && !one_in(3)) entry.dword13 &= ~0xffU;
  }

  void step() {
    switch (random_.below(60)) {
      case 0:
        host_.write32(random_.below(0x40) & ~3ULL, any());
        break;
      case 1:
        host_.write32(0x1000 + random_.below(64) * 4,
                      one_in(2) ? any() : static_cast<std::uint32_t>(random_.below(64)));
        break;
      case 2: {
        std::uint64_t value = any();
        host_.access(one_in(2), one_in(2), one_in(4) ? any() : random_.below(0x4100), &value,
                     static_cast<std::uint32_t>(1 + random_.below(8)));
        break;
      }
      case 3:
        if (one_in(4)) host_.write_configuration(static_cast<std::uint32_t>(random_.below(256)) & ~3U, any());
        break;
      case 4:
        sc_core::wait(kernel_time(random_.below(50 * kMicrosecond)));
        break;
      case 5:
        if (one_in(8)) sc_core::wait(kernel_time(random_.below(30 * kMillisecond)));
        break;
      case 6:
        if (one_in(30))
          host_.memory.refuse(random_.below(1 << 20), random_.below(2 << 20));
        else
          host_.memory.refuse(0, 0);
        break;
      case 7:
        if (one_in(3)) host_.write32(0x14, host_.read32(0x14) ^ (one_in(2) ? 1U : 0x4000U));
        break;
      case 8:
      case 9:
      case 10:
      case 11:
      case 12:
      case 13:
      case 14:
      case 15:
        host_.put(0, entry(true));
        host_.ring(0);
        break;
      default: {
        const auto queue = static_cast<std::uint32_t>(1 + random_.below(host_.queues() - 1));
        const std::uint64_t many = 1 + random_.below(4);
        for (std::uint64_t i = 0; i < many; ++i) host_.put(queue, entry(false));
        host_.ring(queue);
        if (one_in(2)) sc_core::wait(kernel_time(random_.below(20 * kMicrosecond)));
      }
    }
    host_.take_completions();
    host_.forget_completions();
  }

  NvmeHost& host_;
  Random random_;
  bool zoned_;
  std::uint64_t area_ = 0;
};

// Lets a well-behaved driver take over: after a reset everything works again.
void check_sane(NvmeHost& host) {
  host.memory.refuse(0, 0);
  host.set_up_pci();
  host.drains_queues = true;
  ASSERT_TRUE(host.enable());
  const std::uint64_t mark = host.mark();
  host.create_queues(2, 64);
  const std::uint64_t page = host.allocate(4096);
  ASSERT_EQ(host.status_of(0, host.identify(1, 0, page)), nvme::Status::Success);
  host.free_all_from(mark);
}

Json fuzz(const DeviceConfig& config, bool zoned, std::uint64_t seed, Picoseconds memory_latency,
          std::uint64_t sequences) {
  return in_child([&]() -> Json {
    std::uint64_t completions = 0;
    NvmeBench bench(config,
                    {.memory_latency = memory_latency, .memory_bytes = 4 << 20, .command_sets = zoned ? 6U : 0U});
    bench.run([&] {
      check_sane(bench.host);
      const std::uint64_t mark = bench.host.mark();
      std::unique_ptr<Fuzzer> fuzzer;
      for (std::uint64_t done = 0; done < sequences; ++done) {
        if (done % kBetweenResets == 0) {
          bench.host.free_all_from(mark);
          check_sane(bench.host);
          if (testing::Test::HasFatalFailure()) return;
          bench.host.free_all_from(mark + (1 << 16));
          fuzzer = std::make_unique<Fuzzer>(bench.host, zoned, seed * 1'000'003 + done);
        }
        fuzzer->sequence();
        completions += std::exchange(bench.host.completions, 0);
      }
      bench.host.free_all_from(mark);
      check_sane(bench.host);
    });
    return {{"failed", testing::Test::HasFailure()},
            {"violations", bench.host.memory.violations},
            {"requests", bench.simulation.host().statistics().completions},
            {"completions", completions},
            {"mismatches", bench.simulation.oracle()->mismatches()},
            {"first", bench.simulation.oracle()->first_mismatch()}};
  });
}

void fuzz_all(const DeviceConfig& config, bool zoned, std::uint64_t sequences) {
  std::uint64_t completions = 0;
  std::uint64_t requests = 0;
  const std::uint64_t runs = sequences / kRun;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Json result = fuzz(config, zoned, run + 1, run % 3 == 2 ? 100 * kNanosecond : 0, kRun);
    ASSERT_FALSE(result["failed"]) << "run " << run;
    ASSERT_EQ(result["violations"], 0) << "run " << run;
    ASSERT_EQ(result["mismatches"], 0) << "run " << run << ": " << result["first"];
    completions += result["completions"].get<std::uint64_t>();
    requests += result["requests"].get<std::uint64_t>();
  }
  // The fuzzer is effective: commands are executed, and reach the device.
  EXPECT_GT(completions, runs * kRun / 2);
  EXPECT_GT(requests, runs * kRun / 10);
}

const std::vector<std::string> kController = {"host.queues=2", "host_interface.queue_depth=64",
                                              "nvme.max_transfer=64 KiB", "nvme.namespaces=4"};

TEST(NvmeFuzz, HostsThatDoAnythingStopItAtWorst) {
  fuzz_all(small_preset("tiny", kController), false, effort(kSequences / 2, kLongSequences));
}

TEST(NvmeFuzz, HostsThatDoAnythingToPlacementStopItAtWorst) {
  std::vector<std::string> placing = kController;
  placing.insert(placing.end(), {"nand.blocks=40", "ftl.gc_unit=superblock", "fdp.groups=1", "fdp.handles=3",
                                 "fdp.unit_superblocks=2", "fdp.unit_time_limit=10 ms"});
  fuzz_all(small_preset("tiny", placing), false, effort(kSequences / 2, kLongSequences));
}

TEST(NvmeFuzz, HostsThatDoAnythingToZonesStopItAtWorst) {
  fuzz_all(zoned_drive(kController), true, effort(kSequences / 2, kLongSequences));
  std::vector<std::string> worn = kController;
  worn.insert(worn.end(), {"nand.endurance=5", "power.plp=true"});
  fuzz_all(zoned_drive(worn), true, effort(kSequences / 4, kLongSequences));
}

}  // namespace
}  // namespace flashloom::nvme_fuzz_test
