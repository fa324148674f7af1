#include "controllers/ftl/blocks/block_policies.hpp"

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "policies/registry.hpp"

namespace flashloom {

BlockPolicies::BlockPolicies(const FtlContext& context, const BlockRecords& blocks, Superblocks& superblocks)
    : blocks_(blocks), superblocks_(superblocks), dies_(blocks.dies()) {
  const std::uint32_t of_die = blocks.blocks_per_die();
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    Die& info = dies_[die];
    while (blocks[die * of_die + info.apart].apart) ++info.apart;
    info.block_erases = blocks.all_erases().data() + std::size_t{die} * of_die;
    if (!blocks.one_by_one()) {
      info.collection = superblocks.collection_of_die(die);
      info.leveling = superblocks.leveling_of_die(die);
      continue;
    }
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

void BlockPolicies::die_state(StateArchive& archive, std::uint32_t die) {
  dies_[die].collection->state(archive);
  dies_[die].leveling->state(archive);
}

}  // namespace flashloom
