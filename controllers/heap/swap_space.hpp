// Slots of the swap area: which are taken. Volatile: rebuilt from the page table in NVM after a power cut.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// Next fit: looks for a run of neighbouring slots behind the last one taken, so that pages evicted together are
/// contiguous, and the area is written in a ring.
class SwapSpace {
 public:
  explicit SwapSpace(std::uint32_t slots) : taken_(slots), free_(slots) {}

  std::uint32_t free_slots() const { return free_; }
  bool taken(std::uint32_t slot) const { return taken_[slot]; }

  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// Takes the next free slots that are neighbours, at most `most`; none only if none is free.
  Run take(std::uint32_t most);
  void take_at(std::uint32_t slot) {
    taken_[slot] = true;
    --free_;
  }
  void give_back(std::uint32_t slot) {
    taken_[slot] = false;
    ++free_;
  }

 private:
  std::vector<bool> taken_;
  std::uint32_t free_;
  std::uint32_t next_ = 0;
};

}  // namespace flashloom
