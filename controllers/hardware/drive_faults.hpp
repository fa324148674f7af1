// Injected drive faults: commands that are acknowledged without being carried out, and units torn by a power cut
// although the drive promises atomicity. They show that tests of durability can fail. The affected commands are drawn
// from the seed, independently for each fault, in the order in which firmware carries them out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controllers/hardware/fault_config.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

/// Faults that have occurred.
struct FaultStatistics {
  std::uint64_t flushes_ignored = 0;
  std::uint64_t fua_ignored = 0;         ///< FUA writes that would have waited for flash
  std::uint64_t units_torn = 0;          ///< mapping units, by cuts
  std::uint64_t writes_lost = 0;         ///< commands
  std::uint64_t writes_misdirected = 0;  ///< commands

  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(flushes_ignored, fua_ignored, units_torn, writes_lost, writes_misdirected));
  }
};

/// Outlives the firmware, as the media do.
class DriveFaults {
 public:
  DriveFaults(const FaultConfig& config, std::uint64_t seed) : config_(config), seed_(seed) {}

  /// Enables the faults; before (preconditioning) none occur.
  void begin() { begun_ = true; }

  // Each of these draws whether the fault occurs, and counts it.
  bool ignores_flush() { return strikes(Kind::Flush, config_.flush_ignored, statistics_.flushes_ignored); }
  bool ignores_fua() { return strikes(Kind::Fua, config_.fua_ignored, statistics_.fua_ignored); }
  bool loses_write() { return strikes(Kind::Lost, config_.lost_writes, statistics_.writes_lost); }
  bool misdirects_write() {
    return strikes(Kind::Misdirected, config_.misdirected_writes, statistics_.writes_misdirected);
  }
  /// The wrong offset of a misdirected write: whole mapping units away from `offset`, within the device.
  std::uint64_t other_place(std::uint64_t offset, std::uint64_t length, std::uint64_t capacity,
                            std::uint32_t unit_bytes);

  /// Whether torn writes are enabled, so that programs must be prepared for them.
  bool tears_writes() const { return config_.torn_writes > 0; }
  /// Draws which of the `sectors` (bits) that one write has written to a mapping unit keep their old contents if a cut
  /// strikes their program: some, but not all. 0: the write is not torn.
  std::uint64_t torn_off(std::uint64_t sectors);
  /// Counter for the code that tears units.
  std::uint64_t& units_torn() { return statistics_.units_torn; }

  const FaultStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }

 private:
  enum class Kind : std::uint8_t { Flush, Fua, Torn, Sectors, Lost, Misdirected, Place };
  static constexpr std::size_t kKinds = 7;

  std::uint64_t draw(Kind kind);
  bool happens(Kind kind, double probability);
  bool strikes(Kind kind, double probability, std::uint64_t& count) {
    if (!happens(kind, probability)) return false;
    ++count;
    return true;
  }

  FaultConfig config_;
  std::uint64_t seed_;
  bool begun_ = false;
  std::uint64_t drawn_[kKinds] = {};
  FaultStatistics statistics_;
};

}  // namespace flashloom
