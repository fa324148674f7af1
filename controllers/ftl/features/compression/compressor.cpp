#include "controllers/ftl/features/compression/compressor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "controllers/hardware/hardware.hpp"
#include "models/common/config_problem.hpp"
#include "models/common/split_mix.hpp"

namespace flashloom {

void check_config(const CompressionConfig& compression, std::uint32_t unit) {
  if (!compression.on()) return;
  require(std::has_single_bit(compression.granule), "compression.granule", MessageBytes{compression.granule},
          " is no power of two; valid: 0 B, or one");
  require(unit % compression.granule == 0 && unit >= 2 * compression.granule, "compression.granule",
          MessageBytes{compression.granule}, " rounds each ftl.mapping_unit, ", MessageBytes{unit},
          ", up to itself; valid: at most half of it, and a divisor");
  constexpr std::uint32_t kMostGranules = 64;
  require(unit / compression.granule <= kMostGranules, "compression.granule", MessageBytes{compression.granule},
          " makes ", unit / compression.granule, " granules of ftl.mapping_unit, ", MessageBytes{unit},
          ", and a spare area notes 64; valid: at least ", MessageBytes{unit / kMostGranules});
}

Compressor::Compressor(const CompressionConfig& config, std::uint32_t unit, std::uint64_t seed,
                       const Hardware& hardware)
    : config_(config),
      unit_(unit),
      whole_(unit / config.granule),
      seed_(split_mix(seed, 0x636f6d7072657373)),  // apart from what else is drawn from the device's seed
      hardware_(hardware) {}

void Compressor::set_saved(std::uint8_t stream, double saved) {
  if (stream >= saved_.size()) saved_.resize(stream + std::size_t{1}, config_.saved);
  saved_[stream] = saved;
}

std::uint32_t Compressor::granules(std::uint32_t unit, std::uint64_t version, std::uint8_t stream) const {
  const double saved = stream < saved_.size() ? saved_[stream] : config_.saved;
  const double drawn = static_cast<double>(split_mix(seed_ + unit, version) >> 11) * 0x1p-53;
  const double size = (1 - saved) * (1 + config_.spread * (2 * drawn - 1)) * whole_;
  return static_cast<std::uint32_t>(std::clamp(std::ceil(size), 1.0, static_cast<double>(whole_)));
}

// First come, first served by the time of the call, even for data that are still on their way from memory: a later call
// never overtakes.
Picoseconds Compressor::pass(Direction direction, std::uint32_t units, Picoseconds from) {
  if (!hardware_.timed() || units == 0) return from;
  const std::uint64_t bytes = std::uint64_t{units} * unit_;
  const Picoseconds begin = std::max({from, free_[direction], hardware_.now()});
  const Picoseconds end = begin + transfer_time(bytes, config_.rate);
  free_[direction] = end;
  if (meter_ != nullptr) meter_->count(direction, bytes, begin, end);
  return end + config_.latency;
}

Picoseconds Compressor::compress(std::uint32_t units, std::uint32_t granules, Picoseconds from) {
  statistics_.compressed_units += units;
  statistics_.compressed_granules += granules;
  return pass(kIn, units, from);
}

Picoseconds Compressor::decompress(std::uint32_t units, Picoseconds from) {
  statistics_.decompressed_units += units;
  return pass(kOut, units, from);
}

}  // namespace flashloom
