// What a zoned FTL offers beside reads and writes of units: the table of zones, which the firmware asks before each
// command, and what commands of zones do to flash.
#pragma once

#include <cstdint>

#include "controllers/ftl/zones/zone_table.hpp"
#include "controllers/runtime/task.hpp"

namespace flashloom {

/// Counts of what zones cost, beside those of the table.
struct ZoneCosts {
  std::uint64_t blocks_erased = 0;   ///< erase units given up by resets
  std::uint64_t finish_padding = 0;  ///< mapping units programmed without data by finishes
  std::uint64_t spilled_units = 0;   ///< units of unfilled program units that a flush programmed elsewhere for the time
  std::uint64_t unspilled_units = 0;  ///< of them, copied to their places when these were programmed
  std::uint64_t rehomed_blocks = 0;   ///< partly written erase units that were copied after a power cut
  std::uint64_t replaced_blocks = 0;  ///< the same since a program failed in them
  std::uint64_t holes = 0;            ///< units that were committed without having been written: zeroes

  template <class F>
  void each(F&& f) {
    f(blocks_erased, finish_padding, spilled_units, unspilled_units, rehomed_blocks, replaced_blocks, holes);
  }
};

/// Hears of zones that the device closes for writes by itself.
class ZoneListener {
 public:
  /// It is read-only from now on: what was accepted for it is to be carried out, then it is to be finished.
  virtual void on_read_only(std::uint32_t zone) = 0;

 protected:
  ~ZoneListener() = default;
};

class Zones {
 public:
  virtual ZoneTable& table() = 0;
  virtual const ZoneTable& table() const = 0;
  virtual const ZoneCosts& costs() const = 0;
  /// Erase units of a zone, and bytes of the tables that firmware needs for all of them.
  virtual std::uint32_t blocks_per_zone() const = 0;
  virtual std::uint64_t map_bytes() const = 0;
  virtual std::uint32_t unit_bytes() const = 0;  ///< of a logical block
  /// After a mount, which tells nobody.
  virtual void tell(ZoneListener& listener) = 0;

  /// Nothing will be written to the zone any more: what waits for its program unit is programmed, and as the device is
  /// made the rest of the zone, too. Called by the coroutine that calls Ftl::write().
  virtual Task<void> finish(std::uint32_t zone) = 0;
  /// Where the rest is programmed behind what else is: the members of a zone by which that is done, side by side, planes
  /// of its dies; else 0.
  virtual std::uint32_t padding_members() const = 0;
  /// Returns when the next program unit of that member may be padded, true, or when none of it is left, as after a reset.
  virtual Task<bool> before_padding(std::uint32_t zone, std::uint32_t member) = 0;
  /// Pads it, if it is still to be. Called as finish().
  virtual Task<void> pad(std::uint32_t zone, std::uint32_t member) = 0;
  /// The empty zone gets a random write area: what is written waits for a commit. Called as finish().
  virtual void give_area(std::uint32_t zone) = 0;
  /// The first `end` units of the zone with a random write area have been handed over, if they were written, and will not
  /// change: they are programmed. Called as finish().
  virtual Task<void> commit(std::uint32_t zone, std::uint32_t end) = 0;
  /// Returns when what a reset or a finish has begun is done, as far as the command waits for it.
  virtual Task<void> settled(std::uint32_t zone) = 0;

 protected:
  ~Zones() = default;
};

}  // namespace flashloom
