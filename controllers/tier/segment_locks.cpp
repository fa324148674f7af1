#include "controllers/tier/segment_locks.hpp"

namespace flashloom {

bool SegmentLocks::any_exclusive(Segment first, Segment last) const {
  for (Segment segment = first; segment <= last; ++segment)
    if (const auto found = locks_.find(segment); found != locks_.end() && found->second.exclusive) return true;
  return false;
}

bool SegmentLocks::any_shared(Segment first, Segment last) const {
  for (Segment segment = first; segment <= last; ++segment)
    if (const auto found = locks_.find(segment); found != locks_.end() && found->second.shared != 0) return true;
  return false;
}

template <class Change>
void SegmentLocks::change(Segment first, Segment last, Change change) {
  for (Segment segment = first; segment <= last; ++segment) {
    const auto found = locks_.try_emplace(segment).first;
    change(found->second);
    if (found->second.shared == 0 && !found->second.exclusive) locks_.erase(found);
  }
}

Task<void> SegmentLocks::share(Segment first, Segment last) {
  while (any_exclusive(first, last)) co_await changed_.wait();
  change(first, last, [](Lock& lock) { ++lock.shared; });
}

void SegmentLocks::unshare(Segment first, Segment last) {
  change(first, last, [](Lock& lock) { --lock.shared; });
  changed_.wake_all();
}

Task<void> SegmentLocks::lock(Segment first, Segment last) {
  while (any_exclusive(first, last)) co_await changed_.wait();
  change(first, last, [](Lock& lock) { lock.exclusive = true; });
  while (any_shared(first, last)) co_await changed_.wait();
}

void SegmentLocks::unlock(Segment first, Segment last) {
  change(first, last, [](Lock& lock) { lock.exclusive = false; });
  changed_.wake_all();
}

}  // namespace flashloom
