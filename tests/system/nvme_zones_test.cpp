// Zones over the NVMe registers: each command and each status by hand.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/zoned_host.hpp"

namespace flashloom::nvme_zones_test {
namespace {

using nvme::Status;

Json state_of(ZonedHost& zones, std::uint64_t lba) {
  const ZonedHost::Report report = zones.report(lba);
  return {report.zones[0].state, report.zones[0].pointer - lba};
}

TEST(NvmeZones, AppendsSayWhereTheirDataWent) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench&, ZonedHost& zones, Json& json) {
    for (const std::uint32_t sectors : {3U, 1U, 8U}) {
      const ZonedHost::Appended appended = zones.append(kZone, sectors);
      json["placed"].push_back({number_of(appended), appended.lba});
    }
    json["state"] = state_of(zones, kZone);
    std::vector<ZonedHost::Sector> sectors;
    zones.read(kZone, 13, sectors);
    for (const ZonedHost::Sector& sector : sectors) json["read"].push_back({sector.number, sector.place});
    json["inside"] = number_of(zones.append(kZone + 1, 1));
    json["beyond"] = number_of(zones.append(kZone, kCapacity - 11));
    nvme::Entry remapped = zones.entry(nvme::kZoneAppend, kZone, 1);
    remapped.dword12 |= 1U << 25U;
    json["remapped"] = number_of(zones.status(remapped));
    nvme::Entry directive = zones.entry(nvme::kZoneAppend, kZone, 1);
    directive.dword12 |= 2U << 20U;
    json["directive"] = number_of(zones.status(directive));
    json["outside"] = number_of(zones.append(std::uint64_t{1} << 60U, 1));
    nvme::Entry elsewhere = zones.entry(nvme::kZoneAppend, kZone, 1);
    elsewhere.name_space = 2;
    json["elsewhere"] = number_of(zones.status(elsewhere));
    nvme::Entry huge = zones.entry(nvme::kZoneAppend, kZone, 1);
    huge.dword12 = 0xffff;
    json["huge"] = number_of(zones.status(huge));
    json["filled"] = number_of(zones.append(kZone, kCapacity - 12));
    json["full"] = {number_of(zones.append(kZone, 1)), state_of(zones, kZone)};
  });
  EXPECT_EQ(result["placed"], Json({{0, kZone}, {0, kZone + 3}, {0, kZone + 4}}));
  EXPECT_EQ(result["state"], Json({kImplicit, 12}));
  EXPECT_EQ(
      result["read"],
      Json({{1, 0}, {1, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {3, 3}, {3, 4}, {3, 5}, {3, 6}, {3, 7}, {0, 0}}));
  EXPECT_EQ(result["inside"], number_of(Status::InvalidField));
  EXPECT_EQ(result["beyond"], number_of(Status::ZoneBoundaryError));
  EXPECT_EQ(result["remapped"], number_of(Status::InvalidProtection));
  EXPECT_EQ(result["directive"], number_of(Status::InvalidField));
  EXPECT_EQ(result["outside"], number_of(Status::LbaOutOfRange));
  EXPECT_EQ(result["elsewhere"], number_of(Status::InvalidNamespace));
  EXPECT_EQ(result["huge"], number_of(Status::InvalidField));
  EXPECT_EQ(result["filled"], 0);
  EXPECT_EQ(result["full"], Json({number_of(Status::ZoneIsFull), {kFull, kZone}}));
  EXPECT_EQ(result["mismatches"], 0);
}

