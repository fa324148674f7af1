// The erase units of the device as an FTL sees them: states, valid counts, free lists, and the page tables of erase
// units that are being written. A *bank* is a die, or one plane of it where planes are programmed apart: bank = die *
// planes programmed apart + plane.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_info.hpp"
#include "controllers/ftl/blocks/packed_blocks.hpp"
#include "controllers/ftl/blocks/superblocks.hpp"
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
  /// A device that is all free but for its bad blocks; it may be worn.
  explicit BlockTable(const FtlContext& context);

  BlockInfo& operator[](BlockNumber block) { return blocks_[block]; }
  const BlockInfo& operator[](BlockNumber block) const { return blocks_[block]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t blocks_per_die() const { return blocks_per_die_.value(); }
  std::uint32_t units_per_block() const { return units_per_block_.value(); }
  BlockNumber block_of(PhysicalUnit unit) const { return units_per_block_.quotient(unit); }
  // Inlined by order: GCC takes a call of what only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch(PhysicalUnit unit) const { __builtin_prefetch(&blocks_[block_of(unit)]); }
  /// The unit will be read.
  [[gnu::always_inline]] void prefetch_data(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    const std::uint32_t unit_of_block = offset_in_block(unit, block);
    media_.prefetch(address(block, page_of(unit_of_block)), unit_of_page(unit_of_block));
  }
  std::uint32_t die_of(BlockNumber block) const { return blocks_per_die_.quotient(block); }
  /// Number of a block on its die.
  std::uint32_t block_of_die(BlockNumber block) const { return blocks_per_die_.remainder(block); }
  /// Page of a unit, given by its number in the block.
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
  /// Each erase unit is a superblock, and a group is a die.
  bool one_by_one() const { return one_by_one_; }
  /// Valid units of a superblock; how many whole ones its good members have room for; and how much of such room the
  /// valid ones take, and take at most when they are copied: their number, but for compressed data.
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

  /// Free erase units of a die, those whose erase is still under way included.
  std::uint32_t free_blocks(std::uint32_t die) const { return dies_[die].free_blocks; }
  /// `bank`, or, if none of its blocks is free, the bank of its die with the most free ones (which may have none).
  std::uint32_t bank_with_room(std::uint32_t bank) const {
    return banks_[bank].free.empty() ? roomiest_bank(die_of_bank(bank)) : bank;
  }
  // --- The SLC write cache: erase units in pseudo-SLC mode. Those that always are have a list of free ones of their own,
  // and are in none of the counts above; others are *borrowed* from the free ones, which they are again when they have
  // been emptied. No policy hears of either, but of the erases of the borrowed ones.
  bool in_slc_mode(BlockNumber block) const { return blocks_[block].slc; }
  bool always_slc(BlockNumber block) const { return slc_blocks_ != 0 && block_of_die(block) < slc_blocks_; }
  bool borrowed(BlockNumber block) const { return slc_dynamic_ != 0 && blocks_[block].slc && !always_slc(block); }
  bool lends() const { return slc_dynamic_ != 0; }
  /// Of a die, in use.
  std::uint32_t borrowed_of(std::uint32_t die) const { return dies_[die].borrowed; }
  /// How many free erase units of a die may be borrowed now: those above what garbage collection strives for, as far as
  /// nand.slc_dynamic goes.
  std::uint32_t lendable(std::uint32_t die) const {
    const DieInfo& info = dies_[die];
    if (info.borrowed >= slc_dynamic_ || info.free_blocks <= lends_above_ || worn_down_) return 0;
    return std::min(slc_dynamic_ - info.borrowed, info.free_blocks - lends_above_);
  }
  /// An erase unit that was just opened, and not written to, is used in pseudo-SLC mode.
  void borrow(BlockNumber block);
  std::uint32_t pages_of(BlockNumber block) const { return in_slc_mode(block) ? slc_pages_ : pages_; }
  /// Places for units; and how many whole ones fill it.
  std::uint32_t units_of(BlockNumber block) const { return pages_of(block) * units_per_page_.value(); }
  std::uint32_t whole_units_of(BlockNumber block) const { return pages_of(block) * whole_units_per_page_; }
  /// Those that the write cache of a die can still take.
  std::uint32_t free_slc(std::uint32_t die) const { return dies_[die].free_slc + lendable(die); }
  /// The one of a bank that has been free longest of those that always are; kNoBlockNumber: none is free.
  BlockNumber next_free_slc(std::uint32_t bank) const {
    return banks_[bank].free_slc.empty() ? kNoBlockNumber : banks_[bank].free_slc.front();
  }
  /// The one of a die that was closed first; kNoBlockNumber: none is closed.
  BlockNumber oldest_slc(std::uint32_t die) const {
    return dies_[die].closed_slc.empty() ? kNoBlockNumber : dies_[die].closed_slc.front();
  }
  /// The same of the borrowed ones.
  BlockNumber oldest_borrowed(std::uint32_t die) const;
  /// A bank can have one: one that always is, or a borrowed one of its die.
  bool slc_to_be_had(std::uint32_t bank) const {
    return next_free_slc(bank) != kNoBlockNumber || lendable(die_of_bank(bank)) != 0;
  }
  /// One that was collected goes on as the oldest closed one.
  void put_back_slc(BlockNumber block) {
    blocks_[block].state = BlockState::Closed;
    dies_[die_of(block)].closed_slc.push_front(block);
  }

  // --- Erase units that are the metadata log's alone: in no free list or count of a die.
  /// On a new table, none of whose erase units is bad: the last ones of the dies, as many of each, the first dies one
  /// more.
  void keep_for_log(std::uint32_t blocks);
  bool keeps_for_log() const { return log_blocks_ != 0; }
  bool for_log(BlockNumber block) const {
    return log_blocks_ != 0 && block_of_die(block) >= blocks_for_data(die_of(block));
  }
  /// Erase units of a die that are not.
  std::uint32_t blocks_for_data(std::uint32_t die) const {
    const auto dies = static_cast<std::uint32_t>(dies_.size());
    return blocks_per_die() - log_blocks_ / dies - (die < log_blocks_ % dies ? 1 : 0);
  }
  /// The one that has been free longest; kNoBlockNumber: none is free.
  BlockNumber next_free_for_log() const { return free_for_log_.empty() ? kNoBlockNumber : free_for_log_.front(); }

  /// The bank of a die with the most free blocks; of several, the first.
  std::uint32_t roomiest_bank(std::uint32_t die) const;
  /// Of the free erase units of a die but one: one that may be erased at once, or is erased; else any; kNoBlockNumber:
  /// there is no other.
  BlockNumber readiest_free(std::uint32_t die, BlockNumber but) const;
  /// The one that open() takes next: wear levelling chooses. There must be one.
  BlockNumber next_free(std::uint32_t bank, FreeUse use = FreeUse::Data) const;
  /// Takes a free erase unit of the bank, with an empty page table.
  BlockNumber open(std::uint32_t bank, FreeUse use = FreeUse::Data);
  /// Takes this free erase unit, with an empty page table.
  void open_free(BlockNumber block);
  /// Takes a free superblock, whose good members will be opened.
  void take(SuperblockNumber superblock);
  /// Erases of the bank's blocks, those decided upon included.
  std::uint64_t erases(std::uint32_t bank) const { return banks_[bank].erases; }
  /// Erases of a block, those decided upon included.
  std::uint32_t block_erases(BlockNumber block) const { return erases_[block]; }
  /// What must be programmed of a block before it may be erased (nand.partial_erase_limit), as its write pointer says.
  struct Unfilled {
    FlashAddress next;    ///< first page that is not programmed
    std::uint32_t pages;  ///< whole program units; 0: it may be erased
    bool slc;             ///< mode of what is programmed there
  };
  Unfilled unfilled(BlockNumber block) const;
  /// An erase of a block is decided upon. If it is the one that the block does not survive the block is bad from now
  /// on, whatever its state: firmware learns here, in the order of its decisions, what the flash will report later.
  void count_erase(BlockNumber block);
  // --- Programs that fail in the midst of a block. Firmware learns of them as of erases: when they are decided upon.
  bool programs_fail() const { return programs_fail_; }
  /// Whether the next program unit of an open block fails.
  bool next_fails(BlockNumber block) const {
    return programs_fail_ && blocks_[block].allocated < pages_of(block) && fails_at(block, blocks_[block].allocated);
  }
  bool fails_at(BlockNumber block, std::uint32_t page) const {
    return media_.program_fails(address(block, page), erases_[block]);
  }
  /// The first page of `block` from `page` on whose program fails; pages_of(): none.
  std::uint32_t next_failure(BlockNumber block, std::uint32_t page) const;
  /// The program at `page`, which was given out, is going to fail. The first one on a dead die takes that out of use:
  /// nothing more is opened or collected there.
  void set_failed(BlockNumber block, std::uint32_t page);
  bool dead(std::uint32_t die) const { return dead_die_ == die; }
  /// A block of it is emptied as if a program had failed there: parity gives the data.
  bool lost_with_die(BlockNumber block) const { return rain_ != 0 && dead(die_of(block)); }
  /// All that a group has is there.
  bool dead_group(std::uint32_t group) const { return one_by_one() && dead(group); }
  bool any_dead() const { return dead_die_ != kNoBlockNumber; }
  /// Its superblock has a member in which a program has failed, and all of it may be collected.
  bool to_be_emptied(BlockNumber block) const;

  /// Bad erase units of the whole device.
  std::uint32_t bad_blocks() const { return bad_blocks_; }
  /// Bad blocks have used up the spare ones: the rest may not hold all logical units any more, or a die has lost what
  /// garbage collection needs to go on. Nothing is erased any more, and so it stays after a power cut.
  bool worn_down() const { return worn_down_; }
  /// A mount has found too little left to go on, or there is no room for a victim's copies, or for want_room().
  void wear_down() {
    worn_down_ = true;
    media_.set_worn_out();
  }
  /// So many units must find room in what is free when the device is worn down. They would not, if the free superblock
  /// (erase unit, one by one) `taken` were used for anything else.
  void want_room(std::uint64_t units) { room_wanted_ = units; }
  bool lacks_room(SuperblockNumber taken = kNoBlockNumber) const;
  /// It ever does.
  bool keeps_room() const { return room_wanted_ != 0; }
  /// For an FTL whose dies cannot stand in for each other, before anything else: how many erase units each die can
  /// lose; one more, and the device is worn down.
  void limit_losses(std::vector<std::uint32_t> of_dies) { may_lose_ = std::move(of_dies); }
  /// For an FTL that says by itself, with wear_down(), when its device has come to its end.
  void let_owner_end() { owner_ends_ = true; }
  std::uint32_t bad_blocks(std::uint32_t die) const { return dies_[die].bad_blocks; }
  /// Free erase units of a die that are kept in case that blocks fail.
  std::uint32_t failure_reserve() const { return failure_reserve_; }
  /// All pages given out: may be collected from now on.
  void close(BlockNumber block, std::uint64_t age);
  /// Back to the free list (its erase may come later).
  void release(BlockNumber block);
  /// A block that was opened, but not written to, will be written in any order (where the die allows that).
  void write_in_any_order(BlockNumber block);
  /// Behind a fill that a rule tells: page tables of open blocks have the words of what is programmed there.
  void note_words();
  // --- Program units of a block: the pages of each are given out, its program is submitted, and is done. They are
  // counted here. A caller of done() wakes those that wait for Events::durable.
  /// Gives out the pages of the next one, or of so many, which is the program `sequence`; returns their first.
  std::uint32_t give_out(BlockNumber block, std::uint64_t sequence, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    const std::uint32_t first = info.allocated;
    info.allocated += programs * program_pages_;
    if (first == 0) info.pending->sequence = sequence;
    info.pending->data_end = info.allocated;
    return first;
  }
  /// Before the one at `page`: null, it is its turn; or `turn`, which is woken when it is.
  WaitList* before_turn(BlockNumber block, std::uint32_t page, WaitList& turn);
  void submitted(BlockNumber block, Origin origin, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    info.submitted += programs * program_pages_;
    info.last_origin = origin;
    if (!info.pending->turns.empty()) [[unlikely]]
      wake_next(info);
  }
  /// The one at `page` is done, or so many from there on.
  void done(BlockNumber block, std::uint32_t page, std::uint32_t programs = 1) {
    BlockInfo& info = blocks_[block];
    info.durable += programs * program_pages_;
    if (info.any_order) std::fill_n(info.pending->done.begin() + page, programs * program_pages_, std::uint8_t{1});
  }
  /// The page table goes if that was the last one, and nothing in the block waits for programs elsewhere.
  void retire_if_done(BlockNumber block) {
    const BlockInfo& info = blocks_[block];
    if ((info.durable == pages_of(block) || info.done_with()) && info.pending->exposed.empty()) retire_pending(block);
  }
  /// The program of a unit that was given out is done, both passes of it.
  bool on_flash(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    const BlockInfo& info = blocks_[block];
    if (info.pending == nullptr) return true;
    const std::uint32_t page = page_of(offset_in_block(unit, block));
    return info.any_order ? info.pending->done[page] != 0 : page + unfinished(block) < info.durable;
  }
  /// Its program is done, but for a second pass.
  bool awaits_second_pass(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return second_passes_ != 0 && !on_flash(unit) && page_of(offset_in_block(unit, block)) < blocks_[block].durable;
  }
  /// What to wait for until a unit is on flash; null: it is.
  WaitList* before_on_flash(PhysicalUnit unit) {
    return on_flash(unit) ? nullptr : &events(die_of(block_of(unit))).durable;
  }
  /// Of a unit that is not on flash yet: its spare area, and where a copy comes from (else kNoPhysicalUnit).
  OobWord pending_word(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return blocks_[block].pending->oob[offset_in_block(unit, block)];
  }
  PhysicalUnit pending_source(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return blocks_[block].pending->source[offset_in_block(unit, block)];
  }
  /// The page table is no longer needed: all programs are done.
  void retire_pending(BlockNumber block);
  /// Nothing programs it, reads it or copies out of it any more: it may be erased.
  bool unused(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return info.pending == nullptr && info.copies_pending == 0 && info.reads_in_flight == 0;
  }
  // --- What has to be waited for; null: nothing. Members of a superblock wait for each other.
  /// Before a free block is opened: until nothing uses its old data. Its erase need not be over.
  WaitList* before_opening(BlockNumber block);
  /// Before an erase: the same, if the block has not been opened since.
  WaitList* before_erase(PendingErase erase);
  /// Before the first program of an open block: its erase, and PendingPages::spare.
  WaitList* before_first_program(BlockNumber block);
  PendingErase pending_erase(BlockNumber block) const { return {block, erases_[block]}; }
  /// What it held is gone, though it may be bad.
  void erase_done(const PendingErase& erase);

  /// Number of a unit within `block`, the block that it lies in.
  std::uint32_t offset_in_block(PhysicalUnit unit, BlockNumber block) const { return unit - block * units_per_block(); }
  void validate(PhysicalUnit unit) {
    ++blocks_[block_of(unit)].valid;
    if (packed_ != nullptr) [[unlikely]]
      restore_packed(unit);
  }
  /// So many valid units of a block have been copied to `to`; data are not compressed.
  void move_valid(BlockInfo& from, BlockNumber to, std::uint32_t units) {
    from.valid -= units;
    blocks_[to].valid += units;
  }
  void invalidate(PhysicalUnit unit, std::uint64_t age);
  /// A valid unit of a block that is being collected has been copied; `word`: its spare area.
  void leave(BlockInfo& info, OobWord word, PhysicalUnit unit) {
    --info.valid;
    if (packed_ != nullptr) [[unlikely]]
      packed_->remove(block_of(unit), word);
  }
  /// The spare area of a unit that the map points to, wherever it is.
  OobWord word_at(PhysicalUnit unit) const {
    const BlockNumber block = block_of(unit);
    return on_flash(unit) ? media_.oob(address(block, 0), offset_in_block(unit, block)) : pending_word(unit);
  }
  /// Null: data are not compressed.
  const PackedBlocks* packed() const { return packed_.get(); }
  /// For recovery, before blocks are closed: the map points to the unit.
  [[gnu::cold]] void restore_packed(PhysicalUnit unit);

  /// What the policies of a group are asked of: superblocks, by their numbers in the group.
  GarbageCollectionPolicy& collection(std::uint32_t group) {
    return one_by_one() ? *dies_[group].collection : superblocks_->collection(group);
  }
  WearLevelingPolicy& leveling(std::uint32_t group) {
    return one_by_one() ? *dies_[group].leveling : superblocks_->leveling(group);
  }
  /// A closed block whose data are going to move: it is no candidate any more.
  void collect(BlockNumber block);
  /// Where coroutines wait for a BlockInfo of a die to change: one list a reason, so that nobody is woken in vain.
  struct Events {
    WaitList durable;  ///< a program is done, or a unit on its way to one is complete
    WaitList unused;   ///< nothing reads or copies out of some free block any more: it may be erased
    WaitList erased;   ///< a block was erased
  };
  Events& events(std::uint32_t die) { return dies_[die].events; }

  /// A read of the block has ended.
  void read_done(BlockNumber block) {
    --blocks_[block].reads_in_flight;
    wake_if_unused(block);
  }
  /// A copy out of the block, or a newer version of one of its units, is on flash: a power cut no longer needs the old
  /// one.
  void copy_done(BlockNumber block) {
    --blocks_[block].copies_pending;
    wake_if_unused(block);
  }

  /// A block that was just opened is taken by an owner that manages its pages itself (the metadata log).
  void dedicate(BlockNumber block);
  /// For recovery, when it knows all blocks: superblocks none of whose members is in use are free.
  void restore_superblocks();
  /// For recovery, on a new table: a block with data, that will not be written on.
  void restore_closed(BlockNumber block, std::uint32_t valid);
  /// A block in which `pages` are programmed, and which its FTL collects by itself.
  void restore_in_use(BlockNumber block, std::uint32_t pages, std::uint32_t valid);
  void restore_dedicated(BlockNumber block);
  /// What a mount reads with its first page, before anything else: the mode of a block that is not erased.
  void restore_mode(BlockNumber block);
  /// The stream of a block that has been opened is to be known after a power cut, too.
  void keep_stream(BlockNumber block) {
    media_.mark(Die{die_of(block)}, Block{block_of_die(block)}, blocks_[block].stream);
  }
  /// A free block that is not erased, or not wholly.
  void restore_unerased(BlockNumber block) { blocks_[block].erased = false; }

  /// Saved states: of a quiescent table, into a new one.
  void state(StateArchive& archive);

 private:
  /// The last of the pages whose program is done that lack a second pass.
  std::uint32_t unfinished(BlockNumber block) const {
    if (second_passes_ == 0) [[likely]]
      return 0;
    return in_slc_mode(block) || blocks_[block].durable == pages_ ? 0 : second_passes_;
  }
  void restore_open(BlockNumber block, std::uint32_t pages, std::uint32_t valid);
  [[gnu::cold]] void invalidate_packed(PhysicalUnit unit, std::uint64_t age);
  /// What policies are told of a block: room that its valid units take.
  std::uint32_t taken(BlockNumber block) const {
    return packed_ == nullptr ? blocks_[block].valid : packed_->units(block);
  }
  struct BankInfo {
    boost::circular_buffer<BlockNumber> free;  // the one that has been free longest first
    boost::circular_buffer<BlockNumber> free_slc;
    std::uint64_t erases = 0;
  };
  struct DieInfo final : BlockWear {
    std::uint32_t erases(std::uint32_t block) const override { return block < slc_blocks ? 0 : block_erases[block]; }

    std::uint32_t free_blocks = 0;
    std::uint32_t slc_blocks = 0;
    std::uint32_t free_slc = 0;
    std::uint32_t borrowed = 0;
    boost::circular_buffer<BlockNumber> closed_slc;  // in this order
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
  std::uint32_t second_passes_;  // pages that wait for a second pass, of a block that is not full; 0: there are none
  std::uint32_t slc_blocks_;   // of a die
  std::uint32_t slc_dynamic_;  // of a die that may be borrowed at a time
  std::uint32_t slc_pages_;
  std::vector<BlockInfo> blocks_;
  std::vector<std::uint32_t> erases_;      // by block
  std::vector<std::uint32_t> slc_erases_;  // of them, of blocks that were borrowed; empty: none ever is
  std::vector<BankInfo> banks_;
  std::unique_ptr<Superblocks> superblocks_;
  std::unique_ptr<PackedBlocks> packed_;  // with [compression]
  bool one_by_one_;
  std::vector<DieInfo> dies_;
  std::vector<std::unique_ptr<PendingPages>> spare_pending_;
  NandMedia& media_;  // for its table of bad blocks
  const BlockEndurance& endurance_;
  std::uint64_t logical_units_;
  std::uint32_t failure_reserve_;
  std::uint32_t lends_above_;            // free erase units of a die that are not lent
  std::uint32_t reserved_;               // erase units of a die that cannot hold live data
  std::vector<std::uint32_t> may_lose_;  // by die; empty: what is left may be on any die
  std::uint32_t bad_blocks_ = 0;
  std::uint64_t room_wanted_ = 0;  // units; 0: no matter
  bool worn_down_;
  bool owner_ends_ = false;
  bool programs_fail_;
  std::uint32_t rain_;  // program units of parity in a stripe
  std::uint32_t dead_die_ = kNoBlockNumber;
  std::uint32_t log_blocks_ = 0;  // that are the metadata log's alone
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
