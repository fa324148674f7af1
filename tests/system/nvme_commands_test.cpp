// Admin and NVM commands: completions and effects.
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.hpp"

namespace flashloom::nvme_commands_test {
namespace {

using nvme::Status;

nvme::Entry admin(std::uint8_t opcode, std::uint32_t dword10, std::uint32_t dword11 = 0, std::uint32_t name_space = 0,
                  std::uint64_t data = 0) {
  nvme::Entry entry{};
  entry.opcode = opcode;
  entry.name_space = name_space;
  entry.pointer1 = data;
  entry.dword10 = dword10;
  entry.dword11 = dword11;
  return entry;
}

// Runs `body(bench, json)` on a small device, and returns the notes of `body`.
Json with(const std::vector<std::string>& overrides, const std::function<void(NvmeBench&, Json&)>& body,
          std::uint32_t queues = 1) {
  return in_child([&]() -> Json {
    NvmeBench bench(small_preset("tiny", overrides));
    Json json;
    bench.run_ready([&] { body(bench, json); }, queues);
    json["mismatches"] = bench.simulation.oracle()->mismatches();
    return json;
  });
}

TEST(NvmeCommands, FeaturesHoldSaveAndRefuse) {
  const Json result = with({}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const auto get = [&](std::uint32_t feature, std::uint32_t select = 0) {
      return host.run(0, admin(nvme::kGetFeatures, feature | select << 8U)).result;
    };
    const auto set = [&](std::uint32_t feature, std::uint32_t value, bool save = false) {
      return number_of(host.status_of(0, admin(nvme::kSetFeatures, feature | (save ? 1U << 31U : 0U), value)));
    };
    json["cache"] = {get(6), get(6, 3)};
    json["set"] = {set(6, 0), get(6), get(6, 1)};
    json["save"] = {set(0x80, 7, true), get(0x80, 2)};
    json["queues"] = {get(7), set(7, 0)};
    json["unknown"] = set(0x42, 0);
    json["not_saveable"] = set(7, 0, true);
    json["specific"] = number_of(host.status_of(0, admin(nvme::kSetFeatures, 6, 1, 1)));
    json["vector"] = host.run(0, admin(nvme::kGetFeatures, 9, 0)).result;
    host.enable();
    json["after_reset"] = {get(6), get(0x80)};
  });
  EXPECT_EQ(result["cache"], Json({1, 5}));
  EXPECT_EQ(result["set"], Json({0, 0, 1}));
  EXPECT_EQ(result["save"], Json({0, 7}));
  EXPECT_EQ(result["queues"], Json({0, number_of(Status::SequenceError)}));
  EXPECT_EQ(result["unknown"], number_of(Status::InvalidField));
  EXPECT_EQ(result["not_saveable"], number_of(Status::NotSaveable));
  EXPECT_EQ(result["specific"], number_of(Status::NotNamespaceSpecific));
  EXPECT_EQ(result["vector"], 0x10000);
  EXPECT_EQ(result["after_reset"], Json({1, 7}));
}

// With the write cache disabled each write waits for flash, as with FUA.
TEST(NvmeCommands, ADisabledWriteCacheIsOne) {
  const auto run = [](bool disable, bool fua) {
    return with({}, [&](NvmeBench& bench, Json& json) {
      NvmeHost& host = bench.host;
      const std::uint64_t data = host.allocate(4096);
      if (disable) host.run(0, admin(nvme::kSetFeatures, 6, 0));
      const Picoseconds begin = kernel_now();
      nvme::Entry write = host.io(nvme::kWrite, 0, 8, data);
      if (fua) write.dword12 |= 1U << 30U;
      host.run(1, write);
      json["took"] = kernel_now() - begin;
    })["took"];
  };
  const Picoseconds cached = run(false, false);
  const Picoseconds through = run(true, false);
  EXPECT_LT(cached, 100 * kMicrosecond);
  EXPECT_GT(through, 600 * kMicrosecond);
  EXPECT_EQ(through, run(false, true));
}

TEST(NvmeCommands, CompareVerifyAndUncorrectable) {
  const Json result = with({}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const auto run = [&](nvme::Entry entry) { return number_of(host.status_of(1, entry)); };
    fill_bytes(host.memory.at(data), 4096, 1);
    json["write"] = run(host.io(nvme::kWrite, 0, 8, data));
    json["same"] = run(host.io(nvme::kCompare, 0, 8, data));
    *host.memory.at(data + 1000) ^= std::byte{1};
    json["other"] = run(host.io(nvme::kCompare, 0, 8, data));
    json["verify"] = run(host.io(nvme::kVerify, 0, 8, 0));
    json["mark"] = run(host.io(nvme::kWriteUncorrectable, 3, 2, 0));
    json["marked"] = {run(host.io(nvme::kRead, 0, 8, data)), run(host.io(nvme::kVerify, 4, 1, 0)),
                      run(host.io(nvme::kRead, 5, 3, data))};
    json["rewrite"] = {run(host.io(nvme::kWrite, 3, 2, data)), run(host.io(nvme::kRead, 0, 8, data))};
    // Fused commands: the write is executed only if the compare succeeds.
    const auto fused = [&](unsigned seed) {
      host.run(1, host.io(nvme::kRead, 16, 8, data));
      if (seed != 0) fill_bytes(host.memory.at(data), 4096, seed);
      nvme::Entry first = host.io(nvme::kCompare, 16, 8, data);
      nvme::Entry second = host.io(nvme::kWrite, 16, 8, data);
      first.flags = 1;
      second.flags = 2;
      const std::uint16_t a = host.put(1, first);
      const std::uint16_t b = host.put(1, second);
      host.ring(1);
      const int compared = number_of(NvmeHost::status(host.wait_for(1, a)));
      return Json{compared, number_of(NvmeHost::status(host.wait_for(1, b)))};
    };
    json["fused"] = {fused(0), fused(9)};
    nvme::Entry alone = host.io(nvme::kWrite, 16, 8, data);
    alone.flags = 2;
    json["alone"] = run(alone);
    // Write Zeroes, also of parts of a unit.
    json["zeroes"] = run(host.io(nvme::kWriteZeroes, 1, 3, 0));
    host.run(1, host.io(nvme::kRead, 0, 8, data));
    json["zero"] = {*host.memory.at(data + 512) == std::byte{0}, *host.memory.at(data + 2 * 512 + 7) == std::byte{0}};
    json["beyond"] = run(host.io(nvme::kRead, bench.simulation.capacity_bytes() / 512 - 1, 2, data));
    json["nowhere"] = run(host.io(nvme::kRead, 0, 1, data, 5));
    json["unknown"] = run(host.io(0x7f, 0, 1, data));
    json["offset"] = run(host.io(nvme::kRead, 0, 1, data + 2));
    json["unreachable"] = run(host.io(nvme::kWrite, 0, 1, host.memory.size() + 4096));
  });
  EXPECT_EQ(result["write"], 0);
  EXPECT_EQ(result["same"], 0);
  EXPECT_EQ(result["other"], number_of(Status::CompareFailure));
  EXPECT_EQ(result["verify"], 0);
  EXPECT_EQ(result["mark"], 0);
  const int unread = number_of(Status::UnrecoveredRead);
  EXPECT_EQ(result["marked"], Json({unread, unread, 0}));
  EXPECT_EQ(result["rewrite"], Json({0, 0}));
  EXPECT_EQ(result["fused"][0], Json({0, 0}));
  EXPECT_EQ(result["fused"][1], Json({number_of(Status::CompareFailure), number_of(Status::FailedFused)}));
  EXPECT_EQ(result["alone"], number_of(Status::MissingFused));
  EXPECT_EQ(result["zeroes"], 0);
  EXPECT_EQ(result["zero"], Json({true, true}));
  EXPECT_EQ(result["beyond"], number_of(Status::LbaOutOfRange));
  EXPECT_EQ(result["nowhere"], number_of(Status::InvalidNamespace));
  EXPECT_EQ(result["unknown"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["offset"], number_of(Status::PrpOffset));
  EXPECT_EQ(result["unreachable"], number_of(Status::DataTransferError));
  EXPECT_EQ(result["mismatches"], 0);
}

void put_descriptor(NvmeHost& host, std::uint64_t at, std::uint64_t address, std::uint32_t bytes, unsigned type) {
  nvme::put(host.memory.at(at), 0, address);
  nvme::put(host.memory.at(at), 8, bytes | std::uint64_t{type} << 60U);
}

TEST(NvmeCommands, ScatterGatherLists) {
  const Json result = with({}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(8192);
    const std::uint64_t list = host.allocate(8192);
    const auto run = [&](std::uint8_t opcode, std::uint64_t address, std::uint32_t bytes, unsigned type) {
      nvme::Entry entry = host.io(opcode, 0, 8, address);
      entry.pointer2 = bytes | std::uint64_t{type} << 60U;
      entry.flags = 1U << 6U;
      return number_of(host.status_of(1, entry));
    };
    fill_bytes(host.memory.at(data), 4096, 3);
    std::vector<std::byte> wanted(host.memory.at(data), host.memory.at(data) + 4096);
    json["block"] = run(nvme::kWrite, data, 4096, 0);
    // One descriptor of 1000 bytes; then, in another segment, 500 bytes to discard, and the rest.
    put_descriptor(host, list, data + 3, 1000, 0);
    put_descriptor(host, list + 16, list + 4096, 32, 3);
    put_descriptor(host, list + 4096, 0, 500, 1);
    put_descriptor(host, list + 4112, data + 1003, 2596, 0);
    std::memset(host.memory.at(data), 0, 8192);
    json["segments"] = run(nvme::kRead, list, 32, 2);
    json["same"] = {std::memcmp(host.memory.at(data + 3), wanted.data(), 1000) == 0,
                    std::memcmp(host.memory.at(data + 1003), wanted.data() + 1500, 2596) == 0,
                    *host.memory.at(data + 3599) == std::byte{0}};
    json["short"] = run(nvme::kRead, data, 4000, 0);
    json["type"] = run(nvme::kRead, data, 4096, 4);
    json["crooked"] = run(nvme::kRead, list, 24, 3);
    put_descriptor(host, list, list, 16, 2);
    json["endless"] = run(nvme::kRead, list, 16, 2);
    json["last"] = run(nvme::kRead, list, 16, 3);
  });
  EXPECT_EQ(result["block"], 0);
  EXPECT_EQ(result["segments"], 0);
  EXPECT_EQ(result["same"], Json({true, true, true}));
  EXPECT_EQ(result["short"], number_of(Status::DataSglLength));
  EXPECT_EQ(result["type"], number_of(Status::SglTypeInvalid));
  EXPECT_EQ(result["crooked"], number_of(Status::InvalidSglSegment));
  EXPECT_EQ(result["endless"], number_of(Status::InvalidSglCount));
  EXPECT_EQ(result["last"], number_of(Status::InvalidSglSegment));
}

