// What a device file says of the data buffer: [buffer].
#pragma once

#include <cstdint>
#include <string>

#include "controllers/buffer/buffer_statistics.hpp"
#include "models/common/quantity.hpp"
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

  /// The keys of [buffer].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .choice("location", &BufferConfig::location, {"dram", "nvram"},
                "memory of the data buffer; what is acknowledged in nvram outlives a power cut")
        .choice("mode", &BufferConfig::mode, {"write_back", "write_through"},
                "write_back answers a write from the buffer; write_through when it is on flash")
        .key("size", &BufferConfig::size, Quantity::Bytes, {0, kMaxBytes}, "data buffer")
        .choice("evict", &BufferConfig::evict, {"pages", "blocks"},
                "what leaves: a page (buffer.replacement), or a whole logical block (buffer.write_buffer)")
        .part("replacement", &BufferConfig::replacement, "replacement",
              "which page leaves; with evict = blocks, of the read cache")
        .part("write_buffer", &BufferConfig::write_buffer, "write_buffer",
              "which logical block leaves, with evict = blocks")
        .part("correlation", &BufferConfig::correlation, "correlation",
              "which pages belong together and leave together; placement cold keeps them so")
        .key("read_cache", &BufferConfig::read_cache, Quantity::Ratio, {0, 1},
             "share of the resident units that may be clean ones, kept after they were read; 0: none is kept")
        .key("read_ahead", &BufferConfig::read_ahead, Quantity::Bytes, {0, 1 << 30},
             "largest window of sequential read-ahead into the read cache; 0 B: none")
        .key("high_watermark", &BufferConfig::high_watermark, Quantity::Ratio, {0, 1},
             "dirty share of the resident units above which destaging begins before room is needed")
        .key("low_watermark", &BufferConfig::low_watermark, Quantity::Ratio, {0, 1},
             "dirty share at which it ends; at most high_watermark")
        .rare()
        .count("split", &BufferConfig::split, 1, kMaxBufferParts,
               "equal parts of the buffer, each for the jobs of its number modulo this; 1: all jobs share it")
        .key("coalesce", &BufferConfig::coalesce,
             "a page that leaves takes others with it that fill its program unit, logical neighbours first")
        .common()
        .count("destage_units", &BufferConfig::destage_units, 0, 1 << 24,
               "mapping units on their way to flash at most, and never more than half of the buffer; 0: four program "
               "units a die")
        .timed_only()
        .key("room_waits", &BufferConfig::room_waits,
             "note what writes wait for that find the buffer full (buffer.room_waits of the result)");
  }
};

/// Throws ConfigProblem for what no buffer of such mapping units can be. `least`: bytes that write-back needs, a
/// program unit for each of `streams`.
void check_config(const BufferConfig& buffer, std::uint32_t mapping_unit, std::uint64_t least, std::uint32_t streams);

/// Slots of a buffer in mapping units: its size, and more if `waiting` units may wait in the FTL (Ftl::waiting_units),
/// which would otherwise block the units that fill their program units.
std::uint32_t buffer_slots(const BufferConfig& buffer, std::uint32_t mapping_unit, std::uint32_t units_per_program,
                           std::uint32_t waiting);

}  // namespace flashloom
