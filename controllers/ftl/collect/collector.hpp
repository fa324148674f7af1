// Garbage collection, group by group (BlockTable): a group is a die, or the dies that a GC unit spans. Foreground
// collection is paced by the host's writes: while a group is short of free space, each program unit of host data on it
// brings enough copies to keep its free space from shrinking, plus a quarter; ftl.gc_pause bounds these copies, and so
// the time that a write waits. Background collection runs in idle time, a program unit at a time. With ftl.gc_mode =
// "blocking" whole victims are collected while the host waits. VictimSources says what is collected, Relocator copies
// it, OpenBlocks keeps where to. Shared by page-mapping FTLs.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/victim_queue.hpp"
#include "controllers/ftl/collect/relocator.hpp"
#include "controllers/ftl/collect/victim_sources.hpp"
#include "controllers/ftl/read/host_gate.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

class Collector : public FtlPart {
 public:
  /// `map_stream`: see OpenBlocks.
  Collector(const FtlPart& part, bool map_stream);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  OpenBlocks& open_blocks() { return open_; }
  Relocator& relocator() { return relocator_; }
  Victims& victims() { return victims_; }
  FtlStatistics& statistics() { return statistics_; }
  VictimSources& sources() { return sources_; }

  /// Progress of a group with the copies that it owes for a program unit of host data.
  struct Pace {
    bool kept = false;         ///< nothing is left to do
    std::uint32_t copies = 0;  ///< copies still owed; 0: not begun
  };
  /// Called before a program unit of host data on `group`. Hysteresis: collection begins when gc_low GC units or fewer
  /// are free in the group, and ends when gc_high are, or when no victim would gain space. begin_pace() does what needs
  /// no waiting, which is nearly always everything; keep_pace() does the rest.
  Pace begin_pace(std::uint32_t group);
  Task<void> keep_pace(std::uint32_t group, Pace begun);
  /// Collects until the group has `free` free GC units, or no victim would gain space.
  Task<void> make_room(std::uint32_t group, std::uint32_t free);
  /// Called before a checkpoint: finishes a victim if the group has no free GC unit left. A mount from the checkpoint
  /// could not tell that the copies made before it are duplicates, and so could not free the blocks that hold them.
  Task<void> leave_room();
  /// Background collection: one step of copies, up to a program unit per die, on each group with fewer than
  /// gc_background free GC units; returns, once they are decided on, whether there were any. No other function of the
  /// collector may run meanwhile, and no write may be placed: it would open the same block, or find that copies occupy
  /// the last program unit of a shared block without filling it.
  Task<bool> idle();
  /// Returns when all copies are on flash.
  Task<void> copied();
  /// Pending trims will be made persistent by `keeper` before any victim is erased.
  void guard(MapKeeper& keeper) { keeper_ = &keeper; }
  /// After a mount, before new writes: the mount closed partly written blocks, which may have left fewer free blocks
  /// than the failure reserve. Collects until it is restored.
  Task<void> restore_reserve();
  /// With ftl.gc_mode = "blocking": `gate` is closed while a victim is collected.
  void block(HostGate& gate) { gate_ = &gate; }
  /// A group with more free GC units than this is not collected.
  std::uint32_t collects_at() const { return victims_.low(); }

  // --- What sources of victims do.
  /// Begins to collect a GC unit. `copies_per_program`: its pace (Victim).
  void begin(VictimSource& source, std::uint32_t group, GcUnit victim, std::uint64_t copies_per_program);
  /// The same for free space: the pace keeps ahead of the host. `units`: whole units that the victim has room for.
  void begin_for_space(VictimSource& source, std::uint32_t group, GcUnit victim, std::uint32_t units);
  /// The pace of a victim whose data are not at risk, so that writes need not wait for them.
  std::uint32_t slow_pace() const { return 2 * context_.geometry.whole_units_per_program(); }
  /// Queues the GC unit of `block`, with the erases by which it is known again, and makes its group active.
  void enqueue(VictimQueue& queue, BlockNumber block);
  /// Opens the blocks that a move of a victim apart needs now, so that it can always finish and free its source.
  Task<void> open_apart(std::uint32_t group, GcUnit victim) {
    GcUnitOpener* const gc_units = open_.gc_units();
    return gc_units == nullptr ? open_block_apart(group, victim) : gc_units->open_apart(group, victim);
  }
  /// Where such a block must be opened for the data of a victim of one block; null: nowhere.
  BlockNumber* place_apart(std::uint32_t group, BlockNumber victim);
  /// Whether a block for them can be opened without waiting; can_open_apart(): whether open_apart() need not wait.
  bool can_open_block(std::uint32_t group, FreeUse use) const;
  bool can_open_apart(std::uint32_t group) const {
    const GcUnitOpener* const gc_units = open_.gc_units();
    return gc_units == nullptr ? can_open_block(group, FreeUse::Cold) : gc_units->can_open_apart(group);
  }

  void state(StateArchive& archive, FrontBuffer& front);

 private:
  Task<void> finish_victim(std::uint32_t group);
  bool can_copy_now(std::uint32_t group);
  Task<void> open_block_apart(std::uint32_t group, BlockNumber victim);

  // --- ftl.gc_mode = "blocking".
  bool blocking() const { return gate_ != nullptr; }
  bool rests(std::uint32_t group) const;
  bool has_enough(std::uint32_t group) const;
  Task<void> collect_and_block(std::uint32_t group);
  Task<void> carried_out(std::uint32_t group, BlockNumber victim);

  Victims victims_;
  OpenBlocks open_;
  CopyBlocks& copies_;
  Relocator relocator_;
  VictimSources sources_;
  MapKeeper* keeper_ = nullptr;
  HostGate* gate_ = nullptr;  // null: collection is paced by writes
};

/// Adds the sources of victims that the device's features bring, in the order in which they are asked: what is at risk,
/// what host writes wait for, what may follow. Defined by the features.
void add_victim_sources(const FtlContext& context, BlockTable& blocks, Programmer& programmer, Collector& collector);

}  // namespace flashloom
