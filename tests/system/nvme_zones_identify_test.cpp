// What registers, Identify data and logs of an NVMe controller report about a zoned namespace and its command set.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/zoned_host.hpp"

namespace flashloom::nvme_zones_identify_test {
namespace {

using nvme::Status;

nvme::Entry identify(const ZonedHost& zones, std::uint32_t cns, std::uint32_t name_space, std::uint32_t command_set) {
  nvme::Entry entry{};
  entry.opcode = nvme::kIdentify;
  entry.name_space = name_space;
  entry.pointer1 = zones.data_address();
  entry.dword10 = cns;
  entry.dword11 = command_set << 24U;
  return entry;
}

TEST(NvmeZones, TheHostChoosesTheCommandSets) {
  const Json result = in_child([]() -> Json {
    Json json;
    for (const std::uint32_t chosen : {0U, 6U, 7U, 1U}) {
      const Json one = in_child([chosen]() -> Json {
        NvmeBench bench(zoned_drive(), {.command_sets = chosen});
        Json of;
        bench.run([&] {
          NvmeHost& host = bench.host;
          host.set_up_pci();
          of["css"] = host.read64(0) >> 37U & 0xffU;
          of["enabled"] = host.enable();
          if (!of["enabled"]) return;
          host.create_queues(1, 16);
          const std::uint64_t page = host.allocate(4096);
          host.run(0, host.identify(2, 0, page));
          of["active"] = nvme::get_field<std::uint32_t>(host.memory.at(page), 0);
          host.run(0, host.identify(0x10, 0, page));
          of["allocated"] = nvme::get_field<std::uint32_t>(host.memory.at(page), 0);
          of["read"] = number_of(host.status_of(1, NvmeHost::io(nvme::kRead, 0, 1, page)));
        });
        return of;
      });
      json.push_back(one);
    }
    return json;
  });
  const int invalid = number_of(Status::InvalidNamespace);
  EXPECT_EQ(result[0], Json({{"css", 0x41}, {"enabled", true}, {"active", 0}, {"allocated", 1}, {"read", invalid}}));
  EXPECT_EQ(result[1], Json({{"css", 0x41}, {"enabled", true}, {"active", 1}, {"allocated", 1}, {"read", 0}}));
  EXPECT_EQ(result[2], Json({{"css", 0x41}, {"enabled", false}}));
  EXPECT_EQ(result[3], Json({{"css", 0x41}, {"enabled", false}}));
}

TEST(NvmeZones, IdentifySaysWhatThereIs) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench& bench, ZonedHost& zones, Json& json) {
    NvmeHost& host = bench.host;
    const auto ask = [&](std::uint32_t cns, std::uint32_t name_space, std::uint32_t command_set) {
      std::fill_n(zones.data(), 4096, std::byte{0xee});
      return number_of(host.status_of(0, identify(zones, cns, name_space, command_set)));
    };
    json["zones"] = ask(0x05, 1, 2);
    json["zones"] = {
        field<std::uint16_t>(zones, 0),   field<std::uint16_t>(zones, 2),   field<std::uint32_t>(zones, 4),
        field<std::uint32_t>(zones, 8),   field<std::uint32_t>(zones, 44),  field<std::uint16_t>(zones, 48),
        field<std::uint16_t>(zones, 50),  field<std::uint8_t>(zones, 52),   field<std::uint64_t>(zones, 2816),
        field<std::uint8_t>(zones, 2824), field<std::uint64_t>(zones, 2832)};
    json["plain"] = {ask(0x05, 1, 0), field<std::uint64_t>(zones, 0), field<std::uint64_t>(zones, 2816)};
    json["sets"] = {ask(0x05, 1, 1),  ask(0x05, 2, 2), field<std::uint64_t>(zones, 2816),
                    ask(0x05, 99, 2), ask(0x1b, 1, 2), field<std::uint64_t>(zones, 2816)};
    json["controller"] = {ask(0x06, 0, 2), field<std::uint8_t>(zones, 0), ask(0x06, 0, 3), ask(0x06, 0, 0)};
    for (const std::uint32_t cns : {0x07U, 0x1aU})
      for (const std::uint32_t set : {0U, 2U, 5U})
        json["lists"].push_back({ask(cns, 0, set), field<std::uint32_t>(zones, 0)});
    json["any"] = {ask(0x08, 1, 0), field<std::uint8_t>(zones, 3), field<std::uint8_t>(zones, 14)};
    json["combination"] = {ask(0xffff001c, 0, 0), field<std::uint64_t>(zones, 0), field<std::uint64_t>(zones, 8),
                           ask(0x0001001c, 0, 0), ask(0x0002001c, 0, 0)};
    ask(0x03, 1, 0);
    json["descriptors"] = {field<std::uint8_t>(zones, 0), field<std::uint8_t>(zones, 20),
                           field<std::uint8_t>(zones, 21), field<std::uint8_t>(zones, 24),
                           field<std::uint8_t>(zones, 25)};
    ask(0x00, 1, 0);
    const auto count = field<std::uint64_t>(zones, 0) / kZone;
    json["count"] = count;
    json["namespace"] = {field<std::uint64_t>(zones, 0), field<std::uint64_t>(zones, 8) / count,
                         field<std::uint8_t>(zones, 130)};
    ask(0x01, 0, 0);
    json["oaes"] = field<std::uint32_t>(zones, 92);
    json["oacs"] = field<std::uint16_t>(zones, 256);
    json["oncs"] = field<std::uint16_t>(zones, 520);
    json["tnvmcap"] = field<std::uint64_t>(zones, 280) / count;
    nvme::Entry management{};
    management.opcode = nvme::kNamespaceManagement;
    json["management"] = number_of(host.status_of(0, management));
    nvme::Entry profile{};
    for (const auto& [opcode, value] : std::vector<std::pair<std::uint8_t, std::uint32_t>>{
             {nvme::kGetFeatures, 0}, {nvme::kSetFeatures, 0}, {nvme::kSetFeatures, 1}}) {
      profile.opcode = opcode;
      profile.dword10 = 0x19;
      profile.dword11 = value;
      json["profile"].push_back(number_of(host.status_of(0, profile)));
    }
  });
  const int invalid = number_of(Status::InvalidField);
  const int wrong_set = number_of(Status::InvalidCommandSet);
  EXPECT_EQ(result["zones"],
            Json({0, 3, kMaxActive - 1, kMaxOpen - 1, kMaxAreas - 1, kGranule, kArea, 1, kZone, 0, 0}));
  EXPECT_EQ(result["plain"], Json({0, 0, 0}));
  EXPECT_EQ(result["sets"], Json({wrong_set, 0, 0, number_of(Status::InvalidNamespace), 0, kZone}));
  EXPECT_EQ(result["controller"], Json({0, 0, invalid, 0}));
  const Json lists = {{0, 0}, {0, 1}, {invalid, 0xeeeeeeee}, {0, 0}, {0, 1}, {invalid, 0xeeeeeeee}};
  EXPECT_EQ(result["lists"], lists);
  EXPECT_EQ(result["any"], Json({0, 0x80, 1}));
  EXPECT_EQ(result["combination"], Json({0, 5, 0, 0, invalid}));
  EXPECT_EQ(result["descriptors"], Json({2, 4, 1, 2, 0}));
  EXPECT_EQ(result["namespace"], Json({result["count"].get<std::uint64_t>() * kZone, kCapacity, 12}));
  EXPECT_EQ(result["oaes"], 1U << 8U | 1U << 27U);
  EXPECT_EQ(result["oacs"], 1U << 1U | 1U << 4U);
  EXPECT_EQ(result["oncs"], 1U | 1U << 4U | 1U << 6U | 1U << 7U);
  EXPECT_EQ(result["tnvmcap"], kCapacity * 4096);
  EXPECT_EQ(result["management"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["profile"], Json({0, 0, number_of(Status::CommandSetCombinationRejected)}));
}

