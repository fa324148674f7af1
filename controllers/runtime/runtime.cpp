#include "controllers/runtime/runtime.hpp"

namespace flashloom {

void Runtime::drain() {
  struct Running {
    Runtime& runtime;
    explicit Running(Runtime& r) : runtime(r) { runtime.running_ = true; }
    ~Running() { runtime.running_ = false; }
  };
  const Scope scope(*this);
  const Running running(*this);
  while (head_ != tail_) {
    const std::coroutine_handle<> next = ring_[head_++ & mask_];
    try {
      next.resume();
    } catch (...) {
      if (!on_failure_) throw;
      on_failure_(std::current_exception());
    }
  }
}

void Runtime::grow() {
  const std::uint64_t mask = 2 * mask_ + 1;
  auto larger = std::make_unique<std::coroutine_handle<>[]>(mask + 1);
  for (std::uint64_t i = head_; i != tail_; ++i) larger[i & mask] = ring_[i & mask_];
  ring_ = std::move(larger);
  mask_ = mask;
}

void Runtime::destroy_frames() {
  head_ = tail_;
  while (frames_ != nullptr) frames_->self_.destroy();
}

}  // namespace flashloom
