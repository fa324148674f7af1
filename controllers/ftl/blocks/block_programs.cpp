#include "controllers/ftl/blocks/block_programs.hpp"

#include "controllers/ftl/ftl.hpp"

namespace flashloom {

BlockPrograms::BlockPrograms(const FtlContext& context, BlockRecords& blocks, BlockWaits& waits)
    : blocks_(blocks),
      waits_(waits),
      media_(context.media),
      pages_(context.geometry.pages),
      program_pages_(context.geometry.program_pages) {}

void BlockPrograms::begin(BlockInfo& info) {
  if (spare_tables_.empty()) {
    info.pending = std::make_unique<PendingPages>();
  } else {
    info.pending = std::move(spare_tables_.back());
    spare_tables_.pop_back();
  }
  PendingPages& pending = *info.pending;
  pending.sequence = pending.data_end = pending.erase = 0;
  pending.erased = info.erased;
  pending.spare = {};
  pending.exposed.clear();
  pending.turns.clear();
  pending.oob.assign(blocks_.units_per_block(), 0);
  pending.source.assign(blocks_.units_per_block(), kNoPhysicalUnit);
}

void BlockPrograms::write_in_any_order(BlockNumber block) {
  blocks_[block].any_order = true;
  blocks_[block].pending->done.assign(pages_, 0);
}

// Only the next waiter is woken: while a block waits for its erase, many program units may wait for their turns in it.
WaitList& BlockPrograms::wait_for_turn(const BlockInfo& info, std::uint32_t page, WaitList& turn) {
  std::vector<PendingPages::Turn>& turns = info.pending->turns;
  const auto mine = std::ranges::find(turns, page, &PendingPages::Turn::page);
  if (mine == turns.end())
    turns.push_back({page, &turn});
  else
    mine->list = &turn;  // the job was parked meanwhile, and is another object now
  return turn;
}

void BlockPrograms::wake_next(const BlockInfo& info) {
  std::vector<PendingPages::Turn>& turns = info.pending->turns;
  const auto next = std::ranges::find(turns, info.submitted, &PendingPages::Turn::page);
  if (next == turns.end()) return;
  next->list->wake_all();
  turns.erase(next);
}

void BlockPrograms::note_words() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const BlockInfo& info = blocks_[block];
    if (info.pending == nullptr) continue;
    for (std::uint32_t unit = 0; unit < info.durable * blocks_.units_per_page(); ++unit)
      info.pending->oob[unit] = media_.oob(blocks_.address(block, 0), unit);
  }
}

}  // namespace flashloom
