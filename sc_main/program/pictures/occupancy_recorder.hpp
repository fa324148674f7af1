// Records the activity of some channels and dies in a short stretch of a run, for a Gantt chart.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/nand/nand_geometry.hpp"
#include "sc_main/program/pictures/bounded_log.hpp"
#include "sc_main/program/pictures/flash_slicer.hpp"

namespace flashloom {

/// To be added to a FlashSlicer. Records the first channels with all of their dies, as many as a figure has rows for.
/// Since the steady state of a run is not known beforehand, stretches begin at 0 and at each power of two of
/// microseconds; the two newest are kept, and the newest complete one is shown, which begins in the last three quarters
/// of the run.
class OccupancyRecorder final : public FlashSliceSink {
 public:
  static constexpr std::uint32_t kRows = 24;  ///< at most, unless one channel has more
  static constexpr std::size_t kIntervalsPerRow = 24;

  /// The geometry must outlive this.
  explicit OccupancyRecorder(const NandGeometry& geometry);

  void stage(const FlashCommandInfo& info, FlashStage stage, Picoseconds from, Picoseconds to) override;

  std::uint32_t rows() const { return channels_ * (1 + geometry_.dies_per_channel()); }
  /// occupancy.csv: row,part,state,origin,begin_us,end_us,start_us: intervals in us after `start_us`, the begin of the
  /// stretch. Rows count from 0: each channel, then its dies; each row has first a line without a state.
  std::string csv(Picoseconds end);

 private:
  struct Interval {
    Picoseconds at = 0, to = 0;
    FlashCommandInfo info;
    FlashStage stage = FlashStage::Array;
  };
  struct Stretch {
    Picoseconds begin;
    BoundedLog<Interval> intervals;
  };
  Stretch stretch(Picoseconds begin) const { return {begin, BoundedLog<Interval>(rows() * kIntervalsPerRow)}; }

  const NandGeometry& geometry_;
  std::uint32_t channels_;
  std::array<Stretch, 2> stretches_;  // older, newer
};

}  // namespace flashloom
