// Family "placement": which bank takes the next program unit of host data. A *bank* is a unit with open blocks of its
// own: a die, or a plane where the planes of a die are programmed independently.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

/// Shape of the device, in plain numbers. Dies are numbered channel first, die = channel + channels * (way + ways * die
/// of the way); bank = die * planes + plane.
struct PlacementContext {
  std::uint32_t channels = 1;
  std::uint32_t ways = 1;
  std::uint32_t dies_per_way = 1;
  std::uint32_t planes = 1;             ///< planes of a die that are programmed independently; 1: all together
  std::uint32_t streams = 1;            ///< maximum number of streams of host data
  std::uint32_t units_per_program = 1;  ///< mapping units a program unit
  /// Maximum units of live data in each bank; empty: all have space for an equal share of the logical space.
  std::vector<std::uint64_t> room = {};
  std::uint32_t dies() const { return channels * ways * dies_per_way; }
  std::uint32_t banks() const { return dies() * planes; }
};

/// State of the controller that a placement may see. Banks and dies are numbered as in PlacementContext.
class PlacementView {
 public:
  /// The bank can provide no program unit now: its die has no spare block.
  virtual bool full(std::uint32_t bank) const = 0;
  /// The stream has an open block with free space there.
  virtual bool open(std::uint32_t stream, std::uint32_t bank) const = 0;
  /// Erases of the bank's blocks so far, including those already decided on.
  virtual std::uint64_t erases(std::uint32_t bank) const = 0;
  /// Commands on their way to the die or in its queue: 0 on the instant clock. A policy that asks for it is
  /// `time_dependent` (PartInfo).
  virtual std::uint32_t load(std::uint32_t die) const = 0;

 protected:
  ~PlacementView() = default;
};

/// The program unit to be placed.
struct PlacementRequest {
  std::uint32_t unit = 0;    ///< first logical unit
  std::uint32_t stream = 0;  ///< of host data
  std::uint32_t set = 0;     ///< set of correlated data that `unit` belongs to; 0: none
};

class PlacementPolicy {
 public:
  static constexpr const char* kFamily = "placement";
  using Context = PlacementContext;
  virtual ~PlacementPolicy() = default;

  /// The bank for a program unit: not a full one, unless all are. Called again for the same program unit if the bank
  /// turns out to be full, which the view then reports.
  virtual std::uint32_t next(const PlacementRequest& request, const PlacementView& view) = 0;

  /// Whether sets of correlated data get program units and blocks of their own, as an additional stream.
  virtual bool sets_apart() const { return false; }

  /// Whether program units of one stream and no set, of consecutive logical units, go round some banks in a fixed order
  /// for as long as the view says the same and no command is under way, and the state is then the same after each turn.
  virtual bool by_turn() const { return false; }

  /// Saves or loads the state that later decisions depend on; empty for a policy without such state.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
