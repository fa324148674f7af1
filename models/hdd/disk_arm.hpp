// The arm of a disk: its position, seek times, and times to pass over sectors.
#pragma once

#include <cstdint>

#include "models/hdd/disk_geometry.hpp"
#include "models/hdd/seek_curve.hpp"

namespace flashloom {

/// Instants of an access to a range of sectors.
struct DiskAccess {
  Picoseconds begin = 0;     ///< start of the seek
  Picoseconds on_track = 0;  ///< end of the seek
  Picoseconds first = 0;     ///< the first sector is under the head
  Picoseconds end = 0;       ///< the last sector has passed
  Picoseconds between = 0;   ///< part of first .. end: switching tracks, and waiting there
};

struct DiskProgress {
  std::uint64_t sectors = 0;  ///< sectors passed
  Picoseconds at = 0;         ///< when the last of them had passed
};

class DiskArm {
 public:
  DiskArm(const HddConfig& config, const DiskGeometry& geometry);

  /// Time to move from one track to another.
  Picoseconds move(const DiskTrack& from, const DiskTrack& to, bool write) const;
  /// Time from `at` until `sector` begins under the head.
  Picoseconds reach(DiskSector sector, bool write, Picoseconds at) const;
  /// Times to read or write `count` sectors from `first` on, starting at `at`; does not move the arm.
  DiskAccess access(DiskSector first, std::uint64_t count, bool write, Picoseconds at) const;
  /// Progress at `now` of a head that passes over `count` sectors from `first` on, having arrived on their track at
  /// `from`.
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