// Many appends in flight to one zone: each gets an address of its own, and its bytes are there.
TEST(NvmeZones, AppendsMayBeManyAtATime) {
  for (const Picoseconds latency : {Picoseconds{0}, 300 * kNanosecond}) {
    NvmeHost::Options options = kAllCommandSets;
    options.memory_latency = latency;
    const Json result = with_zones(
        zoned_drive(),
        [](NvmeBench& bench, ZonedHost& zones, Json& json) {
          NvmeHost& host = bench.host;
          constexpr std::uint32_t kAppends = 30;
          const std::uint64_t area = host.allocate(std::size_t{kAppends} * 8192);
          std::vector<std::uint16_t> ids;
          for (std::uint32_t i = 0; i < kAppends; ++i) {
            const std::uint64_t data = area + std::uint64_t{i} * 8192;
            fill_bytes(host.memory.at(data), 8192, i);
            nvme::Entry entry = NvmeHost::io(nvme::kZoneAppend, 0, 2, data);
            entry.pointer2 = data + 4096;
            ids.push_back(host.put(1, entry));
          }
          host.ring(1);
          std::map<std::uint64_t, std::uint32_t> placed;
          for (std::uint32_t i = 0; i < kAppends; ++i) placed[host.wait_for(1, ids[i]).result] = i;
          json["places"] = placed.size();
          std::vector<std::byte> wanted(8192);
          int wrong = 0;
          std::uint64_t next = 0;
          for (const auto& [lba, i] : placed) {
            wrong += lba != next ? 1 : 0;
            next += 2;
            zones.status(zones.entry(nvme::kRead, lba, 2));
            fill_bytes(wanted.data(), 8192, i);
            wrong += std::memcmp(zones.data(), wanted.data(), 8192) != 0 ? 1 : 0;
          }
          json["wrong"] = wrong;
        },
        options);
    EXPECT_EQ(result["places"], 30);
    EXPECT_EQ(result["wrong"], 0);
    EXPECT_EQ(result["mismatches"], 0);
  }
}

