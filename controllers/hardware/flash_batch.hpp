// Flash commands that a coroutine awaits.
#pragma once

#include <coroutine>
#include <cstdint>

#include "controllers/flash/flash_port.hpp"
#include "controllers/runtime/runtime.hpp"

namespace flashloom {

/// Submit any number of commands (or groups of them, by their first), then `co_await batch`: resumes when all are
/// complete.
class FlashBatch final : public FlashCompletion {
 public:
  FlashBatch() = default;
  /// One command, or group of them: `co_await FlashBatch(port, command)`, behind `co_await port.place(command)`.
  FlashBatch(FlashPort& port, OnfiCommand& command) { submit(port, command); }
  FlashBatch(const FlashBatch&) = delete;
  FlashBatch& operator=(const FlashBatch&) = delete;

  void submit(FlashPort& port, OnfiCommand& command) {
    std::uint32_t commands = 0;
    for_each_of_group(command, [&](OnfiCommand& each) {
      each.completion = this;
      ++commands;
    });
    pending_ += commands;
    if (port.submit(command)) pending_ -= commands;
  }

  bool await_ready() const noexcept { return pending_ == 0; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    runtime_ = &Runtime::current();
  }
  void await_resume() const noexcept {}

  void on_flash_complete(OnfiCommand&) override {
    if (--pending_ == 0 && waiter_) runtime_->wake(waiter_);
  }

 private:
  std::uint32_t pending_ = 0;
  std::coroutine_handle<> waiter_{};
  Runtime* runtime_ = nullptr;
};

}  // namespace flashloom
