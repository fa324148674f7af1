// Which plane groups of a die a command occupies, where they read independently (nand.independent_planes).
#pragma once

#include <cstdint>

#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Bit i: plane group i of the die, for a read and those read together with it. All bits for a command that occupies
/// the whole die: a program, an erase, a copyback.
inline std::uint32_t plane_groups_of(const OnfiCommand& command, const NandGeometry& geometry) {
  if (command.operation != FlashOperation::Read || command.then != nullptr) return (1U << geometry.plane_groups) - 1;
  std::uint32_t groups = 0;
  for (const OnfiCommand* read = &command; read != nullptr; read = read->together)
    groups |= 1U << geometry.plane_group_of(read->address.block, read->address.page);
  return groups;
}

}  // namespace flashloom
