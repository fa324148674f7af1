// Carries out program units: gathers the data that must be read first (GC copies, the rest of partly written units),
// waits for the turn in the block, programs, and reports. Shared by all FTLs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "controllers/flash/read_group.hpp"
#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/stripes.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/packing.hpp"
#include "controllers/ftl/program/program_job.hpp"
#include "controllers/ftl/program/word_lines.hpp"
#include "controllers/ftl/read_span.hpp"
#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

class StripeRecovery;
class TornWrites;

/// Hears of programs whose data are on flash and safe there.
class ProgramObserver {
 public:
  /// `words`: one per unit of the program unit; `sequence`: of the block's first page.
  virtual void programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                          std::uint32_t units) = 0;

 protected:
  ~ProgramObserver() = default;
};

class Programmer {
 public:
  Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, FtlStatistics& statistics);
  ~Programmer();

  /// Programs are numbered; after recovery the numbers continue after the last one found.
  void continue_after(std::uint64_t sequence) { sequence_ = sequence; }
  /// Begins an empty job for the next program unit of an open block (if written in any order: for the one at `page`).
  /// Origin::Host: host data, possibly with copies (of origin merge); otherwise copies only.
  ProgramJob& begin(BlockNumber block, Origin origin) { return begin(block, origin, blocks_[block].allocated); }
  ProgramJob& begin(BlockNumber block, Origin origin, std::uint32_t page);
  /// Begins a job that will hold only padding.
  ProgramJob& begin_padding(BlockNumber block, Origin origin) {
    const std::uint32_t data_end = blocks_[block].pending->data_end;
    ProgramJob& job = begin(block, origin);
    blocks_[block].pending->data_end = data_end;
    return job;
  }
  std::uint64_t sequence() const { return sequence_; }

  // --- Programs that fail (ProgramFailures). Before beginning a program unit in an open block, the caller asks
  // whether it fails. If so, fail() gives out that program unit and the block is no longer open: the caller begins the
  // next program unit elsewhere and attaches the failure (try_first). The data are programmed at the failing place
  // first; when the status is known, they are fetched from the buffer again and programmed at their own place, the only
  // one that the map knows.
  bool next_fails(BlockNumber block) { return blocks_.failures().possible() && will_fail(block); }
  FailedProgram fail(BlockNumber block);
  /// The job is tried at the failed places first. Their blocks are closed, so they may be collected from now on.
  void try_first(ProgramJob& job, std::vector<FailedProgram>& failures, std::uint64_t age);
  /// Tries padding at the failed places, when no other data are to be programmed.
  void try_padding(std::vector<FailedProgram>& failures, Origin origin, std::uint64_t age);
  void attach(ProgramObserver& observer) { observer_ = &observer; }
  /// The map has at most one entry per program unit, instead of one per unit.
  void map_by_program() { most_entries_ = 1; }
  /// Host programs wait at a die as `debt` demands.
  void attach(CopyDebt& debt) { debt_ = &debt; }
  /// Waits until no program unit handed to program() is in flight.
  Task<void> all_done() {
    while (under_way_ != 0) co_await idle_.wait();
  }
  /// Data given out to the block may still be corrupted by later programs, and so do not count as durable; some padding
  /// would make them safe.
  bool exposed(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return exposes() && info.pending != nullptr && safe_when_done(block) < info.pending->data_end;
  }
  /// Whether exposed data can exist: pages of a word line disturb each other, or stripes have parity.
  bool exposes() const { return stripes_ != nullptr || !word_lines_.independent(); }
  /// Whether another padding program unit in the open block would make data safe, in the block or in its stripes.
  bool wants_padding(BlockNumber block) const {
    return stripes_ == nullptr ? exposed(block) : blocks_[block].allocated < stripes_->wanted(block);
  }
  /// Whether exposed data of `block` include copies out of `old` or newer versions of its units, so that `old` cannot
  /// be erased before `block` gets more programs. `filling`: more than the program unit in `block` being filled.
  bool exposed(BlockNumber block, BlockNumber old, bool filling = false) const;
  const WordLines& word_lines() const { return word_lines_; }

  // --- Parity over dies.
  /// Null if there is no parity.
  const Stripes* stripes() const { return stripes_.get(); }
  /// Tells that all program units given out of an open block are filled, or that no more will be. Parity follows if a
  /// stripe was waiting for this.
  void decided(BlockNumber block, std::uint64_t age) {
    if (stripes_ != nullptr) [[unlikely]]
      add_parity(block, age);
  }
  /// To be called after a recovery.
  void find_parity() {
    if (stripes_ != nullptr) stripes_->find_parity();
  }
  /// For a completed read with needs_recovery(): tries recover_read(), then the rest of the stripe.
  Task<void> recover(OnfiCommand& read, bool metadata = false) const;
  /// No more pages will be given out of a block about to be released: its programmed data are safe once all its
  /// programs are done.
  void give_up(BlockNumber block);
  /// Places the next unit of `job`; returns its physical unit.
  PhysicalUnit place_host(ProgramJob& job, WriteUnit& unit, PhysicalUnit old_place);
  PhysicalUnit place_copy(ProgramJob& job, OobWord word, PhysicalUnit source);
  /// Lets a job of copies take host data, too.
  void carry_host_data(ProgramJob& job);
  /// Places content that firmware itself makes (a new translation page).
  PhysicalUnit place_new(ProgramJob& job, OobWord word);
  /// Whether the job must be on flash before the block can be erased, because it copies out of the block or holds newer
  /// versions of its units.
  bool needs(const ProgramJob& job, BlockNumber block) const;
  /// Leaves the next unit of `job` without data; `word` marks it in the spare area (OobLayout::padding and similar).
  void place_gap(ProgramJob& job, OobWord word);
  bool full(const ProgramJob& job) const { return job.filled == units_per_program_; }
  // --- Compressed data: their sizes determine how many units fit into a program unit. Before placing a unit the caller
  // asks whether it fits; if not, the program unit is padded and programmed. Uncompressed units fit until it is full.
  bool fits(const ProgramJob& job, OobWord word) const { return packing_ == nullptr || packing_->fits(job, word); }
  bool fits(const ProgramJob& job, const WriteUnit& unit) const {
    return packing_ == nullptr || packing_->fits(job, word_of(unit));
  }
  /// Whether units differ in size.
  bool packs() const { return packing_ != nullptr; }
  /// Whether an uncompressed unit still fits.
  bool fits_whole(const ProgramJob& job) const { return packing_ == nullptr || packing_->fits_whole(job); }
  /// Uncompressed units that still fit.
  std::uint32_t room(const ProgramJob& job) const {
    return packing_ == nullptr ? units_per_program_ - job.filled : packing_->room(job);
  }
  /// Copies taken in one step: what fits into the program unit being filled, or into the next one if null.
  std::uint32_t room_of_next(const ProgramJob* job) const {
    return job == nullptr ? context_.geometry.whole_units_per_program() : std::max(room(*job), 1U);
  }
  /// Sets what a read of `units` neighbouring units, from `first` in its page, transfers: the frames of the wanted
  /// sectors (move_frames); of compressed units, all frames.
  void move_frames(OnfiCommand& read, PhysicalUnit first, std::uint64_t of_first, std::uint64_t of_last) const {
    if (packing_ == nullptr) [[likely]]
      return flashloom::move_frames(context_, read, of_first, of_last);
    packing_->move_frames(read, blocks_, first);
  }
  /// Fills the rest with padding; returns the number of padding units.
  std::uint32_t pad(ProgramJob& job);

  /// Frees a filled job without host data, until unpark() restores it.
  ParkedJob park(ProgramJob& job);
  ProgramJob& unpark(const ParkedJob& parked);

  /// Whether the die can copy the job's data internally (copyback); then nothing is gathered before program().
  bool can_copy_back(const ProgramJob& job) const;
  /// Reads all data that a job copies.
  Task<void> gather(ProgramJob& job);
  /// Programs a filled job once all its data are present; releases the job at the end.
  void program(ProgramJob& job);
  /// Does gather() and program() if neither has to wait; else returns false and does nothing. On the instant clock
  /// nearly every job qualifies.
  bool carry_out_now(ProgramJob& job);

  // --- Program units of one mapping unit that need no waiting: they need no job.
  /// Whether such program units exist on this clock.
  bool any_direct() const {
    return direct_.possible && context_.hardware.flash().synchronous() && !fault(Fault::StaleCopy);
  }
  /// Whether the open block's next program unit is one, if its units are whole.
  bool goes_directly(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return any_direct() && info.durable == info.allocated && info.submitted == info.allocated &&
           (info.allocated != 0 || blocks_.waits().before_first_program(block) == nullptr);
  }
  /// Allots the next program unit to this content; returns its physical unit.
  PhysicalUnit allot(BlockNumber block, OobWord word) {
    const std::uint32_t page = blocks_.programs().give_out(block, ++sequence_);  // no die can fail here
    blocks_[block].pending->oob[page] = word;
    return block * blocks_.units_per_block() + page;
  }
  /// Allots consecutive program units to copies; returns the physical unit of the first.
  using Copied = FlashPort::Copied;
  PhysicalUnit allot(BlockNumber block, std::span<const Copied> units) {
    const auto count = static_cast<std::uint32_t>(units.size());
    std::uint32_t page = blocks_.programs().give_out(block, sequence_ + 1, count);
    sequence_ += count;
    const PhysicalUnit place = block * blocks_.units_per_block() + page;
    PendingPages& pending = *blocks_[block].pending;
    for (const Copied& unit : units) {
      pending.oob[page] = unit.word;
      pending.source[page++] = unit.source;
    }
    return place;
  }
  /// Programs the last allotted program units of `block`. Copies are first read out of `from`.
  void write_allotted(BlockNumber block, Origin origin, OobWord word, SectorToken* tokens);
  void copy_allotted(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units);
  /// Bytes of these sectors of a unit; usually the whole unit.
  std::uint64_t bytes_of(std::uint64_t sectors) const {
    if (sectors == all_sectors_) [[likely]]
      return unit_bytes_;
    return static_cast<std::uint64_t>(std::popcount(sectors)) * (unit_bytes_ / context_.sectors_per_unit);
  }
  /// Why a rule cannot describe the program units of a sequential fill; null: it can.
  const char* why_no_rule() const;
  /// Carries out a full job as program unit `number` of a rule-based fill; it has no WriteUnits.
  void program_by_rule(ProgramJob& job, std::uint32_t number);
  /// Whether all sectors of the unit are in the buffer.
  bool whole(const WriteUnit& unit) const { return unit.sectors == all_sectors_; }
  OobWord word_of(const WriteUnit& unit) const {
    if (packing_ != nullptr) [[unlikely]]
      return packed_word_of(unit);
    return whole_word_of(unit);
  }
  /// The word of an uncompressed unit. Throws std::runtime_error if the version exceeds OobLayout::max_version().
  OobWord whole_word_of(const WriteUnit& unit) const {
    if (unit.version > layout_.max_version()) [[unlikely]]
      too_many_versions();
    return layout_.encode(unit.unit, unit.version);
  }

  /// Where the data of a unit are now: at its place, or at the source of a GC copy in flight.
  PhysicalUnit readable(PhysicalUnit unit) const { return blocks_.on_flash(unit) ? unit : source_of(unit); }
  /// Program commands not yet in a die's queue: their data are being fetched, or others precede them.
  std::uint32_t on_their_way(std::uint32_t die) const { return on_their_way_[die]; }
  /// Programs of a die from program() on that are not done.
  std::uint32_t not_done(std::uint32_t die) const { return not_done_[die]; }

  /// Whether host data of the unit that are not on flash yet are lost except for the buffered sectors
  /// (WriteUnit::rest_lost): a reader has nothing to wait for, and the program unit may wait for more data.
  bool lost_in_transit(PhysicalUnit unit) const;

  /// Saved states of a quiescent programmer, to follow those of the block table. job_state() saves a job being filled
  /// (or null).
  void state(StateArchive& archive, FrontBuffer& front);
  void job_state(StateArchive& archive, ProgramJob*& job, FrontBuffer& front);

 private:
  friend struct ProgramJob;
  /// Commands for program units that need no job.
  struct Direct {
    bool possible = false;  ///< program units hold one unit, and a program needs no follow-up
    OnfiCommand command;
    OnfiCommand read;
    OobWord word = 0;  ///< buffer for the read
    std::vector<SectorToken> tokens;
  };
  PhysicalUnit source_of(PhysicalUnit unit) const;
  void prepare_direct();
  OnfiCommand& aim(BlockNumber block, Origin origin, std::uint32_t units);
  void programmed_directly(BlockNumber block, Origin origin, std::uint32_t units);
  [[noreturn, gnu::cold]] static void too_many_versions();
  [[noreturn, gnu::cold]] void another_than_mapped(OobWord word) const;
  [[gnu::cold]] OobWord packed_word_of(const WriteUnit& unit) const;
  ProgramJob& take_job();
  /// A program belongs to the flow of its first host unit.
  static void note_flow(ProgramJob& job, const WriteUnit& unit) {
    if (job.command.flow == kNoFlow) job.command.flow = unit.stream;
  }
  static std::uint32_t die_of(const ProgramJob& job) { return job.command.address.die.value(); }
  void prepare(ProgramJob& job, Origin origin, std::uint64_t sequence);
  void take_kept(OnfiCommand& read, PhysicalUnit source) const;
  Task<void> complete(ProgramJob& job, std::uint32_t index, std::uint64_t missing);
  /// Bytes of a job's data that are contiguous in the buffer.
  struct Piece {
    std::uint32_t bytes;
    std::uint64_t address;
  };
  Piece next_piece(ProgramJob& job) const;
  bool move_and_update(ProgramJob& job);
  bool write_entries(ProgramJob& job);
  bool fetch_units(ProgramJob& job);
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
  WaitList* hand_over_reads(ProgramJob& job, Gathering& reads);
  WaitList* hand_over_group(Gathering& reads);
  void begin_place(ProgramJob& job, OobWord word) {
    if (packing_ != nullptr && packing_->leaves_page(job, word)) [[unlikely]]
      leave_page(job);
  }
  void end_place(ProgramJob& job, OobWord word) {
    if (packing_ != nullptr) [[unlikely]]
      take_room(job, word);
  }
  void leave_page(ProgramJob& job);
  void take_room(ProgramJob& job, OobWord word);
  /// Units of a job that need map entries.
  std::uint32_t carried(const ProgramJob& job) const {
    return std::min(packing_ == nullptr ? job.filled : job.filled - job.gaps, most_entries_);
  }
  void begin_fetch(ProgramJob& job) {
    job.piece = 0;
    job.uncompressed = 0;
    job.unfetched = job.inside || (job.parity && accumulations_ == 0) ? 0 : job.command.bytes;
    if (packing_ != nullptr) [[unlikely]]
      begin_fetch_packed(job);
  }
  [[gnu::cold]] void begin_fetch_packed(ProgramJob& job);
  void compress(ProgramJob& job);
  OnfiCommand& fill_read(ProgramJob& job, OnfiCommand& read, std::uint32_t index, std::uint32_t units,
                         Origin origin) const;
  static bool copies(const ProgramJob& job, std::uint32_t index) {
    return job.source[index] != kNoPhysicalUnit && job.writes[index] == nullptr;
  }
  WaitList* advance(ProgramJob& job);
  void go_on(ProgramJob& job);
  Task<void> wait(ProgramJob& job, WaitList* list);
  WaitList* before_data(ProgramJob& job);
  [[gnu::noinline]] bool accumulate(ProgramJob& job);
  void add_parity(BlockNumber block, std::uint64_t age);
  void program_parity(BlockNumber block, std::uint64_t age);
  WaitList* before_parity(const ProgramJob& job);
  void parity_done(BlockNumber block);
  WaitList* before(ProgramJob& job);
  /// Wait condition of a job's turn in a block; `turn`: pages of the block to be submitted before it.
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
  void moves(ProgramJob& job);
  void stands(ProgramJob& job);
  std::uint32_t run_of(const ProgramJob& job, std::uint32_t index) const;
  bool can_gather_now(const ProgramJob& job) const;
  void take_gathered(ProgramJob& job);
  void begin_moves(ProgramJob& job);
  void place_empty(ProgramJob& job, OobWord word);
  void check_source(const ProgramJob& job, std::uint32_t index) const;
  void note_lost(ProgramJob& job, std::uint32_t index);
  Task<Picoseconds> recover_reads(ProgramJob& job);
  void submit(ProgramJob& job);
  bool will_fail(BlockNumber block);
  bool holds_back(BlockNumber failed, BlockNumber old) const;
  std::uint64_t next_sequence() {
    if (++sequence_ == die_failure_at_) [[unlikely]]
      kill_die();
    return sequence_;
  }
  [[gnu::cold, gnu::noinline]] void kill_die();
  WaitList* before_try(ProgramJob& job);
  void submit_try(ProgramJob& job);
  void has_failed(ProgramJob& job);
  OnfiCommand& copy_inside(ProgramJob& job);
  void check_copied(const ProgramJob& job) const;
  void finish(ProgramJob& job);
  void release(ProgramJob& job);
  void release_exposed(PendingPages& pending, std::uint32_t safe);
  void release_safe(BlockNumber block);
  bool exposed_in(BlockNumber block, BlockNumber old, std::uint32_t safe) const;
  /// Safe pages among the first `programmed` pages of a block.
  std::uint32_t safe(BlockNumber block, std::uint32_t programmed) const {
    return blocks_.in_slc_mode(block) ? programmed : word_lines_.safe(programmed);
  }
  /// Pages of a block that are safe once all programs decided upon are done.
  std::uint32_t safe_when_done(BlockNumber block) const {
    const std::uint32_t allocated = blocks_[block].allocated;
    return stripes_ != nullptr ? std::min(allocated, stripes_->decided(block)) : safe(block, allocated);
  }

  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  WordLines word_lines_;
  std::uint32_t units_per_page_;
  std::uint32_t units_per_program_;
  std::uint32_t unit_bytes_;
  std::uint32_t most_entries_ = ~std::uint32_t{0};  // map entries that a program may change
  std::uint64_t all_sectors_;
  std::uint64_t sequence_ = 0;
  std::uint64_t failed_program_;  // number of the program that is to fail; 0: none, or already failed
  std::uint64_t die_failure_at_;  // number of the program at which a die fails; 0: none
  Direct direct_;
  std::unique_ptr<const Packing> packing_;  // with [compression]
  std::vector<std::unique_ptr<ProgramJob>> jobs_;
  std::vector<ProgramJob*> free_;
  std::vector<std::uint32_t> on_their_way_;  // by die
  std::vector<std::uint32_t> not_done_;
  std::uint32_t under_way_ = 0;
  WaitList idle_;
  ProgramObserver* observer_ = nullptr;
  CopyDebt* debt_ = nullptr;
  std::unique_ptr<TornWrites> torn_writes_;  // for drives that tear writes; only with verify
  FtlStatistics& statistics_;
  std::unique_ptr<Stripes> stripes_;
  std::unique_ptr<StripeRecovery> recovery_;  // null without parity
  std::uint32_t accumulations_;               // memory accesses per program unit of data to accumulate parity
};

}  // namespace flashloom
