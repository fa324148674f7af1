// The non-volatile state of a controller.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "policies/state_archive.hpp"

namespace flashloom::nvme {

/// Ranges of sectors that Write Uncorrectable has marked, until they are written again.
class MarkedSectors {
 public:
  void mark(std::uint64_t begin, std::uint64_t end);
  void clear(std::uint64_t begin, std::uint64_t end);
  /// The first marked sector of [begin, end); `end`: there is none.
  std::uint64_t first(std::uint64_t begin, std::uint64_t end) const;
  bool empty() const { return ranges_.empty(); }
  void state(StateArchive& archive) { archive(ranges_); }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> ranges_;  // in order, apart
};

struct Life {
  std::uint64_t power_cycles = 1;
  std::uint64_t unsafe_shutdowns = 0;
  std::uint64_t errors = 0;        ///< entries ever made in the error log
  std::uint64_t media_errors = 0;  ///< commands that met data that cannot be read, Write Uncorrectable's included
  Picoseconds busy = 0;            ///< time with I/O commands in flight
  Picoseconds powered = 0;         ///< before the last power-on
  MarkedSectors uncorrectable{};

  /// Power-on hours; `now`: since the last power-on.
  std::uint64_t hours(Picoseconds now) const {
    return static_cast<std::uint64_t>(seconds(powered + now) / kSecondsAnHour);
  }
  static constexpr double kSecondsAnHour = 3600;

  void state(StateArchive& archive) {
    archive(power_cycles, unsafe_shutdowns, errors, media_errors, busy, powered, uncorrectable);
  }
};

}  // namespace flashloom::nvme
