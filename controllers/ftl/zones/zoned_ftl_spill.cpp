// Program units that a flush found unfilled: a small log of them, whose oldest erase unit is emptied when there are as
// many as there may be. Each has a unit of padding at least: that tells them from those of zones.
#include <algorithm>
#include <utility>
#include <vector>

#include "controllers/ftl/zones/zoned_ftl.hpp"

namespace flashloom {

Task<ProgramJob*> ZonedFtl::begin_spill() {
  const auto full = [this] {
    return spill_.empty() || blocks_[spill_.back()].allocated == context_.geometry.pages;
  };
  while (full()) co_await make_spill_room();
  co_return &programmer_.begin(spill_.back(), Origin::Host);
}

void ZonedFtl::launch_spill(ProgramJob* job) {
  const std::uint32_t padded = programmer_.pad(*job);
  statistics_.units_padded += padded;
  statistics_.streams[0].units_padded += padded;
  launch(*job);
}

// Opens the next erase unit; what is valid in the oldest goes there, if there are enough of them.
Task<void> ZonedFtl::make_spill_room() {
  release_spilled();
  std::uint32_t roomiest = 0;
  for (std::uint32_t die = 1; die < context_.geometry.dies; ++die)
    if (blocks_.free_blocks(die) > blocks_.free_blocks(roomiest)) roomiest = die;
  spill_.push_back(co_await open_on(blocks_.roomiest_bank(roomiest)));
  if (spill_.size() >= shape_.spill_blocks()) move_spilled(spill_.front());
  release_spilled();
}

// What is valid in one of them goes to the one that is being written, which has room for it: a zone has less spilled
// than two program units take.
void ZonedFtl::move_spilled(BlockNumber from) {
  ProgramJob* job = nullptr;
  for (std::uint32_t at = 0; at < blocks_.units_per_block() && blocks_[from].valid != 0; ++at) {
    const PhysicalUnit place = from * blocks_.units_per_block() + at;
    const OobWord word = word_of(place);
    if (!layout_.is_data(word) || map_.get(layout_.unit(word)) != place) continue;
    if (job == nullptr) job = &programmer_.begin(spill_.back(), Origin::Gc);
    ++statistics_.units_moved;
    copy(*job, layout_.unit(word));
    if (job->filled + 1 == units_per_program_) launch_spill(std::exchange(job, nullptr));
  }
  if (job != nullptr) launch_spill(job);
}

// All of them but a new one are erased: nothing that was reset can come back.
Task<void> ZonedFtl::empty_spill() {
  stale_spill_ = false;
  const std::vector<BlockNumber> old(spill_.begin(), spill_.end());
  if (old.empty()) co_return;
  std::vector<PendingErase> erases;
  co_await make_spill_room();
  for (const BlockNumber block : old) {
    if (std::find(spill_.begin(), spill_.end(), block) != spill_.end()) {
      while (blocks_[spill_.back()].allocated + blocks_[block].valid * context_.geometry.program_pages >
                 context_.geometry.pages &&
             blocks_[spill_.back()].allocated != 0)
        co_await make_spill_room();
      move_spilled(block);
      release_spilled();
    }
    erases.push_back(blocks_.pending_erase(block));
  }
  co_await until_erased(erases);
}

// Those that hold nothing valid any more, but the one that is being written.
void ZonedFtl::release_spilled() {
  for (std::size_t i = 0; i + 1 < spill_.size();) {
    const BlockNumber block = spill_[i];
    if (blocks_[block].valid != 0) {
      ++i;
      continue;
    }
    spill_.erase(spill_.begin() + static_cast<std::ptrdiff_t>(i));
    give_back(block, Origin::Gc);
  }
}

}  // namespace flashloom
