// How many of a cache's entries are new.
#pragma once

#include <cstdint>

namespace flashloom {

/// For a cache whose contents reads change. Between two snapshots, insertions compared with the capacity tell whether
/// entries from before the first may remain.
struct CacheTurnover {
  std::uint64_t room = 0;     ///< capacity in entries; 0: unknown
  std::uint64_t came_in = 0;  ///< lower bound of the entries inserted; each replaces another one once the cache is full
};

}  // namespace flashloom
