#include "sc_main/assembly/config/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "controllers/buffer/nvram_records.hpp"
#include "controllers/flash/power_governor.hpp"
#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/mapping/host_level.hpp"
#include "controllers/ftl/recovery/log_apart.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "controllers/host_interface/host_protocol.hpp"
#include "controllers/ssd/firmware.hpp"
#include "models/nand/nand_geometry.hpp"
#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/hold_up.hpp"
#include "sc_main/assembly/config/power_split.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/assembly/config/requirements.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/config/validate_errors.hpp"
#include "sc_main/assembly/config/validate_nand.hpp"
#include "sc_main/assembly/config/validate_room.hpp"
#include "sc_main/assembly/config/validate_zones.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kMostUnitSectors = 64;
constexpr std::uint64_t kMostDevicePages = (std::uint64_t{1} << 32) - 1;  // page numbers have 32 bits

class Validator {
 public:
  explicit Validator(const DeviceConfig& config) : config_(config) {}

  void run() const {
    check_config(config_.link);
    check_config(config_.host_interface, config_.ftl.mapping_unit);
    check_host_interface();
    check_config(config_.nvme);
    check_config(config_.host.cache, config_.host_interface.sector_size);
    check_host_cost();
    check_geometry();
    check_fdp(config_);
    check_host_placement(config_);
    check_nand(config_);
    check_compression(config_);
    check_flash_errors(config_);
    check_zones(config_);
    check_capacity();
    check_namespaces();
    check_config(config_.cpu);
    check_config("dram", config_.dram);
    check_config("nvram", config_.nvram);
    check_config("heap.nvram", config_.heap.nvram);
    check_hmb();
    check_buffer_and_map();
    check_sram();
    check_power();
    check_config(config_.thermal);
    check_faults();
    check_config("array.nvram", config_.array.nvram);
    check_stack(config_);
  }

 private:
  void check_host_interface() const {
    const std::string& kind = config_.host_interface.kind.name;
    require(config_.link.kind == "ideal" || (config_.link.kind == "sata") == (kind == "sata"), "host_interface.kind",
            fmt::format(
                "\"{}\" does not run over link.kind \"{}\"; valid: nvme over pcie, sata over sata, either over ideal",
                kind, config_.link.kind));
    Family<HostProtocol>::make(config_.host_interface.kind, {config_.host.queues, config_.host.queue_priorities,
                                                             config_.host_interface, config_.link})
        ->check();
  }

  void check_host_cost() const {
    const HostConfig& host = config_.host;
    if (!host.has_cost()) return;
    const char* const key = host.cost_key();
    const std::string costs =
        fmt::format("costs the thread of a job {} a request and {} a completion",
                    format_exact(Quantity::Time, host.submit_cost), format_exact(Quantity::Time, host.complete_cost));
    const std::string valid = "; valid: \"none\", with host.submit_cost and host.complete_cost 0 s";
    require(host.cache.size == 0, key,
            costs +
                ", and with host.cache.size jobs do not send to the device: the page cache does, whose own cost is "
                "host.cache.latency" +
                valid);
    require(!config_.heap.present(), key,
            costs + ", and with an object heap no job sends: the heap has instructions of its own" + valid);
  }

  void check_namespaces() const {
    const std::vector<std::uint64_t>& sizes = config_.host_interface.namespaces;
    if (sizes.empty()) return;
    const char* const key = "host_interface.namespaces";
    for (const std::uint64_t size : sizes)
      require(size % config_.ftl.mapping_unit == 0, key,
              fmt::format("{} is no multiple of ftl.mapping_unit, {}", bytes(size), bytes(config_.ftl.mapping_unit)));
    const std::uint64_t device = capacity_bytes(config_);
    std::uint64_t left = device;
    for (const std::uint64_t size : sizes) {
      require(size <= left, key, fmt::format("take more than the device has, {}", bytes(device)));
      left -= size;
    }
    require(config_.host.cache.size == 0, key, "are not kept apart by host.cache; valid: [], or host.cache.size 0 B");
    require(config_.hdd.capacity == 0, key, "are of an SSD, not of a tier; valid: [], or hdd.capacity 0 B");
    require(!config_.heap.present(), key, "do not go with a heap, which swaps to the device; valid: []");
  }

