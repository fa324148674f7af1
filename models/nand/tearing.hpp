// Effect of a power cut on a program or an erase in the array.
#pragma once

#include <cstdint>

namespace flashloom {

/// A torn page is uncorrectable, reads as garbage, or seems valid, by a seeded choice for each page. With
/// nand.paired_pages (NandGeometry::pairs) a torn page may destroy older ones of its word line. Source: Tseng, Grupp,
/// Swanson, "Understanding the impact of power loss on flash memory", DAC 2011, which observed all of this.
struct Tearing {
  bool mixed = false;      ///< false: a torn page is always uncorrectable, a torn erase never completes
  std::uint64_t seed = 0;  ///< of the choices
};

}  // namespace flashloom
