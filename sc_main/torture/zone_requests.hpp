// Random commands for a zoned device, as of a host that has just asked for a report.
#pragma once

#include <cstdint>

#include "controllers/ftl/zones/zones.hpp"
#include "workloads/random.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Most are such as the device accepts: appends and writes of a few zones that are open, reads of what is there,
/// resets, finishes, opens (with random write areas, where there are such), closes, commits, flushes; some are not.
Request random_zone_request(Random& random, const Zones& zones);

}  // namespace flashloom
