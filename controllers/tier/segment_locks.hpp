// Locks of segments: shared by requests that read and write them, exclusive for operations that move or change a whole
// segment. A waiter holds none of the locks that it asks for, so that there is no deadlock.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>

#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "policies/tiering/tier_map.hpp"

namespace flashloom {

class SegmentLocks {
 public:
  /// Segments `first` to `last`, all at once, beside others who share them.
  Task<void> share(Segment first, Segment last);
  void unshare(Segment first, Segment last);
  /// Locks them all at once against new holders; returns when all shared holders have left.
  Task<void> lock(Segment first, Segment last);
  void unlock(Segment first, Segment last);

 private:
  struct Lock {
    std::uint32_t shared = 0;
    bool exclusive = false;
  };
  bool any_exclusive(Segment first, Segment last) const;
  bool any_shared(Segment first, Segment last) const;
  template <class Change>
  void change(Segment first, Segment last, Change change);

  boost::unordered_flat_map<Segment, Lock> locks_;  // of segments that somebody has; never iterated
  WaitList changed_;
};

}  // namespace flashloom
