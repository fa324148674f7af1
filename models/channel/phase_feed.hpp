// Sorts the phases of a channel's commands, which the channel knows in advance, into time order for its observers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

class PhaseFeed {
 public:
  void attach(OnfiObserver& observer) { observers_.push_back(&observer); }

  /// `command` enters `phase` at `at`, which must not lie before the last flush().
  void add(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
    pending_.push_back({at, order_++, &command, phase});
    std::push_heap(pending_.begin(), pending_.end());
  }

  /// Reports to the observers everything at or before `now`; ties in the order of add().
  void flush(Picoseconds now) {
    while (!pending_.empty() && pending_.front().at <= now) {
      const Entry entry = pending_.front();
      std::pop_heap(pending_.begin(), pending_.end());
      pending_.pop_back();
      for (OnfiObserver* observer : observers_) observer->on_phase(*entry.command, entry.phase, entry.at);
    }
  }

  /// Withdraws a future phase of `command`, which is being suspended.
  void withdraw(const OnfiCommand& command, OnfiPhase phase) {
    std::erase_if(pending_, [&](const Entry& each) { return each.command == &command && each.phase == phase; });
    std::make_heap(pending_.begin(), pending_.end());
  }

  /// Power cut: drops all phases not reported yet.
  void clear() { pending_.clear(); }

 private:
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    const OnfiCommand* command;
    OnfiPhase phase;
    bool operator<(const Entry& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::vector<Entry> pending_;  // a heap, earliest first
  std::vector<OnfiObserver*> observers_;
  std::uint64_t order_ = 0;
};

}  // namespace flashloom
