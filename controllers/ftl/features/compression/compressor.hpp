// The compression stage of the controller: how large each mapping unit is on flash, and how long the engine takes. The
// model has no contents: what compression saves is a property of whoever writes (a job's buffer_compress_percentage, or
// compression.saved), and each version of a unit has a size around that, drawn from the seed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/ftl/features/compression/compression_config.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

class Hardware;

/// Units compressed and decompressed since the last reset, on both clocks.
struct CompressionStatistics {
  std::uint64_t compressed_units = 0;
  std::uint64_t compressed_granules = 0;  ///< that they take on flash
  std::uint64_t decompressed_units = 0;
};

/// One a device; outlives its firmware.
class Compressor {
 public:
  /// `unit`: bytes of a mapping unit. `config`: checked.
  Compressor(const CompressionConfig& config, std::uint32_t unit, std::uint64_t seed, const Hardware& hardware);

  /// Sets the share of a stream's data (IoCommand::stream) that compression saves; default: compression.saved.
  void set_saved(std::uint8_t stream, double saved);

  /// Granules of a unit that is not compressed.
  std::uint32_t whole() const { return whole_; }
  std::uint32_t granule() const { return config_.granule; }
  /// Granules of a version of a unit, written by that stream, on flash: 1 to whole().
  std::uint32_t granules(std::uint32_t unit, std::uint64_t version, std::uint8_t stream) const;

  /// Compresses `units` units, `granules` granules in all, which arrive at `from` (0: now), behind all earlier calls;
  /// returns the time of the end.
  Picoseconds compress(std::uint32_t units, std::uint32_t granules, Picoseconds from);
  /// The same the other way.
  Picoseconds decompress(std::uint32_t units, Picoseconds from);
  /// Power is cut.
  void power_cut() { free_ = {}; }

  void attach(EnergyMeter& meter) { meter_ = &meter; }
  /// Component "compressor": operations "compress" and "decompress", each a byte of whole units.
  static PowerFigures power_figures(const CompressionConfig& config) {
    return {{{"idle", 0, kBackground}},
            {{"compress", config.energy, "compression"}, {"decompress", config.energy, "compression"}}};
  }
  const CompressionStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }

 private:
  enum Direction : std::uint8_t { kIn, kOut };
  Picoseconds pass(Direction direction, std::uint32_t units, Picoseconds from);

  CompressionConfig config_;
  std::uint32_t unit_;
  std::uint32_t whole_;
  std::uint64_t seed_;
  const Hardware& hardware_;
  std::vector<double> saved_;          // by stream
  std::array<Picoseconds, 2> free_{};  // by direction: when the engine takes the next unit
  CompressionStatistics statistics_;
  EnergyMeter* meter_ = nullptr;
};

}  // namespace flashloom
