// Writes of whole units on the instant clock, as preconditioning has them by the million.
#include "controllers/ssd/firmware.hpp"

namespace flashloom {

bool Firmware::take_whole(std::uint64_t offset, std::uint64_t length) {
  if (!taking_whole_) {
    if (++whole_before_ < kWholeBefore) return false;
    whole_before_ = 0;
    if (hardware_.timed() || !plain_ || faults_ != nullptr || !ftl_->takes_whole() ||
        !buffer_->takes_whole(units_per_program_))
      return false;
    taking_whole_ = true;
  }
  const std::uint32_t first = buffer_->pieces().unit_of(offset);
  const std::uint32_t count = buffer_->pieces().unit_of(length);
  if (std::uint64_t{first} * unit_bytes_ != offset || std::uint64_t{count} * unit_bytes_ != length ||
      length > capacity_bytes_ || offset > capacity_bytes_ - length)
    return false;
  buffer_->take_whole(first, count, units_per_program_, evicted_);
  return true;
}

Task<void> Firmware::write_whole() {
  const std::size_t filling = evicted_.size() % units_per_program_;
  co_await ftl_->write_whole(std::span(evicted_).first(evicted_.size() - filling));
  evicted_.erase(evicted_.begin(), evicted_.end() - static_cast<std::ptrdiff_t>(filling));
}

// Units that do not fill a program unit are written as those that commands evict.
Task<void> Firmware::end_whole() {
  co_await write_whole();
  evicted_.clear();
  for (WriteUnit* const unit : buffer_->evicted_whole()) co_await ftl_->write(*unit);
  taking_whole_ = false;
}

}  // namespace flashloom
