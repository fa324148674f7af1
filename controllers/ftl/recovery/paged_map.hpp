// What an FTL that pages its map in knows of its translation pages, for checkpoints of their directory.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/unit_bits.hpp"

namespace flashloom {

/// Translation pages are the units behind the host's.
struct PagedMap {
  std::uint32_t host_units = 0;
  UnitBits changed;  ///< host units whose entries are newer than their translation pages
};

}  // namespace flashloom
