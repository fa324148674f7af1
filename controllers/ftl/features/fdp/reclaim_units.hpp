// Reclaim units of flexible data placement: the one that a handle fills, its remaining room, and when the handle leaves
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class ReclaimUnits {
 public:
  ReclaimUnits(const FtlContext& context, BlockTable& blocks, Programmer& programmer, OpenBlocks& open,
               FtlStatistics& statistics);

  /// A stream has opened a superblock (block) of a group.
  void opened(std::uint32_t stream, std::uint32_t group);
  /// Moves the stream to another reclaim unit if the present one has been open too long.
  void leave_late(std::uint32_t stream);
  /// Closes the stream's open blocks, full or not; its next writes go to another reclaim unit. `why`: the event to
  /// report if the reclaim unit was not full.
  void move_on(std::uint32_t stream, FdpEventType why);
  /// Room left in the reclaim unit that the stream fills. Superblocks not yet opened are assumed to have no bad blocks.
  ReclaimRoom room(std::uint32_t stream) const;

  void state(StateArchive& archive) {
    for (Unit& unit : units_) archive(unit.superblocks, unit.group);
  }

 private:
  /// The reclaim unit that a handle fills in a group.
  struct Unit {
    std::uint32_t superblocks = 0;  ///< superblocks of it opened so far; 0: the handle has none
    std::uint32_t group = 0;
    Picoseconds begun = 0;  ///< its first write; not in saved states, since the clock restarts
  };
  Picoseconds age_of(const Unit& unit) const;
  std::uint64_t open_room(std::uint32_t stream) const;
  void fill_up(std::uint32_t stream);

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  OpenBlocks& open_;
  HostBlocks& host_;
  FtlStatistics& statistics_;
  std::vector<Unit> units_;  // by stream of host data
};

}  // namespace flashloom
