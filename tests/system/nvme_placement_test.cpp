// Flexible data placement and streams at the registers of an NVMe controller.
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.hpp"

namespace flashloom::nvme_placement_test {
namespace {

using nvme::Status;

// Four dies of 40 blocks of 32 pages of 4 KiB: a reclaim unit has 128 pages, 1024 sectors.
const std::vector<std::string> kFdp = {
    "nand.blocks=40", "nand.pages=32",      "ftl.gc_unit=superblock",    "fdp.groups=1",
    "fdp.handles=3",  "fdp.persistent=[1]", "buffer.mode=write_through", "ftl.over_provisioning=0.8"};

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

nvme::Entry command(std::uint8_t opcode, std::uint32_t dword10, std::uint32_t dword11, std::uint64_t data,
                    std::uint32_t name_space = 1, std::uint32_t dword12 = 0) {
  nvme::Entry entry{};
  entry.opcode = opcode;
  entry.name_space = name_space;
  entry.pointer1 = data;
  entry.dword10 = dword10;
  entry.dword11 = dword11;
  entry.dword12 = dword12;
  return entry;
}

template <class T>
T field(NvmeHost& host, std::uint64_t address) {
  return nvme::get_field<T>(host.memory.at(address), 0);
}

nvme::Entry log_of_group(NvmeHost& host, std::uint32_t number, std::uint32_t bytes, std::uint64_t data,
                         bool host_events = false, std::uint32_t group = 1) {
  nvme::Entry entry = host.log_page(number, bytes, data);
  entry.dword10 |= host_events ? 1U << 8U : 0;
  entry.dword11 |= group << 16U;
  return entry;
}

// Enables or disables FDP event types of a handle, in the given order.
int enable(NvmeHost& host, std::uint32_t handle, const std::vector<std::uint8_t>& types, bool on = true,
           std::uint32_t name_space = 1) {
  const std::uint64_t list = host.allocate(4096);
  if (!types.empty()) std::memcpy(host.memory.at(list), types.data(), types.size());
  const auto count = static_cast<std::uint32_t>(types.size());
  return number_of(
      host.status_of(0, command(nvme::kSetFeatures, 0x1e, handle | count << 16U, list, name_space, on ? 1 : 0)));
}

const std::vector<std::uint8_t> kAllEvents = {0, 1, 2, 3, 0x80, 0x81};

TEST(NvmePlacement, WritesGoToTheirHandles) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    for (const auto& [type, identifier] :
         std::vector<std::pair<std::uint32_t, std::uint16_t>>{{0, 2}, {2, 1}, {2, 2}, {2, 2}, {2, 3}, {1, 1}, {3, 0}})
      json["status"].push_back(number_of(host.status_of(1, write(host, 0, type, identifier, data))));
  });
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["status"], Json({0, 0, 0, 0, 0, invalid, invalid}));
  EXPECT_EQ(result["units"], Json({2, 1, 2, 0}));  // an identifier that names no handle counts as none
  EXPECT_EQ(result["events"], Json({0, 1}));
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmePlacement, HandlesTellTheirRoomAndMoveOn) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    const auto room = [&](std::uint32_t handle) {
      const Status status = host.status_of(1, command(nvme::kIoManagementReceive, 1, 1023, page));
      if (status != Status::Success) throw std::runtime_error("no handle status");
      if (field<std::uint16_t>(host, page + 14) != 3) throw std::runtime_error("not three handles");
      const std::uint64_t one = page + 16 + 32 * handle;
      return Json(
          {field<std::uint16_t>(host, one), field<std::uint16_t>(host, one + 2), field<std::uint64_t>(host, one + 8)});
    };
    json["fresh"] = room(1);
    for (std::uint64_t lba = 0; lba < 24; lba += 8) host.run(1, write(host, lba, 2, 1, data));
    json["written"] = room(1);
    const auto update = [&](std::vector<std::uint16_t> identifiers, std::uint32_t operation = 1) {
      std::memcpy(host.memory.at(page), identifiers.data(), 2 * identifiers.size());
      const auto more = static_cast<std::uint32_t>(identifiers.size() - 1);
      return number_of(host.status_of(1, command(nvme::kIoManagementSend, operation | more << 16U, 0, page)));
    };
    json["refused"] = {update({1, 3}), update({1}, 2), update({0, 1, 2, 0})};
    json["unmoved"] = room(1);
    json["updated"] = update({2, 1});
    json["after"] = room(1);
    json["operation"] = number_of(host.status_of(1, command(nvme::kIoManagementReceive, 2, 1023, page)));
  });
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["fresh"], Json({1, 1, 1024}));
  EXPECT_EQ(result["written"], Json({1, 1, 1000}));
  EXPECT_EQ(result["refused"], Json({invalid, invalid, invalid}));
  EXPECT_EQ(result["unmoved"], Json({1, 1, 1000}));
  EXPECT_EQ(result["updated"], 0);
  EXPECT_EQ(result["after"], Json({1, 1, 1024}));
  EXPECT_EQ(result["operation"], invalid);
  EXPECT_EQ(result["events"], Json({1, 0}));  // handle 2 had no open reclaim unit
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
      return number_of(host.status_of(0, log_of_group(host, number, bytes, page)));
    };
    json["configurations"] = log(0x20, 92);
    json["configuration"] = {field<std::uint16_t>(host, page),      field<std::uint32_t>(host, page + 4),
                             field<std::uint16_t>(host, page + 16), field<std::uint32_t>(host, page + 20),
                             field<std::uint16_t>(host, page + 24), field<std::uint16_t>(host, page + 26),
                             field<std::uint64_t>(host, page + 32), field<std::uint32_t>(host, page + 40),
                             field<std::uint8_t>(host, page + 80),  field<std::uint8_t>(host, page + 84),
                             field<std::uint8_t>(host, page + 88)};
    json["usage"] = {log(0x21, 32), field<std::uint16_t>(host, page), field<std::uint8_t>(host, page + 8)};
    for (std::uint64_t lba = 0; lba < 24; lba += 8) host.run(1, write(host, lba, 2, 1, data));
    json["statistics"] = {log(0x22, 64), field<std::uint64_t>(host, page), field<std::uint64_t>(host, page + 16)};
    json["other_group"] = number_of(host.status_of(0, log_of_group(host, 0x22, 64, page, false, 2)));
  });
  EXPECT_EQ(result["ctratt"], 1U << 4U | 1U << 19U);
  EXPECT_EQ(result["group"], 1);
  EXPECT_EQ(result["configurations"], 0);
  EXPECT_EQ(result["configuration"], Json({0, 16 + 64 + 12, 64 + 12, 1, 3, 2, 128 * 4096, 0, 1, 2, 1}));
  EXPECT_EQ(result["usage"], Json({0, 3, 1}));
  EXPECT_EQ(result["statistics"], Json({0, 3 * 4096, 3 * 4096}));
  EXPECT_EQ(result["other_group"], number_of(Status::InvalidField));
}

