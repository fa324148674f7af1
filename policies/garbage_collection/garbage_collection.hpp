// Family "garbage_collection": which erase unit of a die to collect. One policy object serves one die; the FTL reports
// events of the die's erase units to it and asks for victims.
#pragma once

#include <cstdint>

#include "policies/state_archive.hpp"

namespace flashloom {

/// Wear of the die, as visible to a policy.
class BlockWear {
 public:
  /// Erases of a block of the die so far, including those already decided on.
  virtual std::uint32_t erases(std::uint32_t block) const = 0;

 protected:
  ~BlockWear() = default;
};

struct GarbageCollectionContext {
  std::uint32_t blocks = 0;           ///< erase units of the die
  std::uint32_t units_per_block = 0;  ///< mapping units an erase unit
  std::uint64_t seed = 0;
  const BlockWear* wear = nullptr;  ///< null: not counted, all are alike
};

inline constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

class GarbageCollectionPolicy {
 public:
  static constexpr const char* kFamily = "garbage_collection";
  using Context = GarbageCollectionContext;
  virtual ~GarbageCollectionPolicy() = default;

  /// `block` is full and may be collected from now on. `age` is the host-write sequence number.
  virtual void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) = 0;
  /// A unit of the closed `block` became invalid; `valid_units` are left.
  virtual void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) = 0;
  /// The best closed block to collect, one with an invalid unit if there is any; kNoBlock if there is no closed block.
  /// Does not remove it.
  virtual std::uint32_t victim(std::uint64_t age) = 0;
  /// `block` is being collected: no longer a candidate.
  virtual void removed(std::uint32_t block) = 0;

  /// invalidated() will follow soon: prefetches what it will change into the CPU cache of the simulating computer.
  virtual void prefetch(std::uint32_t /*block*/) const {}
  /// Saves or loads the state that later decisions depend on; empty for a policy without such state.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
