// What a power cut does to a program or an erase that it meets in the array.
#pragma once

#include <cstdint>

namespace flashloom {

/// A torn page cannot be corrected, or reads as garbage, or seems fine; by seeded choice, page by page. With
/// nand.paired_pages (NandGeometry::pairs) a torn page may destroy older ones of its word line. Source: Tseng, Grupp,
/// Swanson, "Understanding the impact of power loss on flash memory", DAC 2011, which saw all of this.
struct Tearing {
  bool mixed = false;      ///< else: a torn page can never be corrected, a torn erase is never done
  std::uint64_t seed = 0;  ///< of the choices
};

}  // namespace flashloom
