// Exposed data: programmed, but not safe yet, because later programs of their word line may corrupt them or because
// their stripe has no parity.
#include <algorithm>
#include <vector>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

bool Programmer::exposed(BlockNumber block, BlockNumber old, bool filling) const {
  if (stripes_ == nullptr) {
    const std::uint32_t program_pages = filling ? context_.geometry.program_pages : 0;
    return exposed_in(block, old, safe(block, blocks_[block].allocated - program_pages));
  }
  const Superblocks& all = blocks_.superblocks();
  return std::ranges::any_of(all.members_of(all.of(block)),
                             [&](BlockNumber member) { return exposed_in(member, old, safe_when_done(member)); });
}

bool Programmer::exposed_in(BlockNumber block, BlockNumber old, std::uint32_t safe) const {
  const BlockInfo& info = blocks_[block];
  if (info.pending == nullptr || safe >= info.pending->data_end) return false;
  // A program unit is released as a whole: if only its first pages are safe, it still holds on to the data they
  // replace.
  const std::uint32_t first = safe - safe % context_.geometry.program_pages;
  for (std::uint32_t at = first * units_per_page_; at < info.pending->data_end * units_per_page_; ++at)
    if (const PhysicalUnit from = info.pending->source[at]; from != kNoPhysicalUnit && blocks_.block_of(from) == old)
      return true;
  return std::ranges::any_of(jobs_, [&](const std::unique_ptr<ProgramJob>& job) {
    return job->block == block && job->first_page + context_.geometry.program_pages > safe && needs(*job, old);
  });
}

void Programmer::give_up(BlockNumber block) {
  const BlockInfo& info = blocks_[block];
  if (info.pending != nullptr && info.durable == info.allocated) release_exposed(*info.pending, info.durable);
}

void Programmer::release_safe(BlockNumber block) {
  const BlockInfo& info = blocks_[block];
  if (stripes_ != nullptr)
    release_exposed(*info.pending, std::min(info.durable, stripes_->protected_pages(block)));
  else
    release_exposed(*info.pending, info.done_with() ? info.durable : safe(block, info.durable));
}

// Releases the exposed program units that lie within the first `safe` pages.
void Programmer::release_exposed(PendingPages& pending, std::uint32_t safe) {
  std::erase_if(pending.exposed, [&](ProgramJob* each) {
    if (each->filled != 0 && each->first_page + context_.geometry.program_pages > safe) return false;
    release(*each);
    return true;
  });
}

}  // namespace flashloom
