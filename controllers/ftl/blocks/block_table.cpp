#include "controllers/ftl/blocks/block_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "policies/registry.hpp"

namespace flashloom {

BlockTable::BlockTable(const FtlContext& context)
    : blocks_per_die_(context.geometry.blocks),
      units_per_block_(context.geometry.units_per_block()),
      units_per_page_(context.geometry.units_per_page),
      whole_units_per_page_(context.geometry.whole_units_per_page),
      banks_per_die_(context.geometry.planes_apart()),
      banks_per_group_(context.geometry.planes_apart() *
                       (collects_superblocks(context.config) ? superblock_dies(context.config, context.geometry) : 1)),
      pages_(context.geometry.pages),
      program_pages_(context.geometry.program_pages),
      second_passes_(context.geometry.two_passes ? program_pages_ : 0),
      slc_blocks_(context.geometry.slc_blocks),
      slc_dynamic_(context.geometry.slc_dynamic),
      slc_pages_(context.geometry.slc_pages),
      blocks_(std::size_t{context.geometry.dies} * context.geometry.blocks),
      erases_(blocks_.size()),
      slc_erases_(slc_dynamic_ == 0 ? 0 : blocks_.size()),
      banks_(std::size_t{context.geometry.dies} * context.geometry.planes_apart()),
      sizes_(context.sizes),
      one_by_one_(!collects_superblocks(context.config)),
      dies_(context.geometry.dies),
      media_(context.media),
      endurance_(context.media.endurance()),
      logical_units_(context.logical_units),
      failure_reserve_(endurance_.limited() ? kFailureReserve : 0),
      lends_above_(context.config.gc_high + failure_reserve_),
      reserved_(reserved_blocks(context.config, context.geometry, endurance_.limited())),
      worn_down_(media_.worn_out()),
      programs_fail_(endurance_.programs_fail()),
      rain_(context.config.rain) {
  const NandGeometry& geometry = context.geometry;
  for (BankInfo& bank : banks_) {
    bank.free.set_capacity(geometry.blocks / geometry.planes_apart());
    bank.free_slc.set_capacity(slc_blocks_ / geometry.planes_apart());
  }
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const Die die{die_of(block)};
    const Block in_die{block_of_die(block)};
    erases_[block] = context.media.erase_count(die, in_die);
    if (lends()) slc_erases_[block] = context.media.slc_erases(die, in_die);
    blocks_[block].slc = always_slc(block);
    blocks_[block].failed = context.media.failed(die, in_die);
    if (context.media.dead(die)) dead_die_ = die.value();
  }
  superblocks_ = std::make_unique<Superblocks>(context, erases_);
  for (std::uint32_t die = 0; die < geometry.dies; ++die) {
    DieInfo& info = dies_[die];
    info.free_blocks = geometry.blocks - slc_blocks_;
    info.slc_blocks = info.free_slc = slc_blocks_;
    // Room for more than slc_dynamic: after a power cut, blocks that awaited their erase may be closed SLC units again.
    info.closed_slc.set_capacity(lends() ? geometry.blocks : slc_blocks_);
    info.block_erases = erases_.data() + std::size_t{die} * geometry.blocks;
    for (std::uint32_t i = 0; i < geometry.blocks; ++i) {
      const BlockNumber block = die * geometry.blocks + i;
      if (!always_slc(block)) banks_[bank_of(block)].erases += erases_[block];
      free_list(block).push_back(block);
      if (context.media.bad(Die{die}, Block{i})) take_out_of_use(block);
    }
    if (!one_by_one()) {
      info.collection = superblocks_->collection_of_die(die);
      info.leveling = superblocks_->leveling_of_die(die);
      continue;
    }
    info.collection = Family<GarbageCollectionPolicy>::make(context.config.garbage_collection,
                                                            {.blocks = geometry.blocks,
                                                             .units_per_block = geometry.whole_units_per_block(),
                                                             .seed = context.seed + die,
                                                             .wear = &info});
    info.leveling =
        Family<WearLevelingPolicy>::make(context.config.wear_leveling, {.blocks = geometry.blocks, .wear = &info});
  }
}

void BlockTable::keep_for_log(std::uint32_t blocks) {
  std::vector<BlockNumber> kept;
  log_blocks_ = blocks;
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (for_log(block)) kept.push_back(block);
  log_blocks_ = 0;
  for (const BlockNumber block : kept) take_from_free(block);
  log_blocks_ = blocks;
  free_for_log_.assign(kept.size(), kept.begin(), kept.end());
  free_for_log_count_ = blocks;
}

