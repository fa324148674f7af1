#include "controllers/ftl/collect/collector.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/fdp_events.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/reclaim_handles.hpp"
#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

// Program units of copies by which the flash commands of a die may lag behind the decisions before host data wait
// there: an eighth of a block, within these bounds.
constexpr std::uint32_t kLeastBehind = 4;
constexpr std::uint32_t kMostBehind = 64;

}  // namespace

Collector::Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
                     UnitMap& map, FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      layout_(layout),
      map_(map),
      statistics_(statistics),
      debt_(context.geometry.dies,
            std::clamp(context.geometry.pages / context.geometry.program_pages / 8, kLeastBehind, kMostBehind)),
      copier_(context, blocks, programmer, &debt_),
      eraser_(context, blocks),
      low_(context.config.gc_low + blocks.spare().failure_reserve()),
      high_(context.config.gc_high + blocks.spare().failure_reserve()),
      kept_(kGcReserve + blocks.spare().failure_reserve()),
      slc_low_(context.geometry.any_slc() ? context.config.slc_low : 0),
      slc_idle_(context.geometry.any_slc() && context.config.slc_idle),
      stripe_units_(blocks.one_by_one() ? blocks.units_per_block() : context.geometry.units_per_program()),
      groups_(blocks.groups()),
      places_(copies_stay_in_plane(context.geometry) ? context.geometry.planes_apart() : 1),
      open_(std::size_t{context.geometry.dies} * places_, kNoBlockNumber) {
  programmer_.attach(debt_);
  watch_for_weak_blocks();
  if (blocks_.failures().possible())
    failed_ = std::make_unique<ScrubQueue>(blocks_.groups(), blocks_.superblocks().count());
}

void Collector::separate_by_handle() {
  const FdpConfig& fdp = context_.config.fdp;
  if (fdp.on()) context_.media.keep_marks();
  copies_streams_.clear();
  for (std::uint32_t stream = 0; fdp.on() && stream < streams_; ++stream)
    copies_streams_.push_back(copies_stream(fdp, stream));
  if (!fdp.on()) return;
  reallocated_ = std::make_unique<MovedUnits>(groups_.size(), context_.host_units, moves_);
  moves_ = reallocated_.get();
}

// The event names the handle that owns the reclaim unit, unless the unit may hold copies of several handles.
void Collector::note_reallocated(std::uint32_t group) {
  const MovedUnits::Moved moved = reallocated_->take(group);
  if (moved.units == 0) return;
  const FdpConfig& fdp = context_.config.fdp;
  const std::uint32_t stream = stream_of_victim(group);
  if (stream >= fdp.groups * fdp.handles || fdp.isolates(reclaim_handle(fdp, stream))) return;
  const bool alone = copies_stream(fdp, stream) != stream || fdp.persistent.size() + 1 == fdp.handles;
  note_fdp_event(context_, statistics_,
                 {.type = FdpEventType::MediaReallocated,
                  .stream = stream,
                  .located = alone,
                  .unit = moved.lowest,
                  .units_moved = moved.units});
}

// All members of a victim hold data of one stream.
std::uint32_t Collector::stream_of_victim(std::uint32_t group) const {
  for (const BlockNumber member : blocks_.superblocks().members_of(groups_[group].victim))
    if (blocks_[member].state == BlockState::Collecting) return blocks_[member].stream;
  return kNoStream;
}

// With flexible data placement, the spare area of a block's first page records whose data it holds, as it records
// pseudo-SLC mode: GC must keep handles apart after a power cut, too.
void Collector::mark(BlockNumber block, std::uint32_t stream) {
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  if (!copies_streams_.empty()) blocks_.keep_stream(block);
}

