// Device file tables [dram], [sram] and [nvram].
#pragma once

#include <cstdint>
#include <string>

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
};

struct NvramConfig : MemoryConfig {
  std::string kind = "none";  ///< none, stt_mram, pcm, feram, bbdram: sets the defaults of the rest
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
};

struct DramConfig : MemoryConfig {
  std::string kind = "custom";  ///< ddr3_1600, ddr4_2400, lpddr4_3200: sets the defaults of the rest
  bool banked = false;          ///< dram.model: "flat" (MemoryModel) or "banked" (BankedDram)
  // For the banked model only.
  DramTiming timing;
  Picoseconds controller_latency = 0;  ///< memory controller and interconnect, each transaction
  double activate_energy = 0;          ///< J an activate with its precharge, above background
  double open_power = 0;               ///< W more while a row is open: active minus precharge standby
};

/// [sram]: memory on the controller's chip, in place of a DRAM.
struct SramConfig : MemoryConfig {};

/// Throw ConfigProblem for impossible values. `table` is the name of the memory's table.
void check_config(const std::string& table, const DramConfig& dram);
void check_config(const std::string& table, const NvramConfig& nvram);

}  // namespace flashloom
