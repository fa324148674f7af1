// Garbage collection, group by group (BlockTable): a group is a die, or the dies that a superblock spans. Foreground
// collection is paced by the host's writes: while a group is short of free space, each program unit of host data on it
// brings enough copies to keep its free space from shrinking, plus a quarter; ftl.gc_pause bounds these copies, and so
// the time that a write waits. Background collection runs in idle time, a program unit at a time. With ftl.gc_mode =
// "blocking" whole victims are collected while the host waits (collector_blocking.cpp). Wear levelling and scrubbing
// run here, too (collector_moves.cpp): their victims hold cold or weak data, which go into separate blocks. So does
// folding, whose victims are full blocks of the SLC write cache, oldest first. Shared by page-mapping FTLs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/scrub_queue.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/collect/block_opener.hpp"
#include "controllers/ftl/collect/move_listener.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/collect/relocator.hpp"
#include "controllers/ftl/collect/victims.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/ftl/read/host_gate.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

class Collector final : private WeakBlocks, private CloseObserver {
 public:
  /// `map_stream`: see OpenBlocks.
  Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
            UnitMap& map, FtlStatistics& statistics, bool map_stream);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  OpenBlocks& open_blocks() { return open_; }
  BlockOpener& opener() { return opener_; }

  /// Progress of a group with the copies that it owes for a program unit of host data.
  struct Pace {
    bool kept = false;         ///< nothing is left to do
    std::uint32_t copies = 0;  ///< copies still owed; 0: not begun
  };
  /// Called before a program unit of host data on `group`. Hysteresis: collection begins when gc_low erase units
  /// (superblocks) or fewer are free in the group, and ends when gc_high are, or when no victim would gain space.
  /// begin_pace() does what needs no waiting, which is nearly always everything; keep_pace() does the rest.
  Pace begin_pace(std::uint32_t group);
  Task<void> keep_pace(std::uint32_t group, Pace begun);
  /// Collects until the group has `free` free erase units (superblocks), or no victim would gain space.
  Task<void> make_room(std::uint32_t group, std::uint32_t free);
  /// Called before a checkpoint: finishes a victim if the group has no free erase unit (superblock) left. A mount from
  /// the checkpoint could not tell that the copies made before it are duplicates, and so could not free the blocks that
  /// hold them.
  Task<void> leave_room();
  /// Background collection: one step of copies, up to a program unit per die, on each group with fewer than
  /// gc_background free erase units (superblocks); returns, once they are decided on, whether there were any. No other
  /// function of the collector may run meanwhile, and no write may be placed: it would open the same block, or find
  /// that copies occupy the last program unit of a shared block without filling it.
  Task<bool> idle();
  /// Returns when all copies are on flash.
  Task<void> copied();
  /// Pending trims will be made persistent by `keeper` before any victim is erased.
  void guard(MapKeeper& keeper) { keeper_ = &keeper; }
  /// After a mount, before new writes: the mount closed partly written blocks, which may have left fewer free blocks
  /// than the failure reserve. Collects until it is restored.
  Task<void> restore_reserve();
  /// After a recovery: queues the blocks that hold a failed program.
  void find_failed();
  /// With ftl.gc_mode = "blocking": `gate` is closed while a victim is collected.
  void block(HostGate& gate) { gate_ = &gate; }
  /// A group with more free erase units (superblocks) than this is not collected.
  std::uint32_t collects_at() const { return low_; }
  void attach(MoveListener& listener);

  /// Saved states: of a quiescent collector.
  void state(StateArchive& archive, FrontBuffer& front);

 private:
  // --- Victims.
  bool choose_victim(std::uint32_t group);
  SuperblockNumber surest_victim(std::uint32_t group) const;
  void begin_for_room(std::uint32_t group, SuperblockNumber victim, std::uint32_t units);
  void begin_victim(std::uint32_t group, SuperblockNumber victim, std::uint64_t copies_per_program,
                    Origin origin = Origin::Gc, bool folds = false);
  Task<void> finish_victim(std::uint32_t group);
  bool can_copy_now(std::uint32_t group);
  bool can_open_superblock_now(std::uint32_t group);
  void note_reallocated(std::uint32_t group);

  // --- ftl.gc_mode = "blocking".
  bool blocking() const { return gate_ != nullptr; }
  bool rests(std::uint32_t group) const;
  bool has_enough(std::uint32_t group) const;
  Task<void> collect_and_block(std::uint32_t group);
  Task<void> carried_out(std::uint32_t group, BlockNumber victim);

  // --- Moves.
  Task<bool> level_wear(std::uint32_t group);
  Task<void> begin_move(std::uint32_t group, SuperblockNumber victim, Origin origin);
  /// Opens blocks for moved data until all of a victim's data fit.
  Task<void> open_for_move(std::uint32_t group, BlockNumber victim, FreeUse use);
  Task<void> open_superblocks_for_cold(std::uint32_t group, SuperblockNumber cold);
  bool can_move_now(std::uint32_t group, FreeUse use) const;
  /// The SLC write cache has so few usable blocks left that folding must keep pace with the host's writes.
  bool wants_fold(std::uint32_t group) const {
    return slc_low_ != 0 && blocks_.free_slc(group) < slc_low_ && blocks_.oldest_slc(group) != kNoBlockNumber;
  }
  Task<bool> fold(std::uint32_t group);
  bool give_back(std::uint32_t group);

  // --- Blocks in which a program has failed.
  void closed(BlockNumber block) override;
  void note_dead_die();
  void note_rebuilt(SuperblockNumber victim);
  void note_rebuild_end();
  bool empty_failed(std::uint32_t group);
  /// Whether failed blocks of the group wait to be emptied, and there is room for their data.
  bool failed_blocks_wait(std::uint32_t group) const {
    return failed_ != nullptr && failed_->any(group) && blocks_.free_of_group(group) > kept_;
  }

  // --- Scrubbing.
  void watch_for_weak_blocks();
  void weak(Die die, Block block) override;
  Task<bool> scrub(std::uint32_t group);
  bool can_scrub_now(std::uint32_t group) const;

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  FtlStatistics& statistics_;
  Victims victims_;
  OpenBlocks open_;
  CopyBlocks& copies_;
  BlockOpener opener_;
  Relocator relocator_;
  std::uint32_t low_, high_;  // free erase units (superblocks) of a group at which collection begins, and ends
  std::uint32_t kept_;        // free ones of a group that collection reserves
  std::uint32_t slc_low_;     // SLC blocks below which folding keeps pace with the host; 0: no such folding
  bool slc_idle_;             // the write cache is folded in idle time
  std::unique_ptr<MovedUnits> reallocated_;  // with flexible data placement
  MapKeeper* keeper_ = nullptr;
  std::unique_ptr<ScrubQueue> scrubs_;  // with ftl.scrub_reads or ftl.scrub_level
  std::unique_ptr<ScrubQueue> failed_;  // where programs fail
  bool dead_noted_ = false;             // with parity: `failed_` has all superblocks with members on the dead die
  bool rebuilding_ = false;             // and not all of them are emptied
  Picoseconds rebuild_began_ = 0;
  HostGate* gate_ = nullptr;  // null: collection is paced by writes
};

}  // namespace flashloom
