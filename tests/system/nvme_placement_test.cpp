// Flexible data placement and streams at the registers of an NVMe controller.
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.hpp"

namespace flashloom::nvme_placement_test {
namespace {

using nvme::Status;

// Four dies of 40 blocks of 32 pages of 4 KiB: a reclaim unit has 128 pages, 1024 sectors.
const std::vector<std::string> kFdp = {"nand.blocks=40",   "nand.pages=32",      "ftl.gc_unit=superblock",
                                       "fdp.groups=1",     "fdp.handles=3",      "fdp.persistent=[1]",
                                       "buffer.mode=write_through", "ftl.over_provisioning=0.8"};

Json with(const std::vector<std::string>& overrides, const std::function<void(NvmeBench&, Json&)>& body) {
  return in_child([&]() -> Json {
    NvmeBench bench(small_preset("tiny", overrides));
    Json json;
    bench.run_ready([&] { body(bench, json); });
    json["mismatches"] = bench.simulation.oracle()->mismatches();
    const FtlStatistics statistics = bench.simulation.ssd().ftl_statistics();
    for (int stream = 0; stream < 4; ++stream) json["units"].push_back(statistics.streams[stream].units_written);
    json["events"] = {statistics.fdp.units_not_full, statistics.fdp.invalid_identifiers};
    return json;
  });
}

nvme::Entry write(NvmeHost& host, std::uint64_t lba, std::uint32_t type, std::uint16_t identifier, std::uint64_t data) {
  nvme::Entry entry = host.io(nvme::kWrite, lba, 8, data);
  entry.dword12 |= type << 20U;
  entry.dword13 = std::uint32_t{identifier} << 16U;
  return entry;
}

nvme::Entry io_management(std::uint8_t opcode, std::uint32_t dword10, std::uint32_t dword11, std::uint64_t data) {
  nvme::Entry entry{};
  entry.opcode = opcode;
  entry.name_space = 1;
  entry.pointer1 = data;
  entry.dword10 = dword10;
  entry.dword11 = dword11;
  return entry;
}

template <class T>
T field(NvmeHost& host, std::uint64_t address) {
  return nvme::get_field<T>(host.memory.at(address), 0);
}

TEST(NvmePlacement, WritesGoToTheirHandles) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    for (const auto& [type, identifier] : std::vector<std::pair<std::uint32_t, std::uint16_t>>{
             {0, 2}, {2, 1}, {2, 2}, {2, 2}, {2, 3}, {1, 1}, {3, 0}})
      json["status"].push_back(number_of(host.status_of(1, write(host, 0, type, identifier, data))));
  });
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["status"], Json({0, 0, 0, 0, 0, invalid, invalid}));
  EXPECT_EQ(result["units"], Json({2, 1, 2, 0}));  // an identifier that names none is as none
  EXPECT_EQ(result["events"], Json({0, 1}));
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmePlacement, HandlesTellTheirRoomAndMoveOn) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    const auto room = [&](std::uint32_t handle) {
      const Status status = host.status_of(1, io_management(nvme::kIoManagementReceive, 1, 1023, page));
      if (status != Status::Success) throw std::runtime_error("no handle status");
      if (field<std::uint16_t>(host, page + 14) != 3) throw std::runtime_error("not three handles");
      const std::uint64_t one = page + 16 + 32 * handle;
      return Json({field<std::uint16_t>(host, one), field<std::uint16_t>(host, one + 2),
                   field<std::uint64_t>(host, one + 8)});
    };
    json["fresh"] = room(1);
    for (std::uint64_t lba = 0; lba < 24; lba += 8) host.run(1, write(host, lba, 2, 1, data));
    json["written"] = room(1);
    const auto update = [&](std::vector<std::uint16_t> identifiers, std::uint32_t operation = 1) {
      std::memcpy(host.memory.at(page), identifiers.data(), 2 * identifiers.size());
      const auto more = static_cast<std::uint32_t>(identifiers.size() - 1);
      return number_of(host.status_of(1, io_management(nvme::kIoManagementSend, operation | more << 16U, 0, page)));
    };
    json["refused"] = {update({1, 3}), update({1}, 2), update({0, 1, 2, 0})};
    json["unmoved"] = room(1);
    json["updated"] = update({2, 1});
    json["after"] = room(1);
    json["operation"] = number_of(host.status_of(1, io_management(nvme::kIoManagementReceive, 2, 1023, page)));
  });
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["fresh"], Json({1, 1, 1024}));
  EXPECT_EQ(result["written"], Json({1, 1, 1000}));
  EXPECT_EQ(result["refused"], Json({invalid, invalid, invalid}));
  EXPECT_EQ(result["unmoved"], Json({1, 1, 1000}));
  EXPECT_EQ(result["updated"], 0);
  EXPECT_EQ(result["after"], Json({1, 1, 1024}));
  EXPECT_EQ(result["operation"], invalid);
  EXPECT_EQ(result["events"], Json({1, 0}));  // of handle 2 nothing was open
}

