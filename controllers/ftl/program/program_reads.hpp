// Data that must be read before a program unit can be programmed: copies, and the rest of partly written units.
#pragma once

#include <cstdint>

#include "controllers/flash/read_group.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/read_span.hpp"
#include "controllers/hardware/flash_batch.hpp"

namespace flashloom {

class Redundancy;

class ProgramReads : private ProgramPart {
 public:
  using ProgramPart::ProgramPart;
  /// Rebuilds what cannot be read.
  void attach(Redundancy& redundancy) { redundancy_ = &redundancy; }

  /// Where the data of a unit are now: at its place, or at the source of a GC copy in flight.
  PhysicalUnit readable(PhysicalUnit unit) const { return blocks_.on_flash(unit) ? unit : source_of(unit); }
  /// Whether host data of the unit that are not on flash yet are lost except for the buffered sectors
  /// (WriteUnit::rest_lost): a reader has nothing to wait for, and the program unit may wait for more data.
  bool lost_in_transit(PhysicalUnit unit) const;
  /// Sets what a read of `units` neighbouring units, from `first` in its page, transfers: the frames of the wanted
  /// sectors (move_frames); of units of different sizes, all frames.
  void move_frames(OnfiCommand& read, PhysicalUnit first, std::uint64_t of_first, std::uint64_t of_last) const {
    if (sizes_ == nullptr) [[likely]]
      return flashloom::move_frames(context_, read, of_first, of_last);
    sizes_->locate(read, blocks_, first);
  }
  /// For a completed read with needs_recovery(): tries recover_read(), then what the redundancy has.
  Task<void> recover(OnfiCommand& read, bool metadata = false) const;

  /// Reads all data that a job copies.
  Task<void> gather(ProgramJob& job);
  /// The same on the instant clock, unless the die can copy them itself. False: not all sources are on flash.
  bool gather_now(ProgramJob& job);
  /// Reads the sectors of a partly written unit that the host has not written: those `missing` when the unit was placed,
  /// since later host writes depend on timing.
  Task<void> complete(ProgramJob& job, std::uint32_t index, std::uint64_t missing);
  /// The job's unit `index` is lost: its word is marked so.
  void note_lost(ProgramJob& job, std::uint32_t index);
  [[noreturn, gnu::cold]] static void another_than_mapped(std::uint32_t unit);

  // --- Copyback: a die copies a program unit internally, without its data crossing the channel.
  /// Whether the die can copy the program unit internally: all units come from one program unit of the same die, in
  /// order and from the same plane. Excluded: one-shot programs, which take more pages than a page register holds, and
  /// rewritten map units, whose content changes on the way.
  bool can_copy_back(const ProgramJob& job) const;
  /// The first of the commands by which the die copies: a read of each page, followed by the program.
  OnfiCommand& copyback(ProgramJob& job) const;
  /// Throws std::logic_error unless the die has copied what the map says.
  void check_copyback(const ProgramJob& job) const;

 private:
  /// Reads of a job's copies while they are handed over to flash.
  struct Gathering {
    FlashBatch batch;
    ReadGroup group;              ///< next group to be handed over
    bool group_ends = false;      ///< the group is complete
    bool has_place = false;       ///< the group has a place in its die's queue
    OnfiCommand* next = nullptr;  ///< read that did not fit into the group
    std::uint32_t index = 0;      ///< next unit of the job to look at
    std::uint32_t commands = 0;
    std::uint32_t bytes = 0;
  };
  static bool copies(const ProgramJob& job, std::uint32_t index) {
    return job.source[index] != kNoPhysicalUnit && job.writes[index] == nullptr;
  }
  PhysicalUnit source_of(PhysicalUnit unit) const;
  /// Prepares the command that reads `units` units of one page into the job's buffers, from unit `index` on.
  OnfiCommand& fill_read(ProgramJob& job, OnfiCommand& read, std::uint32_t index, std::uint32_t units,
                         Origin origin) const;
  WaitList* hand_over_reads(ProgramJob& job, Gathering& reads);
  WaitList* hand_over_group(Gathering& reads);
  std::uint32_t run_of(const ProgramJob& job, std::uint32_t index) const;
  void take_gathered(ProgramJob& job);
  void check_source(const ProgramJob& job, std::uint32_t index) const;
  Task<Picoseconds> recover_reads(ProgramJob& job);

  Redundancy* redundancy_ = nullptr;
};

}  // namespace flashloom
