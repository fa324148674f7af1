// Carries out program units: gathers what must first be read (GC copies, the rest of partly written units), waits for
// its turn in the block, programs, and reports. Shared by all FTLs.
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

/// Hears of programs that are on flash, and safe there.
class ProgramObserver {
 public:
  /// `words`: one a unit of the program unit; `sequence`: that of the block's first page.
  virtual void programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                          std::uint32_t units) = 0;

 protected:
  ~ProgramObserver() = default;
};

class Programmer {
 public:
  Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, FtlStatistics& statistics);
  ~Programmer();

  /// Programs are numbered; after recovery the count goes on behind the last one found.
  void continue_after(std::uint64_t sequence) { sequence_ = sequence; }
  /// An empty job for the next program unit of an open block; of one that is written in any order, for the one at
  /// `page`. Origin::Host: host data, among which there may be copies (of origin merge). Else copies only.
  ProgramJob& begin(BlockNumber block, Origin origin) { return begin(block, origin, blocks_[block].allocated); }
  ProgramJob& begin(BlockNumber block, Origin origin, std::uint32_t page);
  /// One that will be padding alone.
  ProgramJob& begin_padding(BlockNumber block, Origin origin) {
    const std::uint32_t data_end = blocks_[block].pending->data_end;
    ProgramJob& job = begin(block, origin);
    blocks_[block].pending->data_end = data_end;
    return job;
  }
  std::uint64_t sequence() const { return sequence_; }

  // --- Programs that fail (BlockTable::next_fails). Whoever fills program units asks before it begins one in an open
  // block. If it fails, fail() takes it, and the block is open no more: the next program unit is begun elsewhere, and
  // carries the failure along (try_first). Its data are programmed at the place that fails; when the status is known,
  // they are fetched from the buffer once more, and programmed at their place. The map only knows that.
  bool next_fails(BlockNumber block) { return blocks_.programs_fail() && will_fail(block); }
  FailedProgram fail(BlockNumber block);
  /// The job is tried there first. The blocks may be collected from now on: they are closed.
  void try_first(ProgramJob& job, std::vector<FailedProgram>& failures, std::uint64_t age);
  /// Nothing is there that could be programmed elsewhere: padding is tried.
  void try_padding(std::vector<FailedProgram>& failures, Origin origin, std::uint64_t age);
  void attach(ProgramObserver& observer) { observer_ = &observer; }
  /// The map has an entry for each program unit at most, and not one for each unit.
  void map_by_program() { most_entries_ = 1; }
  /// Host data wait at dies where it says so.
  void attach(CopyDebt& debt) { debt_ = &debt; }
  /// Until no program unit that was handed to program() is under way.
  Task<void> all_done() {
    while (under_way_ != 0) co_await idle_.wait();
  }
  /// Data given out to the block may be hurt by programs that are still to come: some of padding would make them safe,
  /// and until then they do not count as durable.
  bool exposed(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return exposes() && info.pending != nullptr && safe_when_done(block) < info.pending->data_end;
  }
  /// There may be such data: pages of a word line hurt each other, or stripes have parity.
  bool exposes() const { return stripes_ != nullptr || !word_lines_.independent(); }
  /// One more program unit of padding in the open block would make data safe, in it or in its stripes.
  bool wants_padding(BlockNumber block) const {
    return stripes_ == nullptr ? exposed(block) : blocks_[block].allocated < stripes_->wanted(block);
  }
  /// Of those data of `block`, some are copies out of `old`, or newer versions of units there: it cannot be erased
  /// before the block gets more. `filling`: more than the program unit in it that is being filled.
  bool exposed(BlockNumber block, BlockNumber old, bool filling = false) const;
  const WordLines& word_lines() const { return word_lines_; }

  // --- Parity over dies.
  /// Null: there is none.
  const Stripes* stripes() const { return stripes_.get(); }
  /// The program units of an open block that have been given out are filled, or no more will be. Parity follows if the
  /// rest of a stripe was waited for.
  void decided(BlockNumber block, std::uint64_t age) {
    if (stripes_ != nullptr) [[unlikely]]
      add_parity(block, age);
  }
  /// After a recovery.
  void find_parity() {
    if (stripes_ != nullptr) stripes_->find_parity();
  }
  /// A completed read for which needs_recovery(): as recover_read(), then from the rest of the stripe.
  Task<void> recover(OnfiCommand& read, bool metadata = false) const;
  /// Nothing more will be given out of a block that is about to be released: what is programmed in it is safe as soon
  /// as all of it is.
  void give_up(BlockNumber block);
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
  // --- Compressed data: how many units a program unit takes hangs on their sizes. Whoever places one asks first whether
  // it fits; if not, the program unit is padded, and goes its way. Else all fit until it is full.
  bool fits(const ProgramJob& job, OobWord word) const { return packing_ == nullptr || packing_->fits(job, word); }
  bool fits(const ProgramJob& job, const WriteUnit& unit) const {
    return packing_ == nullptr || packing_->fits(job, word_of(unit));
  }
  /// Units have sizes of their own.
  bool packs() const { return packing_ != nullptr; }
  /// One that is not compressed does.
  bool fits_whole(const ProgramJob& job) const { return packing_ == nullptr || packing_->fits_whole(job); }
  /// Whole units that still fit into it.
  std::uint32_t room(const ProgramJob& job) const {
    return packing_ == nullptr ? units_per_program_ - job.filled : packing_->room(job);
  }
  /// Copies that one step takes: so many, of the program unit that is being filled, or of the next (null).
  std::uint32_t room_of_next(const ProgramJob* job) const {
    return job == nullptr ? context_.geometry.whole_units_per_program() : std::max(room(*job), 1U);
  }
  /// Sets what a read of `units` neighbours in the page at `first` moves: the frames of the sectors wanted of them
  /// (move_frames), and all of what is compressed.
  void move_frames(OnfiCommand& read, PhysicalUnit first, std::uint64_t of_first, std::uint64_t of_last) const {
    if (packing_ == nullptr) [[likely]]
      return flashloom::move_frames(context_, read, of_first, of_last);
    packing_->move_frames(read, blocks_, first);
  }
  /// Fills the rest with padding; returns how many units that were.
  std::uint32_t pad(ProgramJob& job);

  /// Takes a filled job without host data apart, until unpark() makes it again.
  ParkedJob park(ProgramJob& job);
  ProgramJob& unpark(const ParkedJob& parked);

  /// Whether the die can carry out a job of GC by itself (copyback): then nothing is gathered for program().
  bool can_copy_back(const ProgramJob& job) const;
  /// Reads everything that a job copies.
  Task<void> gather(ProgramJob& job);
  /// Programs a filled job as soon as all its data are there; releases it at the end.
  void program(ProgramJob& job);
  /// gather() and program(), copies and all, if nothing has to be waited for; false: nothing has been done. On the
  /// instant clock that is nearly every job.
  bool carry_out_now(ProgramJob& job);

  // --- Program units of one mapping unit where nothing has to be waited for: they need no job.
  /// On this clock there are such.
  bool any_direct() const {
    return direct_.possible && context_.hardware.flash().synchronous() && !fault(Fault::StaleCopy);
  }
  /// The next one of that open block is, with whole units.
  bool goes_directly(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return any_direct() && info.durable == info.allocated && info.submitted == info.allocated &&
           (info.allocated != 0 || blocks_.before_first_program(block) == nullptr);
  }
  /// Gives it its content; returns where it will be.
  PhysicalUnit allot(BlockNumber block, OobWord word) {
    const std::uint32_t page = blocks_.give_out(block, ++sequence_);  // no die fails here
    PendingPages& pending = *blocks_[block].pending;
    pending.oob[page] = word;
    pending.source[page] = kNoPhysicalUnit;
    return block * blocks_.units_per_block() + page;
  }
  /// The same of copies, one behind the other; returns where the first one will be.
  using Copied = FlashPort::Copied;
  PhysicalUnit allot(BlockNumber block, std::span<const Copied> units) {
    const auto count = static_cast<std::uint32_t>(units.size());
    std::uint32_t page = blocks_.give_out(block, sequence_ + 1, count);
    sequence_ += count;
    const PhysicalUnit place = block * blocks_.units_per_block() + page;
    PendingPages& pending = *blocks_[block].pending;
    for (const Copied& unit : units) {
      pending.oob[page] = unit.word;
      pending.source[page++] = unit.source;
    }
    return place;
  }
  /// Programs what was allotted last, in `block`. Copies are read first, out of `from`.
  void write_allotted(BlockNumber block, Origin origin, OobWord word, SectorToken* tokens);
  void copy_allotted(BlockNumber block, Origin origin, BlockNumber from, std::span<const Copied> units);
  /// Bytes of those sectors of a unit, most often of all.
  std::uint64_t bytes_of(std::uint64_t sectors) const {
    if (sectors == all_sectors_) [[likely]]
      return unit_bytes_;
    return static_cast<std::uint64_t>(std::popcount(sectors)) * (unit_bytes_ / context_.sectors_per_unit);
  }
  /// What keeps the program units of a sequential fill from being told by a rule; null: nothing.
  const char* why_no_rule() const;
  /// Carries out one that was begun and is whole, the fill's of that number; there are no units of the host's.
  void program_by_rule(ProgramJob& job, std::uint32_t number);
  /// The whole unit; host data have their version checked.
  bool whole(const WriteUnit& unit) const { return unit.sectors == all_sectors_; }
  OobWord word_of(const WriteUnit& unit) const {
    if (packing_ != nullptr) [[unlikely]]
      return packed_word_of(unit);
    return whole_word_of(unit);
  }
  /// Of one that is not compressed.
  OobWord whole_word_of(const WriteUnit& unit) const {
    if (unit.version > layout_.max_version()) [[unlikely]]
      too_many_versions();
    return layout_.encode(unit.unit, unit.version);
  }

  /// Where the data of a unit are now: its place, or the source of a GC copy that is still under way.
  PhysicalUnit readable(PhysicalUnit unit) const { return blocks_.on_flash(unit) ? unit : source_of(unit); }
  /// Program commands on their way to a die's queue: their data are still being fetched, or others go first.
  std::uint32_t on_their_way(std::uint32_t die) const { return on_their_way_[die]; }
  /// All of a die that are not done, from program() on.
  std::uint32_t not_done(std::uint32_t die) const { return not_done_[die]; }

  /// Host data that are not yet on flash: only the buffer has them.
  bool in_transit(PhysicalUnit unit) const { return !blocks_.on_flash(unit) && !blocks_.on_flash(source_of(unit)); }
  /// Of them a unit that is known to be lost, but for what the buffer has of it (WriteUnit::rest_lost): there is
  /// nothing to wait for, and its program unit may wait for more data.
  bool lost_in_transit(PhysicalUnit unit) const;

  /// Saved states: of a quiescent programmer, behind that of the block table; job_state of each job that is being
  /// filled (or null).
  void state(StateArchive& archive, FrontBuffer& front);
  void job_state(StateArchive& archive, ProgramJob*& job, FrontBuffer& front);

 private:
  friend struct ProgramJob;
  /// For program units that need no job.
  struct Direct {
    bool possible = false;  ///< they are of one unit, and nothing comes after their programs
    OnfiCommand command;
    OnfiCommand read;
    OobWord word = 0;  ///< room for what is read
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
  /// A program is the work of the flow whose unit came first.
  static void note_flow(ProgramJob& job, const WriteUnit& unit) {
    if (job.command.flow == kNoFlow) job.command.flow = unit.stream;
  }
  static std::uint32_t die_of(const ProgramJob& job) { return job.command.address.die.value(); }
  void prepare(ProgramJob& job, Origin origin, std::uint64_t sequence);
  void take_kept(OnfiCommand& read, PhysicalUnit source) const;
  Task<void> complete(ProgramJob& job, std::uint32_t index, std::uint64_t missing);
  /// Bytes of a job's data that lie together in the buffer.
  struct Piece {
    std::uint32_t bytes;
    std::uint64_t address;
  };
  Piece next_piece(ProgramJob& job) const;
  bool move_and_update(ProgramJob& job);
  bool write_entries(ProgramJob& job);
  bool fetch_units(ProgramJob& job);
  /// The reads of a job's copies on their way to flash.
  struct Gathering {
    FlashBatch batch;
    ReadGroup group;              ///< the next to be handed over
    bool group_ends = false;      ///< nothing more goes into it
    bool has_place = false;       ///< in the queue of its die
    OnfiCommand* next = nullptr;  ///< did not fit into it
    std::uint32_t index = 0;      ///< unit of the job that is looked at next
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
  /// Units of a job that carry data, or have places.
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
  /// Before its turn in a block, where it is the program unit at `turn` in the order of submission.
  WaitList* before_turn(ProgramJob& job, BlockNumber block, std::uint32_t turn) {
    const BlockInfo& info = blocks_[block];
    if (WaitList* const list = blocks_.before_turn(block, turn, job.its_turn)) return list;
    if (turn == 0)
      if (WaitList* const list = blocks_.before_first_program(block)) return list;
    // Programs of one origin stay in order in the die's queue; of another one they might overtake.
    if (info.last_origin != job.command.origin && info.durable != info.submitted)
      return &blocks_.events(blocks_.die_of(block)).durable;
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
  /// Of the first `programmed` pages of a block.
  std::uint32_t safe(BlockNumber block, std::uint32_t programmed) const {
    return blocks_.in_slc_mode(block) ? programmed : word_lines_.safe(programmed);
  }
  /// Pages of a block that are safe when all that has been decided upon is done.
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
  std::uint32_t most_entries_ = ~std::uint32_t{0};  // of the map that a program changes
  std::uint64_t all_sectors_;
  std::uint64_t sequence_ = 0;
  std::uint64_t failed_program_;  // number of the program whose failure is asked for; 0: none, or it has been
  std::uint64_t die_failure_at_;  // of the one with which a die dies; 0: none
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
  std::unique_ptr<TornWrites> torn_writes_;  // of a drive that tears them, with verify
  FtlStatistics& statistics_;
  std::unique_ptr<Stripes> stripes_;
  std::unique_ptr<StripeRecovery> recovery_;  // with them
  std::uint32_t accumulations_;  // reads and writes of a stripe's parity in memory for each program unit of data
};

}  // namespace flashloom
