#include "controllers/host/foresight.hpp"

#include "controllers/ssd/firmware.hpp"

namespace flashloom {

// The ranges of a request are its source's, and gone with the next one.
inline bool Foresight::may_go_on() {
  return given_ == known_ || (known_ - given_ < kAhead && at(known_ - 1).range_count == 0);
}

bool Foresight::next(Request& request) {
  const std::uint64_t capacity = firmware_.capacity_bytes();
  while (may_go_on() && source_.next(at(known_))) {
    const Request& known = at(known_++);
    if (known.offset < capacity) firmware_.foresee(known.offset, known.kind == RequestKind::Read);
  }
  if (given_ == known_) return false;
  if (known_ - given_ > kCloser) {
    const Request& closer = at(given_ + kCloser);
    if (closer.offset < capacity) firmware_.foresee_closer(closer.offset, closer.kind == RequestKind::Read);
  }
  request = at(given_++);
  return true;
}

}  // namespace flashloom
