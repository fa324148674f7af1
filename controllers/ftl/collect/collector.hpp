// Garbage collection, group by group (BlockTable): a group is a die, or the dies that a superblock spans. Foreground
// collection is paced by the host's writes: while a group is short of free space, each program unit of host data on it
// brings enough copies to keep its free space from shrinking, plus a quarter; ftl.gc_pause bounds these copies, and so
// the time that a write waits. Background collection runs in idle time, a program unit at a time. With ftl.gc_mode =
// "blocking" whole victims are collected while the host waits (collector_blocking.cpp). Wear levelling and scrubbing
// run here, too (collector_moves.cpp): their victims hold cold or weak data, which go into separate blocks. So does
// folding, whose victims are full blocks of the SLC write cache, oldest first. Each copied unit gets its new place in
// the same group at once; Copier and Eraser carry out the flash commands later. Shared by page-mapping FTLs.
//
// A victim is a superblock, usually of one member (Superblocks). If it has several, units are copied out stripe by
// stripe (a program unit of each member), and into superblocks in the same order: collector_superblocks.cpp opens
// these. collector_erases.cpp decides when the erases of a victim may begin.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/blocks/scrub_queue.hpp"
#include "controllers/ftl/blocks/superblock_units.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/collect/copier.hpp"
#include "controllers/ftl/collect/move_listener.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/ftl/read/host_gate.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

