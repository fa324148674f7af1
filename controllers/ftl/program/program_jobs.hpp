// Program units being filled: which data have which place in them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "controllers/ftl/program/failure_handler.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/program/program_numbers.hpp"

namespace flashloom {

class ProgramReads;
class TornWrites;

/// The jobs of an FTL, which are pooled. A job is begun, its units are placed, its rest is padded, and the Programmer
/// carries it out.
class ProgramJobs : private ProgramPart {
 public:
  ProgramJobs(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, ProgramNumbers& numbers,
              ProgramReads& reads);
  ~ProgramJobs();
  void attach(FailureHandler& failures) { failures_ = &failures; }

  /// Begins an empty job for the next program unit of an open block (if written in any order: for the one at `page`).
  /// Origin::Host: host data, possibly with copies (of origin merge); otherwise copies only.
  ProgramJob& begin(BlockNumber block, Origin origin) { return begin(block, origin, blocks_[block].allocated); }
  ProgramJob& begin(BlockNumber block, Origin origin, std::uint32_t page);
  ProgramJob& begin_padding(BlockNumber block, Origin origin) {
    const std::uint32_t data_end = blocks_[block].pending->data_end;
    ProgramJob& job = begin(block, origin);
    blocks_[block].pending->data_end = data_end;
    return job;
  }
  /// Begins a job of padding for a program unit that was given out and fails.
  ProgramJob& begin_failed(const FailedProgram& failure, Origin origin);
  /// Takes back a job whose data are on flash and safe there.
  void give_back(ProgramJob& job) {
    job.filled = 0;  // it needs nothing any more
    free_.push_back(&job);
    if (--under_way_ == 0) idle_.wake_all();
  }
  Task<void> all_done() {
    while (under_way_ != 0) co_await idle_.wait();
  }

  /// Places the next unit of `job`; returns its physical unit.
  PhysicalUnit place_host(ProgramJob& job, WriteUnit& unit, PhysicalUnit old_place);
  PhysicalUnit place_copy(ProgramJob& job, OobWord word, PhysicalUnit source);
  /// A whole unit of host data that nobody waits for (Ftl::write_whole).
  PhysicalUnit place_whole(ProgramJob& job, OobWord word, PhysicalUnit old_place) {
    const std::uint32_t index = job.filled++;
    put(job, index, word, nullptr, kNoPhysicalUnit);
    job.owners[index] = 0;
    note_replaced(job, index, old_place);
    return place_of(job, index);
  }
  /// Whole units of one block, copied to where they fit; returns the physical unit of the first.
  PhysicalUnit place_copies(ProgramJob& job, std::span<const FlashPort::Copied> units) {
    const std::uint32_t first = job.filled;
    for (const FlashPort::Copied& unit : units) {
      blocks_[job.block].pending->source[job.first_page * units_per_page_ + job.filled] = unit.source;
      put(job, job.filled, unit.word, nullptr, unit.source);
      if (job.command.origin == Origin::Host) job.owners[job.filled] = 0;
      ++job.filled;
    }
    job.copied += static_cast<std::uint32_t>(units.size());
    blocks_[blocks_.block_of(units.front().source)].copies_pending += static_cast<std::uint32_t>(units.size());
    return place_of(job, first);
  }
  /// Lets a job of copies take host data, too.
  void carry_host_data(ProgramJob& job);
  /// Places content that firmware itself makes (a new translation page).
  PhysicalUnit place_new(ProgramJob& job, OobWord word);
  /// Leaves the next unit of `job` without data; `word` marks it in the spare area (OobLayout::padding and similar).
  void place_gap(ProgramJob& job, OobWord word);
  /// Fills the rest with padding; returns the number of padding units.
  std::uint32_t pad(ProgramJob& job);

  bool full(const ProgramJob& job) const { return job.filled == units_per_program_; }
  // --- Units of different sizes (UnitSizes): before placing a unit the caller asks whether it fits; if not, the program
  // unit is padded and programmed. Whole units fit until it is full.
  bool fits(const ProgramJob& job, OobWord word) const { return sizes_ == nullptr || sizes_->fits(job, word); }
  bool fits(const ProgramJob& job, const WriteUnit& unit) const {
    return sizes_ == nullptr || sizes_->fits(job, word_of(unit));
  }
  bool fits_whole(const ProgramJob& job) const { return sizes_ == nullptr || sizes_->fits_whole(job); }
  std::uint32_t room(const ProgramJob& job) const {
    return sizes_ == nullptr ? units_per_program_ - job.filled : sizes_->room(job);
  }
  /// Copies taken in one step: what fits into the program unit being filled, or into the next one if null.
  std::uint32_t room_of_next(const ProgramJob* job) const {
    return job == nullptr ? context_.geometry.whole_units_per_program() : std::max(room(*job), 1U);
  }

