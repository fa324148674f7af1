// Device file tables [dram] and [nvram].
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"

namespace flashloom {

struct MemoryConfig {
  std::uint64_t size = 0;        ///< bytes; 0 = not fitted
  std::uint64_t bandwidth = 0;   ///< bytes a second; 0 = unlimited
  Picoseconds read_latency = 0;  ///< first access, each transaction
  Picoseconds write_latency = 0;
  /// Refresh: for `refresh_time` out of each `refresh_interval` the memory serves nothing (0 = none). Modelled as a
  /// loss of bandwidth, not as a collision.
  Picoseconds refresh_interval = 0;  ///< tREFI
  Picoseconds refresh_time = 0;      ///< tRFC
  double read_energy = 0;            ///< J a byte
  double write_energy = 0;           ///< J a byte
  double refresh_energy = 0;         ///< J a refresh
  double background_power = 0;       ///< W
  std::uint64_t endurance = 0;       ///< writes a cell; 0 = unlimited
};

struct NvramConfig : MemoryConfig {
  std::string kind = "none";  ///< none, stt_mram, pcm, feram, bbdram: sets the defaults of the rest
};

}  // namespace flashloom