  void check_geometry() const {
    const NandConfig& nand = config_.nand;
    const std::uint32_t sector = config_.host_interface.sector_size;
    const std::uint32_t unit = config_.ftl.mapping_unit;
    require(nand.page_size % sector == 0, "nand.page_size",
            fmt::format("{} is no multiple of host_interface.sector_size, {}", bytes(nand.page_size), bytes(sector)));
    require(unit % sector == 0, "ftl.mapping_unit",
            fmt::format("{} is no multiple of host_interface.sector_size, {}", bytes(unit), bytes(sector)));
    require(unit / sector <= kMostUnitSectors, "ftl.mapping_unit",
            fmt::format("{} is more than {} sectors of {}; valid: at most {}", bytes(unit), kMostUnitSectors,
                        bytes(sector), bytes(std::uint64_t{sector} * kMostUnitSectors)));
    require(
        nand.page_size % unit == 0, "ftl.mapping_unit",
        fmt::format("{} does not divide nand.page_size, {}: a unit lies in one page (small pages of planes that only "
                    "work together are one larger page)",
                    bytes(unit), bytes(nand.page_size)));
    require(nand.pages % nand.pages_per_program == 0, "nand.pages_per_program",
            fmt::format("{} does not divide nand.pages, {}", nand.pages_per_program, nand.pages));
    require(nand.bus_width == 8 || nand.bus_width == 16, "nand.bus_width",
            fmt::format("is {} bits; valid: 8 or 16", nand.bus_width));
    const std::uint64_t dies = std::uint64_t{nand.channels} * nand.ways * nand.dies;
    require(dies <= 65536, "nand.channels",
            fmt::format("channels x ways x dies = {} dies; valid: at most 65536", dies));
    // The FTL numbers mapping units with 32 bits and keeps two values for itself.
    const std::uint64_t units_per_die = std::uint64_t{nand.planes} * nand.blocks * nand.pages * (nand.page_size / unit);
    const std::uint64_t limit = std::uint64_t{0xffffffff} - 1;
    require(units_per_die <= limit / dies, "ftl.mapping_unit",
            fmt::format("{} dies of {} make more than 2^32 - 2 mapping units of {}; valid: {}at most {} for all dies",
                        dies, bytes(units_per_die * unit), bytes(unit), larger_unit(units_per_die * unit, dies, limit),
                        bytes(limit * unit)));
  }

  /// "at least 16 KiB, or ": the smallest larger mapping unit that fits page and limit; empty if there is none.
  std::string larger_unit(std::uint64_t die_bytes, std::uint64_t dies, std::uint64_t most_units) const {
    const std::uint32_t most = std::min(config_.nand.page_size, kMostUnitSectors * config_.host_interface.sector_size);
    for (std::uint32_t unit = config_.ftl.mapping_unit; unit <= most; unit *= 2)
      if (config_.nand.page_size % unit == 0 && die_bytes / unit <= most_units / dies)
        return fmt::format("at least {}, or ", bytes(unit));
    return {};
  }

  void check_capacity() const {
    const FtlConfig& ftl = config_.ftl;
    const NandGeometry geometry = geometry_of(config_);
    check_config(ftl);
    require(config_.precondition.request_size % config_.host_interface.sector_size == 0, "precondition.request_size",
            fmt::format("{} is no multiple of host_interface.sector_size, {}", bytes(config_.precondition.request_size),
                        bytes(config_.host_interface.sector_size)));
    const bool superblocks = collects_superblocks(ftl);
    const std::uint32_t collected =
        superblocks ? geometry.blocks / geometry.planes_apart() : geometry.blocks - geometry.slc_blocks;
    require(ftl.gc_high <= collected / 2, "ftl.gc_high",
            fmt::format("{} of {} {}; valid: at most half of them, {}", ftl.gc_high, collected,
                        superblocks ? "superblocks a group" : "erase units a die", collected / 2));
    require(
        logical_units(config_.ftl, geometry) > 0, "ftl.over_provisioning",
        fmt::format("{} leaves no logical space of {} of flash", ftl.over_provisioning, bytes(geometry.raw_bytes())));
    const std::vector<std::string> methods = RecoveryMethods::of(ftl.kind.name);
    require(std::find(methods.begin(), methods.end(), ftl.recovery.name) != methods.end(), "ftl.recovery",
            fmt::format("\"{}\" is not for ftl.kind \"{}\"; valid: {}", ftl.recovery.name, ftl.kind.name,
                        join_names(methods)));
    const FtlShape* const shape = FtlRules::find(ftl.kind.name);
    check_superblocks(geometry);
    if (shape != nullptr && shape->check != nullptr)
      shape->check(ftl, geometry, logical_units(config_.ftl, geometry), config_.nand.blocks_fail());
    if (maps_pages(ftl)) check_room_for_gc(config_, geometry);
    check_pages_of_cache();
  }

