// Stand-in for the content of a sector.
#pragma once

#include <cstdint>

namespace flashloom {

/// Content of one sector when `verify` is on: the number of the host write that wrote it; 0 = zeroes.
using SectorToken = std::uint32_t;

}  // namespace flashloom
