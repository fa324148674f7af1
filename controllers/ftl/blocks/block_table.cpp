#include "controllers/ftl/blocks/block_table.hpp"

#include <stdexcept>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

BlockTable::BlockTable(const FtlContext& context)
    : BlockRecords(context, BlockNumbers(context.geometry, make_block_groups(context))),
      media_(context.media),
      pages_(context.geometry.pages),
      rain_(context.config.rain),
      free_(*this),
      pool_(make_gc_unit_pool(context, *this)),
      sizes_(context.sizes),
      policies_(context, *this, pool_.get()),
      spare_(context, *this, free_, pool_.get()),
      waits_(*this),
      programs_(context, *this, waits_) {}

BlockNumber BlockTable::open(std::uint32_t bank, FreeUse use) {
  if (free_.of_bank(bank).empty()) throw std::runtime_error("a die has no free block left");
  const BlockNumber block = next_free(bank, use);
  open_free(block);
  return block;
}

void BlockTable::open_free(BlockNumber block) {
  free_.take(block);
  BlockInfo& opened = (*this)[block];
  opened.state = BlockState::Open;
  opened.allocated = opened.submitted = opened.durable = opened.decided = opened.parity = 0;
  opened.any_order = false;
  if (modes_ != nullptr) modes_->opened(block);
  programs_.begin(opened);
  opened.pending->erase = block_erases(block);
}

void BlockTable::take(GcUnit unit) {
  pool_->take(unit);
  for (const BlockNumber member : members_of(unit)) {
    BlockInfo& info = (*this)[member];
    info.bad_when_opened = rain_ != 0 && info.state == BlockState::Bad;
  }
}

void BlockTable::dedicate(BlockNumber block) {
  (*this)[block].state = BlockState::Dedicated;
  programs_.retire(block);
}

void BlockTable::close(BlockNumber block, std::uint64_t age) {
  (*this)[block].state = BlockState::Closed;
  if (in_slc_mode(block)) return modes_->closed(block);
  policies_.closed(block, taken(block), age);
}

void BlockTable::collect(BlockNumber block) {
  (*this)[block].state = BlockState::Collecting;
  if (in_slc_mode(block)) return modes_->collected(block);
  policies_.removed(block);
}

void BlockTable::release(BlockNumber block) {
  BlockInfo& info = (*this)[block];
  info.state = BlockState::Free;
  info.erased = false;
  if (modes_ != nullptr) modes_->released(block);
  if (info.pending != nullptr && info.durable == info.allocated && info.pending->exposed.empty())
    programs_.retire(block);
  free_.add(block);
}

void BlockTable::count_erase(BlockNumber block) {
  ++erases_[block];
  if (!(*this)[block].apart) {
    ++bank_erases_[bank_of(block)];
    policies_.erased(block);
  }
  const std::uint32_t in_mode = modes_ == nullptr ? 0 : modes_->erased(block);
  const bool die_failed = dead(die_of(block));
  if (die_failed) [[unlikely]]
    media_.plant_erase_failure(Die{die_of(block)}, Block{block_of_die(block)});
  if (!die_failed && !(*this)[block].failed && !media_.endurance().worn_out(block, erases_[block], in_mode)) [[likely]]
    return;
  spare_.take_out_of_use(block);
  spare_.check_reserve(block, free_of_group(group_of(block)));
}

void BlockTable::set_failed(BlockNumber block, std::uint32_t page) {
  (*this)[block].failed = true;
  spare_.program_fails(block, page);
}

void BlockTable::invalidate(PhysicalUnit unit, std::uint64_t age) {
  const BlockNumber block = block_of(unit);
  BlockInfo& info = (*this)[block];
  --info.valid;
  if (sizes_ != nullptr) [[unlikely]]
    sizes_->remove(block, programs_.word_at(unit));
  if (info.state == BlockState::Closed && !in_slc_mode(block)) policies_.invalidated(block, taken(block), age);
}

void BlockTable::restore_free() {
  if (pool_ == nullptr) return;
  std::vector<std::uint8_t> free(gc_unit_count(), 1);
  for (BlockNumber block = 0; block < size(); ++block)
    if (!(*this)[block].given_up()) free[gc_unit_of(block)] = 0;
  pool_->keep_free(free);
}

void BlockTable::restore_closed(BlockNumber block, std::uint32_t valid) {
  free_.take(block);
  BlockInfo& info = (*this)[block];
  info.allocated = info.submitted = info.durable = pages_of(block);
  info.valid = valid;
  if (media_.keeps_marks()) info.stream = media_.mark_of(Die{die_of(block)}, Block{block_of_die(block)});
  close(block, 0);
}

void BlockTable::restore_in_use(BlockNumber block, std::uint32_t pages, std::uint32_t valid) {
  free_.take(block);
  BlockInfo& info = (*this)[block];
  info.state = BlockState::Open;
  info.allocated = info.submitted = info.durable = pages;
  info.valid = valid;
  programs_.begin(info);
  if (pages == pages_) programs_.retire(block);
}

void BlockTable::restore_dedicated(BlockNumber block) {
  free_.take(block);
  (*this)[block].state = BlockState::Dedicated;
}

void BlockTable::state(StateArchive& archive) {
  for (BlockNumber block = 0; block < size(); ++block) {
    BlockInfo& info = (*this)[block];
    bool pending = info.pending != nullptr;
    archive(info.valid, info.allocated, info.submitted, info.durable, info.reads_in_flight, info.copies_pending,
            info.state, info.stream, info.last_origin, info.any_order, info.erased, info.slc, info.failed, info.parity,
            info.decided, pending);
    if (!pending) continue;
    if (archive.loading()) programs_.begin(info);
    archive(info.pending->oob, info.pending->source, info.pending->sequence, info.pending->data_end);
    if (info.any_order) archive(info.pending->done);
  }
  if (rain_ != 0)
    for (BlockNumber block = 0; block < size(); ++block) archive((*this)[block].bad_when_opened);
  std::vector<std::uint32_t> none;
  archive(erases_, modes_ == nullptr ? none : modes_->erases());
  for (std::uint32_t bank = 0; bank < banks(); ++bank) {
    free_.data().bank_state(archive, bank);
    archive(bank_erases_[bank]);
  }
  for (std::uint32_t die = 0; die < dies(); ++die) {
    free_.data().die_state(archive, die);
    spare_.die_state(archive, die);
    policies_.die_state(archive, die);
  }
  if (pool_ != nullptr) pool_->state(archive);
  if (sizes_ != nullptr) sizes_->state(archive);
  spare_.state(archive);
  archive(dead_die_);
  if (modes_ != nullptr) modes_->state(archive);
  if (free_.keeps_for_log()) free_.log_state(archive);
}

}  // namespace flashloom
