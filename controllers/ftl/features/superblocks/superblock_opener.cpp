#include "controllers/ftl/features/superblocks/superblock_opener.hpp"

#include <algorithm>

namespace flashloom {

SuperblockOpener::SuperblockOpener(Collector& collector)
    : FtlPart(collector), victims_(collector.victims()), open_(collector.open_blocks()), copies_(open_.copies()) {}

std::unique_ptr<GcUnitOpener> make_gc_unit_opener(const BlockTable& blocks, Collector& collector) {
  return blocks.one_by_one() ? nullptr : std::make_unique<SuperblockOpener>(collector);
}

PendingErase SuperblockOpener::take(GcUnit superblock, bool spare) {
  if (blocks_.spare().lacks_room(superblock)) blocks_.spare().wear_down();
  blocks_.take(superblock);
  return spare ? first_erase(blocks_.group_of_gc_unit(superblock)) : PendingErase{};
}

// The erase of the superblock that will be erased first: the one that has been free longest.
PendingErase SuperblockOpener::first_erase(std::uint32_t group) {
  PendingErase erase;
  const FreeList& free = blocks_.pool()->free()[group];
  if (free.empty()) return erase;
  for (const BlockNumber member : blocks_.members_of(free.front())) {
    open_.program_for_erase(member);
    if (blocks_[member].state == BlockState::Free) erase = blocks_.pending_erase(member);
  }
  return erase;
}

Task<void> SuperblockOpener::open_for(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use,
                                      bool spare) {
  const GcUnit superblock = blocks_.pool()->next_free(group, use);
  co_await open_.until_unused(superblock);
  const PendingErase kept = take(superblock, spare);
  const Redundancy* const redundancy = programmer_.redundancy();
  for (std::uint32_t n = 0; n < blocks_.members(); ++n) {
    const BlockNumber block = blocks_.member(superblock, n);
    if (blocks_[block].state != BlockState::Free) continue;  // bad
    blocks_.open_free(block);
    blocks_[block].pending->spare = kept;
    open_.mark(block, stream);
    if (redundancy != nullptr) blocks_[block].parity = redundancy->role_of(block);
    if (blocks_[block].parity == 0) open[n] = block;
  }
  statistics_.free_blocks_min.note(blocks_.free_of_group(group));
}

// Without its bad members, a superblock may hold less than a victim. The last free superblock is kept for data that the
// buffer has accepted.
Task<bool> SuperblockOpener::open_for_copies(std::uint32_t group) {
  const bool last = blocks_.spare().failure_reserve() != 0 && blocks_.free_of_group(group) <= 1;
  if (last || blocks_.spare().lacks_room(blocks_.pool()->next_free(group, FreeUse::Data))) {
    blocks_.spare().wear_down();
    copies_.try_padding(group);
    co_return false;
  }
  const std::uint32_t stream = copies_.stream_for(victims_[group].from);
  co_await open_for(group, copies_.members(group), stream, FreeUse::Data, false);
  co_return true;
}

bool SuperblockOpener::can_copy_now(std::uint32_t group) const {
  const BlockNumber* const open = copies_.members(group);
  const auto takes = [this](BlockNumber member) { return copies_.takes(member); };
  if (std::any_of(open, open + blocks_.members(), takes)) return true;
  return blocks_.free_of_group(group) > victims_.kept() && erased(blocks_.pool()->next_free(group, FreeUse::Data));
}

// As with single blocks: the superblock being filled, and a second if the first is too small.
Task<void> SuperblockOpener::open_apart(std::uint32_t group, GcUnit victim) {
  const NandGeometry& geometry = context_.geometry;
  BlockNumber* const filling = copies_.cold(group);
  BlockNumber* const next = copies_.cold(group, true);
  std::uint32_t room = 0;
  for (std::uint32_t n = 0; n < blocks_.members(); ++n)
    if (filling[n] != kNoBlockNumber) room += geometry.pages - blocks_[filling[n]].allocated;
  if (copies_.any_open(next) || room * geometry.whole_units_per_page >= victims_.most_taken_of(victim)) co_return;
  co_await open_for(group, room == 0 ? filling : next, blocks_[blocks_.member(victim, 0)].stream, FreeUse::Cold, true);
}

bool SuperblockOpener::can_open_apart(std::uint32_t group) const {
  return blocks_.free_of_group(group) > victims_.low() &&
         std::ranges::all_of(blocks_.pool()->free()[group], [this](GcUnit free) { return erased(free); });
}

// All good members are erased.
bool SuperblockOpener::erased(GcUnit free) const {
  return std::ranges::none_of(blocks_.members_of(free), [this](BlockNumber member) {
    return blocks_[member].state == BlockState::Free && !blocks_[member].erased;
  });
}

}  // namespace flashloom
