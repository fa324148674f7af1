#include "controllers/nvme/dma.hpp"

#include <utility>

namespace flashloom::nvme {

// Goes on with the pieces that are left; true: the transfer is over, now.
bool Dma::Transfer::go_on() {
  while (left_ != 0 && succeeded_) {
    --left_;
    const Segment& segment = next_segment_ == nullptr ? one_ : *next_segment_++;
    std::byte* const place = bytes_;
    bytes_ += segment.bytes;
    if (segment.address == Segment::kNowhere) continue;
    succeeded_ = dma_.allowed_;
    if (!succeeded_) break;
    address = segment.address;
    bytes = segment.bytes;
    data = place;
    const bool asking = std::exchange(dma_.asking_, true);
    const bool answered = dma_.port_.access(*this);
    dma_.asking_ = asking;
    if (!answered) return false;
    succeeded_ = ok();
  }
  if (at <= kernel_now()) return true;
  dma_.timers_.schedule(*this, at);  // it was answered ahead of its time
  return false;
}

}  // namespace flashloom::nvme