bool Collector::choose_victim(std::uint32_t group, std::uint64_t age) {
  if (blocks_.slc().lends() && give_back(group)) return true;
  const std::uint32_t number = blocks_.policies().collection(group).victim(age);
  if (number == kNoBlock) return false;
  SuperblockNumber victim = victim_of(group, number);
  std::uint32_t room = room_of(blocks_, victim);
  if (most_taken_of(blocks_, victim) >= room) {
    victim = blocks_.packed() == nullptr ? kNoBlockNumber : surest_victim(group);
    if (victim == kNoBlockNumber) return false;  // nothing to gain
    room = room_of(blocks_, victim);
  }
  ++statistics_.gc_runs;
  begin_for_room(group, victim, room);
  return true;
}

// All valid units must be copied by the time the host has filled the space gained; a quarter faster, to get ahead.
void Collector::begin_for_room(std::uint32_t group, SuperblockNumber victim, std::uint32_t units) {
  const std::uint32_t valid = valid_of(blocks_, victim);
  const std::uint64_t copies = std::uint64_t{valid} * context_.geometry.whole_units_per_program();
  const bool packed = blocks_.packed() != nullptr;
  const std::uint32_t taken = packed ? std::min(taken_of(blocks_, victim), units) : valid;
  const std::uint64_t gain = std::max(units - taken, 1U);  // failed blocks may gain nothing
  begin_victim(group, victim, copies * 5 / (4 * gain) + 1);
  groups_[group].gain = units - (packed ? std::min(most_taken_of(blocks_, victim), units) : valid);
}

void Collector::begin_victim(std::uint32_t group, SuperblockNumber victim, std::uint64_t copies_per_program,
                             Origin origin, bool folds) {
  GroupState& state = groups_[group];
  state.victim = victim;
  state.from_member = 0;
  state.next_unit = 0;
  for (const BlockNumber member : blocks_.superblocks().members_of(victim))
    if (blocks_[member].state == BlockState::Closed) take(member);
  state.from = blocks_.superblocks().member(victim, 0);
  state.end_unit = std::min(stripe_units_, blocks_.units_of(state.from));
  state.origin = origin;
  state.folds = folds;
  state.gives_back = false;
  state.copies_per_program = static_cast<std::uint32_t>(copies_per_program);
  state.collection = statistics_.gc_runs + statistics_.wear_moves + statistics_.scrub_moves + statistics_.slc.folds;
  if (state.job != nullptr && state.moves()) pad(group, statistics_.units_written);
}

Collector::Pace Collector::begin_pace(std::uint32_t group, std::uint64_t age) {
  GroupState& state = groups_[group];
  if (blocks_.failures().dead_group(group)) [[unlikely]]
    return {.kept = true};
  if (blocking()) [[unlikely]]
    return {.kept = rests(group)};
  if (!state.active) return {.kept = blocks_.free_of_group(group) > low_ && !wants_fold(group)};
  if (state.victim == kNoBlockNumber || context_.config.gc_pause != 0 || blocks_.spare().worn_down()) return {};
  if (emptied(state)) return {};
  std::uint32_t copies = state.copies_per_program;
  if (!copy_now(group, copies, age)) return {.copies = copies};
  return {.kept = !emptied(state)};
}