std::uint32_t BlockTable::bank_of_most_room(std::uint32_t die) const {
  const std::uint32_t first = die * banks_per_die();
  std::uint32_t best = first;
  for (std::uint32_t bank = first + 1; bank < first + banks_per_die(); ++bank)
    if (banks_[bank].free.size() > banks_[best].free.size()) best = bank;
  return best;
}

BlockNumber BlockTable::free_block_to_erase(std::uint32_t die, BlockNumber except,
                                            const std::function<bool(BlockNumber)>& waits) const {
  BlockNumber any = kNoBlockNumber;
  bool any_waits = true;
  for (std::uint32_t bank = die * banks_per_die(); bank < (die + 1) * banks_per_die(); ++bank)
    for (const BlockNumber block : banks_[bank].free) {
      if (block == except) continue;
      if (unused(block)) return block;
      if (!any_waits) continue;
      any = block;
      any_waits = waits(block);
    }
  return any;
}

BlockNumber BlockTable::next_free(std::uint32_t bank, FreeUse use) const {
  struct Free final : FreeBlocks {
    Free(const BlockTable& owner, const boost::circular_buffer<BlockNumber>& list) : table(owner), blocks(list) {}
    std::uint32_t size() const override { return static_cast<std::uint32_t>(blocks.size()); }
    std::uint32_t block(std::uint32_t index) const override { return table.block_of_die(blocks[index]); }
    const BlockTable& table;
    const boost::circular_buffer<BlockNumber>& blocks;
  };
  const boost::circular_buffer<BlockNumber>& free = banks_[bank].free;
  return free[dies_[die_of_bank(bank)].leveling->choose(Free(*this, free), use)];
}

BlockNumber BlockTable::open(std::uint32_t bank, FreeUse use) {
  if (banks_[bank].free.empty()) throw std::runtime_error("a die has no free block left");
  const BlockNumber block = next_free(bank, use);
  open_free(block);
  return block;
}

void BlockTable::open_free(BlockNumber block) {
  take_from_free(block);
  BlockInfo& opened = blocks_[block];
  opened.state = BlockState::Open;
  opened.allocated = 0;
  opened.submitted = 0;
  opened.durable = 0;
  opened.decided = 0;
  opened.parity = 0;
  opened.any_order = false;
  if (lends()) [[unlikely]]
    use_in_mode(block, false);
  begin_pending(opened);
  opened.pending->erase = erases_[block];
}

void BlockTable::take(SuperblockNumber superblock) {
  superblocks_->take(superblock);
  for (const BlockNumber member : superblocks_->members_of(superblock))
    blocks_[member].bad_when_opened = rain_ != 0 && blocks_[member].state == BlockState::Bad;
}

// Static SLC units keep their mode.
void BlockTable::use_in_mode(BlockNumber block, bool slc) {
  blocks_[block].slc = slc || always_slc(block);
  media_.choose_mode(Die{die_of(block)}, Block{block_of_die(block)}, slc);
}

void BlockTable::borrow(BlockNumber block) {
  use_in_mode(block, true);
  ++dies_[die_of(block)].borrowed;
}

BlockNumber BlockTable::oldest_borrowed(std::uint32_t die) const {
  const boost::circular_buffer<BlockNumber>& closed = dies_[die].closed_slc;
  const auto oldest = std::ranges::find_if(closed, [this](BlockNumber block) { return !always_slc(block); });
  return oldest == closed.end() ? kNoBlockNumber : *oldest;
}

void BlockTable::restore_mode(BlockNumber block) {
  blocks_[block].slc = media_.in_slc_mode(Die{die_of(block)}, Block{block_of_die(block)});
}

void BlockTable::write_in_any_order(BlockNumber block) {
  blocks_[block].any_order = true;
  blocks_[block].pending->done.assign(pages_, 0);
}

void BlockTable::begin_pending(BlockInfo& info) {
  if (spare_pending_.empty()) {
    info.pending = std::make_unique<PendingPages>();
  } else {
    info.pending = std::move(spare_pending_.back());
    spare_pending_.pop_back();
  }
  info.pending->sequence = 0;
  info.pending->data_end = 0;
  info.pending->erase = 0;
  info.pending->erased = info.erased;
  info.pending->spare = {};
  info.pending->exposed.clear();
  info.pending->turns.clear();
  info.pending->oob.assign(units_per_block(), 0);
  info.pending->source.assign(units_per_block(), kNoPhysicalUnit);
}

void BlockTable::note_words() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const BlockInfo& info = blocks_[block];
    if (info.pending == nullptr) continue;
    for (std::uint32_t unit = 0; unit < info.durable * units_per_page_.value(); ++unit)
      info.pending->oob[unit] = media_.oob(address(block, 0), unit);
  }
}

