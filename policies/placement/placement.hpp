// Family "placement": which die takes the next program unit.
#pragma once

#include <cstdint>

#include "policies/registry.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// Shape of the device, in plain numbers. Dies are numbered channel first: die = channel + channels * position.
struct PlacementContext {
  std::uint32_t channels = 1;
  std::uint32_t ways = 1;
  std::uint32_t dies_per_way = 1;
  std::uint32_t dies() const { return channels * ways * dies_per_way; }
};

class PlacementPolicy {
 public:
  static constexpr const char* kFamily = "placement";
  using Context = PlacementContext;
  virtual ~PlacementPolicy() = default;

  /// The die for the next program unit of host data that begins with logical unit `unit`.
  virtual std::uint32_t next_die(std::uint64_t unit) = 0;

  /// Saves or loads what later decisions depend on; a policy that has nothing of the kind says so by an empty body.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
