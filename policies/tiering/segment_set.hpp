// Segments in slots under a policy of the family "replacement": the contents of a tier that changes with every miss.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "policies/registry.hpp"
#include "policies/replacement/page_table.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/tiering/tier_map.hpp"

namespace flashloom {

class SegmentSet {
 public:
  SegmentSet(const PolicyChoice& replacement, std::uint32_t slots)
      : policy_(Family<ReplacementPolicy>::make(replacement, {.capacity = slots})),
        slot_of_(slots),
        segments_(slots, kNoSegment) {
    for (Slot slot = slots; slot-- != 0;) free_.push_back(slot);
  }

  Slot find(Segment segment) const { return slot_of_.find(segment); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(segments_.size() - free_.size()); }
  void reference(Slot slot, Access access) { policy_->referenced(slot, access); }
  /// Inserts a missing segment; if no slot is free, evicts the policy's victim. kNoSlot: there is none.
  Slot insert(Segment segment, Access access) {
    policy_->expected(segment, access);
    if (free_.empty() && !evict()) return kNoSlot;
    return put(free_.back(), segment, access);
  }
  /// Evicts the policy's victim. False: there is none.
  bool evict() {
    const Slot slot = policy_->victim();
    if (slot == kNoSlot) return false;
    policy_->removed(slot);
    release(slot);
    return true;
  }
  /// Removes a segment without a ghost; no effect if it is not cached.
  void drop(Segment segment) {
    const Slot slot = find(segment);
    if (slot == kNoSlot) return;
    policy_->dropped(slot);
    release(slot);
  }
  /// Takes over the contents of the slots found after a start. The set must be new.
  void restore(const TierMap& map) {
    std::vector<std::uint32_t> at(free_.size());  // where in free_ each slot is
    for (std::uint32_t i = 0; i < free_.size(); ++i) at[free_[i]] = i;
    for (Slot slot = 0; slot < map.slots(); ++slot) {
      if (map.segment_of(slot) == kNoSegment) continue;
      at[free_.back()] = at[slot];
      std::swap(free_[at[slot]], free_.back());
      put(slot, map.segment_of(slot), Access::Read);
    }
  }

 private:
  Slot put(Slot slot, Segment segment, Access access) {
    free_.pop_back();
    segments_[slot] = segment;
    slot_of_.put(segment, slot);
    policy_->inserted(slot, segment, access);
    return slot;
  }
  void release(Slot slot) {
    slot_of_.erase(segments_[slot]);
    segments_[slot] = kNoSegment;
    free_.push_back(slot);
  }

  std::unique_ptr<ReplacementPolicy> policy_;
  PageTable slot_of_;
  std::vector<Segment> segments_;  // by slot
  std::vector<Slot> free_;
};

}  // namespace flashloom
