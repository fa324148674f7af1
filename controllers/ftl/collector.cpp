#include "controllers/ftl/collector.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ssd/device_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

// Units whose map entries are fetched ahead: about a memory latency's worth of copying.
constexpr std::uint32_t kLookAhead = 8;

}  // namespace

Collector::Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
                     UnitMap& map, FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      layout_(layout),
      map_(map),
      statistics_(statistics),
      copier_(context, blocks, programmer),
      eraser_(context, blocks),
      dies_(context.geometry.dies),
      open_(context.geometry.dies, kNoBlockNumber) {}

bool Collector::choose_victim(std::uint32_t die, std::uint64_t age) {
  const std::uint32_t units = blocks_.units_per_block();
  GarbageCollectionPolicy& policy = blocks_.collection(die);
  const std::uint32_t victim = policy.victim(age);
  if (victim == kNoBlock) return false;
  const BlockNumber block = die * blocks_.blocks_per_die() + victim;
  BlockInfo& info = blocks_[block];
  if (info.valid == units) return false;  // nothing to gain
  policy.removed(victim);
  info.state = BlockState::Collecting;
  DieState& state = dies_[die];
  state.victim = block;
  state.next_unit = 0;
  // While the host fills what the victim gains, all its valid units are to be copied; a quarter faster, to get ahead.
  const std::uint64_t copies = std::uint64_t{info.valid} * context_.geometry.units_per_program();
  state.copies_per_program = static_cast<std::uint32_t>(copies * 5 / (4 * std::uint64_t{units - info.valid}) + 1);
  state.collection = ++statistics_.gc_runs;
  return true;
}

Task<void> Collector::pace(std::uint32_t die, std::uint64_t age) {
  DieState& state = dies_[die];
  if (!state.active) {
    if (blocks_.free_blocks(die) > context_.config.gc_low) co_return;
    state.active = true;
  }
  // A victim without valid units costs nothing: goes at once.
  do {
    if (state.victim == kNoBlockNumber && !choose_victim(die, age)) {
      state.active = false;
      co_return;
    }
    if (blocks_[state.victim].valid != 0) {
      co_await copy(die, state.copies_per_program, age);
      if (blocks_[state.victim].valid != 0) co_return;
    }
    finish_victim(die, age);
    state.active = blocks_.free_blocks(die) < context_.config.gc_high;
  } while (state.active);
}

Task<void> Collector::make_room(std::uint32_t die, std::uint32_t blocks, std::uint64_t age) {
  DieState& state = dies_[die];
  while (blocks_.free_blocks(die) < blocks) {
    if (state.victim == kNoBlockNumber && !choose_victim(die, age)) co_return;
    co_await copy(die, blocks_.units_per_block(), age);
    finish_victim(die, age);
  }
}

Task<BlockNumber> Collector::open_block(std::uint32_t wanted, std::uint32_t stream) {
  const std::uint32_t die = blocks_.die_of_bank(wanted);
  const std::uint32_t bank = blocks_.bank_with_room(wanted);
  if (blocks_.free_blocks(die) != 0) {
    const BlockNumber next = blocks_.next_free(bank);
    if (holder_ != nullptr && !blocks_[next].erased) holder_->let_go(next);
    while (!blocks_[next].erased) co_await blocks_.events(die).erased.wait();
  }
  const BlockNumber block = blocks_.open(bank);
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  statistics_.free_blocks_min = std::min(statistics_.free_blocks_min, blocks_.free_blocks(die));
  co_return block;
}

// Where blocks are open already, else where there is most room.
std::uint32_t Collector::bank_for_copies(std::uint32_t die) const {
  const std::uint32_t first = die * blocks_.banks_per_die();
  for (std::uint32_t bank = first; shared_ != nullptr && bank < first + blocks_.banks_per_die(); ++bank)
    if ((*shared_)[bank] != kNoBlockNumber) return bank;
  return blocks_.roomiest_bank(die);
}