Task<void> Collector::keep_pace(std::uint32_t group, std::uint64_t age, Pace begun) {
  GroupState& state = groups_[group];
  if (blocks_.failures().dead_group(group)) co_return;
  if (blocking()) co_return co_await collect_and_block(group, age);
  if (!state.active) {
    if (blocks_.free_of_group(group) > low_ && !wants_fold(group)) co_return;
    state.active = true;
  }
  std::uint32_t owed = begun.copies;
  bool copied_all = false;  // as many as gc_pause allows for one program unit
  std::uint32_t victims = 0;
  // A victim without valid units costs no copies and is finished at once.
  do {
    if (blocks_.spare().worn_down()) co_return;
    if (state.victim == kNoBlockNumber) {
      bool moves = false;
      if (scrubs_ != nullptr) [[unlikely]]
        moves = co_await scrub(group);
      if (!moves && wants_fold(group)) [[unlikely]]
        moves = co_await fold(group);
      if (!moves && failed_blocks_wait(group)) [[unlikely]]
        moves = empty_failed(group);
      // A group may be active only because of a move.
      const bool enough =
          (scrubs_ != nullptr || slc_low_ != 0 || failed_ != nullptr) && blocks_.free_of_group(group) >= high_;
      if (!moves && (enough || !choose_victim(group, age))) {
        state.active = false;
        co_return;
      }
    }
    if (!emptied(state)) {
      if (copied_all) co_return;
      const std::uint32_t pause = context_.config.gc_pause;
      copied_all = pause != 0 && blocks_.free_of_group(group) > kept_;
      if (owed == 0) owed = copied_all ? std::min(pause, state.copies_per_program) : state.copies_per_program;
      co_await copy(group, std::exchange(owed, 0), age);
      if (!emptied(state)) co_return;
    }
    co_await finish_victim(group, age);
    state.active = blocks_.free_of_group(group) < high_ || (scrubs_ != nullptr && scrubs_->any(group)) ||
                   (slc_low_ != 0 && wants_fold(group)) || failed_blocks_wait(group);
    if (++victims == blocks_.blocks_per_die()) co_return;  // padding of their copies takes all that they gain
    if (blocks_.policies().leveling(group).moves() && co_await level_wear(group)) {
      state.active = true;
      co_return;  // the move begins with the next program unit
    }
  } while (state.active);
}

Task<bool> Collector::idle(std::uint64_t age) {
  bool any = false;
  const std::uint32_t steps = blocks_.superblocks().members();
  for (std::uint32_t group = 0; group < groups_.size() && !blocks_.spare().worn_down(); ++group) {
    GroupState& state = groups_[group];
    if (blocks_.failures().dead_group(group)) continue;
    if (state.victim == kNoBlockNumber) {
      bool moves = false;
      const bool folds = slc_idle_ && blocks_.slc().oldest(group) != kNoBlockNumber;
      if (scrubs_ != nullptr && can_scrub_now(group)) [[unlikely]]
        moves = co_await scrub(group);
      if (!moves && folds && can_move_now(group, FreeUse::Data)) [[unlikely]]
        moves = co_await fold(group);
      if (!moves && failed_blocks_wait(group)) [[unlikely]]
        moves = empty_failed(group);
      std::uint32_t wanted = context_.config.gc_background;
      if ((scrubs_ != nullptr && scrubs_->any(group)) || folds) wanted = std::max(wanted, low_ + 1);
      if (!moves && (blocks_.free_of_group(group) >= wanted || !choose_victim(group, age))) continue;
    }
    for (std::uint32_t step = 0; step < steps && can_copy_now(group); ++step) {
      any = true;
      co_await copy(group, programmer_.room_of_next(state.job), age);
      if (!emptied(state)) continue;
      co_await finish_victim(group, age);
      break;
    }
  }
  co_return any;
}

Task<void> Collector::copied() {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    while (copier_.busy(die)) co_await blocks_.waits().events(die).durable.wait();
}

// Idle copies must not wait for an erase, since nothing else may be decided meanwhile. Nor may they take the last free
// block, so that background work never makes a write wait for space.
bool Collector::can_copy_now(std::uint32_t group) {
  const GroupState& state = groups_[group];
  if (emptied(state) || state.job != nullptr) return true;
  if (state.folds && state.cold[0] == kNoBlockNumber) return can_move_now(group, FreeUse::Data);
  if (state.moves()) return true;
  if (!blocks_.one_by_one()) return can_open_superblock_now(group);
  if (takes_copies(place_for_copies(group))) return true;
  const std::uint32_t bank = bank_for_copies(state.victim);
  return blocks_.free().of_die(group) > kept_ && blocks_[blocks_.next_free(blocks_.free().bank_with_room(bank))].erased;
}

// Whether a block is open and has a program unit left. Host data may occupy the last one, waiting for it to fill.
bool Collector::takes_copies(BlockNumber open) const {
  return open != kNoBlockNumber && (shared_ == nullptr || blocks_[open].allocated < context_.geometry.pages);
}

