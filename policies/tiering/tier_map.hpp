// Address map of a tier: the segment of the home device (HDD) that each slot of the cache device (SSD) holds.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/eviction.hpp"
#include "policies/replacement/page_table.hpp"

namespace flashloom {

/// Number of a segment of the home device: offset / segment size.
using Segment = std::uint32_t;
inline constexpr Segment kNoSegment = ~Segment{0};

class TierMap {
 public:
  explicit TierMap(std::uint32_t slots) : segments_(slots, kNoSegment), slot_of_(slots) {}

  std::uint32_t slots() const { return static_cast<std::uint32_t>(segments_.size()); }
  std::uint32_t used() const { return used_; }
  /// kNoSlot: the segment is not cached.
  Slot slot_of(Segment segment) const { return slot_of_.find(segment); }
  /// kNoSegment: the slot is free.
  Segment segment_of(Slot slot) const { return segments_[slot]; }

  /// Requires a free slot, and a segment that has none.
  void set(Slot slot, Segment segment) {
    segments_[slot] = segment;
    slot_of_.put(segment, slot);
    ++used_;
  }
  void clear(Slot slot) {
    if (segments_[slot] == kNoSegment) return;
    slot_of_.erase(segments_[slot]);
    segments_[slot] = kNoSegment;
    --used_;
  }
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Segment> segments_;  // by slot
  PageTable slot_of_;
  std::uint32_t used_ = 0;
};

}  // namespace flashloom
