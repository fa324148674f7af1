#include "controllers/ftl/program/exposed_data.hpp"

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

ExposedData::ExposedData(const FtlContext& context, BlockTable& blocks, const ProgramJobs& jobs,
                         const Redundancy* redundancy, const FailureHandler* failures, Programmer& programmer)
    : blocks_(blocks),
      jobs_(jobs),
      redundancy_(redundancy),
      failures_(failures),
      programmer_(programmer),
      word_lines_(context.geometry),
      program_pages_(context.geometry.program_pages),
      units_per_page_(context.geometry.units_per_page) {}

bool ExposedData::needs(BlockNumber block, BlockNumber old, bool filling) const {
  if (redundancy_ == nullptr)
    return needs_within(block, old, safe(block, blocks_[block].allocated - (filling ? program_pages_ : 0)));
  return std::ranges::any_of(blocks_.members_of(blocks_.gc_unit_of(block)),
                             [&](BlockNumber member) { return needs_within(member, old, safe_when_done(member)); });
}

bool ExposedData::needs_within(BlockNumber block, BlockNumber old, std::uint32_t safe) const {
  const BlockInfo& info = blocks_[block];
  if (info.pending == nullptr || safe >= info.pending->data_end) return false;
  // A program unit is released as a whole: if only its first pages are safe, it still holds on to the data they
  // replace.
  const std::uint32_t first = safe - safe % program_pages_;
  for (std::uint32_t at = first * units_per_page_; at < info.pending->data_end * units_per_page_; ++at)
    if (const PhysicalUnit from = info.pending->source[at]; from != kNoPhysicalUnit && blocks_.block_of(from) == old)
      return true;
  return jobs_.any([&](const ProgramJob& job) {
    return job.block == block && job.first_page + program_pages_ > safe && needs(job, old);
  });
}

bool ExposedData::needs(const ProgramJob& job, BlockNumber old) const {
  if (failures_ != nullptr && failures_->needs(job, old)) return true;
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    const PhysicalUnit source = job.source[index];
    if (job.writes[index] != nullptr ? job.replaced[index] == old
                                     : source != kNoPhysicalUnit && blocks_.block_of(source) == old)
      return true;
  }
  return false;
}

void ExposedData::give_up(BlockNumber block) {
  const BlockInfo& info = blocks_[block];
  if (info.pending != nullptr && info.durable == info.allocated) release(*info.pending, info.durable);
}

void ExposedData::release_safe(BlockNumber block) {
  const BlockInfo& info = blocks_[block];
  if (redundancy_ != nullptr)
    release(*info.pending, std::min(info.durable, redundancy_->safe_pages(block)));
  else
    release(*info.pending, info.done_with() ? info.durable : safe(block, info.durable));
}

// Releases the exposed program units that lie within the first `safe` pages.
void ExposedData::release(PendingPages& pending, std::uint32_t safe) {
  std::erase_if(pending.exposed, [&](ProgramJob* each) {
    if (each->filled != 0 && each->first_page + program_pages_ > safe) return false;
    programmer_.release(*each);
    return true;
  });
}

}  // namespace flashloom
