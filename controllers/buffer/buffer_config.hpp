// What a device file says of the data buffer: [buffer].
#pragma once

#include <cstdint>
#include <string>

#include "policies/parameters.hpp"

namespace flashloom {

/// [buffer]: the data buffer.
struct BufferConfig {
  std::string location = "dram";    ///< "dram" or "nvram", where acknowledged writes outlive a power cut
  std::string mode = "write_back";  ///< "write_back" or "write_through" (no caching of writes)
  std::uint64_t size = 16 << 20;    ///< bytes
  std::string evict = "pages";      ///< unit of eviction: "pages" (replacement) or "blocks" (write_buffer)
  PolicyChoice replacement{"lru", {}};
  PolicyChoice write_buffer{"block_lru", {}};
  PolicyChoice correlation{"none", {}};  ///< sets of pages that are evicted together
  double read_cache = 0;                 ///< share of the resident units that may be clean; 0: read data are not kept
  std::uint64_t read_ahead = 0;          ///< bytes of the largest window; 0: none
  double high_watermark = 1;             ///< dirty share of the resident units above which destaging begins
  double low_watermark = 1;              ///< and at which it ends; at most high_watermark
  std::uint32_t split = 1;          ///< equal parts; a job fills the part of its number modulo this. 1: shared by all
  bool coalesce = false;            ///< an eviction takes further units with it, to fill its program unit
  std::uint32_t destage_units = 0;  ///< mapping units on their way to flash at most; 0 = 4 program units a die
  bool room_waits = false;          ///< record the causes of waits for room
};

/// Throws ConfigProblem for what no buffer of such mapping units can be. `least`: bytes that write-back needs, a
/// program unit for each of `streams`.
void check_config(const BufferConfig& buffer, std::uint32_t mapping_unit, std::uint64_t least, std::uint32_t streams);

/// Slots of a buffer in mapping units: its size, and more if `waiting` units may wait in the FTL (Ftl::waiting_units),
/// which would otherwise block the units that fill their program units.
std::uint32_t buffer_slots(const BufferConfig& buffer, std::uint32_t mapping_unit, std::uint32_t units_per_program,
                           std::uint32_t waiting);

}  // namespace flashloom
