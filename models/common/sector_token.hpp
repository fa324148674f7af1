// What stands for the content of a sector.
#pragma once

#include <cstdint>

namespace flashloom {

/// Content of one sector when `verify` is on: the number of the host write that it comes from; 0 = zeroes.
using SectorToken = std::uint32_t;

}  // namespace flashloom
