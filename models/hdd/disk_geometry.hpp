// Positions of the sectors of a disk: zones, cylinders, heads, angles.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/hdd/hdd_config.hpp"

namespace flashloom {

/// Number of a physical sector.
using DiskSector = std::uint64_t;

struct DiskTrack {
  std::uint32_t cylinder = 0;  ///< 0 is the outermost
  std::uint32_t head = 0;
  bool operator==(const DiskTrack&) const = default;
};

/// Position of a sector on its track.
struct DiskPlace {
  DiskTrack track;
  std::uint32_t sector = 0;   ///< on the track
  std::uint32_t sectors = 0;  ///< of the track
};

/// Sectors fill a cylinder head by head, then the next one inwards. All zones have the same number of cylinders; a zone
/// has as many sectors a track as give its sustained rate, track switches included. Tracks are skewed by the time that
/// a write needs to switch to the next one, so that sequential transfers lose no revolution. The platter is at angle 0
/// at time 0 and always turns: angles are times, in picoseconds since the last full revolution.
class DiskGeometry {
 public:
  /// Throws ConfigProblem.
  explicit DiskGeometry(const HddConfig& config);

  Picoseconds revolution() const { return revolution_; }
  std::uint32_t cylinders() const { return cylinders_per_zone_ * static_cast<std::uint32_t>(zones_.size()); }
  std::uint32_t heads() const { return heads_; }
  DiskSector sectors() const { return sectors_; }
  std::uint32_t sectors_per_track(std::uint32_t zone) const { return zones_[zone].sectors_per_track; }
  std::uint32_t zone_of(std::uint32_t cylinder) const { return cylinder / cylinders_per_zone_; }
  /// First sector of a zone.
  DiskSector first_of(std::uint32_t zone) const { return zones_[zone].first; }
  std::uint32_t zones() const { return static_cast<std::uint32_t>(zones_.size()); }

  DiskPlace place(DiskSector sector) const;

  /// Angle at which the `sector`-th sector of a track begins; for `sector` = sectors, at which the last one ends.
  Picoseconds angle(const DiskPlace& place) const {
    return (skew(place.track) + Picoseconds{place.sector} * revolution_ / place.sectors) % revolution_;
  }
  /// Time from `at` until the head is over the start of that sector.
  Picoseconds wait(const DiskPlace& place, Picoseconds at) const {
    const Picoseconds here = at % revolution_;
    const Picoseconds there = angle(place);
    return there >= here ? there - here : there + revolution_ - here;
  }
  /// Time that `count` sectors from there on take, on the same track.
  Picoseconds pass(const DiskPlace& place, std::uint32_t count) const {
    return (Picoseconds{place.sector} + count) * revolution_ / place.sectors -
           Picoseconds{place.sector} * revolution_ / place.sectors;
  }

 private:
  struct Zone {
    DiskSector first;
    std::uint32_t sectors_per_track;
  };
  Picoseconds skew(const DiskTrack& track) const {
    return Picoseconds{track.cylinder} * cylinder_skew_ % revolution_ + Picoseconds{track.head} * head_skew_;
  }

  Picoseconds revolution_;
  std::uint32_t heads_;
  std::uint32_t cylinders_per_zone_ = 0;
  DiskSector sectors_;
  Picoseconds head_skew_;
  Picoseconds cylinder_skew_;  // from a cylinder's first track to the next one's
  std::vector<Zone> zones_;
};

}  // namespace flashloom