// Fields of an event: type, flags, placement identifier, namespace, reclaim group, handle.
Json event(NvmeHost& host, std::uint64_t page, std::uint32_t number) {
  const std::uint64_t at = page + 64 + 64 * number;
  return {field<std::uint8_t>(host, at),       field<std::uint8_t>(host, at + 1),
          field<std::uint16_t>(host, at + 2),  field<std::uint32_t>(host, at + 12),
          field<std::uint16_t>(host, at + 32), field<std::uint16_t>(host, at + 34)};
}

TEST(NvmePlacement, LogsTheEventsThatTheHostWants) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    const auto update = [&](std::uint16_t identifier) {
      std::memcpy(host.memory.at(page), &identifier, 2);
      host.run(1, command(nvme::kIoManagementSend, 1, 0, page));
    };
    host.run(1, write(host, 0, 2, 9, data));  // handle 0, whose events are not enabled yet
    json["enabled"] = {enable(host, 0, {3, 0}), enable(host, 2, {0})};
    host.run(1, write(host, 24, 2, 7, data));
    host.run(1, write(host, 8, 2, 2, data));
    update(2);
    host.run(1, write(host, 8, 2, 1, data));
    update(1);
    json["disabled"] = enable(host, 2, {0}, false);
    host.run(1, write(host, 8, 2, 2, data));
    update(2);
    json["log"] = number_of(host.status_of(0, log_of_group(host, 0x23, 4096, page, true)));
    json["count"] = field<std::uint32_t>(host, page);
    json["host"] = {event(host, page, 0), event(host, page, 1), event(host, page, 2)};
    const auto origin = field<std::uint64_t>(host, page + 64 + 4) >> 48U;
    json["origin"] = origin;
    json["controller"] = {number_of(host.status_of(0, log_of_group(host, 0x23, 4096, page))),
                          field<std::uint32_t>(host, page)};
    json["behind"] = number_of(host.status_of(0, [&] {
      nvme::Entry entry = log_of_group(host, 0x23, 64, page, true);
      entry.dword12 = 4096;
      return entry;
    }()));
  });
  EXPECT_EQ(result["enabled"], Json({0, 0}));
  EXPECT_EQ(result["disabled"], 0);
  EXPECT_EQ(result["log"], 0);
  EXPECT_EQ(result["count"], 2);
  EXPECT_EQ(result["host"][0], Json({3, 7, 7, 1, 0, 0}));  // includes the namespace of the write
  EXPECT_EQ(result["host"][1], Json({0, 5, 2, 0, 0, 2}));
  EXPECT_EQ(result["host"][2], Json({0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(result["origin"], 0);
  EXPECT_EQ(result["controller"], Json({0, 0}));
  EXPECT_EQ(result["behind"], number_of(Status::InvalidField));
}

// The host sets its clock to 5 s; the event comes 20 ms later.
TEST(NvmePlacement, EventsHaveTheTimeOfTheHost) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    json["enabled"] = enable(host, 0, kAllEvents);
    nvme::put<std::uint64_t>(host.memory.at(page), 0, 5000);
    json["set"] = number_of(host.status_of(0, command(nvme::kSetFeatures, 0x0e, 0, page, 0)));
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_MS));
    host.run(1, write(host, 0, 2, 9, data));
    host.run(0, log_of_group(host, 0x23, 4096, page, true));
    json["count"] = field<std::uint32_t>(host, page);
    json["time"] = field<std::uint64_t>(host, page + 64 + 4);
  });
  EXPECT_EQ(result["enabled"], 0);
  EXPECT_EQ(result["set"], 0);
  EXPECT_EQ(result["count"], 1);
  EXPECT_EQ(result["time"], 5020 | std::uint64_t{1} << 49U);
}

