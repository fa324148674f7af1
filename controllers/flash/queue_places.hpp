// Places in the queues of the dies: with a limit, firmware waits for one before it hands over a command.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// Every die has `limit` places (0: no limit). Firmware takes a place by awaiting take(), in the order of arrival;
/// submission of the command uses it; completion gives it back. Firmware submits a command only when it needs nothing
/// but hardware to complete, so that places always become free, and host and GC cannot deadlock.
class QueuePlaces {
 public:
  QueuePlaces() = default;
  QueuePlaces(const QueuePlaces&) = delete;
  QueuePlaces& operator=(const QueuePlaces&) = delete;

  void set_limit(std::uint32_t dies, std::uint32_t limit) {
    limit_ = limit;
    dies_ = std::vector<Places>(limit == 0 ? 0 : dies);
    reset();
  }
  bool limited() const { return limit_ != 0; }

  /// Null: the caller has a place. Else the list to wait on once: a waiter that is woken has a place.
  WaitList* ask(std::uint32_t die) {
    if (limit_ == 0) return nullptr;
    Places& places = dies_[die];
    if (places.free == 0) return &places.waiting;
    --places.free;
    ++places.taken;
    return nullptr;
  }
  WaitList::Awaiter take(std::uint32_t die) { return WaitList::once(ask(die)); }

  /// A command for `die` is submitted. Throws std::logic_error if nobody has taken a place for it.
  void use(std::uint32_t die) {
    if (dies_[die].taken == 0) throw std::logic_error("a flash command was submitted without a place in its queue");
    --dies_[die].taken;
  }

  /// A command is complete: its place goes to the coroutine that has waited longest, which runs at once.
  void give_back(std::uint32_t die) {
    Places& places = dies_[die];
    if (places.waiting.empty()) {
      ++places.free;
      return;
    }
    ++places.taken;
    places.waiting.wake_one();
  }

  /// Power cut: all places are free, and nobody waits.
  void reset() {
    for (Places& places : dies_) {
      places.free = limit_;
      places.taken = 0;
      places.waiting.forget();
    }
  }

 private:
  struct Places {
    std::uint32_t free = 0;
    std::uint32_t taken = 0;  // places of commands that are not submitted yet
    WaitList waiting;
  };

  std::uint32_t limit_ = 0;
  std::vector<Places> dies_;
};

}  // namespace flashloom
