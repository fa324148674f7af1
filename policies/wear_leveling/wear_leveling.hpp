// Family "wear_leveling": how the erases of a die are spread over its blocks. One policy object serves one die; it says
// which free block is opened next, and which closed block's data should move although nothing is gained by it.
#pragma once

#include <cstdint>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

struct WearLevelingContext {
  std::uint32_t blocks = 0;         ///< erase units of the die
  const BlockWear* wear = nullptr;  ///< their erases; null: nobody counts, all are alike
};

/// What a free block is opened for.
enum class FreeUse : std::uint8_t {
  Data,  ///< host data, and copies of garbage collection
  Cold,  ///< data that wear levelling moves: they will stay for long
};

/// The free blocks among which one is chosen, the one that has been free longest first; at least one.
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

  /// `block` has been erased once more: BlockWear knows.
  virtual void erased(std::uint32_t /*block*/) {}
  /// `block` is full: its data may be moved from now on.
  virtual void closed(std::uint32_t /*block*/) {}
  /// `block` is being collected, or moved: no longer a candidate.
  virtual void removed(std::uint32_t /*block*/) {}

  /// It moves data at all: the controller keeps blocks for them.
  virtual bool moves() const { return false; }
  /// A closed block whose data should be moved now, so that it is erased and written like the others; kNoBlock: none.
  virtual std::uint32_t to_move() { return kNoBlock; }

  /// Saves or loads what later decisions depend on; a policy that has nothing of the kind says so by an empty body.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