  void check_superblocks(const NandGeometry& geometry) const {
    const FtlConfig& ftl = config_.ftl;
    require(
        !ftl.blocks_host() || maps_pages(ftl), "ftl.gc_mode",
        fmt::format("\"blocking\" is for FTLs that map pages, and ftl.kind is \"{}\"; valid: paced", ftl.kind.name));
    if (!collects_superblocks(ftl)) return;
    require(
        maps_pages(ftl), "ftl.gc_unit",
        fmt::format("\"superblock\" is for FTLs that map pages, and ftl.kind is \"{}\"; valid: block", ftl.kind.name));
    require(geometry.dies % superblock_dies(ftl, geometry) == 0, "ftl.superblock_dies",
            fmt::format("{} does not divide the {} dies of the device; valid: a divisor, or 0 for all",
                        ftl.superblock_dies, geometry.dies));
    require(
        !geometry.copyback, "nand.copyback",
        "copies inside a die, and superblocks are copied across dies; valid with ftl.gc_unit = \"superblock\": false");
    if (ftl.rain != 0) check_rain(superblock_dies(ftl, geometry));
  }

  void check_rain(std::uint32_t dies) const {
    constexpr std::uint32_t kMostDies = 62;
    const std::uint32_t rain = config_.ftl.rain;
    require(dies > rain, "ftl.rain",
            fmt::format("{} of the {} dies of a superblock would hold parity, and none data; valid: less than {}", rain,
                        dies, dies));
    require(dies <= kMostDies, "ftl.rain",
            fmt::format("a stripe over {} dies is longer than firmware computes; valid: ftl.superblock_dies at most {}",
                        dies, kMostDies));
    require(!config_.nand.blocks_fail() || dies > rain + 1, "ftl.rain",
            fmt::format("leaves {} die of {} for data, and with it none in a superblock with a block that has failed; "
                        "valid with blocks, programs or dies that fail: a superblock of at least {} dies",
                        dies - rain, dies, rain + 2));
    require(
        !config_.nand.paired_pages, "nand.paired_pages",
        "a power cut destroys pages whose parity has been programmed, which then fits nothing; valid with ftl.rain: "
        "false");
    require(config_.nand.program_passes == 1, "nand.program_passes",
            "what waits for its second pass is kept until then, and has no parity; valid with ftl.rain: 1");
  }

  void check_pages_of_cache() const {
    const HostCacheConfig& cache = config_.host.cache;
    const std::uint64_t device = capacity_bytes(config_);
    require(cache.size == 0 || device / cache.page < kMostDevicePages, "host.cache.page",
            fmt::format("{} makes {} pages of the device; valid: so large that they are fewer than {}",
                        bytes(cache.page), device / cache.page, kMostDevicePages));
  }

  // With a heap or a tier, these faults would damage its own data on the drive, and show nothing about the host's.
  void check_faults() const {
    const FaultConfig& faults = config_.faults;
    check_config(faults, config_.ftl.mapping_unit, config_.host_interface.sector_size);
    for (const auto& [key, value] :
         {std::pair{"faults.flush_ignored", faults.flush_ignored}, std::pair{"faults.fua_ignored", faults.fua_ignored},
          std::pair{"faults.torn_writes", faults.torn_writes}, std::pair{"faults.lost_writes", faults.lost_writes},
          std::pair{"faults.misdirected_writes", faults.misdirected_writes}}) {
      require(value == 0 || config_.hdd.capacity == 0, key,
              "is of a drive alone, not of one that caches a disk; valid: 0, or hdd.capacity 0 B");
      require(value == 0 || !config_.heap.present(), key,
              "is of a drive alone, not of one that an object heap swaps to; valid: 0, or no heap");
    }
  }

