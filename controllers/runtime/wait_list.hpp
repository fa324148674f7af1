// Coroutines that wait for a condition of the firmware (space, a lock, an erased block), in FIFO order or by turns.
#pragma once

#include <coroutine>
#include <cstdint>
#include <limits>

#include "controllers/runtime/runtime.hpp"

namespace flashloom {

/// Use: `while (!condition) co_await list.wait();` and wake_all() (or wake_one()) after each change of the condition.
/// A coroutine that may wait several times and must keep its place in the order uses wait(turn).
class WaitList {
 public:
  WaitList() = default;
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;

  struct Awaiter {
    WaitList* list;
    std::uint64_t turn = kLast;
    std::coroutine_handle<> waiter{};
    Runtime* runtime = nullptr;
    Awaiter* next = nullptr;
    bool await_ready() const noexcept { return list == nullptr; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter = handle;
      runtime = &Runtime::current();
      list->insert(*this);
    }
    void await_resume() const noexcept {}
  };
  Awaiter wait() { return Awaiter{this}; }
  /// Before those whose turn is later, behind those of the same turn.
  Awaiter wait(std::uint64_t turn) { return Awaiter{this, turn}; }
  /// Waits once on a list; null: does not wait.
  static Awaiter once(WaitList* list) { return Awaiter{list}; }

  bool empty() const { return head_ == nullptr; }

  void wake_one() {
    if (head_ == nullptr) return;
    Awaiter* const first = head_;
    head_ = first->next;
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
  void forget() { head_ = nullptr; }

 private:
  static constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();

  void insert(Awaiter& waiting) {
    if (head_ == nullptr || last_->turn <= waiting.turn) [[likely]] {
      (head_ == nullptr ? head_ : last_->next) = &waiting;
      last_ = &waiting;
      return;
    }
    Awaiter** place = &head_;
    while ((*place)->turn <= waiting.turn) place = &(*place)->next;
    waiting.next = *place;
    *place = &waiting;
  }

  Awaiter* head_ = nullptr;
  Awaiter* last_ = nullptr;  // valid unless the list is empty
};

}  // namespace flashloom
