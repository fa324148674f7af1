// Family "wear_leveling": how the erases of a die are spread over its blocks. One policy object serves one die; it
// chooses the free block to open next, and the closed block whose data should move for wear levelling alone.
#pragma once

#include <cstdint>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

struct WearLevelingContext {
  std::uint32_t blocks = 0;         ///< erase units of the die
  const BlockWear* wear = nullptr;  ///< their erases; null: not counted, all are alike
};

/// Purpose for which a free block is opened.
enum class FreeUse : std::uint8_t {
  Data,  ///< host data, and copies of garbage collection
  Cold,  ///< data moved by wear levelling, expected to stay long
};

/// The free blocks to choose from, longest free first; at least one.
class FreeBlocks {
 public:
  virtual std::uint32_t size() const = 0;
  /// Number of the block on its die.
  virtual std::uint32_t block(std::uint32_t index) const = 0;

 protected:
  ~FreeBlocks() = default;
};

class WearLevelingPolicy {
 public:
  static constexpr const char* kFamily = "wear_leveling";
  using Context = WearLevelingContext;
  virtual ~WearLevelingPolicy() = default;

  /// Index of the free block to open. Asking changes nothing.
  virtual std::uint32_t choose(const FreeBlocks& free, FreeUse use) const = 0;

  /// `block` has been erased once more; BlockWear is up to date.
  virtual void erased(std::uint32_t /*block*/) {}
  /// `block` is full: its data may be moved from now on.
  virtual void closed(std::uint32_t /*block*/) {}
  /// `block` is being collected, or moved: no longer a candidate.
  virtual void removed(std::uint32_t /*block*/) {}

  /// Whether the policy ever moves data: the controller then keeps blocks for it.
  virtual bool moves() const { return false; }
  /// A closed block whose data should be moved now, so that the block takes part in wear again; kNoBlock: none.
  virtual std::uint32_t to_move() { return kNoBlock; }

  /// Saves or loads the state that later decisions depend on; empty for a policy without such state.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
