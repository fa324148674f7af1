#include "controllers/runtime/runtime.hpp"

#include <algorithm>
#include <iterator>

namespace flashloom {

void Runtime::drain() {
  const Running running(*this);
  resume_all();
}

void Runtime::resume_all() {
  while (head_ != tail_) {
    const std::coroutine_handle<> next = ring_[head_++ & mask_];
    try {
      next.resume();
    } catch (...) {
      failed();
    }
  }
  head_ = tail_ = 0;  // the queue is empty: begin at the front again, whose cache lines have been used last
}

void Runtime::failed() {
  if (!on_failure_) throw;
  on_failure_(std::current_exception());
}

void Runtime::grow() {
  const std::uint64_t mask = 2 * mask_ + 1;
  auto larger = std::make_unique<std::coroutine_handle<>[]>(mask + 1);
  for (std::uint64_t i = head_; i != tail_; ++i) larger[i & mask] = ring_[i & mask_];
  ring_ = std::move(larger);
  mask_ = mask;
}

void Runtime::enlarge_register() {
  const auto size = static_cast<std::uint32_t>(register_.size());
  register_.resize(std::max(64U, 2 * size));
  // Lowest first.
  for (auto place = static_cast<std::uint32_t>(register_.size()); place-- > size;)
    register_[place].number = std::exchange(first_free_, place);
}

void Runtime::destroy_frames() {
  head_ = tail_ = 0;
  std::vector<Live> frames;
  std::copy_if(register_.begin(), register_.end(), std::back_inserter(frames),
               [](const Live& each) { return each.frame != nullptr; });
  std::sort(frames.begin(), frames.end(), [](const Live& a, const Live& b) { return a.number > b.number; });
  for (const Live& each : frames) each.frame->self_.destroy();
  live_ = 0;  // forgets what hold() counted, too
}

}  // namespace flashloom
