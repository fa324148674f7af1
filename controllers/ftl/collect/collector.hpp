// Garbage collection, group by group (BlockTable): a group is a die, or the dies that a superblock spans. In the
// foreground collection is paced by the host's writes: while a group is short of free space, each program unit of host
// data on it brings so many copies as keep its free space from shrinking, and a quarter more; a bound on them
// (ftl.gc_pause) bounds what a write waits for. In the background it goes on in idle time, a program unit at a time.
// With ftl.gc_mode = "blocking" whole victims are collected while the host waits (collector_blocking.cpp).
// Wear levelling and scrubbing are carried out here, too (collector_moves.cpp): their victims hold cold or weak data,
// which go into blocks of their own. So does folding: the victims are full blocks of the SLC write cache, in the order
// in which they were closed. Each copied unit gets its new place in the same group at once; Copier and Eraser act
// behind. Shared by page-mapping FTLs.
//
// A victim is a superblock, most often of one member (Superblocks). Of several members units are copied out of it
// stripe by stripe (a program unit of each member), and go into superblocks in the same way: how these are opened is in
// collector_superblocks.cpp. When the erases of a victim may begin is in collector_erases.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/blocks/scrub_queue.hpp"
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

  /// How far a group has got with what it owes a program unit of host data.
  struct Pace {
    bool kept = false;         ///< nothing is left to do
    std::uint32_t copies = 0;  ///< those that are left; 0: not begun
  };
  /// Before a program unit of host data on `group`. Hysteresis: collection begins when no more than gc_low erase units
  /// (superblocks) of it are free, and ends when gc_high are, or when there is nothing to gain. As far as nothing has
  /// to be waited for, which is nearly always all of it; keep_pace() does the rest.
  Pace begin_pace(std::uint32_t group, std::uint64_t age);
  Task<void> keep_pace(std::uint32_t group, std::uint64_t age, Pace begun);
  /// Collects until the group has `free` free erase units (superblocks), or there is nothing to gain.
  Task<void> make_room(std::uint32_t group, std::uint32_t free, std::uint64_t age);
  /// Before a checkpoint: ends the collection of a victim that has taken a group's last free erase unit (superblock). A
  /// mount behind the checkpoint would not find out that the copies made before it are doubles, and could not free what
  /// holds them.
  Task<void> leave_room(std::uint64_t age);
  /// Background: one step of copies, up to a program unit a die, on each group that has fewer than gc_background free
  /// erase units (superblocks); returns whether there were any, when they are decided on. Not while another function of
  /// it is under way, and no write may be placed meanwhile, either: it would open the same block, or find the last program
  /// unit of a block that it shares in the hands of copies that have not filled it.
  Task<bool> idle(std::uint64_t age);
  /// Until all copies are on flash.
  Task<void> copied();
  /// Opens a block of `bank` for a stream (of another one of its die if it has none), as soon as nothing uses its old
  /// data any more. The die must have a free one. For anything but copies (`spare`) its first program waits until
  /// another one may be erased: or a power cut could leave the die without room to go on in.
  Task<BlockNumber> open_block(std::uint32_t bank, std::uint32_t stream, FreeUse use = FreeUse::Data,
                               bool spare = true);
  /// The same of the SLC write cache, of a bank that can have one (BlockTable::slc_to_be_had): one that is always in that
  /// mode, or else a borrowed one.
  Task<BlockNumber> open_slc_block(std::uint32_t bank, std::uint32_t stream);
  /// The same of the metadata log, of those that are its own. There must be a free one.
  Task<BlockNumber> open_own_log_block();
  /// Opens a superblock of `group` for a stream, waiting in the same way: `open` has a place for each bank of the
  /// group, all of them kNoBlockNumber, and gets its good members. The group must have a free one.
  Task<void> open_superblock(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use = FreeUse::Data,
                             bool spare = true);
  /// With superblocks: an open block for the metadata log. The log has superblocks of its own, as many as it needs.
  /// kNoBlockNumber: the device is worn down, and none is left.
  Task<BlockNumber> open_log_block(std::uint64_t age);
  void return_log_block(BlockNumber block);
  /// Until a block that was just opened may be programmed, for whoever does that without a Programmer.
  Task<void> until_ready(BlockNumber block);
  /// After a recovery: the superblocks of the metadata log are those with members of it.
  void find_log();
  /// Erases a free block as soon as nothing reads it or copies out of it any more; for a collection, or none.
  void erase_later(BlockNumber block, Origin origin = Origin::Gc, std::uint64_t collection = 0);
  /// Programs the copies that wait for their program units to fill, padded.
  void seal(std::uint64_t age);
  /// Trims that are not persistent yet become so before anything is erased.
  void guard(MapKeeper& keeper) { keeper_ = &keeper; }
  /// After a mount, before anything new comes in: partly written blocks were closed, and may have left less than what
  /// is kept in case that blocks fail.
  Task<void> restore_reserve();

  /// A block has been closed: if a program has failed in it, it is emptied, and given up for good.
  void closed(BlockNumber block) {
    programmer_.decided(block, statistics_.units_written);
    if (failed_ != nullptr) [[unlikely]]
      note_failed(block);
  }
  /// Programs what has failed for a stream first, as Programmer::try_first(); the blocks are closed.
  void try_first(ProgramJob& job, std::vector<FailedProgram>& failures);
  /// The same with padding: without waiting for a place elsewhere.
  void try_padding(std::vector<FailedProgram>& failures, Origin origin);
  /// After a recovery: those that are there.
  void find_failed();

  /// With ftl.gc_mode = "blocking": closed while a victim is collected.
  void block(HostGate& gate) { gate_ = &gate; }

  /// With more free erase units (superblocks) than so many a group is not collected.
  std::uint32_t collects_at() const { return low_; }

  /// Saved states: of a quiescent collector.
  void state(StateArchive& archive, FrontBuffer& front);

  /// Whoever fills program units with host data.
  class DataHolder {
   public:
    /// A free block is needed: newer versions of its units that wait for their program units to fill must go to flash,
    /// or it could never be erased.
    virtual void let_go(BlockNumber block) = 0;
    /// Fills up the program unit in the block that waits for more data: copies are to follow it there, and an erase
    /// that its data wait for may wait for them.
    virtual void make_way(BlockNumber block) = 0;
    /// The same of those that wait for the rest of their word lines, or of their stripes.
    virtual void close_word_lines(BlockNumber block) = 0;
    /// There are such units of the block.
    virtual bool holds(BlockNumber block) const = 0;
    /// Such units, or copies out of the block, are safe as soon as what is being filled goes its way.
    virtual bool completes(BlockNumber block) const = 0;

   protected:
    ~DataHolder() = default;
  };
  /// `closer` is told before an erase is waited for: its block may hold old versions of data whose word lines are not
  /// full yet.
  void close_by(DataHolder& closer) { closer_ = &closer; }
  /// Keeps the copies of that many streams apart. `holder` is told before an erase is waited for.
  void separate(std::uint32_t streams, DataHolder& holder) {
    streams_ = streams;
    separate_by_handle();
    open_.assign(blocks_.one_by_one() ? groups_.size() * places_ * streams
                                      : std::size_t{blocks_.banks()} * (streams + kColdSlots),
                 kNoBlockNumber);
    holder_ = &holder;
  }
  /// The holder has let something go: erases that had to wait for it may begin. So none is under way that only more
  /// writes could end, and the firmware comes to rest between requests.
  void data_let_go() {
    if (!held_.empty()) start_held();
  }
  void attach(MoveListener& listener) {
    if (reallocated_ == nullptr)
      moves_ = &listener;
    else
      reallocated_->pass_on_to(listener);
  }
  /// Copies go into open blocks of somebody else, `open[bank]` or kNoBlockNumber, and always in whole program units:
  /// none is left for others to wait for.
  void share_blocks(std::vector<BlockNumber>& open) { shared_ = &open; }
  bool shares_blocks() const { return shared_ != nullptr; }
  /// Before host data follow copies in a block that both share: some free erase unit (superblock) of the group may be
  /// erased, or is. Else a power cut could leave none: neither what the copies came from, since some of them are not
  /// safe yet, nor the block that they are in.
  bool has_spare(std::uint32_t group) const;
  /// Waits for that. The group must have a free one.
  Task<void> until_spare(std::uint32_t group);

 private:
  static constexpr std::uint32_t kColdSlots = 2;
  static constexpr std::uint32_t kNoStream = ~std::uint32_t{0};
  struct GroupState {
    bool active = false;                       ///< short of free space, or moving data
    Origin origin = Origin::Gc;                ///< why the victim's data move
    bool folds = false;                        ///< with Origin::Gc: the victim is a block of the SLC write cache
    bool gives_back = false;                   ///< the same, a borrowed one that is emptied for room
    std::uint8_t cold_slot = 0;                ///< with superblocks: of the two for cold data, the one being filled
    SuperblockNumber victim = kNoBlockNumber;  ///< being collected
    BlockNumber from = kNoBlockNumber;         ///< its member that is being copied from
    std::uint64_t collection = 0;              ///< number of its collection, from 1
    std::uint32_t next_unit = 0;               ///< of `from`: the next to look at
    std::uint32_t end_unit = 0;                ///< of `from`: behind the last one, or the last of the stripe
    std::uint32_t from_member = 0;             ///< of the superblock: which `from` is
    std::uint32_t to_member = 0;               ///< of the superblock that takes copies: the one whose turn it is
    std::uint32_t copies_per_program = 0;      ///< its pace: copies for each program unit of host data
    std::uint32_t gain = 0;                    ///< units that it had without valid data when it was chosen for room
    bool carried = false;                      ///< `job` has copies out of victims before this one
    ProgramJob* job = nullptr;                 ///< its program unit being filled
    std::vector<FailedProgram> failures;       ///< for its next program unit
    /// The victim's data do not move for room (folding; Origin::Wear, Scrub).
    bool moves() const { return folds || origin != Origin::Gc; }
    /// Open blocks for data that move so: the one being filled, and the next if it is too small.
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
  void start_held();
  /// Of a number that a policy of the group has named.
  SuperblockNumber victim_of(std::uint32_t group, std::uint32_t number) const {
    return group * blocks_.superblocks().per_group() + number;
  }
  /// All of the victim's valid units have been copied.
  bool emptied(const GroupState& state) const {
    return blocks_[state.from].valid == 0 && blocks_.valid_of(state.victim) == 0;
  }
  std::uint32_t bank_for_copies(BlockNumber victim) const;
  /// Of the open block that takes copies of a stream, in open_.
  std::size_t place_of_open(std::uint32_t bank, std::uint32_t stream) const {
    const std::uint32_t place = places_ == 1 ? blocks_.die_of_bank(bank) : bank;
    return std::size_t{place} * streams_ + stream;
  }
  /// Where the number stands of the open block that takes the next copies of a die's victim.
  BlockNumber& place_for_copies(std::uint32_t die) {
    GroupState& state = groups_[die];
    if (state.moves()) return state.cold[0];
    if (shared_ == nullptr && places_ == 1) return open_[std::size_t{die} * streams_ + copies_of(state.victim)];
    const std::uint32_t bank = bank_for_copies(state.victim);
    return shared_ == nullptr ? open_[place_of_open(bank, copies_of(state.victim))] : (*shared_)[bank];
  }
  /// The stream whose blocks take copies out of a block.
  std::uint32_t copies_of(BlockNumber block) const {
    const std::uint32_t stream = blocks_[block].stream;
    return copies_streams_.empty() ? stream : copies_streams_[stream];
  }
  void mark(BlockNumber block, std::uint32_t stream);
  /// kNoStream: it has no member left.
  std::uint32_t stream_of_victim(std::uint32_t group) const;
  void note_reallocated(std::uint32_t group);
  /// The block itself, whose turn is over, and in which no host data wait; kNoBlockNumber: none is open.
  BlockNumber open_for_copies(std::uint32_t group);
  bool choose_victim(std::uint32_t group, std::uint64_t age);
  SuperblockNumber surest_victim(std::uint32_t group) const;
  void begin_for_room(std::uint32_t group, SuperblockNumber victim, std::uint32_t units);

  // --- ftl.gc_mode = "blocking".
  bool blocking() const { return gate_ != nullptr; }
  /// Host data and copies go on in one open block of the group's die, which is all the room that either needs.
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
  /// Room for all of a victim's data in the open blocks for data that move.
  Task<void> open_for_move(std::uint32_t group, BlockNumber victim, FreeUse use);
  bool can_move_now(std::uint32_t group, FreeUse use) const;
  std::uint64_t& units_of_origin(const GroupState& state) {
    if (state.folds || state.gives_back) return statistics_.slc.units_folded;
    if (state.origin == Origin::Gc) return statistics_.units_moved;
    return state.origin == Origin::Wear ? statistics_.units_leveled : statistics_.units_scrubbed;
  }

  // --- Folding.
  /// The SLC write cache can have so few more blocks that folding goes with the host's writes.
  bool wants_fold(std::uint32_t group) const {
    return slc_low_ != 0 && blocks_.free_slc(group) < slc_low_ && blocks_.oldest_slc(group) != kNoBlockNumber;
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
  bool failed_wait(std::uint32_t group) const {
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
  /// Copies up to `units` units of the group's victim; false, and `units` is what is left, if a block must be opened
  /// first.
  bool copy_now(std::uint32_t group, std::uint32_t& units, std::uint64_t age);
  bool copy_units(std::uint32_t group, std::uint32_t& units, std::uint64_t age);
  /// With superblocks, it gives up when there is nothing to copy into: then the device is worn down. A fold that would
  /// take what garbage collection needs is put back: there is no victim then.
  Task<void> copy(std::uint32_t group, std::uint32_t units, std::uint64_t age);
  Task<void> finish_victim(std::uint32_t group, std::uint64_t age);
  bool keeps_open(const GroupState& state) const;
  void pad(std::uint32_t group, std::uint64_t age);
  std::vector<BlockNumber> blocks_of_copies() const;  ///< that are open
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

  /// The next valid unit is in another stripe, or of another member: on to it; false: there is none.
  bool next_stripe(GroupState& state) const;
  void release_victim(const GroupState& state);
  bool member_held(SuperblockNumber superblock) const;

  // --- Superblocks of several members.
  /// Those that take copies of the victim: a place for each bank of the group.
  BlockNumber* open_members(std::uint32_t group);
  BlockNumber* open_slot(std::uint32_t group, std::uint32_t slot) {
    return open_.data() + std::size_t{slot} * blocks_.banks() + blocks_.superblocks().first_bank(group);
  }
  BlockNumber next_open_member(std::uint32_t group);
  bool any_open(const BlockNumber* open) const;
  bool can_open_superblock_now(std::uint32_t group);
  bool erased(SuperblockNumber free) const;
  Task<SuperblockNumber> ready_superblock(std::uint32_t group, FreeUse use);
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
  std::uint32_t low_, high_;    // free erase units (superblocks) of a group between which it collects
  std::uint32_t kept_;          // and which it keeps
  std::uint32_t slc_low_;       // of the SLC write cache; 0: none, or not with the host's writes
  bool slc_idle_;               // it is folded in idle time
  std::uint32_t stripe_units_;  // of an erase unit that are copied before those of the next member
  std::vector<GroupState> groups_;
  std::uint32_t streams_ = 1;
  std::vector<std::uint32_t> copies_streams_;  // by stream; empty: each keeps its own
  std::uint32_t places_;           // of a die that have open blocks for copies: 1, or its banks
  std::vector<BlockNumber> open_;  // erase units that take copies, by place and stream; of superblocks by slot (a
                                   // stream, or one of two for cold data) and bank
  DataHolder* holder_ = nullptr;
  MoveListener* moves_ = nullptr;
  std::unique_ptr<MovedUnits> reallocated_;  // with flexible data placement
  std::vector<Held> held_;        // to be erased when the holder lets go
  DataHolder* closer_ = nullptr;  // with word lines whose pages hurt each other
  MapKeeper* keeper_ = nullptr;
  std::unique_ptr<ScrubQueue> scrubs_;  // with ftl.scrub_reads or ftl.scrub_level
  std::unique_ptr<ScrubQueue> failed_;  // where programs fail
  bool dead_noted_ = false;             // with parity: what has a member on the dead die is in it
  bool rebuilding_ = false;             // and is not all emptied
  Picoseconds rebuild_began_ = 0;
  std::vector<BlockNumber>* shared_ = nullptr;
  HostGate* gate_ = nullptr;                       // null: collection is paced
  std::vector<SuperblockNumber> log_superblocks_;  // whose members the metadata log takes
};

}  // namespace flashloom
