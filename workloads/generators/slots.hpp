// Allocates slots of one size in a region, for generators that keep files there.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "workloads/workload_error.hpp"

namespace flashloom {

/// Reuses slots in the order in which they were freed, so that no write follows closely on the trim of its slot.
class Slots {
 public:
  explicit Slots(std::uint64_t slots) {
    for (std::uint64_t slot = 0; slot < slots; ++slot) free_.push_back(slot);
  }

  std::uint64_t free() const { return free_.size(); }

  /// Throws WorkloadError if fewer than `count` slots are free; `who`: name of the generator, for the message.
  std::vector<std::uint64_t> take(std::uint64_t count, const char* who) {
    if (count > free_.size())
      throw WorkloadError(who, 0,
                          "its files have outgrown the region: " + std::to_string(count) + " slots are needed, " +
                              std::to_string(free_.size()) + " are free; keep less data");
    std::vector<std::uint64_t> taken(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(count));
    free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(count));
    return taken;
  }
  void give_back(std::uint64_t slot) { free_.push_back(slot); }

 private:
  std::deque<std::uint64_t> free_;
};

}  // namespace flashloom
