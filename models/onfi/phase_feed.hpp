// Brings the phases of a channel's commands, which it knows ahead, into time order for its observers.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

class PhaseFeed {
 public:
  void attach(OnfiObserver& observer) { observers_.push_back(&observer); }

  /// `command` enters `phase` at `at`; nothing that is still to come lies before the last flush().
  void add(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
    pending_.push({at, order_++, &command, phase});
  }

  /// Tells the observers all that lies at or before `now`. Equal instants in the order of add().
  void flush(Picoseconds now) {
    while (!pending_.empty() && pending_.top().at <= now) {
      const Entry entry = pending_.top();
      pending_.pop();
      for (OnfiObserver* observer : observers_) observer->on_phase(*entry.command, entry.phase, entry.at);
    }
  }

  /// Power cut: what has not happened will not.
  void clear() { pending_ = {}; }

 private:
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    const OnfiCommand* command;
    OnfiPhase phase;
    bool operator<(const Entry& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::priority_queue<Entry> pending_;  // earliest on top
  std::vector<OnfiObserver*> observers_;
  std::uint64_t order_ = 0;
};

}  // namespace flashloom