  void check_buffer_and_map() const {
    const BufferConfig& buffer = config_.buffer;
    const FtlConfig& ftl = config_.ftl;
    const NandGeometry geometry = geometry_of(config_);
    const std::uint64_t program_unit = std::uint64_t{geometry.units_per_program()} * geometry.unit_bytes;
    const std::uint32_t streams = host_streams(ftl);
    require(streams <= kMaxStreams, "ftl.placement",
            fmt::format("\"{}\" needs a stream of its own beside the {} of ftl.streams; valid: at most {} in all",
                        ftl.placement.name, streams - 1, kMaxStreams));
    check_config(buffer, ftl.mapping_unit, streams * program_unit, streams);
    const bool in_dram = buffer.location == "dram";
    require(in_dram || config_.nvram.size > 0, "buffer.location",
            "is \"nvram\", but no nvram is fitted; set nvram.kind and nvram.size");
    // The map includes the directory of its pages in the host memory buffer.
    const std::uint64_t map =
        ftl_map_bytes(ftl, geometry, logical_units(config_.ftl, geometry)) + host_directory_bytes(geometry);
    const bool map_in_dram = ftl.map_location == "dram";
    // Without a DRAM model there is no limit.
    require(config_.dram.size == 0 || !in_dram || buffer.size <= config_.dram.size, "buffer.size",
            fmt::format("{} is more than dram.size, {}", bytes(buffer.size), bytes(config_.dram.size)));
    require(config_.dram.size == 0 || !in_dram || !map_in_dram || buffer.size + map <= config_.dram.size, "dram.size",
            fmt::format("{} does not hold buffer.size, {}, and the L2P table of ftl.kind, {}; "
                        "valid: at least {}",
                        bytes(config_.dram.size), bytes(buffer.size), bytes(map), bytes(buffer.size + map)));
    require(map_in_dram || config_.nvram.size > 0, "ftl.map_location",
            "is \"nvram\", but no nvram is fitted; set nvram.kind and nvram.size");
    require(config_.dram.size == 0 || in_dram || !map_in_dram || map <= config_.dram.size, "dram.size",
            fmt::format("{} does not hold the L2P table of ftl.kind; valid: at least {}", bytes(config_.dram.size),
                        bytes(map)));
    const std::uint64_t blocks = ftl_nvram_words(ftl, geometry) * 8;
    require(blocks == 0 || config_.nvram.size > 0, "ftl.recovery",
            fmt::format("\"{}\" keeps the map of blocks in nvram, and none is fitted; set nvram.kind and nvram.size",
                        ftl.recovery.name));
    const std::uint64_t maps = blocks + (map_in_dram ? 0 : map);
    require(
        maps <= config_.nvram.size, "nvram.size",
        fmt::format("{} does not hold what the FTL keeps there (L2P table {}, map of blocks {}); valid: at least {}",
                    bytes(config_.nvram.size), bytes(maps - blocks), bytes(blocks), bytes(maps)));
    // Beside its data the buffer keeps two headers per mapping unit.
    const std::uint64_t headers = buffer.size / ftl.mapping_unit * 2 * NvramRecords::kHeaderBytes;
    const std::uint64_t needed = buffer.size + headers + maps;
    require(in_dram || needed <= config_.nvram.size, "nvram.size",
            fmt::format("{} does not hold buffer.size, {}, its headers, {} (64 B a mapping unit){}; valid: at least {}",
                        bytes(config_.nvram.size), bytes(buffer.size), bytes(headers),
                        maps == 0 ? "" : ", and the FTL's maps", bytes(needed)));
  }

  std::uint64_t host_directory_bytes(const NandGeometry& geometry) const {
    return host_map_directory_bytes(config_.hmb, geometry.unit_bytes,
                                    ftl_map_units(config_.ftl, geometry, logical_units(config_.ftl, geometry)));
  }

