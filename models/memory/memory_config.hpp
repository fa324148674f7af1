// Device file tables [dram], [sram] and [nvram].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"

namespace flashloom {

inline constexpr std::uint64_t kMebibyte = 1024 * 1024;

struct MemoryConfig {
  std::uint64_t size = 0;        ///< bytes; 0 = not fitted
  std::uint64_t bandwidth = 0;   ///< bytes a second; 0 = unlimited
  Picoseconds read_latency = 0;  ///< first access, each transaction
  Picoseconds write_latency = 0;
  /// Refresh: for `refresh_time` out of each `refresh_interval` the memory serves nothing (0 = none). MemoryModel
  /// models it as a loss of bandwidth, BankedDram as a collision.
  Picoseconds refresh_interval = 0;  ///< tREFI
  Picoseconds refresh_time = 0;      ///< tRFC
  double read_energy = 0;            ///< J a byte
  double write_energy = 0;           ///< J a byte
  double refresh_energy = 0;         ///< J a refresh
  double background_power = 0;       ///< W
  std::uint64_t endurance = 0;       ///< writes a cell; 0 = unlimited
  // States of an idle DRAM, which replace background_power.
  Picoseconds power_down_time = 0;    ///< idle time before precharge power-down; 0: never
  double power_down_power = 0;        ///< W, without the mean of refresh
  Picoseconds power_down_exit = 0;    ///< tXP: from the exit to the first command
  Picoseconds self_refresh_time = 0;  ///< idle time before self-refresh; 0: never
  double self_refresh_power = 0;      ///< W, refresh included
  Picoseconds self_refresh_exit = 0;  ///< tXS

  bool sleeps() const { return power_down_time != 0 || self_refresh_time != 0; }

  /// Keys that [dram] and [nvram] share.
  template <class Keys>
  static void describe_size(Keys& keys) {
    keys.key("size", &MemoryConfig::size, Quantity::Bytes, {0, kMaxBytes}, "0 B: not fitted");
  }
  template <class Keys>
  static void describe_figures(Keys& keys) {
    keys.key("bandwidth", &MemoryConfig::bandwidth, Quantity::ByteRate, {0, kMaxRate}, "0 B/s: unlimited")
        .time("read_latency", &MemoryConfig::read_latency, 0, "first access, each transaction")
        .time("write_latency", &MemoryConfig::write_latency, 0, "first access, each transaction")
        .time("refresh_interval", &MemoryConfig::refresh_interval, 0, "tREFI; 0 s: no refresh")
        .time("refresh_time", &MemoryConfig::refresh_time, 0, "tRFC: nothing is served meanwhile")
        .key("read_energy", &MemoryConfig::read_energy, Quantity::EnergyPerByte, {0, 1}, "each byte read")
        .key("write_energy", &MemoryConfig::write_energy, Quantity::EnergyPerByte, {0, 1}, "each byte written")
        .key("refresh_energy", &MemoryConfig::refresh_energy, Quantity::Energy, {0, 1}, "each refresh")
        .key("background_power", &MemoryConfig::background_power, Quantity::Power, {0, 1000}, "always")
        .rare()
        .count("endurance", &MemoryConfig::endurance, 0, kMaxCount, "writes a cell; 0: unlimited");
  }
};

/// Names of the technologies, and of the parts, that bring figures of their own: nvram_kinds.hpp, dram_kinds.hpp.
std::vector<std::string> nvram_kind_names();
std::vector<std::string> dram_kind_names();

struct NvramConfig : MemoryConfig {
  std::string kind = "none";  ///< none, stt_mram, pcm, feram, bbdram: sets the defaults of the rest

  /// The keys of [nvram], [heap.nvram] and [array.nvram].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .choice("kind", &NvramConfig::kind, nvram_kind_names(),
                "technology; sets the defaults of the other keys of this table")
        .brings_all_but({"size"});
    describe_size(keys);
    keys.rare();
    describe_figures(keys);
  }
};

/// [dram.timing]: the banks of a DRAM, in JEDEC's terms; for the whole bus, whose devices work in
/// lockstep.
struct DramTiming {
  std::uint32_t banks = 0;         ///< 0 = not described
  std::uint32_t row_size = 0;      ///< bytes of an open row over all devices
  std::uint32_t burst = 0;         ///< bytes of one column access: burst length x bus width
  Picoseconds row_column = 0;      ///< tRCD: activate to read or write
  Picoseconds precharge = 0;       ///< tRP
  Picoseconds row_active = 0;      ///< tRAS: activate to precharge
  Picoseconds column_read = 0;     ///< CL or RL: read to its first data
  Picoseconds column_write = 0;    ///< CWL or WL
  Picoseconds read_precharge = 0;  ///< tRTP: last read to precharge
  Picoseconds write_recovery = 0;  ///< tWR: last write data to precharge
  Picoseconds write_read = 0;      ///< tWTR: last write data to a read
  Picoseconds row_row = 0;         ///< tRRD: activate to activate of another bank
  Picoseconds four_activates = 0;  ///< tFAW: window with at most four activates

