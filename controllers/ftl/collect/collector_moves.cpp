// Moves of whole victims for other reasons than free space: wear levelling, scrubbing, and folding of the SLC write
// cache.
#include <algorithm>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

// Begins to move cold data if the wear-levelling policy asks for it. Not while another victim is being collected, such
// as one begun because its copies had to fill a waiting program unit.
Task<bool> Collector::level_wear(std::uint32_t group) {
  if (victims_[group].any() || blocks_.free_of_group(group) <= kept_) co_return false;
  const std::uint32_t number = blocks_.leveling(group).to_move();
  if (number == kNoBlock) co_return false;
  co_await begin_move(group, victims_.of_number(group, number), Origin::Wear);
  co_return true;
}

// Opens the blocks that a move needs now, so that a move once begun can always finish and free its source block.
Task<void> Collector::open_for_move(std::uint32_t group, BlockNumber victim, FreeUse use) {
  auto& cold = copies_[group].cold;
  std::uint32_t room = 0;
  if (cold[0] != kNoBlockNumber) room = context_.geometry.pages - blocks_[cold[0]].allocated;
  if (cold[1] == kNoBlockNumber && room * context_.geometry.whole_units_per_page < blocks_.most_taken_of(victim))
    cold[room == 0 ? 0 : 1] =
        co_await opener_.open_block(blocks_.bank_of_most_room(group), blocks_[victim].stream, use);
}

// As with single blocks: the superblock being filled, and a second if the first is too small.
Task<void> Collector::open_superblocks_for_cold(std::uint32_t group, SuperblockNumber cold) {
  const Superblocks& all = blocks_.superblocks();
  BlockNumber* const filling = copies_.cold(group);
  BlockNumber* const next = copies_.cold(group, true);
  std::uint32_t room = 0;
  for (std::uint32_t n = 0; n < all.members(); ++n)
    if (filling[n] != kNoBlockNumber) room += context_.geometry.pages - blocks_[filling[n]].allocated;
  if (copies_.any_open(next) || room * context_.geometry.whole_units_per_page >= blocks_.most_taken_of(cold)) co_return;
  co_await opener_.open_superblock(group, room == 0 ? filling : next, blocks_[all.member(cold, 0)].stream,
                                   FreeUse::Cold);
}

Task<void> Collector::begin_move(std::uint32_t group, SuperblockNumber victim, Origin origin) {
  if (!blocks_.one_by_one())
    co_await open_superblocks_for_cold(group, victim);
  else
    co_await open_for_move(group, victim, FreeUse::Cold);
  ++(origin == Origin::Wear ? statistics_.wear_moves : statistics_.scrub_moves);
  begin_victim(group, victim, std::uint64_t{2} * context_.geometry.whole_units_per_program(), origin);
}

// Begins to fold the oldest block of the SLC write cache: its valid units go into a block for moved data. Like a scrub
// it gains no normal block, so garbage collection comes first when those are short. The pace copies all units while the
// host writes as much as an SLC block holds.
Task<bool> Collector::fold(std::uint32_t group) {
  if (blocks_.free_of_group(group) <= low_) co_return false;
  const BlockNumber victim = blocks_.oldest_slc(group);
  co_await open_for_move(group, victim, FreeUse::Data);
  const std::uint64_t copies = std::uint64_t{blocks_[victim].valid} * context_.geometry.whole_units_per_program();
  const std::uint32_t units = blocks_.whole_units_of(victim);
  ++statistics_.slc.folds;
  begin_victim(group, victim, (copies + units - 1) / units + 1, Origin::Gc, true);
  co_return true;
}

// Begins to empty the oldest borrowed block, if any, as the victim of a collection for space: its data fill at most the
// SLC capacity, and it returns a whole normal block. So lending never leaves a die short of blocks.
bool Collector::give_back(std::uint32_t group) {
  const BlockNumber victim = blocks_.oldest_borrowed(group);
  if (victim == kNoBlockNumber) return false;
  ++statistics_.slc.folds;
  ++statistics_.slc.given_back;
  begin_for_room(group, victim, context_.geometry.whole_units_per_block());
  victims_[group].gives_back = true;
  return true;
}

void Collector::watch_for_weak_blocks() {
  EccEngine* const ecc = context_.hardware.flash().ecc();
  if (ecc == nullptr || !context_.config.scrubs()) return;
  scrubs_ = std::make_unique<ScrubQueue>(blocks_.groups(), blocks_.superblocks().count());
  ecc->watch(this);
}

Collector::~Collector() {
  EccEngine* const ecc = scrubs_ == nullptr ? nullptr : context_.hardware.flash().ecc();
  if (ecc != nullptr && ecc->watched_by() == this) ecc->watch(nullptr);
}

// Open blocks are ignored; the next read after they are closed reports them again.
void Collector::weak(Die die, Block in_die) {
  const BlockNumber block = die.value() * blocks_.blocks_per_die() + in_die.value();
  if (blocks_[block].state != BlockState::Closed) return;
  const std::uint32_t group = blocks_.group_of(block);
  const SuperblockNumber victim = blocks_.superblocks().of(block);
  scrubs_->add(group, victim, blocks_.block_erases(blocks_.superblocks().member(victim, 0)));
  victims_[group].active = true;  // keep_pace() then begins the scrub
}

// Begins to move the data of a weak victim, if any. A move gains no space, so garbage collection comes first.
Task<bool> Collector::scrub(std::uint32_t group) {
  while (scrubs_->any(group) && blocks_.free_of_group(group) > low_) {
    const ScrubQueue::Entry weak = scrubs_->take(group);
    if (!victims_.all_closed(weak.victim) ||
        blocks_.block_erases(blocks_.superblocks().member(weak.victim, 0)) != weak.erases)
      continue;
    co_await begin_move(group, weak.victim, Origin::Scrub);
    co_return true;
  }
  co_return false;
}

// As can_copy_now(): a move begun in idle time must not wait.
bool Collector::can_scrub_now(std::uint32_t group) const {
  if (!scrubs_->any(group) || blocks_.free_of_group(group) <= low_) return false;
  if (!blocks_.one_by_one())
    return std::ranges::all_of(blocks_.superblocks().free(group),
                               [this](SuperblockNumber free) { return opener_.erased(free); });
  return can_move_now(group, FreeUse::Cold);
}

bool Collector::can_move_now(std::uint32_t group, FreeUse use) const {
  if (blocks_.free_of_group(group) <= low_) return false;
  const std::uint32_t bank = blocks_.bank_with_room(blocks_.bank_of_most_room(group));
  const BlockNumber next = blocks_.next_free(bank, use);
  const BlockNumber other = opener_.free_block_to_erase(group, next);
  return blocks_[next].erased && (other == kNoBlockNumber || blocks_.unused(other));
}

}  // namespace flashloom