  // The SRAM of a controller without DRAM must hold all its tables and buffers.
  void check_sram() const {
    const SramConfig& sram = config_.sram;
    if (sram.size == 0) return;
    require(config_.dram.size == 0, "sram.size",
            fmt::format("stands in for a DRAM, and dram.size is {}; valid: 0 B, or dram.size 0 B",
                        bytes(config_.dram.size)));
    const FtlConfig& ftl = config_.ftl;
    const NandGeometry geometry = geometry_of(config_);
    const std::uint64_t map =
        ftl.map_location == "dram" ? ftl_map_bytes(ftl, geometry, logical_units(ftl, geometry)) : 0;
    const std::uint64_t buffer = config_.buffer.location == "dram" ? config_.buffer.size : 0;
    const std::uint64_t directory = ftl.map_location == "dram" ? host_directory_bytes(geometry) : 0;
    // Double buffering: on each channel a page arrives from flash while the previous one is sent to the host.
    const std::uint64_t staging = std::uint64_t{2} * config_.nand.channels * config_.nand.page_size;
    const std::uint64_t needed = map + buffer + directory + staging;
    require(needed <= sram.size, "sram.size",
            fmt::format("{} does not hold buffer.size, {}, the map of ftl.kind, {}, the directory of the host memory "
                        "buffer, {}, and two pages of flash a channel on their way, {}; valid: at least {}",
                        bytes(sram.size), bytes(buffer), bytes(map), bytes(directory), bytes(staging), bytes(needed)));
  }

  void check_hmb() const {
    const HmbConfig& hmb = config_.hmb;
    check_config(hmb, config_.ftl.mapping_unit);
    if (!hmb.on()) return;
    require(config_.host_interface.kind.name == "nvme", "hmb.size",
            fmt::format("is lent by a host of NVMe, and host_interface.kind is \"{}\"; valid: 0 B, or nvme",
                        config_.host_interface.kind.name));
    const FtlShape* const shape = FtlRules::find(config_.ftl.kind.name);
    require(shape != nullptr && shape->pages_map, "hmb.size",
            fmt::format("holds translation pages of a demand-paged map, and ftl.kind \"{}\" has its map in memory; "
                        "valid: 0 B, or ftl.kind dftl",
                        config_.ftl.kind.name));
  }

  void check_power() const {
    const PowerConfig& power = config_.power;
    const NandGeometry geometry = geometry_of(config_);
    const double least = PowerGovernor::least_watts(config_.nand, geometry.dies, power.cap_window);
    require(power.cap == 0 || power.cap >= least, "power.cap",
            fmt::format("{} does not allow every flash operation alone, beside the standby of {} dies, in a window of "
                        "{}; valid: at least {}",
                        format_real(Quantity::Power, power.cap), geometry.dies,
                        format_exact(Quantity::Time, power.cap_window), format_real(Quantity::Power, least)));
    check_config(power);
    check_power_states(config_);
    check_hold_up(config_);
  }

  const DeviceConfig& config_;
};

}  // namespace

std::string message_of(const ConfigProblem& problem) {
  std::string text;
  for (const MessagePart& part : problem.message())
    text += std::visit(
        []<class T>(const T& value) {
          if constexpr (std::is_same_v<T, MessageBytes>)
            return bytes(value.value);
          else if constexpr (std::is_same_v<T, MessageTime>)
            return format_exact(Quantity::Time, value.value);
          else if constexpr (std::is_same_v<T, MessagePower>)
            return format_real(Quantity::Power, value.value);
          else
            return fmt::format("{}", value);
        },
        part);
  return text;
}

ConfigError worded(const ConfigProblem& problem, const ConfigOrigins& origins) {
  // Parameters of a part have the place of the part.
  std::string at = problem.key();
  for (const char* const part : {".kind.", ".policy."})
    if (const std::size_t found = at.find(part); found != std::string::npos) at.resize(at.find('.', found + 1));
  return {origins.where(at), problem.key(), message_of(problem)};
}

void validate_device(const DeviceConfig& config, const ConfigOrigins& origins) {
  try {
    Validator(config).run();
  } catch (const ConfigProblem& problem) {
    throw worded(problem, origins);
  }
}

}  // namespace flashloom
