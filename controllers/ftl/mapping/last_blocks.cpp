#include "controllers/ftl/mapping/last_blocks.hpp"

namespace flashloom {

LastBlocks::LastBlocks(const MappedTables& tables, const Parts& parts, bool& out_of_room)
    : MappedPart(tables), parts_(parts), out_of_room_(out_of_room) {}

// Fills the blocks that a mount has left partly written, then free ones.
Task<void> LastBlocks::write(WriteUnit& unit) {
  for (const BlockNumber block : filled_)
    for (std::uint32_t at = parts_.programs.any_order() ? 0 : parts_.programs.next_position(block);
         at < parts_.logical.units(); ++at)
      if (parts_.programs.can_place(block, at)) co_return parts_.programs.place_host(block, at, unit);
  const std::uint32_t die = parts_.merges.roomiest_die();
  if (blocks_.free().of_die(die) == 0) {
    unit.refused = out_of_room_ = true;
    co_return;
  }
  const BlockNumber block = co_await parts_.merges.open_on(blocks_.free().bank_of_most_room(die));
  if (parts_.settlements != nullptr)
    co_await parts_.settlements->map().open(block, kNoLogicalBlock, kNoBlockNumber, NvramBlockMap::Use::Any);
  if (parts_.programs.any_order()) blocks_.programs().write_in_any_order(block);
  filled_.push_back(block);
  parts_.programs.place_host(block, 0, unit);
}

}  // namespace flashloom
