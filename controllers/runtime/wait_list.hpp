// Coroutines that wait for a condition of the firmware (space, a lock, an erased block), in FIFO order.
#pragma once

#include <coroutine>

#include "controllers/runtime/runtime.hpp"

namespace flashloom {

/// Use: `while (!condition) co_await list.wait();` and wake_all() (or wake_one()) after each change of the condition.
class WaitList {
 public:
  WaitList() = default;
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;

  struct Awaiter {
    WaitList* list;
    std::coroutine_handle<> waiter{};
    Runtime* runtime = nullptr;
    Awaiter* next = nullptr;
    bool await_ready() const noexcept { return list == nullptr; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter = handle;
      runtime = &Runtime::current();
      *list->tail_ = this;
      list->tail_ = &next;
    }
    void await_resume() const noexcept {}
  };
  Awaiter wait() { return Awaiter{this}; }
  /// For a list, if there is one, once.
  static Awaiter once(WaitList* list) { return Awaiter{list}; }

  bool empty() const { return head_ == nullptr; }

  void wake_one() {
    if (head_ == nullptr) return;
    Awaiter* const first = head_;
    head_ = first->next;
    if (head_ == nullptr) tail_ = &head_;
    first->runtime->wake(first->waiter);
  }

  /// Wakes those who wait now; one that waits again inside its wake-up waits for the next call.
  void wake_all() {
    Awaiter* waiting = head_;
    if (waiting == nullptr) return;
    forget();
    while (waiting != nullptr) {
      Awaiter* const next = waiting->next;
      waiting->runtime->wake(waiting->waiter);
      waiting = next;
    }
  }

  /// Nobody waits any more (a power cut has destroyed the coroutines).
  void forget() {
    head_ = nullptr;
    tail_ = &head_;
  }

 private:
  Awaiter* head_ = nullptr;
  Awaiter** tail_ = &head_;
};

}  // namespace flashloom
