// What a zoned FTL offers beside reads and writes of units: the zone table, which firmware consults before each
// command, and what zone commands do to flash.
#pragma once

#include <cstdint>

#include "controllers/ftl/zones/zone_table.hpp"
#include "controllers/runtime/task.hpp"

namespace flashloom {

/// Cost counters of zones, beside those of the table.
struct ZoneCosts {
  std::uint64_t blocks_erased = 0;    ///< erase units released by resets
  std::uint64_t finish_padding = 0;   ///< mapping units programmed without data by finishes
  std::uint64_t spilled_units = 0;    ///< units that a flush spilled from partly filled program units
  std::uint64_t unspilled_units = 0;  ///< of these, copied to their places when their program units were programmed
  std::uint64_t rehomed_blocks = 0;   ///< partly written erase units copied after a power cut
  std::uint64_t replaced_blocks = 0;  ///< partly written erase units copied after a program failure
  std::uint64_t holes = 0;            ///< units committed without having been written: zeroes

  template <class F>
  void each(F&& f) {
    f(blocks_erased, finish_padding, spilled_units, unspilled_units, rehomed_blocks, replaced_blocks, holes);
  }
};

/// Hears of zones that the device makes read-only.
class ZoneListener {
 public:
  /// The zone is read-only from now on: the listener must carry out accepted writes, then finish the zone.
  virtual void on_read_only(std::uint32_t zone) = 0;

 protected:
  ~ZoneListener() = default;
};

class Zones {
 public:
  virtual ZoneTable& table() = 0;
  virtual const ZoneTable& table() const = 0;
  virtual const ZoneCosts& costs() const = 0;
  /// Erase units of a zone; bytes of the firmware tables of all zones.
  virtual std::uint32_t blocks_per_zone() const = 0;
  virtual std::uint64_t map_bytes() const = 0;
  virtual std::uint32_t unit_bytes() const = 0;  ///< of a logical block
  /// Sets the listener. A mount does not report to it.
  virtual void tell(ZoneListener& listener) = 0;

  /// The zone will get no more writes: programs its partly filled program unit and, depending on the configuration,
  /// pads the rest of the zone. Called by the coroutine that calls Ftl::write().
  virtual Task<void> finish(std::uint32_t zone) = 0;
  /// Number of members (planes of the zone's dies) that are padded in parallel, in the background of other programs; 0
  /// if finished zones are not padded so.
  virtual std::uint32_t padding_members() const = 0;
  /// Returns true when the member's next program unit may be padded, false if none is left to pad (e.g. after a reset).
  virtual Task<bool> before_padding(std::uint32_t zone, std::uint32_t member) = 0;
  /// Pads the member's next program unit, if it is still to be padded. Called as finish().
  virtual Task<void> pad(std::uint32_t zone, std::uint32_t member) = 0;
  /// Gives an empty zone a random write area: writes then wait for a commit. Called as finish().
  virtual void give_area(std::uint32_t zone) = 0;
  /// Programs the first `end` units of a zone with a random write area; those that were written have been handed over
  /// and will not change. Called as finish().
  virtual Task<void> commit(std::uint32_t zone, std::uint32_t end) = 0;
  /// Waits for flash operations of a reset or finish, as far as the command must.
  virtual Task<void> settled(std::uint32_t zone) = 0;

 protected:
  ~Zones() = default;
};

}  // namespace flashloom
