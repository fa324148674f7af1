// Random commands of a host that knows the present zone report of a device, and the write pointers that the host may
// expect after a power cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/ftl/zones/zones.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Most commands are valid: appends and writes to a few open zones, reads of written data, resets, finishes, opens
/// (with random write areas, if the device has them), closes, commits, flushes; some are invalid.
Request random_zone_request(Random& random, const Zones& zones);

class SafePointers {
 public:
  /// To be called after each request; `all_durable`: it made everything before it durable (a flush).
  void after(const Zones& zones, bool all_durable);
  /// Notes the zones that the host knows to be read-only or offline, and that must stay so.
  void note_ended(const Zones& zones);
  /// After a mount: returns a message about a zone that has lost durable data or its state; empty: there is none.
  std::string check(const Zones& zones) const;

 private:
  std::vector<std::uint32_t> written_;  ///< by zone: durable units, which the write pointer must pass until a reset
  std::vector<int> ended_;              ///< by zone: 1 read-only, 2 offline, else 0
};

}  // namespace flashloom
