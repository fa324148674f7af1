// GC units of several members: which are free, and the policies of each group. Where erase units are collected one by
// one there is no pool: the block table keeps the free lists and informs the policies.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/records/block_records.hpp"
#include "controllers/ftl/records/free_lists.hpp"
#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/state_archive.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {

class GcUnitPool {
 public:
  struct Policies {
    std::unique_ptr<GarbageCollectionPolicy> collection;
    std::unique_ptr<WearLevelingPolicy> leveling;
  };
  virtual ~GcUnitPool() = default;

  /// Free GC units by group, oldest first, including those whose erases are still pending.
  const std::vector<FreeList>& free() const { return free_; }
  /// The one to open next, as wear levelling chooses. The group must have a free one.
  virtual GcUnit next_free(std::uint32_t group, FreeUse use) const = 0;
  virtual void take(GcUnit unit) = 0;
  virtual void give_back(GcUnit unit) = 0;
  /// An erase unit has gone bad, a member of a free GC unit.
  virtual void lose_member(BlockNumber block) = 0;
  /// Whether it has good members for data.
  virtual bool usable(GcUnit unit) const = 0;
  /// Recovery: sets which are free.
  virtual void keep_free(const std::vector<std::uint8_t>& free) = 0;

  /// Policies of a group; they number GC units within the group.
  Policies& policies(std::uint32_t group) { return policies_[group]; }
  /// What becomes of a member, to be told to these policies (BlockPolicies).
  virtual void closed(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) = 0;
  virtual void invalidated(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) = 0;
  virtual void removed(BlockNumber block) = 0;
  virtual void erased(BlockNumber block) = 0;

  /// Saved states.
  virtual void state(StateArchive& archive) = 0;

 protected:
  std::vector<FreeList> free_;
  std::vector<Policies> policies_;
};

/// Which erase units of the device belong together, and its pool, null if they are collected one by one. Defined by the
/// feature.
BlockGroups make_block_groups(const FtlContext& context);
std::unique_ptr<GcUnitPool> make_gc_unit_pool(const FtlContext& context, const BlockRecords& blocks);

}  // namespace flashloom