  /// Bytes of these sectors of a unit; usually the whole unit.
  std::uint64_t bytes_of(std::uint64_t sectors) const {
    if (sectors == all_sectors_) [[likely]]
      return context_.geometry.unit_bytes;
    return static_cast<std::uint64_t>(std::popcount(sectors)) *
           (context_.geometry.unit_bytes / context_.sectors_per_unit);
  }
  /// Whether all sectors of the unit are in the buffer.
  bool whole(const WriteUnit& unit) const { return unit.sectors == all_sectors_; }
  /// The word of a whole unit. Throws std::runtime_error if the version exceeds OobLayout::max_version().
  OobWord whole_word_of(const WriteUnit& unit) const {
    if (unit.version > layout_.max_version()) [[unlikely]]
      too_many_versions();
    return layout_.encode(unit.unit, unit.version);
  }

  /// Frees a filled job without host data, until unpark() restores it.
  ParkedJob park(ProgramJob& job);
  ProgramJob& unpark(const ParkedJob& parked);

  template <class Is>
  bool any(Is is) const {
    return std::ranges::any_of(jobs_, [&is](const std::unique_ptr<ProgramJob>& job) { return is(*job); });
  }
  /// Null unless the drive tears writes.
  TornWrites* torn_writes() const { return torn_writes_.get(); }

  /// Saved states: a job being filled, or null.
  void job_state(StateArchive& archive, ProgramJob*& job, FrontBuffer& front);

 private:
  ProgramJob& take(const ProgramFill& fill);
  void prepare(ProgramJob& job, Origin origin, std::uint64_t sequence);
  OobWord word_of(const WriteUnit& unit) const {
    const OobWord word = whole_word_of(unit);
    if (sizes_ != nullptr) [[unlikely]]
      return sizes_->word_of(unit);
    return word;
  }
  [[noreturn, gnu::cold]] static void too_many_versions();
  /// A program belongs to the flow of its first host unit.
  static void note_flow(ProgramJob& job, const WriteUnit& unit) {
    if (job.command.flow == kNoFlow) job.command.flow = unit.stream;
  }
  void begin_place(ProgramJob& job, OobWord word) {
    if (sizes_ != nullptr && sizes_->leaves_page(job, word)) [[unlikely]]
      leave_page(job);
  }
  /// Puts a unit (host data, or a copy if `write` is null) at this number in the program unit.
  void put(ProgramJob& job, std::uint32_t index, OobWord word, WriteUnit* write, PhysicalUnit source) {
    job.oob[index] = word;
    job.writes[index] = write;
    job.source[index] = source;
    job.replaced[index] = kNoBlockNumber;
    blocks_[job.block].pending->oob[job.first_page * units_per_page_ + index] = word;
  }
  void note_replaced(ProgramJob& job, std::uint32_t index, PhysicalUnit old_place) {
    if (old_place == kNoPhysicalUnit) return;
    job.replaced[index] = blocks_.block_of(old_place);
    ++blocks_[job.replaced[index]].copies_pending;
  }
  void end_place(ProgramJob& job, OobWord word) {
    if (sizes_ != nullptr) [[unlikely]]
      take_room(job, word);
  }
  void leave_page(ProgramJob& job);
  void take_room(ProgramJob& job, OobWord word);
  void put_empty(ProgramJob& job, std::uint32_t index, OobWord word);
  PhysicalUnit place_of(const ProgramJob& job, std::uint32_t index) const {
    return job.block * blocks_.units_per_block() + job.first_page * units_per_page_ + index;
  }

  ProgramNumbers& numbers_;
  ProgramReads& reads_;
  FailureHandler* failures_ = nullptr;       // null: no program fails
  std::unique_ptr<TornWrites> torn_writes_;  // for drives that tear writes; only with verify
  std::vector<std::unique_ptr<ProgramJob>> jobs_;
  std::vector<ProgramJob*> free_;
  std::uint32_t under_way_ = 0;
  WaitList idle_;
};

}  // namespace flashloom
