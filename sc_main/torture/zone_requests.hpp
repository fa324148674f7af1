// Random commands for a zoned device, as of a host that has just asked for a report, and the write pointers on which it
// may count after a power cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/ftl/zones/zones.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Most are such as the device accepts: appends and writes of a few zones that are open, reads of what is there,
/// resets, finishes, opens (with random write areas, where there are such), closes, commits, flushes; some are not.
Request random_zone_request(Random& random, const Zones& zones);

class SafePointers {
 public:
  /// A request was carried out, with which everything before it is durable (a flush), or not.
  void after(const Zones& zones, bool all_durable);
  /// The host has been told how zones have ended: read-only, and offline, they stay.
  void note_ended(const Zones& zones);
  /// After a mount: which zone has lost what it must have; "": none.
  std::string check(const Zones& zones) const;

 private:
  std::vector<std::uint32_t> written_;  ///< by zone: units that are before the write pointer for ever, or until a reset
  std::vector<int> ended_;              ///< by zone: 0, or read-only, 1, or offline, 2
};

}  // namespace flashloom