  /// The keys of [dram.timing].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .rare()
        .count("banks", &DramTiming::banks, 0, 1024, "banks of a rank; 0: not described")
        .key("row_size", &DramTiming::row_size, Quantity::Bytes, {0, 1 << 20},
             "open row over the whole bus; a multiple of burst")
        .key("burst", &DramTiming::burst, Quantity::Bytes, {0, 4096}, "one column access: burst length x bus width")
        .time("row_column", &DramTiming::row_column, 0, "tRCD")
        .time("precharge", &DramTiming::precharge, 0, "tRP")
        .time("row_active", &DramTiming::row_active, 0, "tRAS")
        .time("column_read", &DramTiming::column_read, 0, "CL, RL")
        .time("column_write", &DramTiming::column_write, 0, "CWL, WL")
        .time("read_precharge", &DramTiming::read_precharge, 0, "tRTP")
        .time("write_recovery", &DramTiming::write_recovery, 0, "tWR")
        .time("write_read", &DramTiming::write_read, 0, "tWTR")
        .time("row_row", &DramTiming::row_row, 0, "tRRD")
        .time("four_activates", &DramTiming::four_activates, 0, "tFAW");
  }
};

struct DramConfig : MemoryConfig {
  std::string kind = "custom";  ///< ddr3_1600, ddr4_2400, lpddr4_3200: sets the defaults of the rest
  bool banked = false;          ///< dram.model: "flat" (MemoryModel) or "banked" (BankedDram)
  // For the banked model only.
  DramTiming timing;
  Picoseconds controller_latency = 0;  ///< memory controller and interconnect, each transaction
  double activate_energy = 0;          ///< J an activate with its precharge, above background
  double open_power = 0;               ///< W more while a row is open: active minus precharge standby

  /// The keys of [dram].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .choice("kind", &DramConfig::kind, dram_kind_names(), "part; sets the defaults of the other keys of this table")
        .brings_all_but({"size", "model"})
        .choice("model", &DramConfig::banked, {"flat", "banked"},
                "flat: bandwidth and a latency; banked: rows, refresh that is met, bus (dram.timing)");
    describe_size(keys);
    describe_figures(keys);
    keys.time("controller_latency", &DramConfig::controller_latency, 0,
              "banked: memory controller and interconnect, each transaction")
        .key("activate_energy", &DramConfig::activate_energy, Quantity::Energy, {0, 1},
             "banked: each activate with its precharge, above background")
        .key("open_power", &DramConfig::open_power, Quantity::Power, {0, 1000},
             "banked: what active standby draws above precharge standby")
        .time("power_down_time", &DramConfig::power_down_time, 0,
              "idle so long it is in precharge power-down; 0 s: never")
        .key("power_down_power", &DramConfig::power_down_power, Quantity::Power, {0, 1000},
             "in power-down in the place of background_power; the mean of refresh is drawn beside")
        .time("power_down_exit", &DramConfig::power_down_exit, 0, "tXP: from power-down until it takes a command", 1e12)
        .time("self_refresh_time", &DramConfig::self_refresh_time, 0,
              "idle so long it refreshes itself; 0 s: never; else above power_down_time")
        .key("self_refresh_power", &DramConfig::self_refresh_power, Quantity::Power, {0, 1000},
             "in self-refresh, all of it")
        .time("self_refresh_exit", &DramConfig::self_refresh_exit, 0,
              "tXS, with its DLL tXSDLL: from self-refresh until it takes a read", 1e12);
  }
};

/// [sram]: memory on the controller's chip, in place of a DRAM.
struct SramConfig : MemoryConfig {
  /// The keys of [sram].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .key("size", &SramConfig::size, Quantity::Bytes, {0, kMaxBytes},
             "memory on the controller's chip, which has buffer, map and pages on their way where dram.size is 0 B; 0 "
             "B: "
             "not modelled")
        .key("bandwidth", &SramConfig::bandwidth, Quantity::ByteRate, {0, kMaxRate}, "0 B/s: unlimited")
        .time("latency", &SramConfig::read_latency, 0, "each transaction: interconnect and array")
        .key("read_energy", &SramConfig::read_energy, Quantity::EnergyPerByte, {0, 1}, "each byte read")
        .key("write_energy", &SramConfig::write_energy, Quantity::EnergyPerByte, {0, 1}, "each byte written")
        .key("background_power", &SramConfig::background_power, Quantity::Power, {0, 1000}, "leakage, always");
  }
};

/// Throw ConfigProblem for impossible values. `table` is the name of the memory's table.
void check_config(const std::string& table, const DramConfig& dram);
void check_config(const std::string& table, const NvramConfig& nvram);

}  // namespace flashloom
