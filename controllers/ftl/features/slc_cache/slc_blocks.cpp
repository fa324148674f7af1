#include "controllers/ftl/features/slc_cache/slc_blocks.hpp"

#include <stdexcept>
#include <string>

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

SlcBlocks::SlcBlocks(const FtlContext& context, BlockTable& blocks)
    : blocks_(blocks),
      media_(context.media),
      free_(blocks, context.geometry.slc_blocks),
      most_borrowed_(context.geometry.slc_dynamic),
      never_lent_(context.config.gc_high + blocks.spare().failure_reserve()),
      dies_(blocks.dies()),
      erases_(lends() ? blocks.size() : 0) {
  // Room for more than slc_dynamic: after a power cut, blocks that awaited their erase may be closed SLC units again.
  for (DieState& die : dies_) die.closed.set_capacity(lends() ? blocks.blocks_per_die() : context.geometry.slc_blocks);
  for (BlockNumber block = 0; block < blocks.size(); ++block) {
    if (blocks[block].apart && blocks[block].state == BlockState::Free) free_.add(block);
    if (lends()) erases_[block] = media_.slc_erases(Die{blocks.die_of(block)}, Block{blocks.block_of_die(block)});
  }
  blocks.free().keep_apart(free_);
  blocks.attach(*this);
}

// Static units keep their mode.
void SlcBlocks::use_in_mode(BlockNumber block, bool slc) {
  blocks_[block].slc = slc || blocks_[block].apart;
  media_.choose_mode(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)}, slc);
}

void SlcBlocks::borrow(BlockNumber block) {
  use_in_mode(block, true);
  ++dies_[blocks_.die_of(block)].borrowed;
}

BlockNumber SlcBlocks::oldest_borrowed(std::uint32_t die) const {
  const auto& closed = dies_[die].closed;
  const auto oldest = std::ranges::find_if(closed, [this](BlockNumber block) { return borrowed(block); });
  return oldest == closed.end() ? kNoBlockNumber : *oldest;
}

void SlcBlocks::put_back(BlockNumber block) {
  blocks_[block].state = BlockState::Closed;
  dies_[blocks_.die_of(block)].closed.push_front(block);
}

void SlcBlocks::collected(BlockNumber block) { take_out(dies_[blocks_.die_of(block)].closed, block); }

void SlcBlocks::recovered() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (borrowed(block) && !blocks_[block].given_up()) ++dies_[blocks_.die_of(block)].borrowed;
}

void SlcBlocks::check() const {
  std::uint64_t count = 0;
  for (const DieState& die : dies_) count += die.borrowed;
  if (count != slc_use(blocks_).borrowed_blocks)
    throw std::logic_error(std::to_string(count) +
                           " blocks count as borrowed for the SLC write cache, a recount gives " +
                           std::to_string(slc_use(blocks_).borrowed_blocks));
}

void SlcBlocks::state(StateArchive& archive) {
  for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) free_.bank_state(archive, bank);
  for (std::uint32_t die = 0; die < blocks_.dies(); ++die) {
    free_.die_state(archive, die);
    archive(dies_[die].borrowed);
    list_state(archive, dies_[die].closed);
  }
}

SlcUse slc_use(const BlockTable& blocks) {
  SlcUse use;
  for (BlockNumber block = 0; block < blocks.size(); ++block) {
    if (!blocks.in_slc_mode(block) || blocks[block].given_up()) continue;
    use.valid_units += blocks[block].valid;
    if (!blocks[block].apart) ++use.borrowed_blocks;
  }
  return use;
}

}  // namespace flashloom