TEST(NvmeZones, WritesAndReadsKeepTheRules) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench& bench, ZonedHost& zones, Json& json) {
    json["first"] = number_of(zones.write(0, 2));
    json["pointer"] = {number_of(zones.write(3, 1)), number_of(zones.write(0, 1)), number_of(zones.write(2, 1, true))};
    json["boundary"] = number_of(zones.write(3, kCapacity - 2));
    json["gap"] = {number_of(zones.write(kCapacity, 1)), number_of(zones.write(kZone - 1, 1))};
    json["finished"] = {number_of(zones.send(ZonedHost::kFinish, 0)), number_of(zones.write(3, 1))};
    std::vector<ZonedHost::Sector> sectors;
    json["across"] = number_of(zones.read(kZone - 4, 8, sectors));
    json["out"] = number_of(zones.write(std::uint64_t{1} << 40U, 1));
    // At most three zones are open, four active.
    for (std::uint64_t zone = 1; zone <= 4; ++zone) json["opened"].push_back(number_of(zones.write(zone * kZone, 1)));
    json["closed"] = state_of(zones, kZone);
    json["active"] = {number_of(zones.write(5 * kZone, 1)), number_of(zones.append(5 * kZone, 1)),
                      number_of(zones.send(ZonedHost::kOpen, 5 * kZone))};
    for (std::uint64_t zone = 2; zone <= 4; ++zone) zones.send(ZonedHost::kOpen, zone * kZone);
    json["open"] = {number_of(zones.write(kZone + 1, 1)), number_of(zones.send(ZonedHost::kOpen, kZone))};
    bench.host.run(0, bench.host.log_page(1, 64, zones.data_address()));
    json["error"] = {field<std::uint64_t>(zones, 0), field<std::uint64_t>(zones, 16)};
    json["fused"] = [&] {
      nvme::Entry compare = zones.entry(nvme::kCompare, 0, 1);
      compare.flags = 1;
      nvme::Entry write = zones.entry(nvme::kWrite, 0, 1);
      write.flags = 2;
      const std::uint16_t first = bench.host.put(1, compare);
      const std::uint16_t second = bench.host.put(1, write);
      bench.host.ring(1);
      return Json{number_of(NvmeHost::status(bench.host.wait_for(1, first))),
                  number_of(NvmeHost::status(bench.host.wait_for(1, second)))};
    }();
  });
  const int wrong = number_of(Status::ZoneInvalidWrite);
  EXPECT_EQ(result["first"], 0);
  EXPECT_EQ(result["pointer"], Json({wrong, wrong, 0}));
  EXPECT_EQ(result["boundary"], number_of(Status::ZoneBoundaryError));
  EXPECT_EQ(result["gap"], Json({wrong, wrong}));
  EXPECT_EQ(result["finished"], Json({0, number_of(Status::ZoneIsFull)}));
  EXPECT_EQ(result["across"], 0);
  EXPECT_EQ(result["out"], number_of(Status::LbaOutOfRange));
  EXPECT_EQ(result["opened"], Json({0, 0, 0, 0}));
  EXPECT_EQ(result["closed"], Json({kClosed, 1}));
  const int active = number_of(Status::TooManyActiveZones);
  EXPECT_EQ(result["active"], Json({active, active, active}));
  const int open = number_of(Status::TooManyOpenZones);
  EXPECT_EQ(result["open"], Json({open, open}));
  EXPECT_EQ(result["error"][1], kZone);
  EXPECT_EQ(result["fused"], Json({number_of(Status::InvalidField), number_of(Status::FailedFused)}));
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmeZones, ManagementSendDoesWhatItsActionSays) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench&, ZonedHost& zones, Json& json) {
    const auto note = [&](const char* what, Status status, std::uint64_t lba) {
      json[what] = {number_of(status), state_of(zones, lba)};
    };
    note("open", zones.send(ZonedHost::kOpen, 0), 0);
    note("close_empty", zones.send(ZonedHost::kClose, kZone), kZone);
    zones.append(0, 5);
    note("close", zones.send(ZonedHost::kClose, 0), 0);
    note("finish", zones.send(ZonedHost::kFinish, 0), 0);
    note("open_full", zones.send(ZonedHost::kOpen, 0), 0);
    note("offline", zones.send(ZonedHost::kOffline, 0), 0);
    note("reset", zones.send(ZonedHost::kReset, 0), 0);
    note("finish_empty", zones.send(ZonedHost::kFinish, 0), 0);
    zones.append(kZone, 1);
    zones.append(2 * kZone, 1);
    note("close_all", zones.send(ZonedHost::kClose | ZonedHost::kAll, 77), kZone);
    note("open_all", zones.send(ZonedHost::kOpen | ZonedHost::kAll, 0), 2 * kZone);
    note("finish_all", zones.send(ZonedHost::kFinish | ZonedHost::kAll, std::uint64_t{1} << 50U), 2 * kZone);
    note("offline_all", zones.send(ZonedHost::kOffline | ZonedHost::kAll, 0), 0);
    note("reset_all", zones.send(ZonedHost::kReset | ZonedHost::kAll, 0), 2 * kZone);
    json["empty"] = zones.report(0, 1).count == zones.report(0, 0).count;
    for (const std::uint32_t action : {0x00U, 0x06U, 0x10U, 0x12U, 0xffU, 0x11U | ZonedHost::kAll})
      json["actions"].push_back(number_of(zones.send(action, 0)));
    json["inside"] = number_of(zones.send(ZonedHost::kReset, 1));
    json["outside"] = number_of(zones.send(ZonedHost::kReset, std::uint64_t{1} << 62U));
  });
  const int transition = number_of(Status::InvalidZoneStateTransition);
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["open"], Json({0, {kExplicit, 0}}));
  EXPECT_EQ(result["close_empty"], Json({transition, {kEmpty, 0}}));
  EXPECT_EQ(result["close"], Json({0, {kClosed, 5}}));
  EXPECT_EQ(result["finish"], Json({0, {kFull, kZone}}));
  EXPECT_EQ(result["open_full"], Json({transition, {kFull, kZone}}));
  EXPECT_EQ(result["offline"], Json({transition, {kFull, kZone}}));
  EXPECT_EQ(result["reset"], Json({0, {kEmpty, 0}}));
  EXPECT_EQ(result["finish_empty"], Json({0, {kFull, kZone}}));
  EXPECT_EQ(result["close_all"], Json({0, {kClosed, 1}}));
  EXPECT_EQ(result["open_all"], Json({0, {kExplicit, 1}}));
  EXPECT_EQ(result["finish_all"], Json({0, {kFull, kZone}}));
  EXPECT_EQ(result["offline_all"], Json({0, {kFull, kZone}}));
  EXPECT_EQ(result["reset_all"], Json({0, {kEmpty, 0}}));
  EXPECT_EQ(result["empty"], true);
  EXPECT_EQ(result["actions"], Json({invalid, invalid, invalid, invalid, invalid, invalid}));
  EXPECT_EQ(result["inside"], invalid);
  EXPECT_EQ(result["outside"], number_of(Status::LbaOutOfRange));
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmeZones, ReportsArePartialOrWholeAndFiltered) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench& bench, ZonedHost& zones, Json& json) {
    zones.append(0, 2);
    zones.send(ZonedHost::kOpen, kZone);
    zones.append(2 * kZone, 1);
    zones.send(ZonedHost::kClose, 2 * kZone);
    zones.send(ZonedHost::kFinish, 3 * kZone);
    const ZonedHost::Report all = zones.report();
    json["all"] = all.count == all.zones.size();
    for (std::size_t i = 0; i < 5; ++i)
      json["first"].push_back({all.zones[i].state, all.zones[i].capacity, all.zones[i].start, all.zones[i].pointer,
                               all.zones[i].attributes});
    for (std::uint32_t filter = 1; filter <= 7; ++filter) {
      const ZonedHost::Report some = zones.report(0, filter);
      json["filters"].push_back({number_of(some), some.count, some.count == 0 ? 0 : some.zones[0].start});
    }
    json["zones"] = all.count;
    const ZonedHost::Report inside = zones.report(2 * kZone + 7);
    json["inside"] = {inside.count, inside.zones[0].start};
    json["two"] = {zones.report(kZone, 0, 64 + 128, true).count, zones.report(kZone, 0, 64 + 128, false).count};
    json["torn"] = zones.report(0, 0, 64 + 100, true).count;  // no room for the second descriptor
    json["head"] = {zones.report(0, 0, 64, true).count, zones.report(0, 4, 64, false).count};
    nvme::Entry four = zones.report_entry(0, 0, 4, false);
    json["four"] = {number_of(zones.status(four)), field<std::uint32_t>(zones, 0)};
    json["filter"] = number_of(zones.report(0, 8));
    nvme::Entry extended = zones.report_entry(0, 0, 4096, true);
    extended.dword13 |= 1;
    json["extended"] = number_of(zones.status(extended));
    json["long"] = number_of(zones.status(zones.report_entry(0, 0, (512 << 10) + 4, true)));
    json["outside"] = number_of(zones.report(std::uint64_t{1} << 48U));
    nvme::Entry pointer = zones.report_entry(0, 0, 4096, true);
    pointer.pointer1 = 3;
    json["pointer"] = number_of(zones.status(pointer));
    pointer.pointer1 = bench.host.memory.size();
    json["memory"] = number_of(zones.status(pointer));
  });
  const auto zones = result["zones"].get<std::uint64_t>();
  EXPECT_EQ(result["all"], true);
  EXPECT_EQ(result["first"], Json({{kImplicit, kCapacity, 0, 2, 0},
                                   {kExplicit, kCapacity, kZone, kZone, 0},
                                   {kClosed, kCapacity, 2 * kZone, 2 * kZone + 1, 0},
                                   {kFull, kCapacity, 3 * kZone, 4 * kZone, 0},
                                   {kEmpty, kCapacity, 4 * kZone, 4 * kZone, 0}}));
  EXPECT_EQ(result["filters"], Json({{0, zones - 4, 4 * kZone},
                                     {0, 1, 0},
                                     {0, 1, kZone},
                                     {0, 1, 2 * kZone},
                                     {0, 1, 3 * kZone},
                                     {0, 0, 0},
                                     {0, 0, 0}}));
  EXPECT_EQ(result["inside"], Json({zones - 2, 2 * kZone}));
  EXPECT_EQ(result["two"], Json({2, zones - 1}));
  EXPECT_EQ(result["torn"], 1);
  EXPECT_EQ(result["head"], Json({0, 1}));
  EXPECT_EQ(result["four"], Json({0, zones}));
  const int invalid = number_of(Status::InvalidField);
  EXPECT_EQ(result["filter"], invalid);
  EXPECT_EQ(result["extended"], invalid);
  EXPECT_EQ(result["long"], invalid);
  EXPECT_EQ(result["outside"], number_of(Status::LbaOutOfRange));
  EXPECT_EQ(result["pointer"], number_of(Status::PrpOffset));
  EXPECT_EQ(result["memory"], number_of(Status::DataTransferError));
}

