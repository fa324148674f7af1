// Family "placement": which bank takes the next program unit of host data. A *bank* is a die, or one of its planes
// where the planes of a die are programmed apart: what has open blocks of its own.
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
  std::uint32_t planes = 1;             ///< of a die, that are programmed apart; 1: all of them together
  std::uint32_t streams = 1;            ///< of host data, at most
  std::uint32_t units_per_program = 1;  ///< mapping units a program unit
  /// Units of live data that each bank holds at most; empty: all have room for an equal share of the logical space.
  std::vector<std::uint64_t> room = {};
  std::uint32_t dies() const { return channels * ways * dies_per_way; }
  std::uint32_t banks() const { return dies() * planes; }
};

/// What the controller lets a placement see. Banks and dies are numbered as in PlacementContext.
class PlacementView {
 public:
  /// No program unit can be had of the bank now: its die has no block to spare.
  virtual bool full(std::uint32_t bank) const = 0;
  /// The stream has an open block there, with room.
  virtual bool open(std::uint32_t stream, std::uint32_t bank) const = 0;
  /// Erases of the bank's blocks so far, those decided upon included.
  virtual std::uint64_t erases(std::uint32_t bank) const = 0;
  /// Commands on their way to the die or in its queue: 0 on the instant clock. A policy that asks for it is
  /// `time_dependent` (PartInfo).
  virtual std::uint32_t load(std::uint32_t die) const = 0;

 protected:
  ~PlacementView() = default;
};

/// The program unit to be placed.
struct PlacementRequest {
  std::uint32_t unit = 0;    ///< logical unit that it begins with
  std::uint32_t stream = 0;  ///< of host data
  std::uint32_t set = 0;     ///< of correlated data that `unit` is in; 0: none
};

class PlacementPolicy {
 public:
  static constexpr const char* kFamily = "placement";
  using Context = PlacementContext;
  virtual ~PlacementPolicy() = default;

  /// The bank for a program unit: none that is full, unless all are. Asked again for the same program unit if the bank
  /// turns out to be full, which the view then says.
  virtual std::uint32_t next(const PlacementRequest& request, const PlacementView& view) = 0;

  /// Sets of correlated data are to have program units and blocks of their own, as a stream behind the others.
  virtual bool sets_apart() const { return false; }

  /// Saves or loads what later decisions depend on; a policy that has nothing of the kind says so by an empty body.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
