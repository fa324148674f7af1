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
    const std::coroutine_handle<> next = ring_[head_++ & (ring_.size() - 1)];
    try {
      next.resume();
    } catch (...) {
      if (!on_failure_) throw;
      on_failure_(std::current_exception());
    }
  }
}

void Runtime::grow() {
  std::vector<std::coroutine_handle<>> larger(ring_.size() * 2);
  for (std::uint64_t i = head_; i != tail_; ++i) larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
  ring_.swap(larger);
}

void Runtime::destroy_frames() {
  head_ = tail_;
  while (frames_ != nullptr) frames_->self_.destroy();
}

}  // namespace flashloom
