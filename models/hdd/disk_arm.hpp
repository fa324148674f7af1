// The arm of a disk: where it is, and how long it takes to get somewhere and pass over sectors.
#pragma once

#include <cstdint>

#include "models/hdd/disk_geometry.hpp"
#include "models/hdd/seek_curve.hpp"

namespace flashloom {

/// What getting to sectors and passing over them takes.
struct DiskAccess {
  Picoseconds begin = 0;     ///< the arm sets off
  Picoseconds on_track = 0;  ///< and has arrived
  Picoseconds first = 0;     ///< the first sector is under the head
  Picoseconds end = 0;       ///< the last one has passed
  Picoseconds between = 0;   ///< of first .. end: switching tracks, and waiting there
};

struct DiskProgress {
  std::uint64_t sectors = 0;  ///< have passed
  Picoseconds at = 0;         ///< when the last one of them had
};

class DiskArm {
 public:
  DiskArm(const HddConfig& config, const DiskGeometry& geometry);

  /// From one track to another one.
  Picoseconds move(const DiskTrack& from, const DiskTrack& to, bool write) const;
  /// From `at` until `sector` begins under the head.
  Picoseconds reach(DiskSector sector, bool write, Picoseconds at) const;
  /// Reads or writes `count` sectors from `first` on, beginning at `at`; nothing moves.
  DiskAccess access(DiskSector first, std::uint64_t count, bool write, Picoseconds at) const;
  /// Of the `count` sectors from `first` on, over which the head, on their track at `from`, passes: how far it is at
  /// `now`.
  DiskProgress progress(DiskSector first, std::uint64_t count, bool write, Picoseconds from, Picoseconds now) const;

  DiskTrack track() const { return track_; }
  void place_over(DiskSector sector) { track_ = geometry_.place(sector).track; }

 private:
  DiskTrack following(DiskTrack track) const;

  const DiskGeometry& geometry_;
  SeekCurve seek_;
  Picoseconds head_switch_;
  Picoseconds write_settle_;
  Picoseconds track_settle_;
  DiskTrack track_;
};

}  // namespace flashloom
