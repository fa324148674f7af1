// What a device file says of the compression stage: [compression].
#pragma once

#include <cstdint>

#include "models/common/quantity.hpp"
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

  /// The keys of [compression].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .key("granule", &CompressionConfig::granule, Quantity::Bytes, {0, 1 << 19},
             "the size of a compressed mapping unit is rounded up to it; 0 B: data are not compressed")
        .rare()
        .count("density", &CompressionConfig::density, 2, 16,
               "times as many mapping units in a page at most as it has room for uncompressed ones")
        .common()
        .key("saved", &CompressionConfig::saved, Quantity::Ratio, {0, 1},
             "share of the data that compression saves, where no job says it (buffer_compress_percentage of fio)")
        .rare()
        .key("spread", &CompressionConfig::spread, Quantity::Ratio, {0, 1},
             "compressed sizes lie evenly within this share around their mean")
        .key("rate", &CompressionConfig::rate, Quantity::ByteRate, {0, kMaxRate},
             "uncompressed data through the engine, each way; 0 B/s: any")
        .time("latency", &CompressionConfig::latency, 0, "of the engine beyond that; occupies nothing", 1e12)
        .key("energy", &CompressionConfig::energy, Quantity::EnergyPerByte, {0, 1e-6},
             "each uncompressed byte, each way; no figure for a drive is known");
  }
};

/// Throws ConfigProblem for settings that contradict each other. `unit`: bytes of a mapping unit.
void check_config(const CompressionConfig& compression, std::uint32_t unit);

}  // namespace flashloom
