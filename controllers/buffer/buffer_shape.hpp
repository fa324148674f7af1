// The sizes of a data buffer, and of the parts that it is split into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "policies/eviction.hpp"

namespace flashloom {

/// `units` slots: `destage_units` for units in the destage table, the others for resident units, split among the parts.
struct BufferShape {
  std::uint32_t units;
  std::uint32_t destage_units;
  bool read_cache;
  std::uint32_t read_ahead_units;  ///< largest window; 0: none
  std::uint32_t read_ahead_piece;  ///< units that are read ahead together, aligned: those that flash senses at once
  std::uint32_t logical_units;     ///< of the device
  std::uint32_t program_units;     ///< units that are evicted together; 1: each by itself
  std::uint32_t unit_bytes;
  std::uint32_t sector_bytes;
  bool write_through;
  bool nvram;    ///< in NVRAM, else in DRAM
  bool held_up;  ///< on capacitors, its data are written to flash when the supply fails
  bool verify;
  std::uint32_t padding_units = 0;    ///< further slots, for units read to fill up evicted blocks
  std::uint32_t units_per_block = 1;  ///< of a logical block
  std::size_t nvram_first = 0;        ///< its first word of NVRAM
  bool whole_blocks = false;          ///< flushes and FUA also evict whole logical blocks
  bool room_waits = false;            ///< record the causes of waits for room
};

/// A part of the buffer, used by the jobs whose number modulo the number of parts is the part's. A unit belongs to the
/// part of the job that brought it in.
struct BufferPart {
  std::uint32_t room;         ///< resident units
  std::uint32_t clean_units;  ///< of them, what the read cache may keep
  std::uint32_t high_units;   ///< dirty units above which destaging begins
  std::uint32_t low_units;    ///< and at which it ends
  /// Eviction policy of pages or of whole logical blocks. Clean pages do not belong to such blocks, and have the policy
  /// `clean_victims`, which is null if one policy orders all pages.
  std::unique_ptr<EvictionPolicy> victims;
  std::unique_ptr<EvictionPolicy> clean_victims;
  std::uint32_t dirty = 0;
  std::uint32_t clean = 0;  ///< those being read among them

  bool full() const { return dirty + clean >= room; }
  EvictionPolicy& of_clean() { return clean_victims != nullptr ? *clean_victims : *victims; }
};

}  // namespace flashloom