TEST(NvmeCommands, NamespacesComeAndGo) {
  const Json result = with({"nvme.namespaces=4"}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const auto run = [&](nvme::Entry entry) { return number_of(host.status_of(0, entry)); };
    nvme::Entry request{};
    request.opcode = nvme::kAsynchronousEventRequest;
    host.run(0, admin(nvme::kSetFeatures, 0xb, 1U << 8U));
    fill_bytes(host.memory.at(data), 4096, 5);
    host.run(1, host.io(nvme::kWrite, 0, 8, data));
    const std::uint16_t event = host.send(0, request);
    json["delete"] = run(admin(nvme::kNamespaceManagement, 1, 0, 1));
    json["event"] = host.wait_for(0, event).result;
    json["changed"] = run(host.log_page(4, 4096, data));
    json["which"] = nvme::get_field<std::uint32_t>(host.memory.at(data), 0);
    json["gone"] = number_of(host.status_of(1, host.io(nvme::kRead, 0, 8, data)));
    const std::uint64_t half = bench.simulation.capacity_bytes() / 512 / 2;
    const auto create = [&](std::uint64_t sectors) {
      std::memset(host.memory.at(data), 0, 4096);
      nvme::put(host.memory.at(data), 0, sectors);
      nvme::put(host.memory.at(data), 8, sectors);
      const nvme::Completion done = host.run(0, admin(nvme::kNamespaceManagement, 0, 0, 0, data));
      return Json{number_of(NvmeHost::status(done)), done.result};
    };
    json["create"] = {create(half), create(half), create(8)};
    nvme::put(host.memory.at(data), 0, 0x00010001U);
    json["attach"] = {
        run(admin(nvme::kNamespaceAttachment, 0, 0, 2, data)), run(admin(nvme::kNamespaceAttachment, 0, 0, 2, data)),
        run(admin(nvme::kNamespaceAttachment, 1, 0, 1, data)), run(admin(nvme::kNamespaceAttachment, 0, 0, 1, data))};
    host.run(0, host.identify(2, 0, data));
    json["active"] = {nvme::get_field<std::uint32_t>(host.memory.at(data), 0),
                      nvme::get_field<std::uint32_t>(host.memory.at(data), 4),
                      nvme::get_field<std::uint32_t>(host.memory.at(data), 8)};
    // The data of the deleted namespace are gone; formatting takes simulated time.
    json["read"] = number_of(host.status_of(1, host.io(nvme::kRead, 0, 8, data)));
    json["zero"] = *host.memory.at(data + 100) == std::byte{0};
    json["write"] = number_of(host.status_of(1, host.io(nvme::kWrite, half - 8, 8, data, 2)));
    json["beyond"] = number_of(host.status_of(1, host.io(nvme::kWrite, half, 8, data, 2)));
    const Picoseconds begin = kernel_now();
    json["format"] = run(admin(nvme::kFormat, 0, 0, 2));
    json["took"] = kernel_now() - begin;
    json["refused"] = {run(admin(nvme::kFormat, 1, 0, 2)), run(admin(nvme::kFormat, 2U << 9U, 0, 2)),
                       run(admin(nvme::kFormat, 0, 0, 7))};
    json["sanitize"] = run(admin(0x84, 2));
  });
  EXPECT_EQ(result["delete"], 0);
  EXPECT_EQ(result["event"], 0x00040002);
  EXPECT_EQ(result["which"], 1);
  EXPECT_EQ(result["gone"], number_of(Status::InvalidNamespace));
  EXPECT_EQ(result["create"], Json({{0, 1}, {0, 2}, {number_of(Status::InsufficientCapacity), 0}}));
  EXPECT_EQ(result["attach"], Json({0, number_of(Status::AlreadyAttached), number_of(Status::NotAttached), 0}));
  EXPECT_EQ(result["active"], Json({1, 2, 0}));
  EXPECT_EQ(result["read"], 0);
  EXPECT_TRUE(result["zero"]);
  EXPECT_EQ(result["write"], 0);
  EXPECT_EQ(result["beyond"], number_of(Status::LbaOutOfRange));
  EXPECT_EQ(result["format"], 0);
  EXPECT_GT(result["took"], 10 * kMicrosecond);
  EXPECT_EQ(result["refused"], Json({number_of(Status::InvalidFormat), number_of(Status::InvalidField),
                                     number_of(Status::InvalidNamespace)}));
  EXPECT_EQ(result["sanitize"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmeCommands, HealthAndSelfTestSayWhatHappened) {
  const Json result = with({}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const auto field = [&](std::size_t offset) { return nvme::get_field<std::uint64_t>(host.memory.at(data), offset); };
    for (std::uint32_t i = 0; i < 300; ++i) host.run(1, host.io(nvme::kWrite, i * 8, 8, data));
    host.run(1, host.io(nvme::kRead, 0, 8, data));
    host.run(1, host.io(nvme::kFlush, 0, 1, 0));
    host.run(1, host.io(nvme::kRead, 0, 1, data, 9));
    host.run(0, host.log_page(2, 512, data));
    json["host"] = {field(32), field(48), field(64), field(80)};
    json["life"] = {field(112), field(144), field(160), field(176)};
    json["warning"] = std::to_integer<int>(*host.memory.at(data));
    host.run(0, host.log_page(0xc0, 512, data));
    json["nand"] = field(0);
    json["no_page"] = number_of(host.status_of(0, host.log_page(0x70, 512, data)));
    // A threshold below the temperature raises a warning and an event.
    nvme::Entry request{};
    request.opcode = nvme::kAsynchronousEventRequest;
    const std::uint16_t event = host.send(0, request);
    host.run(0, admin(nvme::kSetFeatures, 0xb, 0x1f));
    host.run(0, admin(nvme::kSetFeatures, 4, 300));
    json["event"] = host.wait_for(0, event).result;
    const auto test = [&](std::uint32_t code) {
      json["test"].push_back(number_of(host.status_of(0, admin(nvme::kDeviceSelfTest, code, 0, nvme::kAllNamespaces))));
    };
    test(2);
    test(1);
    host.run(0, host.log_page(6, 564, data));
    json["under_way"] = std::to_integer<int>(*host.memory.at(data));
    for (int i = 0; i < 1000 && *host.memory.at(data) != std::byte{0}; ++i) {
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      host.run(0, host.log_page(6, 564, data));
    }
    json["passed"] = std::to_integer<int>(*host.memory.at(data + 4));
    host.run(1, host.io(nvme::kWriteUncorrectable, 800, 1, 0));
    test(2);
    sc_core::wait(sc_core::sc_time(900, sc_core::SC_MS));
    host.run(0, host.log_page(6, 564, data));
    json["failed"] = {std::to_integer<int>(*host.memory.at(data + 4)), field(4 + 16)};
  });
  EXPECT_EQ(result["host"], Json({1, 3, 1, 300}));  // 1.2 MB are 3 units of 512,000 bytes
  EXPECT_EQ(result["life"], Json({1, 0, 0, 1}));
  EXPECT_EQ(result["warning"], 0);
  EXPECT_GE(result["nand"], 300 * 4096);
  EXPECT_EQ(result["no_page"], number_of(Status::InvalidLogPage));
  EXPECT_EQ(result["event"], 0x00020101);
  EXPECT_EQ(result["test"], Json({0, number_of(Status::SelfTestInProgress), 0}));
  EXPECT_EQ(result["under_way"], 2);
  EXPECT_EQ(result["passed"], 0x20);
  EXPECT_EQ(result["failed"], Json({0x27, 800}));
}

}  // namespace
}  // namespace flashloom::nvme_commands_test
