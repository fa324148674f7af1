// The policies that choose victims and free blocks: `garbage_collection` and `wear_leveling`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/gc_unit_pool.hpp"
#include "controllers/ftl/records/block_records.hpp"
#include "controllers/ftl/records/free_lists.hpp"
#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/state_archive.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {

class BlockPolicies {
 public:
  BlockPolicies(const FtlContext& context, const BlockRecords& blocks, GcUnitPool* pool);

  // --- What becomes of a block.
  void closed(BlockNumber block, std::uint32_t valid_units, std::uint64_t age);
  void invalidated(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) {
    if (pool_ != nullptr) [[unlikely]]
      return pool_->invalidated(block, valid_units, age);
    dies_[blocks_.die_of(block)].collection->invalidated(blocks_.block_of_die(block), valid_units, age);
  }
  /// Before invalidated().
  void prefetch(BlockNumber block) const {
    if (pool_ == nullptr) dies_[blocks_.die_of(block)].collection->prefetch(blocks_.block_of_die(block));
  }
  void removed(BlockNumber block);
  void erased(BlockNumber block) {
    if (pool_ != nullptr) [[unlikely]]
      return pool_->erased(block);
    dies_[blocks_.die_of(block)].leveling->erased(blocks_.block_of_die(block));
  }
  /// Policies of a group; they number GC units within the group.
  GarbageCollectionPolicy& collection(std::uint32_t group) {
    return pool_ == nullptr ? *dies_[group].collection : *pool_->policies(group).collection;
  }
  WearLevelingPolicy& leveling(std::uint32_t group) {
    return pool_ == nullptr ? *dies_[group].leveling : *pool_->policies(group).leveling;
  }
  /// The unit of a list of the die that is to be opened next.
  BlockNumber choose(std::uint32_t die, const FreeList& free, FreeUse use) const;

  void die_state(StateArchive& archive, std::uint32_t die);

 private:
  struct Die final : BlockWear, GcUnitPool::Policies {
    std::uint32_t erases(std::uint32_t block) const override { return block < apart ? 0 : block_erases[block]; }

    std::uint32_t apart = 0;                      // the first ones
    const std::uint32_t* block_erases = nullptr;  // of its first block
  };

  const BlockRecords& blocks_;
  GcUnitPool* pool_;       // null: erase units are collected one by one
  std::vector<Die> dies_;  // without a pool
};

}  // namespace flashloom
