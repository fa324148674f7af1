#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/collect/collector.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

BlockNumber* Collector::open_members(std::uint32_t group) {
  const GroupState& state = groups_[group];
  if (state.moves()) return open_slot(group, streams_ + state.cold_slot);
  if (shared_ != nullptr) return shared_->data() + blocks_.superblocks().first_bank(group);
  return open_slot(group, copies_of(state.from));
}

bool Collector::any_open(const BlockNumber* open) const {
  const BlockNumber* const end = open + blocks_.superblocks().members();
  return std::any_of(open, end, [](BlockNumber block) { return block != kNoBlockNumber; });
}

BlockNumber Collector::next_open_member(std::uint32_t group) {
  GroupState& state = groups_[group];
  const std::uint32_t members = blocks_.superblocks().members();
  if (state.moves() && !any_open(open_members(group))) state.cold_slot ^= 1;
  const BlockNumber* const open = open_members(group);
  const Stripes* const stripes = programmer_.stripes();
  for (std::uint32_t looked = 0; looked < members; ++looked) {
    const BlockNumber block = open[state.to_member];
    if (++state.to_member == members) state.to_member = 0;
    if (block != kNoBlockNumber && (stripes == nullptr || stripes->in_turn(block))) return block;
  }
  return kNoBlockNumber;
}

bool Collector::can_open_superblock_now(std::uint32_t group) {
  const BlockNumber* const open = open_members(group);
  const auto takes = [this](BlockNumber member) { return takes_copies(member); };
  if (std::any_of(open, open + blocks_.superblocks().members(), takes)) return true;
  if (blocks_.free_of_group(group) <= kept_) return false;
  return erased(blocks_.superblocks().next_free(group, FreeUse::Data));
}

// All good members are erased.
bool Collector::erased(SuperblockNumber free) const {
  return std::ranges::none_of(blocks_.superblocks().members_of(free), [this](BlockNumber member) {
    return blocks_[member].state == BlockState::Free && !blocks_[member].erased;
  });
}

Task<void> Collector::until_unused_superblock(SuperblockNumber superblock) {
  const Superblocks& all = blocks_.superblocks();
  for (const BlockNumber member : all.members_of(superblock))
    if (blocks_[member].given_up()) hurry(member);
  while (WaitList* const list = blocks_.waits().before_opening(all.member(superblock, 0))) co_await list->wait();
}

bool Collector::superblock_waits_for_data(SuperblockNumber superblock) const {
  return std::ranges::any_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return waits_for_data(member); });
}

// As BlockTable::free_block_to_erase(), of superblocks.
SuperblockNumber Collector::free_superblock_to_erase(std::uint32_t group) const {
  const Superblocks& all = blocks_.superblocks();
  SuperblockNumber any = kNoBlockNumber;
  bool any_waits = true;
  for (const SuperblockNumber free : all.free(group)) {
    if (std::ranges::all_of(all.members_of(free),
                            [this](BlockNumber member) { return blocks_.waits().unused(member); }))
      return free;
    if (!any_waits) continue;
    any = free;
    any_waits = superblock_waits_for_data(free);
  }
  return any;
}

// The erase of the superblock that will be erased first: the one that has been free longest.
PendingErase Collector::spare_superblock(std::uint32_t group) {
  const Superblocks& all = blocks_.superblocks();
  if (all.free(group).empty()) return {};
  const SuperblockNumber spare = all.free(group).front();
  PendingErase erase;
  for (const BlockNumber member : all.members_of(spare)) {
    hurry(member);
    if (blocks_[member].state == BlockState::Free) erase = blocks_.pending_erase(member);
  }
  return erase;
}

Task<void> Collector::open_superblock(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use,
                                      bool spare) {
  Superblocks& all = blocks_.superblocks();
  const SuperblockNumber superblock = all.next_free(group, use);
  co_await until_unused_superblock(superblock);
  if (blocks_.spare().lacks_room(superblock)) blocks_.spare().wear_down();
  blocks_.take(superblock);
  const PendingErase kept = spare ? spare_superblock(group) : PendingErase{};
  const Stripes* const stripes = programmer_.stripes();
  for (std::uint32_t n = 0; n < all.members(); ++n) {
    const BlockNumber block = all.member(superblock, n);
    if (blocks_[block].state != BlockState::Free) continue;  // bad
    blocks_.open_free(block);
    blocks_[block].pending->spare = kept;
    mark(block, stream);
    if (stripes != nullptr) blocks_[block].parity = stripes->choose(block);
    if (blocks_[block].parity == 0) open[n] = block;
  }
  statistics_.free_blocks_min.note(blocks_.free_of_group(group));
}

// Without its bad members, a superblock may hold less than a victim. The last free superblock is kept for data that the
// buffer has accepted.
Task<bool> Collector::open_superblock_for_copies(std::uint32_t group) {
  const bool last = blocks_.spare().failure_reserve() != 0 && blocks_.free_of_group(group) <= 1;
  if (last || blocks_.spare().lacks_room(blocks_.superblocks().next_free(group, FreeUse::Data))) {
    blocks_.spare().wear_down();
    give_up_failures(group);
    co_return false;
  }
  co_await open_superblock(group, open_members(group), copies_of(groups_[group].from), FreeUse::Data, false);
  co_return true;
}