TEST(NvmeZones, RandomWriteAreasAreAllocatedWrittenAndCommitted) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench&, ZonedHost& zones, Json& json) {
    const auto open = [&](std::uint64_t zone) {
      return number_of(zones.send(ZonedHost::kOpen | ZonedHost::kRandomArea, zone * kZone));
    };
    json["open"] = {open(0), open(1), open(2), open(0)};
    json["attributes"] = {zones.report(0).zones[0].attributes, zones.report(2 * kZone).zones[0].attributes};
    json["append"] = number_of(zones.append(0, 1));
    json["writes"] = {number_of(zones.write(6, 2)), number_of(zones.write(0, 4)), number_of(zones.write(0, 4))};
    json["uncommitted"] = state_of(zones, 0);
    json["commit"] = {number_of(zones.send(ZonedHost::kCommit, 2)), number_of(zones.send(ZonedHost::kCommit, 3)),
                      state_of(zones, 0)};
    json["behind"] = {number_of(zones.write(3, 1)), number_of(zones.write(4 + 2 * kArea, 1))};
    json["implicit"] = {number_of(zones.write(12, 1)), state_of(zones, 0)};
    std::vector<ZonedHost::Sector> sectors;
    zones.read(0, 14, sectors);
    for (const ZonedHost::Sector& sector : sectors) json["read"].push_back({sector.number, sector.place});
    json["plain"] = number_of(zones.send(ZonedHost::kCommit, 2 * kZone));
    json["all"] = number_of(zones.send(ZonedHost::kOpen | ZonedHost::kAll | ZonedHost::kRandomArea, 0));
    zones.append(3 * kZone, 1);
    json["not_empty"] = open(3);
    zones.send(ZonedHost::kFinish, kZone);
    json["released"] = {zones.report(kZone).zones[0].attributes, open(2)};
  });
  EXPECT_EQ(result["open"], Json({0, 0, number_of(Status::RandomWriteAreasUnavailable), 0}));
  EXPECT_EQ(result["attributes"], Json({1U << 3U, 0}));
  EXPECT_EQ(result["append"], number_of(Status::InvalidZoneOperation));
  EXPECT_EQ(result["writes"], Json({0, 0, 0}));
  EXPECT_EQ(result["uncommitted"], Json({kExplicit, 0}));
  EXPECT_EQ(result["commit"], Json({number_of(Status::InvalidField), 0, {kExplicit, 4}}));
  const int wrong = number_of(Status::ZoneInvalidWrite);
  EXPECT_EQ(result["behind"], Json({wrong, wrong}));
  EXPECT_EQ(result["implicit"], Json({0, {kExplicit, 8}}));
  // The refused append was number 1; sectors 6 and 7 are of write 2, 0 to 3 of write 4, 12 of write 7.
  EXPECT_EQ(result["read"], Json({{4, 0},
                                  {4, 1},
                                  {4, 2},
                                  {4, 3},
                                  {0, 0},
                                  {0, 0},
                                  {2, 0},
                                  {2, 1},
                                  {0, 0},
                                  {0, 0},
                                  {0, 0},
                                  {0, 0},
                                  {7, 0},
                                  {0, 0}}));
  EXPECT_EQ(result["plain"], number_of(Status::InvalidZoneOperation));
  EXPECT_EQ(result["all"], number_of(Status::InvalidField));
  EXPECT_EQ(result["not_empty"], number_of(Status::InvalidZoneOperation));
  EXPECT_EQ(result["released"], Json({0, 0}));
  EXPECT_EQ(result["mismatches"], 0);
}

