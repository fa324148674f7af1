// Zones over the NVMe registers against a small model of the specification: random commands, and power cuts.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "tests/support/zoned_host.hpp"
#include "workloads/random.hpp"

namespace flashloom::nvme_zones_model_test {
namespace {

using nvme::Status;
using Sector = ZonedHost::Sector;

/// The behaviour of a zoned namespace, one command at a time, written from the specification alone.
class Model {
 public:
  struct Zone {
    std::uint32_t state = kEmpty;
    std::uint32_t written = 0;
    bool area = false;
    std::vector<Sector> sectors = std::vector<Sector>(kZone);
    bool open() const { return state == kImplicit || state == kExplicit; }
    bool active() const { return open() || state == kClosed; }
  };

  explicit Model(std::size_t zones) : zones_(zones) {}

  const std::vector<Zone>& zones() const { return zones_; }
  Sector sector(std::uint64_t lba) const { return zones_[lba / kZone].sectors[lba % kZone]; }

  Status write(std::uint64_t lba, std::uint32_t count, std::uint32_t number) {
    if (lba + count > zones_.size() * kZone) return Status::LbaOutOfRange;
    Zone& zone = zones_[lba / kZone];
    const auto first = static_cast<std::uint32_t>(lba % kZone);
    if (zone.state == kFull) return Status::ZoneIsFull;
    if (zone.area ? first < zone.written || first + count > zone.written + 2 * kArea : first != zone.written)
      return Status::ZoneInvalidWrite;
    if (first + count > kCapacity) return Status::ZoneBoundaryError;
    if (const Status status = make_open(zone, kImplicit); status != Status::Success) return status;
    for (std::uint32_t i = 0; i < count; ++i) zone.sectors[first + i] = {number, i};
    if (!zone.area) {
      advance(zone, first + count);
    } else if (first + count > zone.written + kArea) {
      const std::uint32_t beyond = first + count - zone.written - kArea;
      advance(zone, std::min(kCapacity, zone.written + (beyond + kGranule - 1) / kGranule * kGranule));
    }
    return Status::Success;
  }
  Status append(std::uint64_t lba, std::uint32_t count, std::uint32_t number, std::uint64_t& placed) {
    if (lba >= zones_.size() * kZone) return Status::LbaOutOfRange;
    Zone& zone = zones_[lba / kZone];
    if (lba % kZone != 0) return Status::InvalidField;
    if (zone.area) return Status::InvalidZoneOperation;
    if (zone.state == kFull) return Status::ZoneIsFull;
    if (zone.written + count > kCapacity) return Status::ZoneBoundaryError;
    placed = lba + zone.written;
    return write(placed, count, number);
  }
  Status send(std::uint32_t action, std::uint64_t lba) {
    const std::uint32_t what = action & 0xffU;
    if ((action & ZonedHost::kAll) != 0) return send_all(what, (action & ZonedHost::kRandomArea) != 0);
    if (lba >= zones_.size() * kZone) return Status::LbaOutOfRange;
    if (what == ZonedHost::kCommit) return commit(lba);
    if (lba % kZone != 0) return Status::InvalidField;
    return one(what, zones_[lba / kZone], (action & ZonedHost::kRandomArea) != 0);
  }

