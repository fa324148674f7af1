// Compares two drives on the instant clock: media contents, firmware state and counters.
#pragma once

#include <rapidcheck.h>

#include "policies/memory_archive.hpp"
#include "sc_main/assembly/system/instant_device.hpp"

namespace flashloom {

/// Called within a RapidCheck property.
inline void expect_alike(InstantDevice& a, InstantDevice& b) {
  a.come_to_rest();
  b.come_to_rest();
  RC_ASSERT(a.media.digest() == b.media.digest());
  RC_ASSERT(a.flash.counters() == b.flash.counters());
  const bool alike = saved(a) == saved(b);  // RC_ASSERT of the strings would print them
  RC_ASSERT(alike);
}

}  // namespace flashloom
