#include "controllers/ftl/collector.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ssd/device_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

// Copies that a die's worker reads ahead of their programs: two keep the die busy, more would only fill DRAM.
constexpr std::uint32_t kCopiesInFlight = 2;

}  // namespace

Collector::Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
                     UnitMap& map, FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      layout_(layout),
      map_(map),
      statistics_(statistics),
      dies_(context.geometry.dies) {}

Task<void> Collector::make_room(std::uint32_t die, std::uint64_t age) {
  if (blocks_.free_blocks(die) > context_.config.gc_low) co_return;
  while (blocks_.free_blocks(die) < context_.config.gc_high) {
    GarbageCollectionPolicy& policy = blocks_.collection(die);
    const std::uint32_t victim = policy.victim(age);
    if (victim == kNoBlock) break;
    const BlockNumber block = die * blocks_.blocks_per_die() + victim;
    if (blocks_[block].valid == blocks_.units_per_block()) break;  // nothing to gain
    policy.removed(victim);
    co_await collect(die, block, age);
  }
  DieState& state = dies_[die];
  if (state.job != nullptr) {
    statistics_.units_padded += programmer_.pad(*state.job);
    launch(die, age);
  }
}

Task<BlockNumber> Collector::open_block(std::uint32_t die) {
  while (!blocks_[blocks_.next_free(die)].erased) co_await blocks_.progress(die).wait();
  const BlockNumber block = blocks_.open(die);
  statistics_.free_blocks_min = std::min(statistics_.free_blocks_min, blocks_.free_blocks(die));
  co_return block;
}

Task<void> Collector::collect(std::uint32_t die, BlockNumber victim, std::uint64_t age) {
  ++statistics_.gc_runs;
  DieState& state = dies_[die];
  BlockInfo& info = blocks_[victim];
  info.state = BlockState::Collecting;
  const PhysicalUnit first = victim * blocks_.units_per_block();
  for (std::uint32_t index = 0; info.valid != 0; ++index) {
    if (index == blocks_.units_per_block()) throw std::logic_error("a block has fewer valid units than its count says");
    const OobWord word = info.pending != nullptr ? info.pending->oob[index]
                                                 : context_.media.oob(blocks_.address(victim, 0), index);
    if (!layout_.is_data(word)) continue;
    const std::uint32_t unit = layout_.unit(word);
    if (map_.get(unit) != first + index) continue;
    if (state.job == nullptr) {
      if (state.open == kNone) state.open = co_await open_block(die);
      state.job = &programmer_.begin(state.open, WriteStream::Gc);
    }
    const PhysicalUnit place = programmer_.place_copy(*state.job, word, first + index);
    map_.set(unit, place);
    blocks_.validate(place);
    --info.valid;
    ++statistics_.units_moved;
    if (programmer_.full(*state.job)) launch(die, age);
  }
  blocks_.release(victim);
  erase_later(victim);
}

void Collector::launch(std::uint32_t die, std::uint64_t age) {
  DieState& state = dies_[die];
  ProgramJob* const job = state.job;
  state.job = nullptr;
  if (blocks_[job->block].allocated == context_.geometry.pages) {
    blocks_.close(job->block, age);
    state.open = kNone;
  }
  state.work.push_back(job);
  if (state.working) return;
  state.working = true;
  Runtime::current().spawn([this, die] { return work(die); });
}

void Collector::erase_later(BlockNumber block) {
  Runtime::current().spawn([this, block] { return erase(block); });
}

Task<void> Collector::work(std::uint32_t die) {
  DieState& state = dies_[die];
  while (state.next_work != state.work.size()) {
    ProgramJob& job = *state.work[state.next_work++];
    while (state.programming >= kCopiesInFlight) co_await blocks_.progress(die).wait();
    co_await programmer_.gather(job);
    ++state.programming;
    Runtime::current().spawn([this, die, &job] { return program(die, job); });
  }
  state.work.clear();
  state.next_work = 0;
  state.working = false;
}

Task<void> Collector::program(std::uint32_t die, ProgramJob& job) {
  co_await programmer_.program(job);
  --dies_[die].programming;
  blocks_.progress(die).wake_all();
}

Task<void> Collector::erase(BlockNumber block) {
  BlockInfo& info = blocks_[block];
  WaitList& progress = blocks_.progress(blocks_.die_of(block));
  co_await context_.hardware.cpu(FirmwareStep::VictimSelect, 1);
  while (info.copies_pending != 0 || info.reads_in_flight != 0) co_await progress.wait();
  OnfiCommand command;
  command.operation = FlashOperation::Erase;
  command.origin = Origin::Gc;
  command.address = blocks_.address(block, 0);
  FlashBatch batch;
  batch.submit(context_.hardware.flash(), command);
  co_await batch;
  info.erased = true;
  progress.wake_all();
}

}  // namespace flashloom
