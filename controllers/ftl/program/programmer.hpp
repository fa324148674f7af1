// Carries out program units: gathers the data that must be read first (GC copies, the rest of partly written units),
// waits for the turn in the block, programs, and reports. Shared by all FTLs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "controllers/ftl/program/direct_programs.hpp"
#include "controllers/ftl/program/exposed_data.hpp"
#include "controllers/ftl/program/failure_handler.hpp"
#include "controllers/ftl/program/program_jobs.hpp"
#include "controllers/ftl/program/program_reads.hpp"
#include "controllers/ftl/program/redundancy.hpp"

namespace flashloom {

class UnitMap;

class Programmer : private ProgramPart {
 public:
  Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, FtlStatistics& statistics);

  // --- Its parts.
  ProgramNumbers& numbers() { return numbers_; }
  const ProgramNumbers& numbers() const { return numbers_; }
  ProgramReads& reads() { return reads_; }
  const ProgramReads& reads() const { return reads_; }
  ProgramJobs& jobs() { return jobs_; }
  ExposedData& exposed() { return exposed_; }
  DirectPrograms& direct() { return direct_; }
  const DirectPrograms& direct() const { return direct_; }
  /// Null if the device has none.
  FailureHandler* failure_handler() const { return failures_.get(); }
  Redundancy* redundancy() { return redundancy_.get(); }
  /// Redundancy::decided(), if there is one.
  void decided(BlockNumber block, std::uint64_t age) {
    if (redundancy_ != nullptr) [[unlikely]]
      redundancy_->decided(block, age);
  }

  void attach(ProgramObserver& observer) { observers_.add(observer); }
  /// Host programs wait at a die as `debt` demands.
  void attach(CopyDebt& debt) { debt_ = &debt; }
  /// The map has at most one entry per program unit, instead of one per unit.
  void map_by_program() { most_entries_ = 1; }

  /// Programs a filled job once all its data are present (ProgramReads::gather()); releases the job at the end.
  void program(ProgramJob& job);
  /// Gathers and programs if neither has to wait; else returns false and does nothing. On the instant clock nearly every
  /// job qualifies.
  bool carry_out_now(ProgramJob& job);
  /// The same in one step, for a job that needs nothing but its reads and its program; false: it needs more, or has to
  /// wait.
  bool carry_out_at_once(ProgramJob& job);
  /// Why a rule cannot describe the program units of a sequential fill; null: it can.
  const char* why_no_rule() const;
  /// Carries out a full job as program unit `number` of a rule-based fill; it has no WriteUnits.
  void program_by_rule(ProgramJob& job, std::uint32_t number);
  /// FlashPort::program_turns_by_rule() on open blocks; places are in program units of the flash.
  void program_turns_by_rule(std::span<const std::uint32_t> places, std::uint32_t number, std::uint32_t turns);

  /// Program commands not yet in a die's queue: their data are being fetched, or others precede them.
  std::uint32_t on_their_way(std::uint32_t die) const { return on_their_way_[die]; }
  /// Programs of a die from program() on that are not done.
  std::uint32_t not_done(std::uint32_t die) const { return not_done_[die]; }

  void go_on(ProgramJob& job);
  /// What a job waits for until its turn in a block; `turn`: pages of the block to be submitted before it.
  WaitList* before_turn(ProgramJob& job, BlockNumber block, std::uint32_t turn) {
    const BlockInfo& info = blocks_[block];
    if (WaitList* const list = blocks_.programs().before_turn(block, turn, job.its_turn)) return list;
    if (turn == 0)
      if (WaitList* const list = blocks_.waits().before_first_program(block)) return list;
    // Programs of one origin keep their order in the die's queue; those of another origin might overtake.
    if (info.last_origin != job.command.origin && info.durable != info.submitted)
      return &blocks_.waits().events(blocks_.die_of(block)).durable;
    return nullptr;
  }
  /// The data of a job that is to be programmed at another place are fetched from the buffer again.
  void fetch_again(ProgramJob& job);
  void finish(ProgramJob& job);
  /// The job's data are on flash and safe there.
  void release(ProgramJob& job);

  /// Saved states of a quiescent programmer, to follow those of the block table.
  void state(StateArchive& archive, FrontBuffer& front);

 private:
  /// Bytes of a job's data that are contiguous in the buffer.
  struct Piece {
    std::uint32_t bytes;
    std::uint64_t address;
  };
  Piece next_piece(ProgramJob& job) const;
  void begin_moves(ProgramJob& job);
  void begin_fetch(ProgramJob& job);
  bool move_and_update(ProgramJob& job);
  bool write_entries(ProgramJob& job);
  bool fetch_units(ProgramJob& job);
  /// Units of a job that need map entries.
  std::uint32_t carried(const ProgramJob& job) const {
    return std::min(sizes_ == nullptr ? job.filled : job.filled - job.gaps, most_entries_);
  }
  WaitList* advance(ProgramJob& job);
  Task<void> wait(ProgramJob& job, WaitList* list);
  WaitList* before_data(ProgramJob& job);
  WaitList* before(ProgramJob& job);
  bool must_wait(const ProgramJob& job);
  void end_at_once(ProgramJob& job);
  void submit(ProgramJob& job);

  ProgramNumbers numbers_;
  ProgramReads reads_;
  ProgramJobs jobs_;
  std::unique_ptr<Redundancy> redundancy_;
  std::unique_ptr<FailureHandler> failures_;
  ExposedData exposed_;
  ProgramObservers observers_;
  bool plain_;  // a program needs no follow-up, and nothing but it and its reads changes any state
  DirectPrograms direct_;
  std::uint32_t most_entries_ = ~std::uint32_t{0};  // map entries that a program may change
  std::vector<std::uint32_t> on_their_way_;         // by die
  std::vector<std::uint32_t> not_done_;
  CopyDebt* debt_ = nullptr;
};

/// Base of the parts of an FTL that programs through a Programmer: its tables. Each part copies it.
class FtlPart : protected ProgramPart {
 public:
  FtlPart(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map, Programmer& programmer,
          FtlStatistics& statistics)
      : ProgramPart(context, blocks, layout), map_(map), programmer_(programmer), statistics_(statistics) {}

 protected:
  UnitMap& map_;
  Programmer& programmer_;
  FtlStatistics& statistics_;
};

}  // namespace flashloom
