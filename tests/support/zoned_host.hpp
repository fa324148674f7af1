// A driver of zones over the registers of an NVMe controller: sends each command, and decodes its completion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/nvme_bench.hpp"

namespace flashloom {

/// Uses namespace 1 with sectors of 4 KiB, one command at a time on queue 1. Each call of write() and append() writes a
/// pattern that carries the number of the call; number 0 stands for zeroes.
class ZonedHost {
 public:
  static constexpr std::uint32_t kSector = 4096;
  static constexpr std::uint32_t kMostSectors = 64;  ///< per command
  enum Action : std::uint32_t { kClose = 1, kFinish = 2, kOpen = 3, kReset = 4, kOffline = 5, kCommit = 0x11 };
  static constexpr std::uint32_t kAll = 1U << 8U;
  static constexpr std::uint32_t kRandomArea = 1U << 9U;
  static constexpr std::uint32_t kPartial = 1U << 16U;

  explicit ZonedHost(NvmeHost& host)
      : host_(host), data_(host.allocate(kMostSectors * kSector)), list_(host.allocate(kSector)) {
    for (std::uint32_t page = 1; page < kMostSectors; ++page)
      nvme::put(host.memory.at(list_), 8 * (page - 1), data_ + page * kSector);
  }

  /// The buffer of data and of structures.
  std::byte* data() { return host_.memory.at(data_); }
  std::uint64_t data_address() const { return data_; }

  nvme::Entry entry(std::uint8_t opcode, std::uint64_t lba, std::uint32_t sectors) const {
    nvme::Entry entry = NvmeHost::io(opcode, lba, sectors, data_);
    entry.pointer2 = sectors > 2 ? list_ : data_ + kSector;
    return entry;
  }
  nvme::Completion run(const nvme::Entry& entry) { return host_.run(1, entry); }
  nvme::Status status(const nvme::Entry& entry) { return host_.status_of(1, entry); }

  /// Fills the sectors of the buffer with the next number.
  void fill(std::uint32_t sectors) {
    ++number_;
    for (std::uint32_t i = 0; i < sectors; ++i) fill_sector(data() + std::size_t{i} * kSector, number_, i);
  }
  std::uint32_t number() const { return number_; }

  nvme::Status write(std::uint64_t lba, std::uint32_t sectors, bool fua = false) {
    fill(sectors);
    nvme::Entry command = entry(nvme::kWrite, lba, sectors);
    if (fua) command.dword12 |= 1U << 30U;
    return status(command);
  }
  struct Appended {
    nvme::Status status;
    std::uint64_t lba;
  };
  Appended append(std::uint64_t zone, std::uint32_t sectors) {
    fill(sectors);
    const nvme::Completion done = run(entry(nvme::kZoneAppend, zone, sectors));
    return {NvmeHost::status(done), done.result | std::uint64_t{done.result_high} << 32U};
  }
  nvme::Status send(std::uint32_t action, std::uint64_t lba) {
    nvme::Entry command = entry(nvme::kZoneManagementSend, lba, 1);
    command.dword12 = 0;
    command.dword13 = action;
    return status(command);
  }
  nvme::Status flush() { return status(NvmeHost::io(nvme::kFlush, 0, 1, 0)); }

  /// Which write a sector came from, and its index there; sector_at() throws if a sector is neither such a pattern nor
  /// zeroes.
  struct Sector {
    std::uint32_t number = 0;
    std::uint32_t place = 0;
    bool operator==(const Sector&) const = default;
  };
  nvme::Status read(std::uint64_t lba, std::uint32_t sectors, std::vector<Sector>& into) {
    std::fill_n(data(), std::size_t{sectors} * kSector, std::byte{0xee});
    const nvme::Status done = status(entry(nvme::kRead, lba, sectors));
    into.clear();
    for (std::uint32_t i = 0; i < sectors && done == nvme::Status::Success; ++i)
      into.push_back(sector_at(data() + std::size_t{i} * kSector));
    return done;
  }

