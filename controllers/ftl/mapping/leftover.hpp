// What a mount of a block-mapped FTL leaves to the kind of FTL.
#pragma once

#include "controllers/ftl/blocks/block_table.hpp"

namespace flashloom {

/// A block found to hold valid units that is no data block; listed in the order of opening.
struct Leftover {
  BlockNumber block;
  LogicalBlock logical;  ///< whose offsets it is written at; kNoLogicalBlock: several, or other positions
};

}  // namespace flashloom