TEST(NvmeZones, AFormatEmptiesThem) {
  const Json result = with_zones(zoned_drive(), [](NvmeBench& bench, ZonedHost& zones, Json& json) {
    zones.append(0, 9);
    zones.send(ZonedHost::kFinish, kZone);
    nvme::Entry format{};
    format.opcode = nvme::kFormat;
    format.name_space = 1;
    json["format"] = number_of(bench.host.status_of(0, format));
    json["empty"] = zones.report(0, 1).count == zones.report(0, 0).count;
    std::vector<ZonedHost::Sector> sectors;
    json["read"] = {number_of(zones.read(0, 1, sectors)), sectors[0].number};
    json["test"] = [&] {
      nvme::Entry self_test{};
      self_test.opcode = nvme::kDeviceSelfTest;
      self_test.name_space = 1;
      self_test.dword10 = 2;
      bench.host.run(0, self_test);
      do {
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
        bench.host.run(0, bench.host.log_page(6, 564, zones.data_address()));
      } while (field<std::uint8_t>(zones, 0) != 0);
      return field<std::uint8_t>(zones, 4) & 0xf;
    }();
  });
  EXPECT_EQ(result["format"], 0);
  EXPECT_EQ(result["empty"], true);
  EXPECT_EQ(result["read"], Json({0, 0}));
  EXPECT_EQ(result["test"], 0);
}