void BlockTable::close(BlockNumber block, std::uint64_t age) {
  blocks_[block].state = BlockState::Closed;
  DieInfo& die = dies_[die_of(block)];
  if (in_slc_mode(block)) return die.closed_slc.push_back(block);
  die.collection->closed(block_of_die(block), taken(block), age);
  die.leveling->closed(block_of_die(block));
}

void BlockTable::collect(BlockNumber block) {
  blocks_[block].state = BlockState::Collecting;
  DieInfo& die = dies_[die_of(block)];
  if (in_slc_mode(block)) {
    die.closed_slc.erase(std::find(die.closed_slc.begin(), die.closed_slc.end(), block));
    return;
  }
  die.collection->removed(block_of_die(block));
  die.leveling->removed(block_of_die(block));
}

BlockTable::Unfilled BlockTable::unfilled(BlockNumber block) const {
  const FlashAddress start = address(block, 0);
  return {address(block, media_.write_pointer(start.die, start.block)),
          media_.pages_before_erase(start.die, start.block), media_.in_slc_mode(start.die, start.block)};
}

void BlockTable::release(BlockNumber block) {
  BlockInfo& info = blocks_[block];
  info.state = BlockState::Free;
  info.erased = false;
  if (borrowed(block)) [[unlikely]]
    --dies_[die_of(block)].borrowed;
  if (info.pending != nullptr && info.durable == info.allocated && info.pending->exposed.empty()) retire_pending(block);
  free_list(block).push_back(block);
  ++free_count(block);
}

void BlockTable::retire_pending(BlockNumber block) {
  spare_pending_.push_back(std::move(blocks_[block].pending));
  wake_if_unused(block);
}

// Only the next waiter is woken: while a block waits for its erase, many program units may wait for their turns in it.
WaitList* BlockTable::before_turn(BlockNumber block, std::uint32_t page, WaitList& turn) {
  const BlockInfo& info = blocks_[block];
  if (info.submitted == page) return nullptr;
  std::vector<PendingPages::Turn>& turns = info.pending->turns;
  const auto mine = std::ranges::find(turns, page, &PendingPages::Turn::page);
  if (mine == turns.end())
    turns.push_back({page, &turn});
  else
    mine->list = &turn;  // the job was parked meanwhile, and is another object now
  return &turn;
}

void BlockTable::wake_next(const BlockInfo& info) {
  std::vector<PendingPages::Turn>& turns = info.pending->turns;
  const auto next = std::ranges::find(turns, info.submitted, &PendingPages::Turn::page);
  if (next == turns.end()) return;
  next->list->wake_all();
  turns.erase(next);
}

// The block may have been reopened and released before this erase: then only its newest erase makes it erased.
void BlockTable::erase_done(const PendingErase& erase) {
  BlockInfo& info = blocks_[erase.block];
  if (info.pending != nullptr && info.pending->erase <= erase.number) info.pending->erased = true;
  if (erase == pending_erase(erase.block) && (info.pending == nullptr || !info.given_up())) info.erased = true;
  events(die_of(erase.block)).erased.wake_all();
}

template <class Is>
BlockNumber BlockTable::find_member(BlockNumber block, Is is) const {
  for (const BlockNumber member : superblocks_->members_of(superblocks_->of(block)))
    if (is(member)) return member;
  return kNoBlockNumber;
}

WaitList* BlockTable::before_opening(BlockNumber block) {
  const BlockNumber used = find_member(block, [this](BlockNumber member) { return !unused(member); });
  return used == kNoBlockNumber ? nullptr : &events(die_of(used)).unused;
}

WaitList* BlockTable::before_erase(PendingErase erase) {
  if (!blocks_[erase.block].given_up() || erase != pending_erase(erase.block)) return nullptr;
  const BlockNumber used =
      find_member(erase.block, [this](BlockNumber member) { return blocks_[member].given_up() && !unused(member); });
  return used == kNoBlockNumber ? nullptr : &events(die_of(used)).unused;
}

// All members of a superblock are erased before one is written, so a power cut leaves either old data or new data in
// it. With parity, members that did not survive the previous erase must also be erased, lest their old data pass for a
// part of new stripes. A member released only now that will not survive its erase waits itself for its last
// programs.
WaitList* BlockTable::before_first_program(BlockNumber block) {
  const BlockNumber unerased = find_member(block, [this](BlockNumber member) {
    const BlockInfo& info = blocks_[member];
    if (info.bad_when_opened) return !info.erased;
    return info.pending != nullptr && !info.pending->erased;
  });
  if (unerased != kNoBlockNumber) return &events(die_of(unerased)).erased;
  const PendingErase spare = blocks_[block].pending->spare;
  return spare.block == kNoBlockNumber ? nullptr : before_erase(spare);
}

