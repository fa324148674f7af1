// Where the time of one request went: every picosecond between its arrival and its completion belongs to one part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/flash_instants.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// docs/results.md says what each part means.
enum class LatencyPart : std::uint8_t {
  Backlog,     ///< in the host: for its turn, for power, for an entry in the submission queue
  Host,        ///< the host's driver
  Interface,   ///< in the submission queue, for a command slot of the device
  Link,        ///< command entry, data, completion entry: waiting for the wires, and on them
  Cpu,         ///< the device's cores: waiting for one, and working
  Dram,        ///< data in and out of DRAM
  Map,         ///< the memory that holds the map
  Buffer,      ///< room in the data buffer, data still to be gathered or programmed
  Power,       ///< for power: the device to leave a low-power state, a cap to let the die's array start
  DieWait,     ///< for the die to be free of earlier commands
  BusWait,     ///< for the channel
  Bus,         ///< on the channel: command and data cycles
  Array,       ///< the flash array: tR, tPROG
  DiskWait,    ///< for the arm of a hard disk to be free of earlier commands
  Disk,        ///< the disk: seek, rotation, transfer
  Tier,        ///< the software of a tier: its own time, and waiting for its locks
  Controller,  ///< fixed latencies of the device's controller, which occupy nothing
};
inline constexpr std::size_t kLatencyParts = 17;
const char* to_string(LatencyPart part);  ///< "backlog", "host", ...

/// Every stage on a request's critical path states until when the time since the last statement was its own. What other
/// stages did during that time is hidden and counts nowhere. So the parts add to `complete - arrival` whatever is
/// stated, if the last statement reaches to `complete`.
class LatencyBreakdown {
 public:
  void begin(Picoseconds arrival) {
    parts_ = {};
    cursor_ = arrival;
  }
  /// The time from the last statement until `until` is `part`'s; none if that is past already.
  void attribute(LatencyPart part, Picoseconds until) {
    if (until <= cursor_) return;
    parts_[static_cast<std::size_t>(part)] += until - cursor_;
    cursor_ = until;
  }
  /// The time since the last statement was that of another request, of which `inner` tells.
  void append(const LatencyBreakdown& inner) {
    for (std::size_t part = 0; part < kLatencyParts; ++part) parts_[part] += inner.parts_[part];
    cursor_ = inner.cursor_;
  }
  /// The request waited for this flash command, which is complete.
  void attribute(const FlashInstants& at) {
    attribute(LatencyPart::DieWait, at.issued - at.power_wait);
    attribute(LatencyPart::Power, at.issued);
    attribute(LatencyPart::BusWait, at.granted);
    attribute(LatencyPart::Bus, at.loaded);
    attribute(LatencyPart::DieWait, at.array_begin);
    attribute(LatencyPart::Array, at.array_end - at.suspended);
    attribute(LatencyPart::DieWait, at.array_end);
    attribute(LatencyPart::BusWait, at.data_begin);
    attribute(LatencyPart::Bus, at.complete);
  }
  /// Power was lost: what was stated of the future does not hold. All parts are 0.
  void forget() { parts_ = {}; }

  Picoseconds of(LatencyPart part) const { return parts_[static_cast<std::size_t>(part)]; }
  const std::array<Picoseconds, kLatencyParts>& parts() const { return parts_; }
  Picoseconds sum() const {
    Picoseconds sum = 0;
    for (const Picoseconds part : parts_) sum += part;
    return sum;
  }

 private:
  std::array<Picoseconds, kLatencyParts> parts_{};
  Picoseconds cursor_ = 0;
};

}  // namespace flashloom
