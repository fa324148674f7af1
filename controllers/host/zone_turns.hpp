// The order of writes in a zone: one at a time is under way, in the order in which the workload asked for them, as Linux
// keeps it (zone write locking of mq-deadline, zone write plugging since 6.10). Commands that move a write pointer take
// turns with them; reads and commands of all zones do not. Appends of a zone are under way together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "controllers/runtime/wait_list.hpp"
#include "models/block/io_command.hpp"

namespace flashloom {

class ZoneTurns {
 public:
  explicit ZoneTurns(std::uint64_t zone_bytes) : zone_bytes_(zone_bytes) {}

  /// Of one request, from join() to leave().
  class Ticket {
   public:
    bool taken() const { return turns_ != nullptr; }
    /// Nobody is before it.
    bool due() const {
      for (const Ticket* const ticket : turns_->zones_.at(zone_)) {
        if (ticket == this) return true;
        if (!ticket->append_ || !append_) return false;
      }
      return false;
    }
    /// `while (!due()) co_await wait();`
    WaitList::Awaiter wait() { return next_.wait(); }

   private:
    friend class ZoneTurns;
    ZoneTurns* turns_ = nullptr;
    std::uint64_t zone_ = 0;
    bool append_ = false;
    WaitList next_;
  };

  /// `paced`: the command may wait after it was taken. (An append that does not is sent at once, and so in its order.)
  static bool concerns(const IoCommand& command, bool paced) {
    switch (command.operation) {
      case IoOperation::Write:
        return true;
      case IoOperation::ZoneAppend:
        return paced;
      case IoOperation::ZoneOpen:
      case IoOperation::ZoneClose:
      case IoOperation::ZoneFinish:
      case IoOperation::ZoneReset:
      case IoOperation::ZoneOffline:
      case IoOperation::ZoneCommit:
        return !command.all_zones;
      default:
        return false;
    }
  }

  /// Comes behind all that have joined the zone at `offset`; `append`: but for appends.
  void join(std::uint64_t offset, bool append, Ticket& ticket) {
    ticket.turns_ = this;
    ticket.zone_ = offset / zone_bytes_;
    ticket.append_ = append;
    zones_[ticket.zone_].push_back(&ticket);
  }
  /// It is complete, or is not sent at all.
  void leave(Ticket& ticket) {
    const auto zone = zones_.find(ticket.zone_);
    std::deque<Ticket*>& queue = zone->second;
    queue.erase(std::find(queue.begin(), queue.end(), &ticket));
    ticket.turns_ = nullptr;
    if (queue.empty()) {
      zones_.erase(zone);
    } else {
      for (Ticket* const waiting : queue)
        if (waiting->due()) waiting->next_.wake_one();
    }
  }

 private:
  std::uint64_t zone_bytes_;
  std::unordered_map<std::uint64_t, std::deque<Ticket*>> zones_;  // those that somebody waits for or writes
};

}  // namespace flashloom
