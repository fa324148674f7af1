// Blocks that the collector releases, and when their erases may begin.
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <iterator>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

// The erases begin together, when no member is needed any more (Eraser), so a power cut leaves either the whole victim
// or all of its copies.
void Collector::release_victim(const GroupState& state) {
  Superblocks& all = blocks_.superblocks();
  const auto good = [this](BlockNumber block) { return blocks_[block].state != BlockState::Bad; };
  const auto members = all.members_of(state.victim);
  boost::container::small_vector<BlockNumber, 16> released;
  std::ranges::copy_if(members, std::back_inserter(released), good);
  for (const BlockNumber block : released) blocks_.release(block);
  all.give_back(state.victim);
  for (const BlockNumber block : released) blocks_.count_erase(block);
  const bool wait = member_held(state.victim);
  for (const BlockNumber block : released) {
    if (wait)
      held_.push_back({block, state.origin});
    else
      eraser_.start(block, state.origin, state.collection);
  }
}

// The erase of the block would have to wait for more data to arrive.
bool Collector::must_wait(BlockNumber block) const {
  if (holder_ != nullptr && holder_->holds(block)) return true;
  const ProgramJob* const job = groups_[blocks_.group_of(block)].job;
  if (job != nullptr && programmer_.exposed().needs(*job, block)) return true;
  if (closer_ == nullptr) return false;
  const auto needs = [&](BlockNumber open) {
    return open != kNoBlockNumber && programmer_.exposed().needs(open, block);
  };
  return std::ranges::any_of(open_, needs) ||
         std::ranges::any_of(groups_, [&](const GroupState& state) { return std::ranges::any_of(state.cold, needs); });
}

void Collector::seal(std::uint64_t age) {
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].job != nullptr) pad(group, age);
  }
  if (closer_ == nullptr) return;
  for (const BlockNumber block : blocks_of_copies())
    while (blocks_[block].state == BlockState::Open && programmer_.exposed().wants_padding(block))
      pad_block(block, age);
}

// If copies share another owner's blocks, that owner closes them; moved data have their own blocks even then.
std::vector<BlockNumber> Collector::blocks_of_copies() const {
  std::vector<BlockNumber> open = open_;
  for (const GroupState& state : groups_) open.insert(open.end(), state.cold.begin(), state.cold.end());
  std::erase(open, kNoBlockNumber);
  return open;
}

// Programs one padding unit in a block in which no program unit is being filled.
void Collector::pad_block(BlockNumber block, std::uint64_t age) {
  ProgramJob& job = programmer_.jobs().begin_padding(block, Origin::Gc);
  job.owners[0] = 0;
  statistics_.units_padded += programmer_.jobs().pad(job);
  launch(blocks_.group_of(block), job, age);
}

// Pads no more than the erase of `old` waits for: each padding unit takes space from the next victim's copies.
void Collector::pad_word_lines(BlockNumber old) {
  const std::uint64_t age = statistics_.units_written;
  if (programmer_.stripes() != nullptr) return seal(age);
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    const ProgramJob* const job = groups_[group].job;
    if (job != nullptr &&
        (programmer_.exposed().needs(*job, old) || programmer_.exposed().needs(job->block, old, true)))
      pad(group, age);
  }
  for (const BlockNumber block : blocks_of_copies())
    while (blocks_[block].state == BlockState::Open && programmer_.exposed().needs(block, old)) pad_block(block, age);
}

void Collector::erase_later(BlockNumber block, Origin origin, std::uint64_t collection) {
  if (blocks_[block].state == BlockState::Bad) return;  // found again by a recovery
  blocks_.count_erase(block);
  if (must_wait(block)) {
    held_.push_back({block, origin});
    return;
  }
  eraser_.start(block, origin, collection);
}

bool Collector::member_held(SuperblockNumber superblock) const {
  return std::ranges::any_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return must_wait(member); });
}

void Collector::start_held() {
  SuperblockNumber looked_at = kNoBlockNumber;
  bool wait = false;  // for the members of `looked_at`, which are adjacent in held_
  const auto held = std::stable_partition(held_.begin(), held_.end(), [&](const Held& it) {
    const SuperblockNumber superblock = blocks_.superblocks().of(it.block);
    if (superblock != looked_at) wait = member_held(looked_at = superblock);
    return wait;
  });
  std::for_each(held, held_.end(), [this](const Held& it) { eraser_.start(it.block, it.origin); });
  held_.erase(held, held_.end());
}

}  // namespace flashloom
