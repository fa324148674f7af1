#include "controllers/ftl/features/slc_cache/blocks/slc_blocks.hpp"

#include "controllers/ftl/ftl.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

SlcBlocks::SlcBlocks(const FtlContext& context, BlockRecords& blocks, FreeLists& free, std::uint32_t never_lent)
    : blocks_(blocks),
      free_(free),
      media_(context.media),
      any_(context.geometry.any_slc()),
      lends_(context.geometry.slc_dynamic != 0),
      most_borrowed_(context.geometry.slc_dynamic),
      never_lent_(never_lent),
      dies_(blocks.dies()),
      erases_(lends_ ? blocks.size() : 0) {
  // Room for more than slc_dynamic: after a power cut, blocks that awaited their erase may be closed SLC units again.
  for (DieState& die : dies_) die.closed.set_capacity(lends_ ? blocks.blocks_per_die() : context.geometry.slc_blocks);
  for (BlockNumber block = 0; block < erases_.size(); ++block)
    erases_[block] = media_.slc_erases(Die{blocks.die_of(block)}, Block{blocks.block_of_die(block)});
}

// Static units keep their mode.
void SlcBlocks::use_in_mode(BlockNumber block, bool slc) {
  blocks_[block].slc = slc || blocks_.always_slc(block);
  media_.choose_mode(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)}, slc);
}

void SlcBlocks::borrow(BlockNumber block) {
  use_in_mode(block, true);
  ++dies_[blocks_.die_of(block)].borrowed;
}

BlockNumber SlcBlocks::oldest_borrowed(std::uint32_t die) const {
  const auto& closed = dies_[die].closed;
  const auto oldest = std::ranges::find_if(closed, [this](BlockNumber block) { return !blocks_.always_slc(block); });
  return oldest == closed.end() ? kNoBlockNumber : *oldest;
}

void SlcBlocks::put_back(BlockNumber block) {
  blocks_[block].state = BlockState::Closed;
  dies_[blocks_.die_of(block)].closed.push_front(block);
}

void SlcBlocks::collected(BlockNumber block) {
  auto& closed = dies_[blocks_.die_of(block)].closed;
  closed.erase(std::find(closed.begin(), closed.end(), block));
}

void SlcBlocks::restore_mode(BlockNumber block) {
  blocks_[block].slc = media_.in_slc_mode(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)});
}

void SlcBlocks::state(StateArchive& archive) {
  if (!any_) return;
  for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) free_.slc().bank_state(archive, bank);
  for (std::uint32_t die = 0; die < blocks_.dies(); ++die) {
    free_.slc().die_state(archive, die);
    archive(dies_[die].borrowed);
    list_state(archive, dies_[die].closed);
  }
}

}  // namespace flashloom
