// Places in the queues of the dies: with a limit, firmware waits for one before it hands over a command.
#pragma once

#include <coroutine>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "controllers/runtime/runtime.hpp"

namespace flashloom {

/// Every die has `limit` places, or any number (limit 0). Firmware takes a place by awaiting take(), in the order of
/// arrival; submitting the command uses it; the command's completion gives it back. A command is submitted only when
/// everything that it needs is there, so that it waits for hardware alone: places come back by themselves, and host and
/// GC cannot lock each other out.
class QueuePlaces {
 public:
  QueuePlaces() = default;
  QueuePlaces(const QueuePlaces&) = delete;
  QueuePlaces& operator=(const QueuePlaces&) = delete;

  void set_limit(std::uint32_t dies, std::uint32_t limit) {
    limit_ = limit;
    dies_.assign(limit == 0 ? 0 : dies, {.free = limit});
  }
  bool limited() const { return limit_ != 0; }

  struct Awaiter {
    QueuePlaces& places;
    std::uint32_t die;
    std::coroutine_handle<> waiter{};
    Runtime* runtime = nullptr;
    Awaiter* next = nullptr;
    bool await_ready() const noexcept { return places.limit_ == 0 || places.take_free(die); }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter = handle;
      runtime = &Runtime::current();
      places.wait(*this);
    }
    void await_resume() const noexcept {}
  };
  Awaiter take(std::uint32_t die) { return Awaiter{*this, die}; }

  /// A command for `die` is submitted. Throws std::logic_error if nobody has taken a place for it.
  void use(std::uint32_t die) {
    if (dies_[die].taken == 0) throw std::logic_error("a flash command was submitted without a place in its queue");
    --dies_[die].taken;
  }

  /// A command is complete: its place goes to the coroutine that has waited longest, which runs at once.
  void give_back(std::uint32_t die) {
    Places& places = dies_[die];
    Awaiter* const first = places.first;
    if (first == nullptr) {
      ++places.free;
      return;
    }
    places.first = first->next;
    ++places.taken;
    first->runtime->wake(first->waiter);
  }

  /// Power cut: all places are free, and nobody waits.
  void reset() {
    for (Places& places : dies_) places = {.free = limit_};
  }

 private:
  struct Places {
    std::uint32_t free = 0;
    std::uint32_t taken = 0;  // places of commands that are not submitted yet
    Awaiter* first = nullptr;
    Awaiter* last = nullptr;
  };

  bool take_free(std::uint32_t die) {
    Places& places = dies_[die];
    if (places.free == 0) return false;
    --places.free;
    ++places.taken;
    return true;
  }
  void wait(Awaiter& awaiter) {
    Places& places = dies_[awaiter.die];
    (places.first == nullptr ? places.first : places.last->next) = &awaiter;
    places.last = &awaiter;
  }

  std::uint32_t limit_ = 0;
  std::vector<Places> dies_;
};

}  // namespace flashloom