 private:
  std::size_t count(bool (Zone::*what)() const) const {
    return static_cast<std::size_t>(std::ranges::count_if(zones_, what));
  }
  void enter(Zone& zone, std::uint32_t state) {
    std::erase(implicit_, &zone);
    zone.state = state;
    if (state == kImplicit) implicit_.push_back(&zone);
    zone.area = zone.area && zone.active();
  }
  Status make_open(Zone& zone, std::uint32_t state) {
    if (zone.open()) {
      if (state == kExplicit) enter(zone, state);
      return Status::Success;
    }
    if (!zone.active() && count(&Zone::active) == kMaxActive) return Status::TooManyActiveZones;
    if (count(&Zone::open) == kMaxOpen) {
      if (implicit_.empty()) return Status::TooManyOpenZones;
      enter(*implicit_.front(), kClosed);
    }
    enter(zone, state);
    return Status::Success;
  }
  void advance(Zone& zone, std::uint32_t written) {
    zone.written = written;
    if (written == kCapacity) enter(zone, kFull);
  }
  Status commit(std::uint64_t lba) {
    Zone& zone = zones_[lba / kZone];
    const auto end = static_cast<std::uint32_t>(lba % kZone + 1);
    if (!zone.area) return Status::InvalidZoneOperation;
    if (end <= zone.written || end > zone.written + kArea || end > kCapacity || (end - zone.written) % kGranule != 0)
      return Status::InvalidField;
    if (const Status status = make_open(zone, kImplicit); status != Status::Success) return status;
    advance(zone, end);
    return Status::Success;
  }
  Status one(std::uint32_t action, Zone& zone, bool area) {
    switch (action) {
      case ZonedHost::kOpen: {
        if (zone.state == kFull) return Status::InvalidZoneStateTransition;
        const bool gives = area && !zone.area;
        if (gives && zone.state != kEmpty) return Status::InvalidZoneOperation;
        if (gives && std::ranges::count_if(zones_, &Zone::area) == kMaxAreas)
          return Status::RandomWriteAreasUnavailable;
        if (const Status status = make_open(zone, kExplicit); status != Status::Success) return status;
        zone.area = zone.area || area;
        return Status::Success;
      }
      case ZonedHost::kClose:
        if (!zone.active()) return Status::InvalidZoneStateTransition;
        if (zone.state != kClosed) enter(zone, kClosed);
        return Status::Success;
      case ZonedHost::kFinish:
        enter(zone, kFull);
        return Status::Success;
      case ZonedHost::kReset:
        enter(zone, kEmpty);
        zone.written = 0;
        zone.sectors.assign(kZone, {});
        return Status::Success;
      default:
        return action == ZonedHost::kOffline ? Status::InvalidZoneStateTransition : Status::InvalidField;
    }
  }
  Status send_all(std::uint32_t action, bool area) {
    if (action == ZonedHost::kCommit || (action == ZonedHost::kOpen && area)) return Status::InvalidField;
    if (action == ZonedHost::kOpen) {
      std::size_t wanted = 0;
      for (const Zone& zone : zones_) wanted += zone.state == kExplicit || zone.state == kClosed ? 1 : 0;
      if (wanted > kMaxOpen) return Status::TooManyOpenZones;
    }
    if (action > ZonedHost::kOffline || action == 0) return Status::InvalidField;
    std::vector<Zone*> meant;  // by their states before the action, since opening one zone may close another
    for (Zone& zone : zones_)
      if ((action == ZonedHost::kOpen && zone.state == kClosed) || (action == ZonedHost::kClose && zone.open()) ||
          (action == ZonedHost::kFinish && zone.active()) ||
          (action == ZonedHost::kReset && (zone.active() || zone.state == kFull)))
        meant.push_back(&zone);
    for (Zone* const zone : meant) one(action, *zone, false);
    return Status::Success;
  }

  std::vector<Zone> zones_;
  std::deque<Zone*> implicit_;  // implicitly opened zones, oldest first
};

class Players {
 public:
  Players(ZonedHost& drive, std::size_t zones, std::uint64_t seed) : drive_(drive), model_(zones), random_(seed) {}

  void step() {
    const std::uint64_t zone = random_.below(kPlayed);
    const Model::Zone& state = model_.zones()[zone];
    const auto count = static_cast<std::uint32_t>(1 + random_.below(random_.below(4) == 0 ? 40 : 6));
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3: {  // mostly at or near the write pointer
        const std::uint64_t at = state.written + random_.below(state.area ? 2 * kArea : random_.below(6) == 0 ? 3 : 1);
        const std::uint64_t lba = zone * kZone + std::min<std::uint64_t>(at, kZone - 1);
        const Status told = drive_.write(lba, count, random_.below(5) == 0);
        return expect(told, model_.write(lba, count, drive_.number()), "write");
      }
      case 4:
      case 5:
      case 6: {
        const std::uint64_t lba = zone * kZone + (random_.below(10) == 0 ? random_.below(kZone) : 0);
        const ZonedHost::Appended told = drive_.append(lba, count);
        std::uint64_t placed = 0;
        expect(told.status, model_.append(lba, count, drive_.number(), placed), "append");
        if (told.status == Status::Success) {
          EXPECT_EQ(told.lba, placed);
        }
        return;
      }
      case 7:
      case 8: {
        const std::uint64_t lba = zone * kZone + random_.below(kZone);
        std::vector<Sector> sectors;
        expect(drive_.read(lba, count, sectors), Status::Success, "read");
        for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(sectors[i], model_.sector(lba + i)) << lba + i;
        return;
      }
      case 9:
      case 10: {
        const std::uint64_t lba = zone * kZone + state.written + kGranule * random_.below(3) + random_.below(2) * 3;
        if (!state.area) return send(ZonedHost::kOpen | ZonedHost::kRandomArea, zone * kZone);
        return send(ZonedHost::kCommit, std::min(lba, (zone + 1) * kZone - 1));
      }
      case 11:
        if (random_.below(3) == 0) return compare();
        return expect(drive_.flush(), Status::Success, "flush");
      default: {
        static constexpr std::array<std::uint32_t, 9> kActions = {1, 2, 3, 3, 4, 4, 5, 0x10, 0};
        const std::uint32_t all = random_.below(12) == 0 ? ZonedHost::kAll : 0;
        const std::uint32_t area = random_.below(2) == 0 ? ZonedHost::kRandomArea : 0;
        return send(kActions[random_.below(kActions.size())] | all | area,
                    zone * kZone + (random_.below(20) == 0 ? 1 : 0));
      }
    }
  }

