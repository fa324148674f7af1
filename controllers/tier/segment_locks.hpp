// Locks of segments: shared by the requests that read and write them, exclusive for who moves or changes them as a
// whole. A waiter holds none of the locks that it asks for, so that waiters cannot wait for each other in a circle.
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
  /// All at once; from then on nobody else gets them, and when all who share them are gone, it returns.
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