// The namespace begins at the second half: the event reports moved sectors relative to the namespace.
TEST(NvmePlacement, LogsWhatGarbageCollectionMoves) {
  std::vector<std::string> overrides = kFdp;
  overrides.insert(overrides.end(),
                   {"fdp.handles=1", "fdp.persistent=[]", "host_interface.namespaces=[\"1 MiB\", \"10 MiB\"]"});
  const Json result = with(overrides, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    json["enabled"] = enable(host, 0, {0x80}, true, nvme::kAllNamespaces);
    // Fills 20 of 40 superblocks, then rewrites all units but every sixteenth.
    const auto put = [&](std::uint32_t unit) {
      if (host.status_of(1, host.io(nvme::kWrite, unit * 8, 8, data, 2)) != Status::Success)
        throw std::runtime_error("no write");
    };
    for (std::uint32_t unit = 0; unit < 2560; ++unit) put(unit);
    for (std::uint32_t unit = 0; unit < 2560; ++unit)
      if (unit % 16 != 3) put(unit);
    host.run(0, log_of_group(host, 0x23, 4096, page));
    const auto count = field<std::uint32_t>(host, page);
    json["any"] = count != 0;
    json["event"] = event(host, page, 0);
    const std::uint64_t specific = page + 64 + 16;
    json["valid"] = field<std::uint8_t>(host, specific);
    json["moved"] = field<std::uint16_t>(host, specific + 2);
    json["lba"] = field<std::uint64_t>(host, specific + 4);
  });
  EXPECT_EQ(result["enabled"], 0);
  EXPECT_EQ(result["any"], true);
  EXPECT_EQ(result["event"], Json({0x80, 7, 0, 2, 0, 0}));
  EXPECT_EQ(result["valid"], 1);
  EXPECT_EQ(result["moved"], 8 * 8);  // sectors: eight valid units of the first superblock
  EXPECT_EQ(result["lba"], 3 * 8);
}

