// Moves of whole victims for other reasons than free space: wear levelling, scrubbing, and folding of the SLC write
// cache.
#include <algorithm>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

// Begins to collect a member of a victim. All its words and map entries will be read, so those that a fill described by
// a rule are written to the tables now.
void Collector::take(BlockNumber block) {
  blocks_.collect(block);
  const FlashAddress address = blocks_.address(block, 0);
  context_.media.write_out(address.die, address.block);
  if (!map_.by_rule()) return;
  const NandMedia::BlockWords words = words_of(block);
  for (std::uint32_t unit = 0; unit < blocks_.units_of(block); ++unit)
    if (layout_.is_data(words[unit])) map_.enter(layout_.unit(words[unit]));
}

// Begins to move cold data if the wear-levelling policy asks for it. Not while another victim is being collected, such
// as one begun because its copies had to fill a waiting program unit.
Task<bool> Collector::level_wear(std::uint32_t group) {
  if (groups_[group].victim != kNoBlockNumber || blocks_.free_of_group(group) <= kept_) co_return false;
  const std::uint32_t number = blocks_.policies().leveling(group).to_move();
  if (number == kNoBlock) co_return false;
  co_await begin_move(group, victim_of(group, number), Origin::Wear);
  co_return true;
}

// Opens the blocks that a move needs now, so that a move once begun can always finish and free its source block.
Task<void> Collector::open_for_move(std::uint32_t group, BlockNumber victim, FreeUse use) {
  GroupState& state = groups_[group];
  std::uint32_t room = 0;
  if (state.cold[0] != kNoBlockNumber) room = context_.geometry.pages - blocks_[state.cold[0]].allocated;
  if (state.cold[1] == kNoBlockNumber && room * context_.geometry.whole_units_per_page < most_taken_of(blocks_, victim))
    state.cold[room == 0 ? 0 : 1] =
        co_await open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream, use);
}

Task<void> Collector::begin_move(std::uint32_t group, SuperblockNumber victim, Origin origin) {
  if (!blocks_.one_by_one())
    co_await open_superblocks_for_cold(group, victim);
  else
    co_await open_for_move(group, victim, FreeUse::Cold);
  ++(origin == Origin::Wear ? statistics_.wear_moves : statistics_.scrub_moves);
  begin_victim(group, victim, std::uint64_t{2} * context_.geometry.whole_units_per_program(), origin);
}

Task<BlockNumber> Collector::open_slc_block(std::uint32_t bank, std::uint32_t stream) {
  const BlockNumber block = blocks_.slc().next_free(bank);
  if (block == kNoBlockNumber) {
    const BlockNumber borrowed = co_await open_block(bank, stream);
    blocks_.slc().borrow(borrowed);
    statistics_.slc.borrowed_max.note(blocks_.slc().borrowed_of(blocks_.die_of(borrowed)));
    co_return borrowed;
  }
  co_await until_unused(block);
  blocks_.open_free(block);
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  co_return block;
}

// Begins to fold the oldest block of the SLC write cache: its valid units go into a block for moved data. Like a scrub
// it gains no normal block, so garbage collection comes first when those are short. The pace copies all units while the
// host writes as much as an SLC block holds.
Task<bool> Collector::fold(std::uint32_t group) {
  if (blocks_.free_of_group(group) <= low_) co_return false;
  const BlockNumber victim = blocks_.slc().oldest(group);
  co_await open_for_move(group, victim, FreeUse::Data);
  const std::uint64_t copies = std::uint64_t{blocks_[victim].valid} * context_.geometry.whole_units_per_program();
  const std::uint32_t units = blocks_.whole_units_of(victim);
  ++statistics_.slc.folds;
  begin_victim(group, victim, (copies + units - 1) / units + 1, Origin::Gc, true);
  co_return true;
}

// Checkpoints have padded program units of the fold, so the blocks opened for it are full. The remaining units stay in
// the cache.
void Collector::give_up_fold(std::uint32_t group) {
  GroupState& state = groups_[group];
  if (moves_ != nullptr) moves_->collected(group);
  blocks_.slc().put_back(state.victim);
  state.victim = kNoBlockNumber;
  state.folds = false;
  give_up_failures(group);
}

// Begins to empty the oldest borrowed block, if any, as the victim of a collection for space: its data fill at most the
// SLC capacity, and it returns a whole normal block. So lending never leaves a die short of blocks.
bool Collector::give_back(std::uint32_t group) {
  const BlockNumber victim = blocks_.slc().oldest_borrowed(group);
  if (victim == kNoBlockNumber) return false;
  ++statistics_.slc.folds;
  ++statistics_.slc.given_back;
  begin_for_room(group, victim, context_.geometry.whole_units_per_block());
  groups_[group].gives_back = true;
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
  groups_[group].active = true;  // keep_pace() then begins the scrub
}

bool Collector::all_closed(SuperblockNumber victim) const {
  bool any = false;
  for (const BlockNumber member : blocks_.superblocks().members_of(victim)) {
    const BlockState state = blocks_[member].state;
    if (state != BlockState::Closed && state != BlockState::Bad) return false;
    any = any || state == BlockState::Closed;
  }
  return any;
}

// Begins to move the data of a weak victim, if any. A move gains no space, so garbage collection comes first.
Task<bool> Collector::scrub(std::uint32_t group) {
  while (scrubs_->any(group) && blocks_.free_of_group(group) > low_) {
    const ScrubQueue::Entry weak = scrubs_->take(group);
    if (!all_closed(weak.victim) || blocks_.block_erases(blocks_.superblocks().member(weak.victim, 0)) != weak.erases)
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
                               [this](SuperblockNumber free) { return erased(free); });
  return can_move_now(group, FreeUse::Cold);
}

bool Collector::can_move_now(std::uint32_t group, FreeUse use) const {
  if (blocks_.free_of_group(group) <= low_) return false;
  const std::uint32_t bank = blocks_.free().bank_with_room(blocks_.free().bank_of_most_room(group));
  const BlockNumber next = blocks_.next_free(bank, use);
  const BlockNumber other = free_block_to_erase(group, next);
  return blocks_[next].erased && (other == kNoBlockNumber || blocks_.waits().unused(other));
}

}  // namespace flashloom
