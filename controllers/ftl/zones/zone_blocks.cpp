#include "controllers/ftl/zones/zone_blocks.hpp"

namespace flashloom {

ZoneBlocks::ZoneBlocks(const ZonedTables& tables) : ZonePart(tables), eraser_(context_, blocks_) {}

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

std::uint32_t ZoneBlocks::roomiest_die() const {
  std::uint32_t roomiest = 0;
  for (std::uint32_t die = 1; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) > blocks_.free().of_die(roomiest)) roomiest = die;
  return roomiest;
}

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
  for (std::uint32_t number = 0; number < shape_.zones(); ++number)
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

}  // namespace flashloom
