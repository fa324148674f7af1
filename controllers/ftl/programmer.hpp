// Carries out program units: gathers what must first be read (GC copies, the rest of partly written units), waits for
// its turn in the block, programs, and reports. Shared by all FTLs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/flash/read_group.hpp"
#include "controllers/ftl/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/runtime/flash_batch.hpp"
#include "controllers/runtime/hardware.hpp"

namespace flashloom {

/// Bounds the copy jobs of a die between gathering and durable.
struct CopyWindow {
  std::uint32_t in_flight = 0;
  WaitList room;
};

/// One program unit being filled or carried out. Pooled; its tables lie in one piece of memory, since a job in GC is
/// touched long after it was filled.
struct ProgramJob {
  /// `units` of a program unit; `sectors` for which tokens are kept (0: none).
  ProgramJob(std::uint32_t units, std::size_t sectors);

  OnfiCommand command;
  BlockNumber block = 0;
  std::uint32_t first_page = 0;
  std::uint32_t turn = 0;        ///< pages of the block that are programmed before it
  std::uint32_t filled = 0;      ///< units that have their place in it, in order; the rest is padding
  std::uint32_t gaps = 0;        ///< of them, padding between data
  std::uint32_t copied = 0;      ///< of them, copies
  std::uint32_t completing = 0;  ///< partly written units whose old data are being read
  WaitList completed;            ///< for `completing` to become 0
  CopyWindow* window = nullptr;  ///< of the die's GC, if it is a copy job under way
  ProgramInstants at;
  Picoseconds gathered = 0;  ///< when what had to be read first is in DRAM
  // By unit of the program unit; tokens by sector, null without verify.
  OobWord* oob;
  OobWord* read_oob;      ///< room for gathering
  std::uint64_t* owners;  ///< of host data: numbers of the requests; of GC copies: the collection, first only
  WriteUnit** writes;     ///< host data; null for a copy
  OnfiCommand* reads;     ///< room for gathering
  SectorToken* tokens = nullptr;
  SectorToken* read_tokens = nullptr;
  PhysicalUnit* source;   ///< to be read first (GC copy, or old data of a partly written unit); else kNoPhysicalUnit
  BlockNumber* replaced;  ///< of host data: block of the version before, which a power cut may need; or kNoBlockNumber

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// A filled job of copies alone that waits for its turn: its units stand in the PendingPages of its block anyway.
/// Decisions run far ahead of deeds in GC, and jobs are large: kept whole, they would push all else out of the caches
/// of the computer that runs the model.
struct ParkedJob {
  BlockNumber block = 0;
  std::uint32_t first_page = 0;
  std::uint32_t turn = 0;
  std::uint32_t filled = 0;
  std::uint32_t gaps = 0;
  std::uint32_t copied = 0;
  Origin origin = Origin::Gc;
  std::uint64_t sequence = 0;
  std::uint64_t owner = 0;  ///< the collection
};

class Programmer {
 public:
  Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout);

  /// Programs are numbered; after recovery the count goes on behind the last one found.
  void continue_after(std::uint64_t sequence) { sequence_ = sequence; }
  /// An empty job for the next program unit of an open block; of one that is written in any order, for the one at
  /// `page`. Origin::Host: host data, among which there may be copies (of origin merge). Else copies only.
  ProgramJob& begin(BlockNumber block, Origin origin) { return begin(block, origin, blocks_[block].allocated); }
  ProgramJob& begin(BlockNumber block, Origin origin, std::uint32_t page);
  /// Gives the next unit of `job` its content; returns where it will be.
  PhysicalUnit place_host(ProgramJob& job, WriteUnit& unit, PhysicalUnit old_place);
  PhysicalUnit place_copy(ProgramJob& job, OobWord word, PhysicalUnit source);
  /// A job of copies that gets host data, too.
  void carry_host_data(ProgramJob& job);
  /// Content that firmware makes by itself (a new translation page).
  PhysicalUnit place_new(ProgramJob& job, OobWord word);
  /// It must go to flash before the block can be erased: it copies out of it, or has newer versions of its units.
  bool needs(const ProgramJob& job, BlockNumber block) const;
  /// Leaves the next unit of `job` without data; `word` says so in the spare area (OobLayout::padding and its like).
  void place_gap(ProgramJob& job, OobWord word);
  bool full(const ProgramJob& job) const { return job.filled == units_per_program_; }
  /// Fills the rest with padding; returns how many units that were.
  std::uint32_t pad(ProgramJob& job);

  /// Takes a filled job without host data apart, until unpark() makes it again.
  ParkedJob park(ProgramJob& job);
  ProgramJob& unpark(const ParkedJob& parked);

  /// Whether the die can carry out a job of GC by itself (copyback): then copy_back() in place of gather() and
  /// program().
  bool can_copy_back(const ProgramJob& job) const;
  /// Copies a program unit inside its die; releases the job at the end.
  Task<void> copy_back(ProgramJob& job);
  /// Reads everything that a job copies.
  Task<void> gather(ProgramJob& job);
  /// Programs a filled job as soon as all its data are there; releases it at the end.
  Task<void> program(ProgramJob& job);

  /// Where the data of a unit are now: its place, or the source of a GC copy that is still under way.
  PhysicalUnit readable(PhysicalUnit unit) const;
  /// Program commands on their way to a die's queue: their data are still being fetched, or others go first.
  std::uint32_t on_their_way(std::uint32_t die) const { return on_their_way_[die]; }

  /// Host data that are not yet on flash: only the buffer has them.
  bool in_transit(PhysicalUnit unit) const;

  /// Saved states: of a quiescent programmer; job_state of each job that is being filled (or null).
  void state(StateArchive& archive) { archive(sequence_); }
  void job_state(StateArchive& archive, ProgramJob*& job, FrontBuffer& front);

 private:
  ProgramJob& take_job();
  void prepare(ProgramJob& job, Origin origin, std::uint64_t sequence);
  Task<void> complete(ProgramJob& job, std::uint32_t index);
  OnfiCommand& fill_read(ProgramJob& job, OnfiCommand& read, std::uint32_t index, std::uint32_t units,
                         Origin origin) const;
  WaitList* before(const ProgramJob& job);
  void goes(const ProgramJob& job);
  void place_empty(ProgramJob& job, OobWord word);
  void check_source(const ProgramJob& job, std::uint32_t index) const;
  void finish(ProgramJob& job);

  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  std::uint32_t units_per_page_;
  std::uint32_t units_per_program_;
  std::uint32_t unit_bytes_;
  std::uint64_t all_sectors_;
  std::uint64_t sequence_ = 0;
  std::vector<std::unique_ptr<ProgramJob>> jobs_;
  std::vector<ProgramJob*> free_;
  std::vector<std::uint32_t> on_their_way_;  // by die
};

}  // namespace flashloom