TEST(NvmeZones, EffectsAreThoseOfTheCommandSet) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench& bench, ZonedHost& zones, Json& json) {
    for (const std::uint32_t set : {0U, 2U, 1U}) {
      nvme::Entry log = bench.host.log_page(5, 4096, zones.data_address());
      log.dword14 = set << 24U;
      Json one = {number_of(bench.host.status_of(0, log))};
      for (const std::uint32_t opcode : {0x01U, 0x02U, 0x08U, 0x09U, 0x79U, 0x7aU, 0x7dU})
        one.push_back(field<std::uint32_t>(zones, 1024 + 4 * opcode));
      one.push_back(field<std::uint32_t>(zones, 4 * nvme::kNamespaceManagement));
      json["effects"].push_back(one);
    }
    for (const std::uint8_t opcode : {nvme::kWriteUncorrectable, nvme::kWriteZeroes, nvme::kDatasetManagement})
      json["refused"].push_back(number_of(zones.status(zones.entry(opcode, 0, 1))));
  });
  EXPECT_EQ(result["effects"][0], Json({0, 3, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(result["effects"][1], Json({0, 3, 1, 0, 0, 3, 1, 3, 0}));
  EXPECT_EQ(result["effects"][2][0], number_of(Status::CommandSetNotSupported));
  const int opcode = number_of(Status::InvalidOpcode);
  EXPECT_EQ(result["refused"], Json({opcode, opcode, opcode}));
}

TEST(NvmeZones, AreNotOfOtherDrives) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny", {"host_interface.sector_size=4 KiB"}));
    Json json;
    bench.run_ready([&] {
      ZonedHost zones(bench.host);
      json["css"] = bench.host.read64(0) >> 37U & 0xffU;
      for (const std::uint8_t opcode : {nvme::kZoneManagementSend, nvme::kZoneManagementReceive, nvme::kZoneAppend})
        json["opcodes"].push_back(number_of(zones.status(zones.entry(opcode, 0, 1))));
      for (const std::uint32_t cns : {5U, 6U, 7U, 8U, 0x1aU, 0x1bU, 0x1cU})
        json["cns"].push_back(number_of(bench.host.status_of(0, identify(zones, cns, 1, 2))));
      json["log"] = number_of(bench.host.status_of(0, bench.host.log_page(0xbf, 4096, zones.data_address())));
    });
    return json;
  });
  const int opcode = number_of(Status::InvalidOpcode);
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["css"], 1);
  EXPECT_EQ(result["opcodes"], Json({opcode, opcode, opcode}));
  EXPECT_EQ(result["cns"], Json({invalid, invalid, invalid, invalid, invalid, invalid, invalid}));
  EXPECT_EQ(result["log"], number_of(Status::InvalidLogPage));
}

}  // namespace
}  // namespace flashloom::nvme_zones_identify_test
