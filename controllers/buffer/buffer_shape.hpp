// The sizes of a data buffer, and of the parts that it is split into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "policies/eviction.hpp"

namespace flashloom {

/// `units` slots. Of `destage_units` of them the FTL may have the data; the rest is for resident units, split among the
/// parts.
struct BufferShape {
  std::uint32_t units;
  std::uint32_t destage_units;
  bool read_cache;
  std::uint32_t read_ahead_units;  ///< largest window; 0: none
  std::uint32_t logical_units;     ///< of the device
  std::uint32_t program_units;     ///< units that leave together; 1: each by itself
  std::uint32_t unit_bytes;
  std::uint32_t sector_bytes;
  bool write_through;
  bool nvram;    ///< in NVRAM, else in DRAM
  bool held_up;  ///< capacitors bring what is in it to flash when the supply fails
  bool verify;
  std::uint32_t padding_units = 0;    ///< slots beside the others for what is read to fill up blocks that leave
  std::uint32_t units_per_block = 1;  ///< of a logical block
  std::size_t nvram_first = 0;        ///< its first word of NVRAM
  bool whole_blocks = false;          ///< flushes and FUA, too, let whole logical blocks leave
  bool room_waits = false;            ///< note what waits for room are made of
};

/// What the jobs whose number is the part's, modulo the number of parts, may fill. A unit belongs to the part of the
/// job that brought it.
struct BufferPart {
  std::uint32_t room;         ///< resident units
  std::uint32_t clean_units;  ///< of them, what the read cache may keep
  std::uint32_t high_units;   ///< dirty units above which destaging begins
  std::uint32_t low_units;    ///< and at which it ends
  /// What leaves: pages, or whole logical blocks, which the read cache's pages are no part of: they have
  /// `clean_victims` then, which is null where one policy orders all.
  std::unique_ptr<EvictionPolicy> victims;
  std::unique_ptr<EvictionPolicy> clean_victims;
  std::uint32_t dirty = 0;
  std::uint32_t clean = 0;  ///< those being read among them

  bool full() const { return dirty + clean >= room; }
  EvictionPolicy& of_clean() { return clean_victims != nullptr ? *clean_victims : *victims; }
};

}  // namespace flashloom
