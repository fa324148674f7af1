#include "controllers/ftl/blocks/block_policies.hpp"

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "policies/registry.hpp"

namespace flashloom {

BlockPolicies::BlockPolicies(const FtlContext& context, const BlockRecords& blocks, GcUnitPool* pool)
    : blocks_(blocks), pool_(pool), dies_(pool == nullptr ? blocks.dies() : 0) {
  const std::uint32_t of_die = blocks.blocks_per_die();
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    Die& info = dies_[die];
    while (blocks[die * of_die + info.apart].apart) ++info.apart;
    info.block_erases = blocks.all_erases().data() + std::size_t{die} * of_die;
    info.collection = Family<GarbageCollectionPolicy>::make(
        context.config.garbage_collection, {.blocks = of_die,
                                            .units_per_block = context.geometry.whole_units_per_block(),
                                            .seed = context.seed + die,
                                            .wear = &info});
    info.leveling = Family<WearLevelingPolicy>::make(context.config.wear_leveling, {.blocks = of_die, .wear = &info});
  }
}

BlockNumber BlockPolicies::choose(std::uint32_t die, const FreeList& free, FreeUse use) const {
  struct Free final : FreeBlocks {
    Free(const BlockNumbers& of, const FreeList& list) : numbers(of), blocks(list) {}
    std::uint32_t size() const override { return static_cast<std::uint32_t>(blocks.size()); }
    std::uint32_t block(std::uint32_t index) const override { return numbers.block_of_die(blocks[index]); }
    const BlockNumbers& numbers;
    const FreeList& blocks;
  };
  return free[dies_[die].leveling->choose(Free(blocks_, free), use)];
}

void BlockPolicies::closed(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) {
  if (pool_ != nullptr) return pool_->closed(block, valid_units, age);
  const Die& die = dies_[blocks_.die_of(block)];
  die.collection->closed(blocks_.block_of_die(block), valid_units, age);
  die.leveling->closed(blocks_.block_of_die(block));
}

void BlockPolicies::removed(BlockNumber block) {
  if (pool_ != nullptr) return pool_->removed(block);
  const Die& die = dies_[blocks_.die_of(block)];
  die.collection->removed(blocks_.block_of_die(block));
  die.leveling->removed(blocks_.block_of_die(block));
}

void BlockPolicies::die_state(StateArchive& archive, std::uint32_t die) {
  if (pool_ != nullptr) return;
  dies_[die].collection->state(archive);
  dies_[die].leveling->state(archive);
}

}  // namespace flashloom
