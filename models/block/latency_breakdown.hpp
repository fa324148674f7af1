// Attributes the time of one request: every picosecond between its arrival and its completion belongs to one part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/flash_instants.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// docs/reference/results.md says what each part means.
enum class LatencyPart : std::uint8_t {
  Backlog,     ///< in the host: waiting for its turn, for power, for a submission queue entry
  Host,        ///< the host's driver
  Interface,   ///< waiting in the submission queue for a command slot of the device
  Link,        ///< command entry, data, completion entry: waiting for the wires, and on them
  Cpu,         ///< the device's cores: waiting for one, and working
  Dram,        ///< data in and out of DRAM
  Map,         ///< the memory that holds the map
  Buffer,      ///< waiting for space in the data buffer, for data to be gathered or programmed
  Power,       ///< waiting for the device to leave a low-power state, or for a power cap to admit the array operation
  DieWait,     ///< waiting for the die to complete earlier commands
  BusWait,     ///< waiting for the channel
  Bus,         ///< on the channel: command and data cycles
  Array,       ///< the flash array: tR, tPROG
  DiskWait,    ///< waiting for the arm of a hard disk to complete earlier commands
  Disk,        ///< the disk: seek, rotation, transfer
  Tier,        ///< a tier's software: its own time, and waiting for its locks
  Controller,  ///< fixed latencies of the device's controller, which occupy no resource
};
inline constexpr std::size_t kLatencyParts = 17;
const char* to_string(LatencyPart part);  ///< "backlog", "host", ...

/// Each stage on a request's critical path claims the time since the previous claim, up to a given instant. Work of
/// other stages during that time is hidden and counts nowhere. So the parts always add up to `complete - arrival`,
/// provided that the last claim reaches to `complete`.
class LatencyBreakdown {
 public:
  void begin(Picoseconds arrival) {
    parts_ = {};
    cursor_ = arrival;
  }
  /// Claims the time from the previous claim until `until` for `part`; no effect if `until` is before it.
  void attribute(LatencyPart part, Picoseconds until) {
    if (until <= cursor_) return;
    parts_[static_cast<std::size_t>(part)] += until - cursor_;
    cursor_ = until;
  }
  /// Attributes the time since the previous claim as the request `inner` did its own.
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
  /// Power was lost, so that claims about the future do not hold: sets all parts to 0.
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
