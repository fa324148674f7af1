// State of the translation pages of a demand-paged map, for checkpoints of their directory.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/unit_bits.hpp"

namespace flashloom {

/// The translation pages are the logical units after the host's.
struct PagedMap {
  std::uint32_t host_units = 0;
  UnitBits changed;  ///< host units whose entries are newer than their translation pages
};

}  // namespace flashloom
