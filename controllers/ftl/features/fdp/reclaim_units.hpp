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

/// Room left in the reclaim unit that a handle writes to.
struct ReclaimRoom {
  std::uint64_t units = 0;  ///< mapping units; 0: the handle has no reclaim unit, or a full one
  Picoseconds time = 0;     ///< until the handle moves to another one; 0: time is up, or no limit
};

class ReclaimUnits {
 public:
  ReclaimUnits(const FtlContext& context, BlockTable& blocks, Programmer& programmer, OpenBlocks& open,
               FtlStatistics& statistics);

  /// Whether a placement identifier names a reclaim unit handle of a reclaim group.
  bool has_handle(PlacementId placement) const;
  /// Notes a write whose placement identifier names no handle: its data go to the default handle. `unit`: its first.
  void note_invalid(PlacementId placement, std::uint32_t unit);
  /// The host moves a handle to its next reclaim unit; not on a worn-down device, whose data go wherever there is room.
  void update(PlacementId placement);
  /// After a mount: reports handles whose reclaim units the power cut left partly written.
  void recovered();

  /// A stream has opened a superblock (block) of a group.
  void opened(std::uint32_t stream, std::uint32_t group);
  /// Moves the stream to another reclaim unit if the present one has been open too long.
  void leave_late(std::uint32_t stream);
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
  /// Closes the stream's open blocks, full or not; its next writes go to another reclaim unit. `why`: the event to
  /// report if the reclaim unit was not full.
  void move_on(std::uint32_t stream, FdpEventType why);
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
