#include "controllers/ftl/blocks/block_waits.hpp"

namespace flashloom {

// The block may have been reopened and released before this erase: then only its newest erase makes it erased.
void BlockWaits::erase_done(const PendingErase& erase) {
  BlockInfo& info = blocks_[erase.block];
  if (info.pending != nullptr && info.pending->erase <= erase.number) info.pending->erased = true;
  if (erase == blocks_.pending_erase(erase.block) && (info.pending == nullptr || !info.given_up())) info.erased = true;
  events(blocks_.die_of(erase.block)).erased.wake_all();
}

template <class Is>
BlockNumber BlockWaits::find_member(BlockNumber block, Is is) const {
  for (const BlockNumber member : blocks_.members_of(blocks_.gc_unit_of(block)))
    if (is(member)) return member;
  return kNoBlockNumber;
}

WaitList* BlockWaits::before_opening(BlockNumber block) {
  const BlockNumber used = find_member(block, [this](BlockNumber member) { return !unused(member); });
  return used == kNoBlockNumber ? nullptr : &events(blocks_.die_of(used)).unused;
}

WaitList* BlockWaits::before_erase(PendingErase erase) {
  if (!blocks_[erase.block].given_up() || erase != blocks_.pending_erase(erase.block)) return nullptr;
  const BlockNumber used =
      find_member(erase.block, [this](BlockNumber member) { return blocks_[member].given_up() && !unused(member); });
  return used == kNoBlockNumber ? nullptr : &events(blocks_.die_of(used)).unused;
}

// All members of a GC unit are erased before one is written, so a power cut leaves either old data or new data in it.
// With parity, members that did not survive the previous erase must also be erased, lest their old data pass for a part
// of new stripes. A member released only now that will not survive its erase waits itself for its last programs.
WaitList* BlockWaits::before_first_program(BlockNumber block) {
  const BlockNumber unerased = find_member(block, [this](BlockNumber member) {
    const BlockInfo& info = blocks_[member];
    if (info.bad_when_opened) return !info.erased;
    return info.pending != nullptr && !info.pending->erased;
  });
  if (unerased != kNoBlockNumber) return &events(blocks_.die_of(unerased)).erased;
  const PendingErase spare = blocks_[block].pending->spare;
  return spare.block == kNoBlockNumber ? nullptr : before_erase(spare);
}

}  // namespace flashloom
