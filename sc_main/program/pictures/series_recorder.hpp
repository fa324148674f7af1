// Records a run in at most kBins bins of time, for series.csv.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controllers/flash/flash_observer.hpp"
#include "controllers/host/host_observer.hpp"
#include "models/common/doubling_bins.hpp"
#include "models/common/extremes.hpp"
#include "models/energy/power_timeline.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

/// Requests and flash commands count in the bin in which they complete, as in HostStatistics and FlashCounters: the
/// sums over the bins equal the totals there.
class SeriesRecorder final : public HostObserver, public FlashObserver {
 public:
  /// A run uses between half of the bins and all of them.
  static constexpr std::size_t kBins = 256;

  /// Levels, sampled once in each bin (before bins are merged).
  struct Levels {
    std::uint32_t least_free_blocks = 0;  ///< of the die with the fewest free blocks
    double dirty_share = 0;               ///< of the data buffer
  };
  /// `now` returns the kernel's time. `levels` sets the levels, or returns false if power is off. The geometry must
  /// outlive this.
  SeriesRecorder(const NandGeometry& geometry, std::function<Picoseconds()> now, std::function<bool(Levels&)> levels);

  void completed(const IoCommand& command, std::uint32_t job, bool measured) override;
  void flash_completed(const OnfiCommand& command) override;

  /// series.csv of a run that ended at `end`; docs/reference/results.md describes the columns.
  std::string csv(Picoseconds end, const PowerSeries& power) const;
  /// Names of the origins that programmed pages, in the order of Origin.
  std::vector<std::string> program_origins() const;

 private:
  struct Operation {
    std::uint64_t ios = 0;
    std::uint64_t bytes = 0;
    double latency_sum = 0;  // ps
    Highest<Picoseconds> latency_max;
  };
  struct Bin {
    std::array<Operation, kIoOperations> operations;
    std::array<std::array<std::uint64_t, kOrigins>, kFlashOperations> pages{};
    std::uint64_t units_moved = 0;
    Lowest<std::uint32_t> least_free_blocks;
    std::uint32_t samples = 0;
    double dirty_sum = 0;
  };
  static Bin merge(const Bin& a, const Bin& b, Picoseconds width);
  Bin& bin();
  bool programmed(Origin origin) const;

  const NandGeometry& geometry_;
  std::function<Picoseconds()> now_;
  std::function<bool(Levels&)> levels_;
  DoublingBins<Bin> bins_;
};

}  // namespace flashloom