// Failing erase units take zones offline one by one; the controller tells the host if the host enabled the event.
TEST(NvmeZones, TheHostIsToldOfZonesThatGoOffline) {
  for (const bool wanted : {true, false}) {
    const Json result = with_zones(
        zoned_drive({"nand.endurance=3"}),
        [wanted](NvmeBench& bench, ZonedHost& zones, Json& json) {
          NvmeHost& host = bench.host;
          nvme::Entry feature{};
          feature.opcode = nvme::kSetFeatures;
          feature.dword10 = 0x0b;
          feature.dword11 = wanted ? 1U << 27U : 0;
          host.run(0, feature);
          nvme::Entry request{};
          request.opcode = nvme::kAsynchronousEventRequest;
          const std::uint16_t id = host.send(0, request);
          const auto changed = [&] {
            nvme::Entry log = host.log_page(0xbf, 4096, zones.data_address());
            log.name_space = 1;
            const int status = number_of(host.status_of(0, log));
            return Json{status, field<std::uint16_t>(zones, 0), field<std::uint64_t>(zones, 8)};
          };
          json["quiet"] = changed();
          std::uint64_t gone = 0;
          for (std::uint64_t i = 0; zones.report(0, 7).count == 0; ++i) {
            gone = i % 5 * kZone;
            if (i == 2'000) throw std::runtime_error("no zone goes offline");
            if (zones.append(gone, 4).status != Status::Success) throw std::runtime_error("an append failed");
            zones.flush();  // otherwise the reset would come before the data are programmed
            if (zones.send(ZonedHost::kReset, gone) != Status::Success) throw std::runtime_error("a reset failed");
          }
          if (wanted) {
            const nvme::Completion event = host.wait_for(0, id);
            json["event"] = {event.result, event.result_high};
          } else {
            host.take_completions();
            json["events"] = host.unclaimed(0);
          }
          json["gone"] = gone;
          json["changed"] = changed();
          json["again"] = changed();
          nvme::Entry everywhere = host.log_page(0xbf, 4096, zones.data_address());
          json["everywhere"] = number_of(host.status_of(0, everywhere));
          std::vector<ZonedHost::Sector> sectors;
          json["offline"] = {number_of(zones.append(gone, 1)),
                             number_of(zones.write(gone, 1)),
                             number_of(zones.read(gone, 1, sectors)),
                             number_of(zones.send(ZonedHost::kReset, gone)),
                             number_of(zones.send(ZonedHost::kOffline, gone)),
                             state_of(zones, gone)[0]};
        },
        kAllCommandSets, false);
    const auto gone = result["gone"].get<std::uint64_t>();
    EXPECT_EQ(result["quiet"], Json({0, 0, 0}));
    if (wanted)
      EXPECT_EQ(result["event"], Json({0xbfef02, 1}));
    else
      EXPECT_EQ(result["events"], 0);
    EXPECT_EQ(result["changed"], Json({0, 1, gone}));
    EXPECT_EQ(result["again"], Json({0, 0, 0}));
    EXPECT_EQ(result["everywhere"], number_of(Status::InvalidNamespace));
    const int offline = number_of(Status::ZoneIsOffline);
    EXPECT_EQ(result["offline"],
              Json({offline, offline, offline, number_of(Status::InvalidZoneStateTransition), 0, kOffline}));
    EXPECT_EQ(result["mismatches"], 0);
  }
}

}  // namespace
}  // namespace flashloom::nvme_zones_test