TEST(NvmePlacement, FeaturesSayWhatIsEnabled) {
  const Json result = with(kFdp, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t page = host.allocate(4096);
    const auto get = [&](std::uint32_t dword10, std::uint32_t dword11, std::uint32_t name_space) {
      const nvme::Completion done = host.run(0, command(nvme::kGetFeatures, dword10, dword11, page, name_space));
      return Json({number_of(NvmeHost::status(done)), done.result});
    };
    const auto set = [&](std::uint32_t dword10, std::uint32_t dword11, std::uint32_t dword12) {
      return number_of(host.status_of(0, command(nvme::kSetFeatures, dword10, dword11, page, 0, dword12)));
    };
    json["placement"] = get(0x1d, 1, 0);
    json["of_no_group"] = get(0x1d, 2, 0);
    json["can"] = {get(0x1d | 3U << 8U, 1, 0), get(0x1e | 3U << 8U, 0, 1)};
    json["set"] = {set(0x1d, 1, 1), set(0x1d, 1, 0), set(0x1d, 1, 0x101), set(0x1d, 2, 1), set(0x1d | 1U << 31U, 1, 1)};
    const auto descriptors = [&] {
      Json found;
      for (std::uint32_t i = 0; i < 8; ++i)
        found.push_back({field<std::uint8_t>(host, page + 2 * i), field<std::uint8_t>(host, page + 2 * i + 1)});
      return found;
    };
    json["before"] = {get(0x1e, 1 | 8U << 16U, 1), descriptors()};
    json["enabled"] = {enable(host, 1, {3, 0x81}), enable(host, 1, {3, 4}), enable(host, 3, {3}), enable(host, 1, {}),
                       enable(host, 1, {0}, true, 2)};
    json["after"] = {get(0x1e, 1 | 8U << 16U, 1), descriptors()};
    json["default"] = {get(0x1e | 1U << 8U, 1 | 8U << 16U, 1), descriptors()};
    json["first"] = get(0x1e, 1 | 1U << 16U, 1);
    json["refused"] = {get(0x1e, 3 | 8U << 16U, 1), get(0x1e, 1, 1), get(0x1e, 1 | 8U << 16U, 2)};
  });
  const int invalid = number_of(Status::InvalidField);
  const int sequence = number_of(Status::SequenceError);
  const int name_space = number_of(Status::InvalidNamespace);
  EXPECT_EQ(result["placement"], Json({0, 1}));
  EXPECT_EQ(result["of_no_group"], Json({invalid, 0}));
  EXPECT_EQ(result["can"], Json({{0, 4}, {0, 6}}));
  EXPECT_EQ(result["set"], Json({0, sequence, sequence, invalid, number_of(Status::NotSaveable)}));
  EXPECT_EQ(result["before"], Json({{0, 6}, {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0x80, 0}, {0x81, 0}, {0, 0}, {0, 0}}}));
  EXPECT_EQ(result["enabled"], Json({0, invalid, invalid, invalid, name_space}));
  EXPECT_EQ(result["after"], Json({{0, 6}, {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {0x80, 0}, {0x81, 1}, {0, 0}, {0, 0}}}));
  EXPECT_EQ(result["default"], result["before"]);
  EXPECT_EQ(result["first"], Json({0, 6}));
  EXPECT_EQ(result["refused"], Json({{invalid, 0}, {invalid, 0}, {name_space, 0}}));
}