void BlockTable::invalidate(PhysicalUnit unit, std::uint64_t age) {
  if (sizes_ != nullptr) [[unlikely]]
    return invalidate_sized(unit, age);
  const BlockNumber block = block_of(unit);
  BlockInfo& info = blocks_[block];
  --info.valid;
  if (info.state == BlockState::Closed && !in_slc_mode(block))
    dies_[die_of(block)].collection->invalidated(block_of_die(block), info.valid, age);
}

void BlockTable::take_from_free(BlockNumber block) {
  auto& free = free_list(block);
  if (free.front() == block)
    free.pop_front();
  else
    free.erase(std::find(free.begin(), free.end(), block));
  --free_count(block);
}

void BlockTable::restore_closed(BlockNumber block, std::uint32_t valid) {
  take_from_free(block);
  BlockInfo& info = blocks_[block];
  info.allocated = info.submitted = info.durable = pages_of(block);
  info.valid = valid;
  if (media_.keeps_marks()) info.stream = media_.mark_of(Die{die_of(block)}, Block{block_of_die(block)});
  if (borrowed(block)) ++dies_[die_of(block)].borrowed;
  close(block, 0);
}

void BlockTable::restore_superblocks() {
  std::vector<std::uint8_t> free(superblocks_->count(), 1);
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (!blocks_[block].given_up()) free[superblocks_->of(block)] = 0;
  superblocks_->keep_free(free);
}

void BlockTable::dedicate(BlockNumber block) {
  blocks_[block].state = BlockState::Dedicated;
  retire_pending(block);
}

void BlockTable::restore_in_use(BlockNumber block, std::uint32_t pages, std::uint32_t valid) {
  restore_open(block, pages, valid);
  if (pages == pages_) retire_pending(block);
}

void BlockTable::restore_open(BlockNumber block, std::uint32_t pages, std::uint32_t valid) {
  take_from_free(block);
  BlockInfo& info = blocks_[block];
  info.state = BlockState::Open;
  info.allocated = info.submitted = info.durable = pages;
  info.valid = valid;
  begin_pending(info);
}

void BlockTable::restore_dedicated(BlockNumber block) {
  take_from_free(block);
  blocks_[block].state = BlockState::Dedicated;
}

void BlockTable::state(StateArchive& archive) {
  for (BlockInfo& info : blocks_) {
    bool pending = info.pending != nullptr;
    archive(info.valid, info.allocated, info.submitted, info.durable, info.reads_in_flight, info.copies_pending,
            info.state, info.stream, info.last_origin, info.any_order, info.erased, info.slc, info.failed, info.parity,
            info.decided, pending);
    if (!pending) continue;
    if (archive.loading()) begin_pending(info);
    archive(info.pending->oob, info.pending->source, info.pending->sequence, info.pending->data_end);
    if (info.any_order) archive(info.pending->done);
  }
  if (rain_ != 0)
    for (BlockInfo& info : blocks_) archive(info.bad_when_opened);
  archive(erases_, slc_erases_);
  for (BankInfo& bank : banks_) {
    std::vector<BlockNumber> free(bank.free.begin(), bank.free.end());
    archive(free, bank.erases);
    if (archive.loading()) bank.free.assign(bank.free.capacity(), free.begin(), free.end());
  }
  for (DieInfo& die : dies_) {
    archive(die.free_blocks, die.bad_blocks);
    die.collection->state(archive);
    die.leveling->state(archive);
  }
  superblocks_->state(archive);
  if (sizes_ != nullptr) sizes_->state(archive);
  archive(bad_blocks_, worn_down_, dead_die_);
  if (slc_blocks_ != 0 || lends()) slc_state(archive);
  if (log_blocks_ == 0) return;
  archive(free_for_log_count_);
  list_state(archive, free_for_log_);
}

void BlockTable::list_state(StateArchive& archive, boost::circular_buffer<BlockNumber>& of) {
  std::vector<BlockNumber> blocks(of.begin(), of.end());
  archive(blocks);
  if (archive.loading()) of.assign(of.capacity(), blocks.begin(), blocks.end());
}

void BlockTable::slc_state(StateArchive& archive) {
  for (BankInfo& bank : banks_) list_state(archive, bank.free_slc);
  for (DieInfo& die : dies_) {
    archive(die.free_slc, die.borrowed);
    list_state(archive, die.closed_slc);
  }
}

}  // namespace flashloom
