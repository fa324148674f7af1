// The error correction of the flash controllers: decides whether a read can be corrected and how long that takes, and
// counts. One a device, shared by its channels and by both back ends.
//
// Decoding is a latency, from the last data cycle until the data are corrected or known not to be: decoders of flash
// controllers are made for the rate of their channels, so that reads do not queue for them. It holds neither die nor
// bus.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/energy/energy_ledger.hpp"
#include "models/nand/error_config.hpp"
#include "models/nand/nand_media.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct NandConfig;

/// Counts of read retries, soft decoding and uncorrectable reads.
struct EccStatistics {
  std::vector<std::uint64_t> retries;    ///< reads by level of read retry, from 1
  std::vector<std::uint64_t> recovered;  ///< of them, those that ended it
  std::uint64_t soft_decodes = 0;
  std::uint64_t soft_recovered = 0;
  std::array<std::uint64_t, kOrigins> uncorrectable{};  ///< reads (commands) given up, by origin
  std::uint64_t on_dead_die = 0;                        ///< of them
  std::uint64_t rescued = 0;     ///< uncorrectable reads of metadata, served from the second copy
  std::uint64_t lost_units = 0;  ///< unreadable mapping units that were copied, or filled up for a partial write
  std::uint64_t uncorrectable_total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t of_origin : uncorrectable) sum += of_origin;
    return sum;
  }
};

/// Is told of blocks whose data should be moved.
class WeakBlocks {
 public:
  /// Called when a read of a weak block is complete: at every such read until the block is erased.
  virtual void weak(Die die, Block block) = 0;

 protected:
  ~WeakBlocks() = default;
};

class EccEngine {
 public:
  /// OnfiCommand::retry of a read that only senses, for soft decoding: nothing is decoded behind it.
  static constexpr std::uint8_t kSense = 255;

  /// `scrub_reads`, `scrub_level`: see FtlConfig. The media, which must have BitErrors, outlive the engine.
  EccEngine(const NandConfig& config, const NandMedia& media, std::uint64_t scrub_reads, std::uint32_t scrub_level);

  /// Decodes a read of programmed cells at its completion: hard or soft, by its retry level. Sets at.decoded; if there
  /// are too many bit errors, also sets its status and clears its data, but not the words of the spare area. `timed`:
  /// the command's instants are valid.
  void decode(OnfiCommand& read, bool timed);

  std::uint32_t levels() const { return levels_; }
  std::uint32_t soft_reads() const { return config_.soft_reads; }
  /// OnfiCommand::retry of the read that soft decoding follows.
  std::uint8_t soft_level() const { return static_cast<std::uint8_t>(levels_ + 1); }

  /// Counts a read retry, which was successful if `good`. `level` as in OnfiCommand::retry.
  void count_retry(const OnfiCommand& read, std::uint32_t level, bool good);
  void count_uncorrectable(const OnfiCommand& read) {
    ++statistics_.uncorrectable[static_cast<std::size_t>(read.origin)];
    statistics_.on_dead_die += media_.dead(read.address.die) ? 1 : 0;
  }
  void count_rescued() { ++statistics_.rescued; }
  void count_lost(std::uint32_t units) { statistics_.lost_units += units; }
  const EccStatistics& statistics() const { return statistics_; }
  void reset_statistics();

  void attach(EnergyMeter& meter) { meter_ = &meter; }
  static PowerFigures power_figures(const EccConfig& config);

  /// From now on `watch` is told of weak blocks; null: nobody.
  void watch(WeakBlocks* watch) { watch_ = watch; }
  const WeakBlocks* watched_by() const { return watch_; }

 private:
  EccConfig config_;
  const NandMedia& media_;
  std::uint32_t sectors_per_unit_;
  std::uint32_t levels_;
  std::uint64_t scrub_reads_;
  std::uint32_t scrub_level_;
  EccStatistics statistics_;
  EnergyMeter* meter_ = nullptr;
  WeakBlocks* watch_ = nullptr;
};

}  // namespace flashloom