// As with single blocks: the superblock being filled, and a second if the first is too small.
Task<void> Collector::open_superblocks_for_cold(std::uint32_t group, SuperblockNumber cold) {
  const Superblocks& all = blocks_.superblocks();
  GroupState& state = groups_[group];
  BlockNumber* const filling = open_slot(group, streams_ + state.cold_slot);
  BlockNumber* const next = open_slot(group, streams_ + (state.cold_slot ^ 1));
  std::uint32_t room = 0;
  for (std::uint32_t n = 0; n < all.members(); ++n)
    if (filling[n] != kNoBlockNumber) room += context_.geometry.pages - blocks_[filling[n]].allocated;
  if (any_open(next) || room * context_.geometry.whole_units_per_page >= most_taken_of(blocks_, cold)) co_return;
  co_await open_superblock(group, room == 0 ? filling : next, blocks_[all.member(cold, 0)].stream, FreeUse::Cold);
}

// The least worn free member of the log's superblocks.
BlockNumber Collector::idle_log_block() const {
  const Superblocks& all = blocks_.superblocks();
  BlockNumber best = kNoBlockNumber;
  for (const SuperblockNumber superblock : log_superblocks_)
    for (std::uint32_t n = 0; n < all.members(); ++n) {
      const BlockNumber block = all.member(superblock, n);
      if (blocks_[block].state != BlockState::Free) continue;
      if (best == kNoBlockNumber || blocks_.block_erases(block) < blocks_.block_erases(best)) best = block;
    }
  return best;
}

// The group for the log's next superblock: prefers one with a spare superblock, then the fewest of the log, then the
// most free ones.
std::uint32_t Collector::group_for_log() const {
  const Superblocks& all = blocks_.superblocks();
  const auto logs = [&](std::uint32_t group) {
    return std::count_if(log_superblocks_.begin(), log_superblocks_.end(),
                         [&](SuperblockNumber superblock) { return all.group_of(superblock) == group; });
  };
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t free_a = blocks_.free_of_group(a);
    const std::uint32_t free_b = blocks_.free_of_group(b);
    if ((free_a >= 2) != (free_b >= 2)) return free_a >= 2;
    return logs(a) != logs(b) ? logs(a) < logs(b) : free_a > free_b;
  };
  std::uint32_t best = 0;
  for (std::uint32_t group = 1; group < all.groups(); ++group)
    if (better(group, best)) best = group;
  return best;
}

Task<BlockNumber> Collector::open_log_block(std::uint64_t age) {
  Superblocks& all = blocks_.superblocks();
  BlockNumber block = idle_log_block();
  PendingErase kept;
  if (block == kNoBlockNumber) {
    const std::uint32_t spare = blocks_.spare().failure_reserve() + 2;
    std::uint32_t group = group_for_log();
    for (std::uint32_t other = 0; other < all.groups() && blocks_.free_of_group(group) < spare; ++other) {
      co_await make_room(other, spare, age);
      group = group_for_log();
    }
    if (!blocks_.spare().worn_down() && blocks_.free_of_group(group) < 2 && blocks_.failures().possible())
      blocks_.spare().wear_down();
    if (blocks_.spare().worn_down() && blocks_.free_of_group(group) == 0) co_return kNoBlockNumber;
    if (!blocks_.spare().worn_down() && blocks_.free_of_group(group) < 2)
      throw std::runtime_error("the device is full: no superblock is left for metadata");
    const SuperblockNumber superblock = blocks_.superblocks().next_free(group, FreeUse::Data);
    co_await until_unused_superblock(superblock);
    if (blocks_.spare().lacks_room(superblock)) blocks_.spare().wear_down();
    blocks_.take(superblock);
    kept = spare_superblock(group);
    log_superblocks_.push_back(superblock);
    statistics_.free_blocks_min.note(blocks_.free_of_group(group));
    block = idle_log_block();
  }
  blocks_.open_free(block);
  blocks_[block].pending->spare = kept;
  co_await until_ready(block);
  co_return block;
}

void Collector::return_log_block(BlockNumber block) {
  Superblocks& all = blocks_.superblocks();
  const SuperblockNumber superblock = all.of(block);
  blocks_.release(block);
  erase_later(block, Origin::Map);
  for (std::uint32_t n = 0; n < all.members(); ++n)
    if (!blocks_[all.member(superblock, n)].given_up()) return;
  std::erase(log_superblocks_, superblock);
  all.give_back(superblock);
}

void Collector::find_log() {
  if (blocks_.one_by_one()) return;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].state != BlockState::Dedicated) continue;
    const SuperblockNumber superblock = blocks_.superblocks().of(block);
    if (std::find(log_superblocks_.begin(), log_superblocks_.end(), superblock) == log_superblocks_.end())
      log_superblocks_.push_back(superblock);
  }
}

}  // namespace flashloom
