// Opens GC units of several members; a device whose erase units are collected one by one has none.
#pragma once

#include <cstdint>
#include <memory>

#include "controllers/ftl/records/block_info.hpp"
#include "controllers/runtime/task.hpp"

namespace flashloom {

class BlockTable;
class Collector;

class GcUnitOpener {
 public:
  virtual ~GcUnitOpener() = default;

  /// Opens a GC unit of `group` for a stream of host data, waiting as OpenBlocks::open_block() does. `open` has an
  /// entry for each bank of the group, all kNoBlockNumber, and receives the good members. The group must have a free
  /// one.
  virtual Task<void> open(std::uint32_t group, BlockNumber* open, std::uint32_t stream) = 0;
  /// Opens one for copies of the group's victim; false if none can be: the device is then worn down.
  virtual Task<bool> open_for_copies(std::uint32_t group) = 0;
  /// Whether copies go on without waiting for an erase, and without the last free ones.
  virtual bool can_copy_now(std::uint32_t group) const = 0;
  /// As Collector::open_apart(), can_open_apart().
  virtual Task<void> open_apart(std::uint32_t group, GcUnit victim) = 0;
  virtual bool can_open_apart(std::uint32_t group) const = 0;
  /// Takes one that nothing uses, whose members the caller opens. Returns the erase for which the first program must
  /// wait, with `spare` (OpenBlocks::open_block()).
  virtual PendingErase take(GcUnit unit, bool spare = true) = 0;
};

/// The device's opener, null if it has none. Defined by the feature.
std::unique_ptr<GcUnitOpener> make_gc_unit_opener(const BlockTable& blocks, Collector& collector);

}  // namespace flashloom