// A coroutine is about to wait for a free block: programs data that would otherwise wait for more writes. Blocks that
// only wait for what is in flight need nothing, and on the other clock may wait no more.
void Collector::hurry(BlockNumber block) {
  const std::uint32_t group = blocks_.group_of(block);
  const ProgramJob* const job = groups_[group].job;
  if (job != nullptr && programmer_.needs(*job, block)) pad(group, statistics_.units_written);
  if (holder_ != nullptr && !blocks_.waits().unused(block)) holder_->let_go(block);
  if (closer_ != nullptr && !blocks_.waits().unused(block) && waits_for_data(block)) {
    closer_->close_word_lines(block);
    pad_word_lines(block);
    data_let_go();
  }
}

// Waits until a free block may be opened: its erase is decided upon and waits for nothing but the flash.
Task<void> Collector::until_unused(BlockNumber block) {
  hurry(block);
  while (WaitList* const list = blocks_.waits().before_opening(block)) co_await list->wait();
}

Task<void> Collector::until_ready(BlockNumber block) {
  while (WaitList* const list = blocks_.waits().before_first_program(block)) co_await list->wait();
}

Task<BlockNumber> Collector::open_block(std::uint32_t wanted, std::uint32_t stream, FreeUse use, bool spare) {
  const std::uint32_t die = blocks_.die_of_bank(wanted);
  const std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  PendingErase kept;
  if (blocks_.free().of_die(die) != 0) {
    const BlockNumber next = blocks_.next_free(bank, use);
    co_await until_unused(next);
    if (blocks_.spare().lacks_room(next)) [[unlikely]]
      blocks_.spare().wear_down();
    const BlockNumber other = spare ? free_block_to_erase(die, next) : kNoBlockNumber;
    if (other != kNoBlockNumber) {
      hurry(other);
      kept = blocks_.pending_erase(other);
    }
  }
  const BlockNumber block = blocks_.open(bank, use);
  blocks_[block].pending->spare = kept;
  mark(block, stream);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

// With copyback, copies stay in the plane of their source. Else they go where blocks are open, or to the bank with the
// most free blocks.
std::uint32_t Collector::bank_for_copies(BlockNumber victim) const {
  if (copies_stay_in_plane(context_.geometry)) return blocks_.bank_of(victim);
  const std::uint32_t die = blocks_.die_of(victim);
  const std::uint32_t first = die * blocks_.banks_per_die();
  for (std::uint32_t bank = first; shared_ != nullptr && bank < first + blocks_.banks_per_die(); ++bank)
    if ((*shared_)[bank] != kNoBlockNumber) return bank;
  return blocks_.free().bank_of_most_room(die);
}

Task<void> Collector::copy(std::uint32_t group, std::uint32_t units, std::uint64_t age) {
  while (!copy_now(group, units, age)) {
    if (!blocks_.one_by_one()) {
      const bool opened = co_await open_superblock_for_copies(group);
      if (!opened) co_return;
      continue;
    }
    const BlockNumber victim = groups_[group].victim;
    if (groups_[group].folds && blocks_.free_of_group(group) <= low_) {
      give_up_fold(group);
      co_return;
    }
    const auto takes_kept_room = [&] {
      const std::uint32_t bank = blocks_.free().bank_with_room(bank_for_copies(victim));
      return blocks_.free().of_die(group) != 0 && blocks_.spare().lacks_room(blocks_.next_free(bank));
    };
    if ((blocks_.failures().possible() && blocks_.free().of_die(group) <= 1) ||
        (blocks_.spare().keeps_room() && takes_kept_room())) [[unlikely]] {
      // Failed programs have used up the reserve. The remaining space is kept for data that the buffer has accepted.
      blocks_.spare().wear_down();
      give_up_failures(group);
      co_return;
    }
    // Folding frees an SLC block, not a normal one: as for host data, another block must be free after a power cut.
    const bool spare = groups_[group].folds;
    BlockNumber& open = place_for_copies(group);
    open = co_await open_block(bank_for_copies(victim), copies_of(victim), FreeUse::Data, spare);
  }
}

// A victim is free once its copies are on flash, so a partly filled program unit is padded, unless the padding would
// take all the space that the victim gains. Then the copies wait for those of the next victim, of whatever stream, and
// the erase waits for them. If copies share blocks with host data they may not wait: the next victim is begun at once.
Task<void> Collector::finish_victim(std::uint32_t group, std::uint64_t age) {
  GroupState& state = groups_[group];
  if (keeper_->trims_pending() && !fault(Fault::EraseBeforeTrim)) {
    const std::uint64_t collection = state.collection;
    co_await keeper_->persist_trims();
    // While this waited, a write or the idle task may have finished the victim.
    if (state.victim == kNoBlockNumber || state.collection != collection) co_return;
  }
  if (state.job != nullptr) {
    if (keeps_open(state))
      state.carried = true;
    else
      pad(group, age);  // with any copies carried from earlier victims
  }
  if (moves_ != nullptr) moves_->collected(group);
  if (reallocated_ != nullptr) note_reallocated(group);
  if (rebuilding_) note_rebuilt(state.victim);
  release_victim(state);
  state.victim = kNoBlockNumber;
  if (rebuilding_) note_rebuild_end();
  if (shared_ == nullptr || !state.carried) co_return;
  if (!choose_victim(group, age)) {
    pad(group, age);
    co_return;
  }
  std::uint32_t rest = 0;
  copy_now(group, rest, age);
  if (emptied(state)) co_await finish_victim(group, age);
}

bool Collector::keeps_open(const GroupState& state) const {
  return !state.moves() && programmer_.room(*state.job) >= state.gain;
}

void Collector::pad(std::uint32_t group, std::uint64_t age) {
  statistics_.units_padded += programmer_.pad(*groups_[group].job);
  launch(group, age);
}

void Collector::launch(std::uint32_t group, std::uint64_t age) {
  const bool carried = std::exchange(groups_[group].carried, false);
  launch(group, *std::exchange(groups_[group].job, nullptr), age);
  if (carried && closer_ == nullptr) data_let_go();
}

void Collector::launch(std::uint32_t group, ProgramJob& job, std::uint64_t age) {
  const BlockNumber block = job.block;
  close_if_full(group, block, age);
  copier_.launch(job);
  programmer_.decided(block, age);
  if (closer_ != nullptr) data_let_go();
}

void Collector::close(std::uint32_t group, BlockNumber block, std::uint64_t age) {
  blocks_.close(block, age);
  vacate(group, block);
  closed(block);
}

void Collector::vacate(std::uint32_t group, BlockNumber block) {
  GroupState& state = groups_[group];
  if (state.cold[0] == block)
    state.cold = {state.cold[1], kNoBlockNumber};
  else if (shared_ == nullptr || !blocks_.one_by_one())
    std::replace(open_.begin(), open_.end(), block, kNoBlockNumber);
  if (shared_ != nullptr) std::replace(shared_->begin(), shared_->end(), block, kNoBlockNumber);
}

void Collector::state(StateArchive& archive, FrontBuffer& front) {
  archive(open_, held_, log_superblocks_);
  for (GroupState& group : groups_) {
    archive(group.active, group.origin, group.cold_slot, group.victim, group.from, group.collection, group.next_unit,
            group.end_unit, group.from_member, group.to_member, group.copies_per_program, group.gain, group.carried,
            group.cold);
    if (context_.geometry.any_slc()) archive(group.folds, group.gives_back);
    programmer_.job_state(archive, group.job, front);
  }
  if (reallocated_ != nullptr) archive(*reallocated_);
  if (scrubs_ != nullptr) archive(*scrubs_);
  if (failed_ == nullptr) return;
  archive(*failed_, dead_noted_, rebuilding_);
  for (GroupState& group : groups_) archive(group.failures);
}

}  // namespace flashloom
