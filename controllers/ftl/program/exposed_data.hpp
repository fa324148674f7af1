// Exposed data: programmed, but not safe yet, because later programs of their word line may corrupt them or because
// what protects them is not on flash. Blocks with the versions before them must not be erased.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controllers/ftl/program/failure_handler.hpp"
#include "controllers/ftl/program/program_jobs.hpp"
#include "controllers/ftl/program/redundancy.hpp"
#include "controllers/ftl/program/word_lines.hpp"

namespace flashloom {

class Programmer;

class ExposedData {
 public:
  /// `redundancy`, `failures`: null if the device has none. `programmer` releases what has become safe.
  ExposedData(const FtlContext& context, BlockTable& blocks, const ProgramJobs& jobs, const Redundancy* redundancy,
              const FailureHandler* failures, Programmer& programmer);

  const WordLines& word_lines() const { return word_lines_; }
  /// Whether exposed data can exist: pages of a word line disturb each other, or data have redundancy.
  bool possible() const { return redundancy_ != nullptr || !word_lines_.independent(); }
  /// Data given out to the block may still be corrupted by later programs, and so do not count as durable; some padding
  /// would make them safe.
  bool in(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return possible() && info.pending != nullptr && safe_when_done(block) < info.pending->data_end;
  }
  /// Whether another padding program unit in the open block would make data safe, in the block or beside it.
  bool wants_padding(BlockNumber block) const {
    return redundancy_ == nullptr ? in(block) : blocks_[block].allocated < redundancy_->wanted_pages(block);
  }
  /// Whether exposed data of `block` include copies out of `old` or newer versions of its units, so that `old` cannot
  /// be erased before `block` gets more programs. `filling`: more than the program unit in `block` being filled.
  bool needs(BlockNumber block, BlockNumber old, bool filling = false) const;
  /// Whether the job must be on flash before the block can be erased, because it copies out of the block or holds newer
  /// versions of its units.
  bool needs(const ProgramJob& job, BlockNumber old) const;

  /// No more pages will be given out of a block about to be released: its programmed data are safe once all its
  /// programs are done.
  void give_up(BlockNumber block);
  /// Releases the program units of the block that have become safe.
  void release_safe(BlockNumber block);

 private:
  bool needs_within(BlockNumber block, BlockNumber old, std::uint32_t safe) const;
  void release(PendingPages& pending, std::uint32_t safe);
  /// Safe pages among the first `programmed` pages of a block.
  std::uint32_t safe(BlockNumber block, std::uint32_t programmed) const {
    return blocks_.in_slc_mode(block) ? programmed : word_lines_.safe(programmed);
  }
  /// Pages of a block that are safe once all programs decided upon are done.
  std::uint32_t safe_when_done(BlockNumber block) const {
    const std::uint32_t allocated = blocks_[block].allocated;
    return redundancy_ != nullptr ? std::min(allocated, redundancy_->decided_pages(block)) : safe(block, allocated);
  }

  BlockTable& blocks_;
  const ProgramJobs& jobs_;
  const Redundancy* redundancy_;
  const FailureHandler* failures_;
  Programmer& programmer_;
  WordLines word_lines_;
  std::uint32_t program_pages_;
  std::uint32_t units_per_page_;
};

}  // namespace flashloom