  void compare() {
    const ZonedHost::Report report = drive_.report();
    ASSERT_EQ(report.zones.size(), model_.zones().size());
    for (std::size_t i = 0; i < report.zones.size(); ++i) {
      const Model::Zone& zone = model_.zones()[i];
      const ZonedHost::Zone& told = report.zones[i];
      EXPECT_EQ(told.state, zone.state) << i;
      EXPECT_EQ(told.pointer - told.start, zone.state == kFull ? kZone : zone.written) << i;
      EXPECT_EQ(told.attributes, zone.area ? 1U << 3U : 0U) << i;
    }
  }
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::uint64_t kPlayed = 7;  // zones

  void send(std::uint32_t action, std::uint64_t lba) {
    const Status told = drive_.send(action, lba);
    expect(told, model_.send(action, lba), "send");
  }
  void expect(Status told, Status wanted, const char* what) {
    EXPECT_EQ(number_of(told), number_of(wanted)) << what;
    refused_ += wanted == Status::Success ? 0 : 1;
  }

  ZonedHost& drive_;
  Model model_;
  Random random_;
  std::uint64_t refused_ = 0;
};

TEST(NvmeZonesModel, RandomCommandsEndAsInTheModel) {
  const std::vector<std::vector<std::string>> drives = {
      {}, {"buffer.mode=write_through"}, {"power.plp=true", "buffer.size=1 MiB"}};
  for (std::size_t number = 0; number < drives.size(); ++number) {
    const Json result = with_zones(zoned_drive(drives[number]), [&](NvmeBench&, ZonedHost& zones, Json& json) {
      Players players(zones, zones.report().zones.size(), 7 + number);
      std::uint64_t steps = 0;
      for (; steps < 3'000 && !testing::Test::HasFailure(); ++steps) players.step();
      players.compare();
      json["steps"] = steps;
      json["refused"] = players.refused();
      json["failed"] = testing::Test::HasFailure();
    });
    EXPECT_FALSE(result["failed"]) << "drive " << number << ", step " << result["steps"];
    EXPECT_GT(result["refused"], 300);
    EXPECT_LT(result["refused"], 2'000);
    EXPECT_EQ(result["mismatches"], 0);
  }
}

/// A driver that appends to zones in turn, finishes, resets, and flushes, until the power fails.
class UntilTheCut {
 public:
  UntilTheCut(NvmeHost& host, ZonedHost& zones) : host_(host), zones_(zones) {}

  struct Zone {
    std::vector<Sector> sent;      // sectors that the zone may hold, from its start on
    std::size_t acknowledged = 0;  // number of sectors acknowledged
    std::size_t flushed = 0;       // number of sectors covered by the last acknowledged flush
    bool resetting = false;        // a reset of the zone was in flight, or no flush followed it
    bool finishing = false;
  };

  void run() {
    for (std::uint64_t turn = 0;; ++turn) {
      Zone& zone = of[turn % of.size()];
      const std::uint64_t start = turn % of.size() * kZone;
      const auto count = static_cast<std::uint32_t>(1 + turn % 5);
      if (zone.sent.size() + count > kCapacity || (turn % 23 == 0 && !zone.sent.empty())) {
        zone.finishing = true;
        if (turn % 2 == 0 && !done(action(ZonedHost::kFinish, start))) return;
        zone.resetting = true;
        if (!done(action(ZonedHost::kReset, start))) return;
        if (!flushed()) return;
        zone = {};
        continue;
      }
      zones_.fill(count);
      for (std::uint32_t i = 0; i < count; ++i) zone.sent.push_back({zones_.number(), i});
      if (!done(zones_.entry(nvme::kZoneAppend, start, count))) return;
      zone.acknowledged = zone.sent.size();
      if (turn % 7 == 6 && !flushed()) return;
    }
  }

  std::vector<Zone> of = std::vector<Zone>(3);

 private:
  nvme::Entry action(std::uint32_t what, std::uint64_t start) const {
    nvme::Entry entry = zones_.entry(nvme::kZoneManagementSend, start, 1);
    entry.dword13 = what;
    return entry;
  }
  bool flushed() {
    if (!done(NvmeHost::io(nvme::kFlush, 0, 1, 0))) return false;
    for (Zone& zone : of) zone.flushed = zone.acknowledged;
    return true;
  }
  // Returns false if the power failed before the completion.
  bool done(const nvme::Entry& entry) {
    host_.forget_completions();
    const std::uint16_t id = host_.send(1, entry);
    while (host_.unclaimed(1) == 0) {
      if (host_.read32(0x1c) == 0xffffffff) return false;
      sc_core::wait(sc_core::sc_time(20, sc_core::SC_US), host_.interrupted);
      host_.take_completions();
    }
    if (NvmeHost::status(host_.wait_for(1, id)) != Status::Success) throw std::runtime_error("a command failed");
    return true;
  }

  NvmeHost& host_;
  ZonedHost& zones_;
};

// After the cut all flushed sectors lie before the write pointer, the zone holds what was appended, in order, and
// appends continue from there.
TEST(NvmeZonesModel, WhatWasFlushedSurvivesAPowerCut) {
  std::uint64_t flushed = 0;
  std::uint64_t kept = 0;
  for (int cut = 0; cut < 24; ++cut) {
    const bool plp = cut % 4 == 3;
    const std::string at = std::to_string(3'000 + 977 * cut);
    const Json result =
        with_zones(zoned_drive({"power.cut_at=" + at + " us", plp ? "power.plp=true" : "power.plp=false"}),
                   [&](NvmeBench& bench, ZonedHost& zones, Json& json) {
                     NvmeHost& host = bench.host;
                     UntilTheCut before(host, zones);
                     before.run();
                     while (host.read32(0x1c) == 0xffffffff && host.read_configuration(0) == 0xffffffff)
                       sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
                     host.set_up_pci();
                     if (!host.enable()) throw std::runtime_error("it does not get ready again");
                     host.create_queues(1, 64);
                     json["kept"] = json["flushed"] = 0;
                     const ZonedHost::Report report = zones.report();
                     for (std::size_t i = 0; i < before.of.size(); ++i) {
                       const UntilTheCut::Zone& zone = before.of[i];
                       const ZonedHost::Zone& told = report.zones[i];
                       if (told.state == kImplicit || told.state == kExplicit)
                         ADD_FAILURE() << "zone " << i << " is open";
                       const auto pointer = told.state == kFull ? std::min<std::size_t>(zone.sent.size(), kCapacity)
                                                                : static_cast<std::size_t>(told.pointer - told.start);
                       EXPECT_TRUE(told.state != kFull || zone.finishing || zone.sent.size() == kCapacity) << i;
                       EXPECT_LE(pointer, zone.sent.size()) << i;
                       if (!zone.resetting) {
                         EXPECT_GE(pointer, plp ? zone.acknowledged : zone.flushed) << i;
                       }
                       std::vector<Sector> sectors;
                       const auto there = static_cast<std::uint32_t>(pointer);
                       for (std::uint32_t at_sector = 0; at_sector < there; at_sector += 32) {
                         const std::uint32_t here = std::min(32U, there - at_sector);
                         EXPECT_EQ(number_of(zones.read(i * kZone + at_sector, here, sectors)), 0);
                         for (std::uint32_t s = 0; s < here; ++s)
                           if (!zone.finishing || sectors[s] != Sector{}) {
                             EXPECT_EQ(sectors[s], zone.sent[at_sector + s]) << i << " " << at_sector + s;
                           }
                       }
                       json["kept"] = json["kept"].get<std::uint64_t>() + pointer;
                       json["flushed"] = json["flushed"].get<std::uint64_t>() + zone.flushed;
                       // Appends continue at the write pointer.
                       if (told.state != kFull) {
                         const ZonedHost::Appended next = zones.append(i * kZone, 1);
                         EXPECT_EQ(number_of(next), 0);
                         EXPECT_EQ(next.lba, told.pointer);
                       }
                     }
                     json["failed"] = testing::Test::HasFailure();
                   });
    EXPECT_FALSE(result["failed"]) << "cut at " << at << " us";
    EXPECT_EQ(result["mismatches"], 0) << "cut at " << at << " us";
    flushed += result["flushed"].get<std::uint64_t>();
    kept += result["kept"].get<std::uint64_t>();
  }
  EXPECT_GT(flushed, 24U * 10);
  EXPECT_GE(kept, flushed / 2);
}

}  // namespace
}  // namespace flashloom::nvme_zones_model_test
