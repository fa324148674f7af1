// A disk's read buffer: segments of consecutive sectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/hdd/disk_geometry.hpp"

namespace flashloom {

/// Tracks which sectors are buffered, not their contents: writes update buffered data. A new stream evicts the least
/// recently used segment; a stream that outgrows its segment loses its oldest sectors.
class ReadBuffer {
 public:
  /// `capacity`: sectors a segment. Without segments or capacity nothing is buffered.
  ReadBuffer(std::uint32_t segments, std::uint64_t capacity) : capacity_(capacity) {
    if (capacity != 0) segments_.resize(segments);
  }

  /// End of the buffered sectors that begin at `first`; `first` if it is not buffered.
  DiskSector held_until(DiskSector first) {
    for (Segment& segment : segments_) {
      if (first < segment.first || first >= segment.end) continue;
      segment.used = ++uses_;
      return segment.end;
    }
    return first;
  }
  /// [first, end) has been read: extends a segment that overlaps it or ends where it begins, else starts a new one.
  void add(DiskSector first, DiskSector end) {
    if (segments_.empty() || first == end) return;
    Segment* chosen = nullptr;
    Segment* oldest = &segments_.front();
    for (Segment& segment : segments_) {
      if (segment.first != segment.end && first >= segment.first && first <= segment.end) chosen = &segment;
      if (segment.used < oldest->used) oldest = &segment;
    }
    if (chosen == nullptr) *(chosen = oldest) = {first, first, 0};
    chosen->end = std::max(chosen->end, end);
    if (chosen->end - chosen->first > capacity_) chosen->first = chosen->end - capacity_;
    chosen->used = ++uses_;
  }
  void clear() { std::fill(segments_.begin(), segments_.end(), Segment{}); }
  std::uint64_t capacity() const { return segments_.empty() ? 0 : capacity_; }

 private:
  struct Segment {
    DiskSector first = 0;
    DiskSector end = 0;
    std::uint64_t used = 0;
  };
  std::uint64_t capacity_;
  std::vector<Segment> segments_;
  std::uint64_t uses_ = 0;
};

}  // namespace flashloom
