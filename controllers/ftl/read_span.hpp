// Which part of its mapping units a flash read transfers if only some sectors are wanted.
#pragma once

#include <bit>
#include <cstdint>

#include "controllers/ftl/ftl.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Sets `from` and `bytes` of a read of whole units: the frames from the first sector in `first`, the mask of
/// sectors wanted of the first unit, to the last sector in `last`, that of the last unit (one bit per sector, not 0;
/// both are the same if there is one unit).
inline void move_frames(const FtlContext& context, OnfiCommand& read, std::uint64_t first, std::uint64_t last) {
  const NandGeometry& geometry = context.geometry;
  read.from = read.first_unit * geometry.unit_bytes;
  if ((first & 1) != 0 && (last >> (context.sectors_per_unit - 1)) != 0) [[likely]] {  // first and last sector wanted
    read.bytes = read.units * geometry.unit_bytes;
    return;
  }
  const std::uint32_t sector = geometry.unit_bytes / context.sectors_per_unit;
  const auto from = static_cast<std::uint32_t>(std::countr_zero(first)) * sector;
  const auto end = static_cast<std::uint32_t>(std::bit_width(last)) * sector;
  const NandGeometry::ReadSpan span = geometry.read_span(read.units, from, end);
  read.from += span.skipped;
  read.bytes = span.bytes;
}

}  // namespace flashloom
