#include "controllers/nvme/range_locks.hpp"

#include <algorithm>

namespace flashloom::nvme {

bool RangeLocks::enter(NvmeCommand& command, std::uint64_t offset, std::uint64_t bytes, bool alone) {
  const std::uint64_t end = offset + bytes;
  if (alone || alone_ != 0) {
    const bool blocked = std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
      return (alone || held.alone) && held.begin < end && offset < held.end;
    });
    if (blocked) return false;
  }
  command.lock = static_cast<std::uint32_t>(held_.size());
  held_.push_back({&command, offset, end, alone});
  alone_ += alone ? 1 : 0;
  return true;
}

void RangeLocks::leave(NvmeCommand& command) {
  Held& place = held_[command.lock];
  alone_ -= place.alone ? 1 : 0;
  place = held_.back();
  place.command->lock = command.lock;
  held_.pop_back();
  changed_.wake_all();
}

void RangeLocks::reset() {
  held_.clear();
  alone_ = 0;
  changed_.forget();
}

}  // namespace flashloom::nvme
