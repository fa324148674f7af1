#include "controllers/ftl/collect/victim_start.hpp"

#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

void VictimStart::begin(VictimSource& source, std::uint32_t group, SuperblockNumber victim,
                        std::uint64_t copies_per_program) {
  const std::uint64_t collection =
      statistics_.gc_runs + statistics_.wear_moves + statistics_.scrub_moves + statistics_.slc.folds;
  victims_.begin(group, victim, source, copies_per_program, collection);
  if (copies_[group].job != nullptr && source.apart()) copies_.pad(group);
}

// All valid units must be copied by the time the host has filled the space gained; a quarter faster, to get ahead.
void VictimStart::begin_for_space(VictimSource& source, std::uint32_t group, SuperblockNumber victim,
                                  std::uint32_t units) {
  const std::uint32_t valid = valid_of(blocks_, victim);
  const std::uint64_t copies = std::uint64_t{valid} * context_.geometry.whole_units_per_program();
  const bool sized = context_.sizes != nullptr;
  const std::uint32_t taken = sized ? std::min(taken_of(blocks_, victim), units) : valid;
  const std::uint64_t gain = std::max(units - taken, 1U);  // failed blocks may gain nothing
  begin(source, group, victim, copies * 5 / (4 * gain) + 1);
  victims_[group].gain = units - (sized ? std::min(most_taken_of(blocks_, victim), units) : valid);
}

void VictimStart::enqueue(VictimQueue& queue, BlockNumber block) {
  const std::uint32_t group = blocks_.group_of(block);
  const SuperblockNumber superblock = blocks_.superblocks().of(block);
  queue.add(group, superblock, blocks_.block_erases(blocks_.superblocks().member(superblock, 0)));
  victims_[group].active = true;
}

BlockNumber* VictimStart::place_apart(std::uint32_t group, BlockNumber victim) {
  auto& cold = copies_[group].cold;
  std::uint32_t room = 0;
  if (cold[0] != kNoBlockNumber) room = context_.geometry.pages - blocks_[cold[0]].allocated;
  if (cold[1] != kNoBlockNumber || room * context_.geometry.whole_units_per_page >= most_taken_of(blocks_, victim))
    return nullptr;
  return &cold[room == 0 ? 0 : 1];
}

Task<void> VictimStart::open_block_apart(std::uint32_t group, BlockNumber victim) {
  BlockNumber* const place = place_apart(group, victim);
  if (place == nullptr) co_return;
  *place = co_await open_.open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream, FreeUse::Cold);
}

// As with single blocks: the superblock being filled, and a second if the first is too small.
Task<void> VictimStart::open_superblock_apart(std::uint32_t group, SuperblockNumber victim) {
  const Superblocks& all = blocks_.superblocks();
  BlockNumber* const filling = copies_.cold(group);
  BlockNumber* const next = copies_.cold(group, true);
  std::uint32_t room = 0;
  for (std::uint32_t n = 0; n < all.members(); ++n)
    if (filling[n] != kNoBlockNumber) room += context_.geometry.pages - blocks_[filling[n]].allocated;
  if (copies_.any_open(next) || room * context_.geometry.whole_units_per_page >= most_taken_of(blocks_, victim))
    co_return;
  co_await open_.open_superblock(group, room == 0 ? filling : next, blocks_[all.member(victim, 0)].stream,
                                 FreeUse::Cold);
}

bool VictimStart::can_open_block(std::uint32_t group, FreeUse use) const {
  if (blocks_.free_of_group(group) <= victims_.low()) return false;
  const std::uint32_t bank = blocks_.free().bank_with_room(blocks_.free().bank_of_most_room(group));
  const BlockNumber next = blocks_.next_free(bank, use);
  const BlockNumber other = open_.free_to_erase(group, next);
  return blocks_[next].erased && (other == kNoBlockNumber || open_.unused(other));
}

bool VictimStart::can_open_apart(std::uint32_t group) const {
  if (blocks_.one_by_one()) return can_open_block(group, FreeUse::Cold);
  return blocks_.free_of_group(group) > victims_.low() &&
         std::ranges::all_of(blocks_.superblocks().free(group),
                             [this](SuperblockNumber free) { return open_.erased(free); });
}

}  // namespace flashloom
