// Units of capacity or data in a superblock.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"

namespace flashloom {

/// Valid units.
std::uint32_t valid_of(const BlockTable& blocks, SuperblockNumber superblock);
/// Whole units that fit into its good members.
std::uint32_t room_of(const BlockTable& blocks, SuperblockNumber superblock);
/// Room that the valid units take, in whole units, now, and at most once copied. Both equal valid_of() unless data are
/// compressed.
std::uint32_t taken_of(const BlockTable& blocks, SuperblockNumber superblock);
std::uint32_t most_taken_of(const BlockTable& blocks, SuperblockNumber superblock);

}  // namespace flashloom
