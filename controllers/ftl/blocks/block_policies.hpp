// The policies that choose victims and free blocks: `garbage_collection` and `wear_leveling`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/superblocks.hpp"
#include "controllers/ftl/records/block_records.hpp"
#include "controllers/ftl/records/free_lists.hpp"
#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/state_archive.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {

class BlockPolicies {
 public:
  BlockPolicies(const FtlContext& context, const BlockRecords& blocks, Superblocks& superblocks);

  /// Policies that hear of the erase units of a die, by their numbers on it. With superblocks they pass that on to the
  /// policies of the group.
  struct Die final : BlockWear {
    std::uint32_t erases(std::uint32_t block) const override { return block < apart ? 0 : block_erases[block]; }

    std::uint32_t apart = 0;                      // the first ones
    const std::uint32_t* block_erases = nullptr;  // of its first block
    std::unique_ptr<GarbageCollectionPolicy> collection;
    std::unique_ptr<WearLevelingPolicy> leveling;
  };
  Die& of_die(std::uint32_t die) { return dies_[die]; }
  /// Policies of a group; they number superblocks within the group.
  GarbageCollectionPolicy& collection(std::uint32_t group) {
    return blocks_.one_by_one() ? *dies_[group].collection : superblocks_.collection(group);
  }
  WearLevelingPolicy& leveling(std::uint32_t group) {
    return blocks_.one_by_one() ? *dies_[group].leveling : superblocks_.leveling(group);
  }
  /// The unit of a list of the die that is to be opened next.
  BlockNumber choose(std::uint32_t die, const FreeList& free, FreeUse use) const;

  void die_state(StateArchive& archive, std::uint32_t die);

 private:
  const BlockRecords& blocks_;
  Superblocks& superblocks_;
  std::vector<Die> dies_;
};

}  // namespace flashloom
