// The erase units of the device as an FTL sees them: states, valid counts, free lists, and the page tables of erase
// units that are being written. A *bank* is a die, or one plane of it where planes are programmed apart: bank = die *
// planes programmed apart + plane.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_info.hpp"
#include "controllers/ftl/blocks/superblocks.hpp"
#include "controllers/ftl/unit_sizes.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/common/divisor.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_media.hpp"
#include "models/onfi/onfi_command.hpp"
#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {

class BlockEndurance;
struct FtlContext;
struct ProgramJob;

class BlockTable {
 public:
  /// The table of a device whose erase units are all free, except its bad blocks. The device may already be worn.
  explicit BlockTable(const FtlContext& context);

  BlockInfo& operator[](BlockNumber block) { return blocks_[block]; }
  const BlockInfo& operator[](BlockNumber block) const { return blocks_[block]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t blocks_per_die() const { return blocks_per_die_.value(); }
  std::uint32_t units_per_block() const { return units_per_block_.value(); }
  BlockNumber block_of(PhysicalUnit unit) const { return units_per_block_.quotient(unit); }
  // Forced inline: GCC drops a call of a function that only prefetches, because it sees no effect.
  [[gnu::always_inline]] void prefetch(PhysicalUnit unit) const { __builtin_prefetch(&blocks_[block_of(unit)]); }
  /// Prefetches the data of a unit that will be read soon.
  [[gnu::always_inline]] void prefetch_data(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    const std::uint32_t unit_of_block = offset_in_block(unit, block);
    media_.prefetch(address(block, page_of(unit_of_block)), unit_of_page(unit_of_block));
  }
  std::uint32_t die_of(BlockNumber block) const { return blocks_per_die_.quotient(block); }
  /// Number of the erase unit on its die.
  std::uint32_t block_of_die(BlockNumber block) const { return blocks_per_die_.remainder(block); }
  /// Page number in the block, and place on that page, of a unit given by its number in the block.
  std::uint32_t page_of(std::uint32_t unit_of_block) const { return units_per_page_.quotient(unit_of_block); }
  std::uint32_t unit_of_page(std::uint32_t unit_of_block) const { return units_per_page_.remainder(unit_of_block); }
  std::uint32_t banks() const { return static_cast<std::uint32_t>(banks_.size()); }
  std::uint32_t banks_per_die() const { return banks_per_die_.value(); }
  std::uint32_t bank_of(BlockNumber block) const {
    return die_of(block) * banks_per_die_.value() + banks_per_die_.remainder(block_of_die(block));
  }
  std::uint32_t die_of_bank(std::uint32_t bank) const { return banks_per_die_.quotient(bank); }
  FlashAddress address(BlockNumber block, std::uint32_t page) const {
    return {Die{die_of(block)}, Block{block_of_die(block)}, Page{page}};
  }

  /// All members of a superblock are opened, collected and released together. A *group* is the dies that it spans.
  Superblocks& superblocks() { return *superblocks_; }
  const Superblocks& superblocks() const { return *superblocks_; }
  /// True if each erase unit is a superblock of its own, and each group is a die.
  bool one_by_one() const { return one_by_one_; }
  /// Units of capacity or data in a superblock: valid units; whole units that fit into its good members; room that the
  /// valid units take, in whole units, now, and at most once copied. The last two equal valid_of() unless data are
  /// of different sizes.
  std::uint32_t valid_of(SuperblockNumber superblock) const;
  std::uint32_t room_of(SuperblockNumber superblock) const;
  std::uint32_t taken_of(SuperblockNumber superblock) const;
  std::uint32_t most_taken_of(SuperblockNumber superblock) const;
  std::uint32_t groups() const { return banks() / banks_per_group_.value(); }
  std::uint32_t group_of_bank(std::uint32_t bank) const { return banks_per_group_.quotient(bank); }
  std::uint32_t group_of(BlockNumber block) const { return group_of_bank(die_of(block) * banks_per_die()); }
  /// Free erase units, or superblocks, of a group.
  std::uint32_t free_of_group(std::uint32_t group) const {
    return one_by_one() ? dies_[group].free_blocks : static_cast<std::uint32_t>(superblocks_->free(group).size());
  }

  /// Free erase units of a die, including those whose erase is still pending.
  std::uint32_t free_blocks(std::uint32_t die) const { return dies_[die].free_blocks; }
  /// `bank`, if it has a free block; else the bank of its die with the most free blocks (which may have none).
  std::uint32_t bank_with_room(std::uint32_t bank) const {
    return banks_[bank].free.empty() ? bank_of_most_room(die_of_bank(bank)) : bank;
  }
  // --- The SLC write cache: erase units in pseudo-SLC mode. Static SLC units have a free list of their own and are in
  // none of the counts above. *Borrowed* units come from the normal free lists and return there once emptied. GC and
  // wear-levelling policies see neither kind, except the erases of borrowed units.
  bool in_slc_mode(BlockNumber block) const { return blocks_[block].slc; }
  bool always_slc(BlockNumber block) const { return slc_blocks_ != 0 && block_of_die(block) < slc_blocks_; }
  bool borrowed(BlockNumber block) const { return slc_dynamic_ != 0 && blocks_[block].slc && !always_slc(block); }
  bool lends() const { return slc_dynamic_ != 0; }
  /// Borrowed units of a die that are in use.
  std::uint32_t borrowed_of(std::uint32_t die) const { return dies_[die].borrowed; }
  /// How many free erase units of a die may be borrowed now: those beyond gc_high and the failure reserve, up to
  /// nand.slc_dynamic in total.
  std::uint32_t lendable(std::uint32_t die) const {
    const DieInfo& info = dies_[die];
    if (info.borrowed >= slc_dynamic_ || info.free_blocks <= lends_above_ || worn_down_) return 0;
    return std::min(slc_dynamic_ - info.borrowed, info.free_blocks - lends_above_);
  }
  /// Switches a newly opened, unwritten erase unit to pseudo-SLC mode.
  void borrow(BlockNumber block);
  std::uint32_t pages_of(BlockNumber block) const { return in_slc_mode(block) ? slc_pages_ : pages_; }
  /// Unit slots of a block; and how many whole units fill it.
  std::uint32_t units_of(BlockNumber block) const { return pages_of(block) * units_per_page_.value(); }
  std::uint32_t whole_units_of(BlockNumber block) const { return pages_of(block) * whole_units_per_page_; }
  /// SLC units that the write cache of a die can still open: free static ones and those it may borrow.
  std::uint32_t free_slc(std::uint32_t die) const { return dies_[die].free_slc + lendable(die); }
  /// The static SLC unit of a bank that has been free longest; kNoBlockNumber if none is free.
  BlockNumber next_free_slc(std::uint32_t bank) const {
    return banks_[bank].free_slc.empty() ? kNoBlockNumber : banks_[bank].free_slc.front();
  }
  /// The SLC unit of a die that was closed first; kNoBlockNumber if none is closed.
  BlockNumber oldest_slc(std::uint32_t die) const {
    return dies_[die].closed_slc.empty() ? kNoBlockNumber : dies_[die].closed_slc.front();
  }
  /// The borrowed unit of a die that was closed first; kNoBlockNumber if none is closed.
  BlockNumber oldest_borrowed(std::uint32_t die) const;
  /// Whether the bank can open an SLC unit: a free static one, or one that its die may borrow.
  bool can_open_slc(std::uint32_t bank) const {
    return next_free_slc(bank) != kNoBlockNumber || lendable(die_of_bank(bank)) != 0;
  }
  /// Returns an SLC unit whose folding was given up to the head of the closed list, as the oldest.
  void put_back_slc(BlockNumber block) {
    blocks_[block].state = BlockState::Closed;
    dies_[die_of(block)].closed_slc.push_front(block);
  }

  // --- Erase units reserved for the metadata log: they are in no free list and no count of a die.
  /// Reserves the last erase units of every die, the same number on each; the first dies give one more if the division
  /// leaves a remainder. To be called on a new table without bad blocks.
  void keep_for_log(std::uint32_t blocks);
  bool keeps_for_log() const { return log_blocks_ != 0; }
  bool for_log(BlockNumber block) const {
    return log_blocks_ != 0 && block_of_die(block) >= blocks_for_data(die_of(block));
  }
  /// Erase units of a die that are not reserved for the log.
  std::uint32_t blocks_for_data(std::uint32_t die) const {
    const auto dies = static_cast<std::uint32_t>(dies_.size());
    return blocks_per_die() - log_blocks_ / dies - (die < log_blocks_ % dies ? 1 : 0);
  }
  /// The reserved log unit that has been free longest; kNoBlockNumber if none is free.
  BlockNumber next_free_for_log() const { return free_for_log_.empty() ? kNoBlockNumber : free_for_log_.front(); }

  /// The bank of a die with the most free blocks; the first of several equal ones.
  std::uint32_t bank_of_most_room(std::uint32_t die) const;
  /// A free erase unit of a die other than `except`: preferably one that nothing uses any more, so that its erase can
  /// begin (or has ended); else one of which `waits` is false; else any other; kNoBlockNumber if there is none.
  BlockNumber free_block_to_erase(std::uint32_t die, BlockNumber except,
                                  const std::function<bool(BlockNumber)>& waits) const;
  /// The unit that open() takes next, as wear levelling chooses. The bank must have a free one.
  BlockNumber next_free(std::uint32_t bank, FreeUse use = FreeUse::Data) const;
  /// Opens a free erase unit of the bank, with an empty page table. Throws std::runtime_error if the bank has none.
  BlockNumber open(std::uint32_t bank, FreeUse use = FreeUse::Data);
  /// Opens this free erase unit, with an empty page table.
  void open_free(BlockNumber block);
  /// Takes a superblock out of the free list; the caller then opens its good members.
  void take(SuperblockNumber superblock);
  /// Erases of the bank's blocks, including erases decided upon but not yet done.
  std::uint64_t erases(std::uint32_t bank) const { return banks_[bank].erases; }
  /// Erases of a block, including erases decided upon but not yet done.
  std::uint32_t block_erases(BlockNumber block) const { return erases_[block]; }
  /// The pages that must still be programmed before a block may be erased (nand.partial_erase_limit).
  struct Unfilled {
    FlashAddress next;    ///< first page that is not programmed
    std::uint32_t pages;  ///< whole program units; 0: the block may be erased
    bool slc;             ///< mode of the pages programmed so far
  };
  Unfilled unfilled(BlockNumber block) const;
  /// Counts an erase that has been decided upon. If the block does not survive this erase, it is bad from now on,
  /// whatever its state: firmware learns here, in the order of its decisions, what the flash will report later.
  void count_erase(BlockNumber block);
  // --- Programs that fail within a block. Firmware learns of a failure when it decides on the program, as for erases.
  bool programs_fail() const { return programs_fail_; }
  /// Whether the next program unit of an open block fails.
  bool next_fails(BlockNumber block) const {
    return programs_fail_ && blocks_[block].allocated < pages_of(block) && fails_at(block, blocks_[block].allocated);
  }
  bool fails_at(BlockNumber block, std::uint32_t page) const {
    return media_.program_fails(address(block, page), erases_[block]);
  }
  /// The first page of `block`, from `page` on, whose program fails; pages_of() if none does.
  std::uint32_t next_failure(BlockNumber block, std::uint32_t page) const;
  /// Marks the block of a program that is going to fail; its pages have been given out. The first such program on a
  /// dead die takes the die out of use: no block is opened or collected there any more.
  void set_failed(BlockNumber block, std::uint32_t page);
  bool dead(std::uint32_t die) const { return dead_die_ == die; }
  /// The block lies on the dead die: it is emptied as if a program had failed in it, with data rebuilt from parity.
  bool lost_with_die(BlockNumber block) const { return rain_ != 0 && dead(die_of(block)); }
  /// All erase units of the group are on the dead die.
  bool dead_group(std::uint32_t group) const { return one_by_one() && dead(group); }
  bool any_dead() const { return dead_die_ != kNoBlockNumber; }
  /// A program has failed in a member of the block's superblock, and all its members may be collected.
  bool to_be_emptied(BlockNumber block) const;

  /// Bad erase units of the whole device.
  std::uint32_t bad_blocks() const { return bad_blocks_; }
  /// Bad blocks have used up the spare blocks: the good ones may not hold all logical units any more, or a die has too
  /// few for garbage collection. Nothing is erased any more, and this state survives power cuts.
  bool worn_down() const { return worn_down_; }
  /// Called when a mount finds too few free blocks, or when a victim's copies or the units of want_room() have no
  /// place.
  void wear_down() {
    worn_down_ = true;
    media_.set_worn_out();
  }
  /// Sets how many units the free erase units must be able to take when the device is worn down. lacks_room() tells
  /// whether they could not, if the free superblock (erase unit if one_by_one()) `taken` had another use.
  void want_room(std::uint64_t units) { room_wanted_ = units; }
  bool lacks_room(SuperblockNumber taken = kNoBlockNumber) const;
  /// Whether want_room() has reserved any room.
  bool keeps_room() const { return room_wanted_ != 0; }
  /// For an FTL whose dies cannot replace each other: how many erase units each die can lose. One more loss makes the
  /// device worn down. To be called before anything else.
  void limit_losses(std::vector<std::uint32_t> of_dies) { may_lose_ = std::move(of_dies); }
  /// For an FTL that decides itself, with wear_down(), when its device is worn down.
  void let_ftl_end_life() { ftl_ends_life_ = true; }
  std::uint32_t bad_blocks(std::uint32_t die) const { return dies_[die].bad_blocks; }
  /// Free erase units of a die that are reserved for block failures.
  std::uint32_t failure_reserve() const { return failure_reserve_; }
  /// No more pages will be given out: the block becomes a candidate for collection.
  void close(BlockNumber block, std::uint64_t age);
  /// Returns a block to the free list; its erase may follow later.
  void release(BlockNumber block);
  /// Allows the pages of an open, unwritten block to be programmed in any order (on dies that allow it).
  void write_in_any_order(BlockNumber block);
  /// After a rule-based fill: stores the spare areas of what is programmed in the page tables of open blocks.
  void note_words();
  // --- Life of a program unit: its pages are given out, its program is submitted, and its program is done. Counters of
  // the block record this. Callers of done() must wake the waiters of Events::durable.
  /// Gives out the pages of the next `programs` program units, of which the first is program `sequence`; returns their
  /// first page.
  std::uint32_t give_out(BlockNumber block, std::uint64_t sequence, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    const std::uint32_t first = info.allocated;
    info.allocated += programs * program_pages_;
    if (first == 0) info.pending->sequence = sequence;
    info.pending->data_end = info.allocated;
    return first;
  }
  /// Null if it is the turn of the program unit at `page` to be submitted; else `turn`, which is woken when it is.
  WaitList* before_turn(BlockNumber block, std::uint32_t page, WaitList& turn);
  void submitted(BlockNumber block, Origin origin, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    info.submitted += programs * program_pages_;
    info.last_origin = origin;
    if (!info.pending->turns.empty()) [[unlikely]]
      wake_next(info);
  }
  /// The program unit at `page` is done, or `programs` of them from there on.
  void done(BlockNumber block, std::uint32_t page, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    info.durable += programs * program_pages_;
    if (info.any_order) std::fill_n(info.pending->done.begin() + page, programs * program_pages_, std::uint8_t{1});
  }
  /// Drops the page table if all programs of the block are done, and none of its data waits for programs elsewhere.
  void retire_if_done(BlockNumber block) {
    const BlockInfo& info = blocks_[block];
    if ((info.durable == pages_of(block) || info.done_with()) && info.pending->exposed.empty()) retire_pending(block);
  }
  /// Whether the program of a unit that was given out is done, including a second pass.
  bool on_flash(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    const BlockInfo& info = blocks_[block];
    if (info.pending == nullptr) return true;
    const std::uint32_t page = page_of(offset_in_block(unit, block));
    return info.any_order ? info.pending->done[page] != 0 : page + unfinished(block) < info.durable;
  }
  /// Whether the first pass of the unit's program is done, and a second one must follow.
  bool awaits_second_pass(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return second_passes_ != 0 && !on_flash(unit) && page_of(offset_in_block(unit, block)) < blocks_[block].durable;
  }
  /// What to wait for until a unit is on flash; null if it already is.
  WaitList* before_on_flash(PhysicalUnit unit) {
    return on_flash(unit) ? nullptr : &events(die_of(block_of(unit))).durable;
  }
  /// For a unit that is not on flash yet: its spare area; the source that it is copied from, or kNoPhysicalUnit.
  OobWord pending_word(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return blocks_[block].pending->oob[offset_in_block(unit, block)];
  }
  PhysicalUnit pending_source(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return blocks_[block].pending->source[offset_in_block(unit, block)];
  }
  /// Drops the page table: all programs are done.
  void retire_pending(BlockNumber block);
  /// Nothing programs the block, reads it or copies out of it any more: it may be erased.
  bool unused(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return info.pending == nullptr && info.copies_pending == 0 && info.reads_in_flight == 0;
  }
  // --- Wait conditions; null means nothing to wait for. Members of a superblock wait for each other.
  /// Before a free block is opened: nothing may use its old data any more. Its erase may still be pending.
  WaitList* before_opening(BlockNumber block);
  /// Before an erase: as before_opening(), unless the block has been opened since.
  WaitList* before_erase(PendingErase erase);
  /// Before the first program of an open block: its erase must be done, and PendingPages::spare must be erasable.
  WaitList* before_first_program(BlockNumber block);
  PendingErase pending_erase(BlockNumber block) const { return {block, erases_[block]}; }
  /// The erase of a block has ended; its old content is gone, even if the block has become bad.
  void erase_done(const PendingErase& erase);

  /// Number of a unit within `block`, which must contain it.
  std::uint32_t offset_in_block(PhysicalUnit unit, BlockNumber block) const { return unit - block * units_per_block(); }
  void validate(PhysicalUnit unit) {
    ++blocks_[block_of(unit)].valid;
    if (sizes_ != nullptr) [[unlikely]]
      restore_size(unit);
  }
  /// Accounts for valid units of a block that have been copied to `to`. Only for whole units.
  void move_valid(BlockInfo& from, BlockNumber to, std::uint32_t units) {
    from.valid -= units;
    blocks_[to].valid += units;
  }
  void invalidate(PhysicalUnit unit, std::uint64_t age);
  /// Accounts for a valid unit that has been copied out of a block being collected; `word`: its spare area.
  void copied_out(BlockInfo& info, OobWord word, PhysicalUnit unit) {
    --info.valid;
    if (sizes_ != nullptr) [[unlikely]]
      sizes_->remove(block_of(unit), word);
  }
  /// The spare area of a unit that the map points to, on flash or still pending.
  OobWord word_at(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return on_flash(unit) ? media_.oob(address(block, 0), offset_in_block(unit, block)) : pending_word(unit);
  }
  /// With units of different sizes: counts the room of one that the map points to. During recovery, before blocks are
  /// closed.
  [[gnu::cold]] void restore_size(PhysicalUnit unit) { sizes_->add(block_of(unit), word_at(unit)); }

  /// Policies of a group; they number superblocks within the group.
  GarbageCollectionPolicy& collection(std::uint32_t group) {
    return one_by_one() ? *dies_[group].collection : superblocks_->collection(group);
  }
  WearLevelingPolicy& leveling(std::uint32_t group) {
    return one_by_one() ? *dies_[group].leveling : superblocks_->leveling(group);
  }
  /// Makes a closed block the victim of a data move: it is no longer a candidate of the policies.
  void collect(BlockNumber block);
  /// Where coroutines wait for a change of a block of the die. One list per reason avoids needless wakeups.
  struct Events {
    WaitList durable;  ///< a program is done, or a unit on its way to one is complete
    WaitList unused;   ///< nothing reads or copies out of a free block any more: it may be erased
    WaitList erased;   ///< a block was erased
  };
  Events& events(std::uint32_t die) { return dies_[die].events; }

  /// A read of the block has ended.
  void read_done(BlockNumber block) {
    --blocks_[block].reads_in_flight;
    wake_if_unused(block);
  }
  /// A copy out of the block, or a newer version of one of its units, is on flash: after a power cut the old data would
  /// no longer be needed.
  void copy_done(BlockNumber block) {
    --blocks_[block].copies_pending;
    wake_if_unused(block);
  }

  /// Hands a newly opened block to an owner that manages its pages itself (the metadata log).
  void dedicate(BlockNumber block);
  /// For recovery, once all blocks are known: frees the superblocks none of whose members is in use.
  void restore_superblocks();
  /// For recovery, on a new table: a block with data that will not be programmed further.
  void restore_closed(BlockNumber block, std::uint32_t valid);
  /// A block with `pages` programmed pages that the FTL itself collects.
  void restore_in_use(BlockNumber block, std::uint32_t pages, std::uint32_t valid);
  void restore_dedicated(BlockNumber block);
  /// Restores the mode of a block that is not erased, which a mount reads with the first page, before anything else.
  void restore_mode(BlockNumber block);
  /// Stores the stream of an open block on the media, so that it is known after a power cut.
  void keep_stream(BlockNumber block) {
    media_.mark(Die{die_of(block)}, Block{block_of_die(block)}, blocks_[block].stream);
  }
  /// A free block that is not erased, or only partly.
  void restore_unerased(BlockNumber block) { blocks_[block].erased = false; }

  /// Saved states: of a quiescent table, into a new one.
  void state(StateArchive& archive);

 private:
  /// Pages at the end of those programmed that still lack a second pass.
  std::uint32_t unfinished(BlockNumber block) const {
    if (second_passes_ == 0) [[likely]]
      return 0;
    return in_slc_mode(block) || blocks_[block].durable == pages_ ? 0 : second_passes_;
  }
  void restore_open(BlockNumber block, std::uint32_t pages, std::uint32_t valid);
  [[gnu::cold]] void invalidate_sized(PhysicalUnit unit, std::uint64_t age);
  /// The room that valid units take in a block, in whole units, as reported to the policies.
  std::uint32_t taken(BlockNumber block) const {
    return sizes_ == nullptr ? blocks_[block].valid : sizes_->units(block);
  }
  struct BankInfo {
    boost::circular_buffer<BlockNumber> free;  // oldest first
    boost::circular_buffer<BlockNumber> free_slc;
    std::uint64_t erases = 0;
  };
  struct DieInfo final : BlockWear {
    std::uint32_t erases(std::uint32_t block) const override { return block < slc_blocks ? 0 : block_erases[block]; }

    std::uint32_t free_blocks = 0;
    std::uint32_t slc_blocks = 0;
    std::uint32_t free_slc = 0;
    std::uint32_t borrowed = 0;
    boost::circular_buffer<BlockNumber> closed_slc;  // in the order of closing
    const std::uint32_t* block_erases = nullptr;     // of its first block
    std::unique_ptr<GarbageCollectionPolicy> collection;
    std::unique_ptr<WearLevelingPolicy> leveling;
    Events events;
    std::uint32_t bad_blocks = 0;
  };

  Divisor blocks_per_die_;
  Divisor units_per_block_;
  Divisor units_per_page_;
  std::uint32_t whole_units_per_page_;
  Divisor banks_per_die_;
  Divisor banks_per_group_;
  std::uint32_t pages_;
  std::uint32_t program_pages_;
  std::uint32_t second_passes_;  // pages of a non-full block that await a second pass; 0: one-pass programming
  std::uint32_t slc_blocks_;     // static SLC units of a die
  std::uint32_t slc_dynamic_;    // units of a die that may be borrowed at a time
  std::uint32_t slc_pages_;
  std::vector<BlockInfo> blocks_;
  std::vector<std::uint32_t> erases_;      // by block
  std::vector<std::uint32_t> slc_erases_;  // erases in SLC mode, by block; empty: no borrowing
  std::vector<BankInfo> banks_;
  std::unique_ptr<Superblocks> superblocks_;
  UnitSizes* sizes_;  // null: all units are whole
  bool one_by_one_;
  std::vector<DieInfo> dies_;
  std::vector<std::unique_ptr<PendingPages>> spare_pending_;
  NandMedia& media_;  // for its table of bad blocks
  const BlockEndurance& endurance_;
  std::uint64_t logical_units_;
  std::uint32_t failure_reserve_;
  std::uint32_t lends_above_;            // as many free erase units of a die are never lent
  std::uint32_t reserved_;               // erase units of a die that cannot hold live data
  std::vector<std::uint32_t> may_lose_;  // by die; empty: spare blocks may be on any die
  std::uint32_t bad_blocks_ = 0;
  std::uint64_t room_wanted_ = 0;  // units; 0: none reserved
  bool worn_down_;
  bool ftl_ends_life_ = false;
  bool programs_fail_;
  std::uint32_t rain_;  // program units of parity in a stripe
  std::uint32_t dead_die_ = kNoBlockNumber;
  std::uint32_t log_blocks_ = 0;  // reserved for the metadata log
  boost::circular_buffer<BlockNumber> free_for_log_;
  std::uint32_t free_for_log_count_ = 0;

  void wake_if_unused(BlockNumber block) {
    if (blocks_[block].given_up() && unused(block)) events(die_of(block)).unused.wake_all();
  }
  boost::circular_buffer<BlockNumber>& free_list(BlockNumber block) {
    if (for_log(block)) return free_for_log_;
    BankInfo& bank = banks_[bank_of(block)];
    return always_slc(block) ? bank.free_slc : bank.free;
  }
  std::uint32_t& free_count(BlockNumber block) {
    if (for_log(block)) return free_for_log_count_;
    DieInfo& die = dies_[die_of(block)];
    return always_slc(block) ? die.free_slc : die.free_blocks;
  }
  /// The first member of its superblock, or the block itself, for which `is(member)`; kNoBlockNumber: none.
  template <class Is>
  BlockNumber find_member(BlockNumber block, Is is) const;
  static void list_state(StateArchive& archive, boost::circular_buffer<BlockNumber>& of);
  void slc_state(StateArchive& archive);
  void use_in_mode(BlockNumber block, bool slc);
  void take_from_free(BlockNumber block);
  void take_out_of_use(BlockNumber block);
  void set_bad(BlockNumber block);
  void take_die_out();
  bool too_many_bad() const;
  std::uint64_t without_parity(std::uint32_t die, std::uint64_t units) const;
  std::uint64_t room_of_free(SuperblockNumber superblock) const;
  void begin_pending(BlockInfo& info);
  static void wake_next(const BlockInfo& info);
};

}  // namespace flashloom