OobWord Collector::word_of(BlockNumber block, std::uint32_t unit) const {
  const BlockInfo& info = blocks_[block];
  return info.pending != nullptr ? info.pending->oob[unit] : context_.media.oob(blocks_.address(block, 0), unit);
}

Task<void> Collector::copy(std::uint32_t die, std::uint32_t units, std::uint64_t age) {
  DieState& state = dies_[die];
  const BlockNumber victim = state.victim;
  BlockInfo& info = blocks_[victim];
  const PhysicalUnit first = victim * blocks_.units_per_block();
  while (info.valid != 0 && (units != 0 || (shared_ != nullptr && state.job != nullptr))) {
    const std::uint32_t index = state.next_unit++;
    if (index == blocks_.units_per_block()) throw std::logic_error("a block has fewer valid units than its count says");
    if (index + kLookAhead < blocks_.units_per_block()) {
      // Map entries of a victim are spread over the whole table: fetch them ahead.
      const OobWord later = word_of(victim, index + kLookAhead);
      if (layout_.is_data(later)) map_.prefetch(layout_.unit(later));
    }
    const OobWord word = word_of(victim, index);
    if (!layout_.is_data(word)) continue;
    const std::uint32_t unit = layout_.unit(word);
    if (map_.get(unit) != first + index) continue;
    if (state.job == nullptr) {
      const std::uint32_t bank = bank_for_copies(die);
      BlockNumber& open = open_block_for_copies(bank, info.stream);
      if (open == kNoBlockNumber) open = co_await open_block(bank, info.stream);
      state.job = &programmer_.begin(open, Origin::Gc);
      state.job->owners[0] = state.collection;
    }
    const PhysicalUnit place = programmer_.place_copy(*state.job, word, first + index);
    map_.set(unit, place);
    blocks_.validate(place);
    --info.valid;
    if (units != 0) --units;
    ++statistics_.units_moved;
    if (programmer_.full(*state.job)) launch(die, age);
  }
}

// The victim is free as soon as its copies are on flash, so what waits for its program unit to fill is padded.
void Collector::finish_victim(std::uint32_t die, std::uint64_t age) {
  DieState& state = dies_[die];
  if (state.job != nullptr) {
    statistics_.units_padded += programmer_.pad(*state.job);
    launch(die, age);
  }
  blocks_.release(state.victim);
  erase_later(state.victim, state.collection);
  state.victim = kNoBlockNumber;
}

void Collector::launch(std::uint32_t die, std::uint64_t age) {
  DieState& state = dies_[die];
  ProgramJob* const job = state.job;
  state.job = nullptr;
  if (blocks_[job->block].allocated == context_.geometry.pages) {
    blocks_.close(job->block, age);
    if (shared_ == nullptr)
      open_[die * streams_ + blocks_[job->block].stream] = kNoBlockNumber;
    else
      std::replace(shared_->begin(), shared_->end(), job->block, kNoBlockNumber);
  }
  copier_.launch(*job);
}

void Collector::erase_later(BlockNumber block, std::uint64_t collection) {
  blocks_.add_erases(block, 1);
  if (holder_ != nullptr && holder_->holds(block)) {
    held_.push_back(block);
    return;
  }
  eraser_.start(block, Origin::Gc, collection);
}

void Collector::data_let_go() {
  const auto held =
      std::stable_partition(held_.begin(), held_.end(), [this](BlockNumber block) { return holder_->holds(block); });
  std::for_each(held, held_.end(), [this](BlockNumber block) { eraser_.start(block, Origin::Gc); });
  held_.erase(held, held_.end());
}

void Collector::state(StateArchive& archive, FrontBuffer& front) {
  archive(open_, held_);
  for (DieState& die : dies_) {
    archive(die.active, die.victim, die.next_unit, die.copies_per_program);
    programmer_.job_state(archive, die.job, front);
  }
}

}  // namespace flashloom