// Reclaim units of two superblocks, with a time limit of 1.5 s.
TEST(NvmePlacement, ConfigurationsTellSizeAndTimeOfUnits) {
  std::vector<std::string> overrides = kFdp;
  overrides.insert(overrides.end(), {"fdp.unit_superblocks=2", "fdp.unit_time_limit=1500 ms"});
  const Json result = with(overrides, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    const std::uint64_t page = host.allocate(4096);
    host.run(0, log_of_group(host, 0x20, 92, page));
    json["configuration"] = {field<std::uint64_t>(host, page + 32), field<std::uint32_t>(host, page + 40)};
    const auto status = [&] {
      host.run(1, command(nvme::kIoManagementReceive, 1, 1023, page));
      return Json({field<std::uint32_t>(host, page + 16 + 32 + 4), field<std::uint64_t>(host, page + 16 + 32 + 8)});
    };
    json["fresh"] = status();
    host.run(1, write(host, 0, 2, 1, data));
    json["written"] = status();
    sc_core::wait(sc_core::sc_time(700, sc_core::SC_MS));
    json["later"] = status();
    sc_core::wait(sc_core::sc_time(900, sc_core::SC_MS));
    json["late"] = status();
    host.run(1, write(host, 0, 2, 1, data));
    json["moved_on"] = status();
  });
  EXPECT_EQ(result["configuration"], Json({2 * 128 * 4096, 2}));
  EXPECT_EQ(result["fresh"], Json({0, 2048}));
  EXPECT_EQ(result["written"], Json({2, 2040}));
  EXPECT_EQ(result["later"], Json({1, 2040}));
  EXPECT_EQ(result["late"], Json({0, 2040}));
  EXPECT_EQ(result["moved_on"], Json({2, 2040}));
}

TEST(NvmePlacement, IsNotOfOtherDrives) {
  const Json result = with({}, [](NvmeBench& bench, Json& json) {
    NvmeHost& host = bench.host;
    const std::uint64_t data = host.allocate(4096);
    json["write"] = number_of(host.status_of(1, write(host, 0, 2, 0, data)));
    json["status"] = number_of(host.status_of(1, command(nvme::kIoManagementReceive, 1, 15, data)));
    json["update"] = number_of(host.status_of(1, command(nvme::kIoManagementSend, 1, 0, data)));
    json["log"] = number_of(host.status_of(0, log_of_group(host, 0x22, 64, data)));
    json["events_log"] = number_of(host.status_of(0, log_of_group(host, 0x23, 64, data, true)));
    json["feature"] = {number_of(host.status_of(0, command(nvme::kGetFeatures, 0x1d, 1, data, 0))),
                       enable(host, 0, {0})};
    host.run(0, host.identify(1, 0, data));
    json["ctratt"] = field<std::uint32_t>(host, data + 96);
  });
  EXPECT_EQ(result["write"], number_of(Status::InvalidField));
  EXPECT_EQ(result["status"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["update"], number_of(Status::InvalidOpcode));
  EXPECT_EQ(result["log"], number_of(Status::InvalidLogPage));
  EXPECT_EQ(result["events_log"], number_of(Status::InvalidLogPage));
  EXPECT_EQ(result["feature"], Json({number_of(Status::InvalidField), number_of(Status::InvalidField)}));
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
