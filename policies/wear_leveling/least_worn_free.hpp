// The free block with the fewest, or the most, erases; ties to the one that has been free longest. O(free blocks).
#pragma once

#include <cstdint>

#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {

/// `wear_of(block)` returns a block's wear. Data go to the least worn block, cold data to the most worn one.
template <class WearOf>
std::uint32_t choose_by_wear(const FreeBlocks& free, FreeUse use, WearOf&& wear_of) {
  std::uint32_t best = 0;
  std::uint64_t best_wear = wear_of(free.block(0));
  for (std::uint32_t index = 1; index < free.size(); ++index) {
    const std::uint64_t wear = wear_of(free.block(index));
    if (use == FreeUse::Data ? wear >= best_wear : wear <= best_wear) continue;
    best = index;
    best_wear = wear;
  }
  return best;
}

}  // namespace flashloom
