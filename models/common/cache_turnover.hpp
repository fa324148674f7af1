// How much of what a cache holds is new.
#pragma once

#include <cstdint>

namespace flashloom {

/// Of a cache that reads leave their traces in, and so far. Between two looks, what came in against the room says whether
/// anything is left there that was not asked for in between.
struct CacheTurnover {
  std::uint64_t room = 0;     ///< entries; 0: nothing is known of it
  std::uint64_t came_in = 0;  ///< entries that were brought in, at least, each in the place of another one once it is full
};

}  // namespace flashloom
