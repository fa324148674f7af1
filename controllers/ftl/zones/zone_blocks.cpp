#include "controllers/ftl/zones/zone_blocks.hpp"

namespace flashloom {

ZoneBlocks::ZoneBlocks(const ZonePart& ftl)
    : ZonePart(ftl),
      eraser_(context_, blocks_),
      copier_(context_, blocks_, programmer_),
      failures_(programmer_.failure_handler()) {
  if (failures_ != nullptr) failures_->attach(*this);
}

// Uses the wanted die; at the end of the device's life, any die with a free block.
Task<BlockNumber> ZoneBlocks::open_on(std::uint32_t wanted) {
  std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  if (blocks_.free().of_die(blocks_.die_of_bank(bank)) == 0) bank = blocks_.free().bank_of_most_room(roomiest_die());
  const std::uint32_t die = blocks_.die_of_bank(bank);
  if (blocks_.free().of_die(die) == 0) {
    end_life();
    co_return kNoBlockNumber;
  }
  while (WaitList* const list = blocks_.waits().before_opening(blocks_.next_free(bank))) co_await list->wait();
  const BlockNumber block = blocks_.open(bank);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

Task<BlockNumber> ZoneBlocks::open_anywhere() { return open_on(blocks_.free().bank_of_most_room(roomiest_die())); }

bool ZoneBlocks::has_room(BlockNumber block, std::uint32_t programs) const {
  const BlockInfo& info = blocks_[block];
  return !info.failed && info.allocated + programs * context_.geometry.program_pages <= context_.geometry.pages;
}

void ZoneBlocks::give_back(BlockNumber block, Origin origin) {
  programmer_.exposed().give_up(block);
  blocks_.release(block);
  blocks_.count_erase(block);
  eraser_.start(block, origin);
}

void ZoneBlocks::erase_given_up(FlashZone& zone) {
  for (const BlockNumber block : zone.given_up) {
    give_back(block, Origin::Host, zone);
    ++costs_.blocks_erased;
  }
  zone.given_up.clear();
  zone.reset_unsafe = false;
}

Task<void> ZoneBlocks::until_erased(const std::vector<PendingErase>& erases) {
  for (std::size_t i = 0; i < erases.size(); ++i) {
    const PendingErase erase = erases[i];
    while (WaitList* const list = before_erased(erase)) co_await list->wait();
  }
}

// What to wait for until that erase is done; null if it is.
WaitList* ZoneBlocks::before_erased(PendingErase erase) {
  const bool under_way = !blocks_[erase.block].erased && blocks_.pending_erase(erase.block) == erase;
  return under_way ? &blocks_.waits().events(blocks_.die_of(erase.block)).erased : nullptr;
}

void ZoneBlocks::end_life() {
  blocks_.spare().wear_down();
  read_only_ = out_of_room_ = true;
  close_all();
}

void ZoneBlocks::close_all() {
  for (std::uint32_t number = 0; number < shape_.zones; ++number)
    if (table_[number].state != ZoneState::Offline) table_.make_read_only(number);
}

void ZoneBlocks::give_back(BlockNumber block, Origin origin, FlashZone& zone) {
  give_back(block, origin);
  zone.erasing.push_back(blocks_.pending_erase(block));
}

void ZoneBlocks::erase_first(FlashZone& zone) {
  zone.reset_unsafe = false;
  const BlockNumber block = zone.given_up.front();
  zone.given_up.erase(zone.given_up.begin());
  give_back(block, Origin::Host, zone);
  ++costs_.blocks_erased;
}

PendingErase ZoneBlocks::erase_found(BlockNumber block) {
  blocks_.count_erase(block);
  eraser_.start(block, Origin::Recovery);
  return blocks_.pending_erase(block);
}

ProgramJob& ZoneBlocks::begin(BlockNumber block, Origin origin) {
  ProgramJob& job = programmer_.jobs().begin(block, origin);
  if (failures_ != nullptr) [[unlikely]]
    failures_->try_first(kWriter, job);
  return job;
}

ProgramJob& ZoneBlocks::begin_copies(BlockNumber block, Origin origin) {
  ProgramJob& job = begin(block, origin);
  job.owners[0] = 0;
  return job;
}

void ZoneBlocks::place(ProgramJob& job, WriteUnit& unit) {
  const PhysicalUnit old = map_.get(unit.unit);
  const PhysicalUnit place = programmer_.jobs().place_host(job, unit, old);
  if (old != kNoPhysicalUnit) blocks_.invalidate(old, age());
  map_.set(unit.unit, place);
  blocks_.validate(place);
}

void ZoneBlocks::copy(ProgramJob& job, std::uint32_t unit) { copy_as(job, unit, word_at(map_.get(unit))); }

void ZoneBlocks::copy_as(ProgramJob& job, std::uint32_t unit, OobWord word) {
  const PhysicalUnit from = map_.get(unit);
  const PhysicalUnit place = programmer_.jobs().place_copy(job, word, from);
  blocks_.invalidate(from, age());
  map_.set(unit, place);
  blocks_.validate(place);
}

void ZoneBlocks::place_home(ProgramJob& job, WriteUnit& unit, const FlashZone& zone) {
  if (zone.gaps) unit.version = zone.generation;
  place(job, unit);
}

void ZoneBlocks::copy_home(ProgramJob& job, std::uint32_t unit, const FlashZone& zone) {
  if (!zone.gaps) return copy(job, unit);
  const OobWord word = layout_.encode(unit, zone.generation);
  copy_as(job, unit, OobLayout::lost(word_at(map_.get(unit))) ? OobLayout::as_lost(word) : word);
}

void ZoneBlocks::zero_home(ProgramJob& job, std::uint32_t unit, const FlashZone& zone) {
  const PhysicalUnit place =
      job.block * blocks_.units_per_block() + job.first_page * context_.geometry.units_per_page + job.filled;
  programmer_.jobs().place_gap(job, layout_.encode(unit, zone.generation));
  map_.set(unit, place);
  blocks_.validate(place);
}

void ZoneBlocks::pad_finish(ProgramJob& job, std::uint32_t number, std::uint32_t slot) {
  programmer_.jobs().place_gap(job, finish_word(number, slot));
  ++costs_.finish_padding;
  count_padded(1);
}

void ZoneBlocks::launch(ProgramJob& job) {
  if (job.copied != 0)
    copier_.launch(job);
  else
    programmer_.program(job);
}

OobWord ZoneBlocks::word_at(PhysicalUnit place) const {
  const BlockNumber block = blocks_.block_of(place);
  return word_of(block, blocks_.offset_in_block(place, block));
}

}  // namespace flashloom
