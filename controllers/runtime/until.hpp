// Waits on the host's own clock.
#pragma once

#include <coroutine>

#include "controllers/runtime/runtime.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// `co_await Until(timers, at)`: at once if that is past.
class Until final : public Timer {
 public:
  Until(TimerQueue& timers, Picoseconds at) : timers_(timers), at_(at) {}
  bool await_ready() const { return at_ <= kernel_now(); }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    runtime_ = &Runtime::current();
    timers_.schedule(*this, at_);
  }
  void await_resume() const noexcept {}
  void on_timer() override { runtime_->wake(waiter_); }

 private:
  TimerQueue& timers_;
  Picoseconds at_;
  std::coroutine_handle<> waiter_{};
  Runtime* runtime_ = nullptr;
};

}  // namespace flashloom