class Collector final : private WeakBlocks {
 public:
  Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
            UnitMap& map, FtlStatistics& statistics);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// Progress of a group with the copies that it owes for a program unit of host data.
  struct Pace {
    bool kept = false;         ///< nothing is left to do
    std::uint32_t copies = 0;  ///< copies still owed; 0: not begun
  };
  /// Called before a program unit of host data on `group`. Hysteresis: collection begins when gc_low erase units
  /// (superblocks) or fewer are free in the group, and ends when gc_high are, or when no victim would gain space.
  /// begin_pace() does what needs no waiting, which is nearly always everything; keep_pace() does the rest.
  Pace begin_pace(std::uint32_t group, std::uint64_t age);
  Task<void> keep_pace(std::uint32_t group, std::uint64_t age, Pace begun);
  /// Collects until the group has `free` free erase units (superblocks), or no victim would gain space.
  Task<void> make_room(std::uint32_t group, std::uint32_t free, std::uint64_t age);
  /// Called before a checkpoint: finishes a victim if the group has no free erase unit (superblock) left. A mount from
  /// the checkpoint could not tell that the copies made before it are duplicates, and so could not free the blocks that
  /// hold them.
  Task<void> leave_room(std::uint64_t age);
  /// Background collection: one step of copies, up to a program unit per die, on each group with fewer than
  /// gc_background free erase units (superblocks); returns, once they are decided on, whether there were any. No other
  /// function of the collector may run meanwhile, and no write may be placed: it would open the same block, or find
  /// that copies occupy the last program unit of a shared block without filling it.
  Task<bool> idle(std::uint64_t age);
  /// Returns when all copies are on flash.
  Task<void> copied();
  /// Opens a block of `bank` for a stream, once nothing uses its old data; if the bank has no free block, one of
  /// another bank of the die, which must have a free one. With `spare` (always, except for copies) the first program
  /// waits until another free block may be erased; otherwise a power cut could leave the die without a usable free
  /// block.
  Task<BlockNumber> open_block(std::uint32_t bank, std::uint32_t stream, FreeUse use = FreeUse::Data,
                               bool spare = true);
  /// Opens an SLC block of a bank that can have one (SlcBlocks::can_open): a static one if possible, else a
  /// borrowed one.
  Task<BlockNumber> open_slc_block(std::uint32_t bank, std::uint32_t stream);
  /// Opens one of the metadata log's reserved blocks. One must be free; else throws std::logic_error.
  Task<BlockNumber> open_own_log_block();
  /// Opens a superblock of `group` for a stream, waiting as open_block() does. `open` has an entry for each bank of the
  /// group, all kNoBlockNumber, and receives the good members. The group must have a free superblock.
  Task<void> open_superblock(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use = FreeUse::Data,
                             bool spare = true);
  /// With superblocks: opens a block for the metadata log, whose superblocks hold nothing else; the log takes more
  /// superblocks as it needs them. Returns kNoBlockNumber if the device is worn down and none is left. Throws
  /// std::runtime_error if the device is full.
  Task<BlockNumber> open_log_block(std::uint64_t age);
  void return_log_block(BlockNumber block);
  /// Waits until a newly opened block may be programmed, for owners that do so without a Programmer.
  Task<void> until_ready(BlockNumber block);
  /// After a recovery: finds the superblocks of the metadata log by their dedicated members.
  void find_log();
  /// Erases a free block once nothing reads it or copies out of it. `collection`: number of its collection, or 0.
  void erase_later(BlockNumber block, Origin origin = Origin::Gc, std::uint64_t collection = 0);
  /// Pads and programs the copies that wait for their program units to fill.
  void seal(std::uint64_t age);
  /// Pending trims will be made persistent by `keeper` before any victim is erased.
  void guard(MapKeeper& keeper) { keeper_ = &keeper; }
  /// After a mount, before new writes: the mount closed partly written blocks, which may have left fewer free blocks
  /// than the failure reserve. Collects until it is restored.
  Task<void> restore_reserve();

  /// Called when a block has been closed: if a program failed in it, its data will be moved and it will be retired.
  void closed(BlockNumber block) {
    programmer_.decided(block, statistics_.units_written);
    if (failed_ != nullptr) [[unlikely]]
      note_failed(block);
  }
  /// Attaches the failed programs of a stream to `job` (Programmer::try_first()), whose blocks are then closed.
  void try_first(ProgramJob& job, std::vector<FailedProgram>& failures);
  /// Tries the failed programs with padding, which needs no other place.
  void try_padding(std::vector<FailedProgram>& failures, Origin origin);
  /// After a recovery: queues the blocks that hold a failed program.
  void find_failed();

  /// With ftl.gc_mode = "blocking": `gate` is closed while a victim is collected.
  void block(HostGate& gate) { gate_ = &gate; }

  /// A group with more free erase units (superblocks) than this is not collected.
  std::uint32_t collects_at() const { return low_; }

  /// Saved states: of a quiescent collector.
  void state(StateArchive& archive, FrontBuffer& front);

  /// An owner of program units that it fills with host data.
  class DataHolder {
   public:
    /// A free block is needed: programs the waiting newer versions of its units, without which it could not be erased.
    virtual void let_go(BlockNumber block) = 0;
    /// Pads the program unit of `block` that waits for more data: copies are to follow it in the block, and an erase
    /// that its data wait for may wait for those copies.
    virtual void make_way(BlockNumber block) = 0;
    /// Does the same as let_go() for data that wait for the rest of their word lines or stripes.
    virtual void close_word_lines(BlockNumber block) = 0;
    /// Whether newer versions of units of the block are waiting.
    virtual bool holds(BlockNumber block) const = 0;
    /// Whether newer versions or copies of units of the block become safe once the program unit being filled is
    /// programmed.
    virtual bool completes(BlockNumber block) const = 0;

   protected:
    ~DataHolder() = default;
  };
  /// Tells `closer` before the collector waits for an erase: the block may hold old versions of data whose word lines
  /// are not full yet.
  void close_by(DataHolder& closer) { closer_ = &closer; }
  /// Keeps the copies of `streams` streams apart. `holder` is told before the collector waits for an erase.
  void separate(std::uint32_t streams, DataHolder& holder) {
    streams_ = streams;
    separate_by_handle();
    open_.assign(blocks_.one_by_one() ? groups_.size() * places_ * streams
                                      : std::size_t{blocks_.banks()} * (streams + kColdSlots),
                 kNoBlockNumber);
    holder_ = &holder;
  }
  /// The holder has programmed waiting data: starts the erases that waited for them. Thus no erase is left that only
  /// more writes could release, and the firmware comes to rest between requests.
  void data_let_go() {
    if (!held_.empty()) start_held();
  }
  void attach(MoveListener& listener) {
    if (reallocated_ == nullptr)
      moves_ = &listener;
    else
      reallocated_->pass_on_to(listener);
  }
  /// Copies go into another owner's open blocks, `open[bank]` or kNoBlockNumber, and always in whole program units, so
  /// that none is left waiting for more data.
  void share_blocks(std::vector<BlockNumber>& open) { shared_ = &open; }
  bool shares_blocks() const { return shared_ != nullptr; }
  /// Whether some free erase unit (superblock) of the group is erased or may be. Required before host data follow
  /// copies in a shared block: else a power cut could leave no free block, since neither the source of copies that are
  /// not safe yet nor the block that holds them could be freed.
  bool has_spare(std::uint32_t group) const;
  /// Whether has_spare() takes padding, or more data: otherwise what is in flight brings it.
  bool lacks_spare(std::uint32_t group) const;
  /// Waits until has_spare(). The group must have a free block.
  Task<void> until_spare(std::uint32_t group);

 private:
  static constexpr std::uint32_t kColdSlots = 2;
  static constexpr std::uint32_t kNoStream = ~std::uint32_t{0};
  struct GroupState {
    bool active = false;                       ///< short of free space, or moving data
    Origin origin = Origin::Gc;                ///< why the victim's data move
    bool folds = false;                        ///< with Origin::Gc: the victim is a block of the SLC write cache
    bool gives_back = false;                   ///< the victim is a borrowed SLC block, emptied to return it
    std::uint8_t cold_slot = 0;                ///< with superblocks: which of the two for cold data is being filled
    SuperblockNumber victim = kNoBlockNumber;  ///< being collected
    BlockNumber from = kNoBlockNumber;         ///< member of the victim that is being copied from
    std::uint64_t collection = 0;              ///< number of its collection, from 1
    std::uint32_t next_unit = 0;               ///< next unit of `from` to look at
    std::uint32_t end_unit = 0;                ///< end of the units of `from` to look at: of its block or stripe
    std::uint32_t from_member = 0;             ///< index of `from` in the victim
    std::uint32_t to_member = 0;               ///< index of the member that takes the next copies
    std::uint32_t copies_per_program = 0;      ///< its pace: copies for each program unit of host data
    std::uint32_t gain = 0;                    ///< units without valid data when it was chosen to gain space
    bool carried = false;                      ///< `job` has copies out of earlier victims
    ProgramJob* job = nullptr;                 ///< program unit being filled with copies
    std::vector<FailedProgram> failures;       ///< to be tried first by the next program unit
    /// Whether the victim's data move for another reason than free space (folding; Origin::Wear, Scrub).
    bool moves() const { return folds || origin != Origin::Gc; }
    /// Open blocks for such moves: the one being filled, and a second if the first is too small.
    std::array<BlockNumber, 2> cold{kNoBlockNumber, kNoBlockNumber};
  };
  struct Held {
    BlockNumber block;
    Origin origin;
    void state(StateArchive& archive) { archive(block, origin); }
  };

  void separate_by_handle();
  void hurry(BlockNumber block);
  void pad_word_lines(BlockNumber old);
  Task<void> until_unused(BlockNumber block);
  bool must_wait(BlockNumber block) const;
  bool is_completed_by_more(BlockNumber block) const;
  /// Whether the block cannot be erased before more data are decided upon, whatever is in flight: both clocks say the
  /// same.
  bool waits_for_data(BlockNumber block) const { return must_wait(block) || is_completed_by_more(block); }
  BlockNumber free_block_to_erase(std::uint32_t die, BlockNumber but) const {
    return blocks_.free_block_to_erase(die, but, [this](BlockNumber block) { return waits_for_data(block); });
  }
  void start_held();
  /// The superblock of a number that a policy of the group returned.
  SuperblockNumber victim_of(std::uint32_t group, std::uint32_t number) const {
    return group * blocks_.superblocks().per_group() + number;
  }
  /// All of the victim's valid units have been copied.
  bool emptied(const GroupState& state) const {
    return blocks_[state.from].valid == 0 && valid_of(blocks_, state.victim) == 0;
  }
  std::uint32_t bank_for_copies(BlockNumber victim) const;
  /// Index in open_ of the open block that takes copies of a stream.
  std::size_t place_of_open(std::uint32_t bank, std::uint32_t stream) const {
    const std::uint32_t place = places_ == 1 ? blocks_.die_of_bank(bank) : bank;
    return std::size_t{place} * streams_ + stream;
  }
  /// The entry for the open block that takes the next copies of a die's victim.
  BlockNumber& place_for_copies(std::uint32_t die) {
    GroupState& state = groups_[die];
    if (state.moves()) return state.cold[0];
    if (shared_ == nullptr && places_ == 1) return open_[std::size_t{die} * streams_ + copies_of(state.victim)];
    const std::uint32_t bank = bank_for_copies(state.victim);
    return shared_ == nullptr ? open_[place_of_open(bank, copies_of(state.victim))] : (*shared_)[bank];
  }
  /// The stream whose blocks take the copies out of a block.
  std::uint32_t copies_of(BlockNumber block) const {
    const std::uint32_t stream = blocks_[block].stream;
    return copies_streams_.empty() ? stream : copies_streams_[stream];
  }
  void mark(BlockNumber block, std::uint32_t stream);
  /// The stream of a group's victim; kNoStream if the victim has no member left.
  std::uint32_t stream_of_victim(std::uint32_t group) const;
  void note_reallocated(std::uint32_t group);
  /// The block for the next copies, with no host data waiting in it; kNoBlockNumber if none is open.
  BlockNumber open_for_copies(std::uint32_t group);
  bool choose_victim(std::uint32_t group, std::uint64_t age);
  SuperblockNumber surest_victim(std::uint32_t group) const;
  void begin_for_room(std::uint32_t group, SuperblockNumber victim, std::uint32_t units);

  // --- ftl.gc_mode = "blocking".
  bool blocking() const { return gate_ != nullptr; }
  /// Host data and copies share one open block of the group's die, which is all the space that either needs.
  bool goes_on_in_open(std::uint32_t group) const {
    return shared_ != nullptr && shared_->size() == groups_.size() && (*shared_)[group] != kNoBlockNumber;
  }
  bool rests(std::uint32_t group) const;
  bool has_enough(std::uint32_t group) const;
  Task<void> collect_and_block(std::uint32_t group, std::uint64_t age);
  Task<void> carried_out(std::uint32_t group, BlockNumber victim);
  void begin_victim(std::uint32_t group, SuperblockNumber victim, std::uint64_t copies_per_program,
                    Origin origin = Origin::Gc, bool folds = false);
  Task<bool> level_wear(std::uint32_t group);
  Task<void> begin_move(std::uint32_t group, SuperblockNumber victim, Origin origin);
  /// Opens blocks for moved data until all of a victim's data fit.
  Task<void> open_for_move(std::uint32_t group, BlockNumber victim, FreeUse use);
  bool can_move_now(std::uint32_t group, FreeUse use) const;
  std::uint64_t& units_of_origin(const GroupState& state) {
    if (state.folds || state.gives_back) return statistics_.slc.units_folded;
    if (state.origin == Origin::Gc) return statistics_.units_moved;
    return state.origin == Origin::Wear ? statistics_.units_leveled : statistics_.units_scrubbed;
  }

  // --- Folding.
  /// The SLC write cache has so few usable blocks left that folding must keep pace with the host's writes.
  bool wants_fold(std::uint32_t group) const {
    return slc_low_ != 0 && blocks_.slc().free(group) < slc_low_ && blocks_.slc().oldest(group) != kNoBlockNumber;
  }
  Task<bool> fold(std::uint32_t group);
  void give_up_fold(std::uint32_t group);
  bool give_back(std::uint32_t group);

  // --- Blocks in which a program has failed.
  void note_failed(BlockNumber block);
  void note_dead_die();
  void note_rebuilt(SuperblockNumber victim);
  void note_rebuild_end();
  bool empty_failed(std::uint32_t group);
  /// Whether failed blocks of the group wait to be emptied, and there is room for their data.
  bool failed_blocks_wait(std::uint32_t group) const {
    return failed_ != nullptr && failed_->any(group) && blocks_.free_of_group(group) > kept_;
  }
  void give_up_failures(std::uint32_t group);

  // --- Scrubbing.
  void watch_for_weak_blocks();
  void weak(Die die, Block block) override;
  bool all_closed(SuperblockNumber victim) const;
  Task<bool> scrub(std::uint32_t group);
  bool can_scrub_now(std::uint32_t group) const;

  bool can_copy_now(std::uint32_t group);
  bool takes_copies(BlockNumber open) const;
  template <class WordOf, class Wanted, class Put>
  bool for_each_valid(GroupState& state, WordOf word_of, Wanted wanted, Put put);
  NandMedia::BlockWords words_of(BlockNumber block) const {
    return context_.media.words(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)});
  }
  using Moving = FlashPort::Copied;  ///< a valid unit of a victim
  void moved(std::uint32_t group, BlockInfo& from, const Moving& what, PhysicalUnit place);
  void take(BlockNumber member);
  bool begin_copies(std::uint32_t group);
  /// Copies up to `units` units of the group's victim; false if a block must be opened first (`units`: what is left).
  bool copy_now(std::uint32_t group, std::uint32_t& units, std::uint64_t age);
  bool copy_units(std::uint32_t group, std::uint32_t& units, std::uint64_t age);
  /// With superblocks, copying stops if no superblock can be opened for it: the device is then worn down. A fold that
  /// would take free blocks that garbage collection needs is given up; then there is no victim any more.
  Task<void> copy(std::uint32_t group, std::uint32_t units, std::uint64_t age);
  Task<void> finish_victim(std::uint32_t group, std::uint64_t age);
  bool keeps_open(const GroupState& state) const;
  void pad(std::uint32_t group, std::uint64_t age);
  std::vector<BlockNumber> blocks_of_copies() const;  ///< the open ones
  void pad_block(BlockNumber block, std::uint64_t age);
  void launch(std::uint32_t group, std::uint64_t age);
  void launch(std::uint32_t group, ProgramJob& job, std::uint64_t age);
  void copy_directly(std::uint32_t group, std::uint32_t& units, std::uint64_t age);
  std::uint32_t find_valid(GroupState& state, const NandMedia::BlockWords& words, std::span<Moving> found);
  void close_if_full(std::uint32_t group, BlockNumber block, std::uint64_t age) {
    if (blocks_[block].allocated == context_.geometry.pages || blocks_[block].failed) close(group, block, age);
  }
  void close(std::uint32_t group, BlockNumber block, std::uint64_t age);
  void vacate(std::uint32_t group, BlockNumber block);

  /// Moves on to the next stripe or member that has valid units; false if the victim has none left.
  bool next_stripe(GroupState& state) const;
  void release_victim(const GroupState& state);
  bool member_held(SuperblockNumber superblock) const;

  // --- Superblocks of several members.
  /// Open members that take the victim's copies, with an entry for each bank of the group.
  BlockNumber* open_members(std::uint32_t group);
  BlockNumber* open_slot(std::uint32_t group, std::uint32_t slot) {
    return open_.data() + std::size_t{slot} * blocks_.banks() + blocks_.superblocks().first_bank(group);
  }
  BlockNumber next_open_member(std::uint32_t group);
  bool any_open(const BlockNumber* open) const;
  bool can_open_superblock_now(std::uint32_t group);
  bool erased(SuperblockNumber free) const;
  bool superblock_waits_for_data(SuperblockNumber superblock) const;
  SuperblockNumber free_superblock_to_erase(std::uint32_t group) const;
  Task<void> until_unused_superblock(SuperblockNumber superblock);
  PendingErase spare_superblock(std::uint32_t group);
  Task<bool> open_superblock_for_copies(std::uint32_t group);
  Task<void> open_superblocks_for_cold(std::uint32_t group, SuperblockNumber cold);
  BlockNumber idle_log_block() const;
  std::uint32_t group_for_log() const;

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const OobLayout& layout_;
  UnitMap& map_;
  FtlStatistics& statistics_;
  CopyDebt debt_;
  Copier copier_;
  Eraser eraser_;
  std::uint32_t low_, high_;    // free erase units (superblocks) of a group at which collection begins, and ends
  std::uint32_t kept_;          // free ones of a group that collection reserves
  std::uint32_t slc_low_;       // SLC blocks below which folding keeps pace with the host; 0: no such folding
  bool slc_idle_;               // the write cache is folded in idle time
  std::uint32_t stripe_units_;  // units copied from an erase unit before the next member's turn
  std::vector<GroupState> groups_;
  std::uint32_t streams_ = 1;
  std::vector<std::uint32_t> copies_streams_;  // by stream; empty: each keeps its own copies
  std::uint32_t places_;                       // open blocks for copies per die and stream: 1, or one per bank
  std::vector<BlockNumber> open_;  // erase units that take copies, by place and stream; superblocks: by slot (a
                                   // stream, or one of two for cold data) and bank
  DataHolder* holder_ = nullptr;
  MoveListener* moves_ = nullptr;
  std::unique_ptr<MovedUnits> reallocated_;  // with flexible data placement
  std::vector<Held> held_;                   // erases that wait until the holder programs its data
  DataHolder* closer_ = nullptr;             // set if pages of a word line disturb each other, or with parity
  MapKeeper* keeper_ = nullptr;
  std::unique_ptr<ScrubQueue> scrubs_;  // with ftl.scrub_reads or ftl.scrub_level
  std::unique_ptr<ScrubQueue> failed_;  // where programs fail
  bool dead_noted_ = false;             // with parity: `failed_` has all superblocks with members on the dead die
  bool rebuilding_ = false;             // and not all of them are emptied
  Picoseconds rebuild_began_ = 0;
  std::vector<BlockNumber>* shared_ = nullptr;
  HostGate* gate_ = nullptr;                       // null: collection is paced by writes
  std::vector<SuperblockNumber> log_superblocks_;  // those whose members belong to the metadata log
};

}  // namespace flashloom
