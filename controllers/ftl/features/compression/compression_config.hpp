// What a device file says of the compression stage: [compression].
#pragma once

#include <cstdint>

#include "models/common/types.hpp"

namespace flashloom {

/// [compression]: a stage between data buffer and flash that compresses each mapping unit by itself, in line and unseen
/// by the host, as drives of ScaleFlux do with zlib (T. Zhang, The True Value of Storage Drives with Built-in
/// Transparent Compression, SNIA SDC 2020).
struct CompressionConfig {
  std::uint32_t granule = 0;  ///< bytes that the size of a compressed unit is rounded up to; 0: no compression
  std::uint32_t density = 4;  ///< most compressed units in a page, as a multiple of whole ones
  double saved = 0.5;         ///< share of the data that compression saves, unless a job sets it
  double spread = 0.2;        ///< sizes of units lie evenly within this share around their mean
  /// Of the engine in each direction, whole units a second in bytes; 0: any. DPZip, 8 bytes a cycle at 1 GHz
  /// (arXiv:2509.23693, 2025).
  std::uint64_t rate = 8'000'000'000;
  Picoseconds latency = 2 * kMicrosecond;  ///< of a unit, beyond that; occupies nothing (4 KiB through DPZip: 2 us)
  double energy = 0;                       ///< J a byte of whole units, in each direction

  bool on() const { return granule != 0; }
};

/// Throws ConfigProblem for settings that contradict each other. `unit`: bytes of a mapping unit.
void check_config(const CompressionConfig& compression, std::uint32_t unit);

}  // namespace flashloom
