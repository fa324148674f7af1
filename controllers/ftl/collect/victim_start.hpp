// Begins collections: what sources of victims do it with.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/victim_queue.hpp"
#include "controllers/ftl/collect/block_opener.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/collect/victim_source.hpp"
#include "controllers/ftl/collect/victims.hpp"
#include "controllers/ftl/ftl.hpp"

namespace flashloom {

class VictimStart {
 public:
  VictimStart(const FtlContext& context, BlockTable& blocks, Victims& victims, OpenBlocks& open, BlockOpener& opener,
              FtlStatistics& statistics);

  const FtlContext& context() const { return context_; }
  BlockTable& blocks() { return blocks_; }
  Victims& victims() { return victims_; }
  OpenBlocks& open_blocks() { return open_; }
  BlockOpener& opener() { return opener_; }
  FtlStatistics& statistics() { return statistics_; }

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
    GcUnitOpener* const gc_units = opener_.gc_units();
    return gc_units == nullptr ? open_block_apart(group, victim) : gc_units->open_apart(group, victim);
  }
  /// Where such a block must be opened for the data of a victim of one block; null: nowhere.
  BlockNumber* place_apart(std::uint32_t group, BlockNumber victim);
  /// Whether a block for them can be opened without waiting; can_open_apart(): whether open_apart() need not wait.
  bool can_open_block(std::uint32_t group, FreeUse use) const;
  bool can_open_apart(std::uint32_t group) const {
    const GcUnitOpener* const gc_units = opener_.gc_units();
    return gc_units == nullptr ? can_open_block(group, FreeUse::Cold) : gc_units->can_open_apart(group);
  }

 private:
  Task<void> open_block_apart(std::uint32_t group, BlockNumber victim);

  const FtlContext& context_;
  BlockTable& blocks_;
  Victims& victims_;
  OpenBlocks& open_;
  CopyBlocks& copies_;
  BlockOpener& opener_;
  FtlStatistics& statistics_;
};

}  // namespace flashloom
