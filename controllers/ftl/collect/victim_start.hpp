// Begins collections: what sources of victims do it with.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/victim_queue.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"

namespace flashloom {

class VictimStart : private FtlPart {
 public:
  VictimStart(const FtlPart& part, Victims& victims, OpenBlocks& open)
      : FtlPart(part), victims_(victims), open_(open), copies_(open.copies()) {}

  const FtlContext& context() const { return context_; }
  BlockTable& blocks() { return blocks_; }
  Victims& victims() { return victims_; }
  OpenBlocks& open_blocks() { return open_; }
  FtlStatistics& statistics() { return statistics_; }

  /// Begins to collect a superblock. `copies_per_program`: its pace (Victim).
  void begin(VictimSource& source, std::uint32_t group, SuperblockNumber victim, std::uint64_t copies_per_program);
  /// The same for free space: the pace keeps ahead of the host. `units`: whole units that the victim has room for.
  void begin_for_space(VictimSource& source, std::uint32_t group, SuperblockNumber victim, std::uint32_t units);
  /// The pace of a victim whose data are not at risk, so that writes need not wait for them.
  std::uint32_t slow_pace() const { return 2 * context_.geometry.whole_units_per_program(); }
  /// Queues the superblock of `block`, with the erases by which it is known again, and makes its group active.
  void enqueue(VictimQueue& queue, BlockNumber block);
  /// Opens the blocks that a move of a victim apart needs now, so that it can always finish and free its source.
  Task<void> open_apart(std::uint32_t group, SuperblockNumber victim) {
    return blocks_.one_by_one() ? open_block_apart(group, victim) : open_superblock_apart(group, victim);
  }
  /// Where such a block must be opened for the data of a victim of one block; null: nowhere.
  BlockNumber* place_apart(std::uint32_t group, BlockNumber victim);
  /// Whether a block for them can be opened without waiting; can_open_apart(): whether open_apart() need not wait.
  bool can_open_block(std::uint32_t group, FreeUse use) const;
  bool can_open_apart(std::uint32_t group) const;

 private:
  Task<void> open_block_apart(std::uint32_t group, BlockNumber victim);
  Task<void> open_superblock_apart(std::uint32_t group, SuperblockNumber victim);

  Victims& victims_;
  OpenBlocks& open_;
  CopyBlocks& copies_;
};

}  // namespace flashloom