  nvme::Entry report_entry(std::uint64_t lba, std::uint32_t filter, std::uint32_t bytes, bool partial) const {
    nvme::Entry command = entry(nvme::kZoneManagementReceive, lba, (bytes + kSector - 1) / kSector);
    command.dword12 = bytes / 4 - 1;
    command.dword13 = filter << 8U | (partial ? kPartial : 0);
    return command;
  }
  struct Zone {
    std::uint32_t state;
    std::uint64_t capacity;
    std::uint64_t start;
    std::uint64_t pointer;
    std::uint32_t attributes;
  };
  struct Report {
    nvme::Status status;
    std::uint64_t count = 0;
    std::vector<Zone> zones{};
  };
  Report report(std::uint64_t lba = 0, std::uint32_t filter = 0, std::uint32_t bytes = kMostSectors * kSector,
                bool partial = true) {
    std::fill_n(data(), bytes, std::byte{0xee});
    Report report{.status = status(report_entry(lba, filter, bytes, partial))};
    if (report.status != nvme::Status::Success) return report;
    report.count = nvme::get_field<std::uint64_t>(data(), 0);
    const std::uint64_t told = std::min<std::uint64_t>(report.count, (bytes - 64) / 64);
    for (std::uint64_t i = 0; i < told; ++i) {
      const std::byte* const at = data() + 64 + 64 * i;
      if (nvme::get_field<std::uint8_t>(at, 0) != 2) throw std::runtime_error("no zone of sequential writes");
      report.zones.push_back({.state = std::uint32_t{nvme::get_field<std::uint8_t>(at, 1)} >> 4U,
                              .capacity = nvme::get_field<std::uint64_t>(at, 8),
                              .start = nvme::get_field<std::uint64_t>(at, 16),
                              .pointer = nvme::get_field<std::uint64_t>(at, 24),
                              .attributes = nvme::get_field<std::uint8_t>(at, 2)});
    }
    return report;
  }

 private:
  static void fill_sector(std::byte* into, std::uint32_t number, std::uint32_t place) {
    for (std::uint32_t at = 0; at < kSector; at += 8) nvme::put(into, at, std::uint64_t{number} << 32U | place);
  }
  static Sector sector_at(const std::byte* sector) {
    const auto word = nvme::get_field<std::uint64_t>(sector, 0);
    for (std::uint32_t at = 8; at < kSector; at += 8)
      if (nvme::get_field<std::uint64_t>(sector, at) != word) throw std::runtime_error("a sector of mixed bytes");
    return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint32_t>(word)};
  }

  NvmeHost& host_;
  std::uint64_t data_;
  std::uint64_t list_;
  std::uint32_t number_ = 0;
};

// Zones of 64 sectors of 4 KiB every 128 sectors; random write areas of 8 sectors, committed four at a time.
inline constexpr std::uint64_t kZone = 128;
inline constexpr std::uint32_t kCapacity = 64;
inline constexpr std::uint32_t kArea = 8;
inline constexpr std::uint32_t kGranule = 4;
inline constexpr std::uint32_t kMaxOpen = 3;
inline constexpr std::uint32_t kMaxActive = 4;
inline constexpr std::uint32_t kMaxAreas = 2;
/// Zone states of a descriptor.
enum ZoneStateCode : std::uint32_t {
  kEmpty = 1,
  kImplicit = 2,
  kExplicit = 3,
  kClosed = 4,
  kReadOnly = 13,
  kFull = 14,
  kOffline = 15
};

inline DeviceConfig zoned_drive(const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = {
      "nand.page_size=16 KiB",
      "nand.pages=8",
      "nand.blocks=32",
      "host_interface.sector_size=4 KiB",
      "buffer.replacement=fifo",
      "ftl.over_provisioning=1.0",
      R"(ftl.kind={ name = "zoned", dies = 2, zone_size = "512 KiB", zone_capacity = "256 KiB", )"
      R"(max_open = 3, max_active = 4, )"
      R"(random_write_area = "32 KiB", random_write_granularity = "16 KiB", max_random_write_areas = 2 })"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return small_preset("tiny", all);
}

inline constexpr NvmeHost::Options kAllCommandSets{.command_sets = 6};

/// Runs `body` as the driver of a drive, audits all written data if `audited` (that is, if all of it is readable), and
/// adds "mismatches".
inline Json with_zones(const DeviceConfig& config, const std::function<void(NvmeBench&, ZonedHost&, Json&)>& body,
                       const NvmeHost::Options& options = kAllCommandSets, bool audited = true) {
  return in_child([&]() -> Json {
    NvmeBench bench(config, options);
    Json json;
    bench.run_ready([&] {
      ZonedHost zones(bench.host);
      body(bench, zones, json);
    });
    bench.simulation.quiesce();
    if (audited) bench.simulation.audit();
    json["mismatches"] = bench.simulation.oracle()->mismatches();
    return json;
  });
}

inline int number_of(const ZonedHost::Report& report) { return number_of(report.status); }
inline int number_of(const ZonedHost::Appended& appended) { return number_of(appended.status); }

/// A field of the structure at data().
template <class T>
T field(ZonedHost& zones, std::size_t offset) {
  return nvme::get_field<T>(zones.data(), offset);
}

}  // namespace flashloom