TEST(NvmePlacement, LogsAndIdentifySayWhatThereIs) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    host.run(0, host.identify(1, 0, page));
    json["ctratt"] = field<std::uint32_t>(host, page + 96);
    host.run(0, host.identify(0, 1, page));
    json["group"] = field<std::uint16_t>(host, page + 102);
    const auto log = [&](std::uint32_t number, std::uint32_t bytes) {
      return number_of(host.status_of(0, host.log_page(number, bytes, page)));
    };
    json["configurations"] = log(0x20, 92);
    json["configuration"] = {field<std::uint16_t>(host, page),          field<std::uint32_t>(host, page + 4),
                             field<std::uint16_t>(host, page + 16),     field<std::uint16_t>(host, page + 20),
                             field<std::uint16_t>(host, page + 22),     field<std::uint64_t>(host, page + 32),
                             field<std::uint8_t>(host, page + 80),      field<std::uint8_t>(host, page + 84),
                             field<std::uint8_t>(host, page + 88)};
    json["usage"] = {log(0x21, 32), field<std::uint16_t>(host, page), field<std::uint8_t>(host, page + 8)};
    for (std::uint64_t lba = 0; lba < 24; lba += 8) host.run(1, write(host, lba, 2, 1, data));
    json["statistics"] = {log(0x22, 64), field<std::uint64_t>(host, page), field<std::uint64_t>(host, page + 16)};
    json["events_log"] = log(0x23, 64);
  });
  EXPECT_EQ(result["ctratt"], 1U << 4U | 1U << 19U);
  EXPECT_EQ(result["group"], 1);
  EXPECT_EQ(result["configurations"], 0);
  EXPECT_EQ(result["configuration"], Json({0, 16 + 64 + 12, 64 + 12, 1, 3, 128 * 4096, 1, 2, 1}));
  EXPECT_EQ(result["usage"], Json({0, 3, 1}));
  EXPECT_EQ(result["statistics"], Json({0, 3 * 4096, 3 * 4096}));
  EXPECT_EQ(result["events_log"], number_of(Status::InvalidLogPage));
}

TEST(NvmePlacement, IsNotOfOtherDrives) {
  const Json result = with({}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    json["write"] = number_of(host.status_of(1, write(host, 0, 2, 0, data)));
    json["status"] = number_of(host.status_of(1, io_management(nvme::kIoManagementReceive, 1, 15, data)));
    json["update"] = number_of(host.status_of(1, io_management(nvme::kIoManagementSend, 1, 0, data)));
    json["log"] = number_of(host.status_of(0, host.log_page(0x22, 64, data)));
    host.run(0, host.identify(1, 0, data));
    json["ctratt"] = field<std::uint32_t>(host, data + 96);
  });
  EXPECT_EQ(result["write"], number_of(Status::InvalidField));
  EXPECT_EQ(result["status"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["update"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["log"], number_of(Status::InvalidLogPage));
  EXPECT_EQ(result["ctratt"], 0);
}

TEST(NvmePlacement, StreamsAreOfDrivesWithStreams) {
  const Json result =
      with({"ftl.streams={ name = \"host\", count = 2 }", "nand.blocks=40", "buffer.mode=write_through"},
           [](NvmeBench& bench, Json& json) {
             NvmeHost& host = bench.host;
             const std::uint64_t data = host.allocate(4096);
             for (const std::uint16_t identifier : {7, 9, 9})
               json["status"].push_back(number_of(host.status_of(1, write(host, 8 * identifier, 1, identifier, data))));
           });
  EXPECT_EQ(result["status"], Json({0, 0, 0}));
  EXPECT_EQ(result["units"], Json({1, 2, 0, 0}));
}

}  // namespace
}  // namespace flashloom::nvme_placement_test
