// Spare space of one erase unit a die, as firmware without concurrency has it (GreedyFTL 1.4.0 of the Cosmos OpenSSD:
// FREE_BLOCK_SIZE, METADATA_BLOCK_SIZE). That leaves none on each die for the metadata log: it has its own then.
//
// A die of n erase units of p pages (a page is a mapping unit) for data has one of them free when the open one is full.
// The n - 1 others hold a page that is not valid, if no more than (n - 1) p - 1 are valid on the die: so there is a
// victim, whose copies fit into the free one and leave room in it, and whose erase gives the next free one. What is
// logical need not be shared out evenly: a die without such a page is passed over (PlacementView::full), and if there
// are no more logical units than the dies hold together, not all are passed over. The log needs whole erase units,
// which such dies could not be made to give: its own hold nothing else.
#pragma once

#include <cstdint>

namespace flashloom {

struct FtlConfig;
class NandGeometry;

/// With its log apart the device could do with one erase unit a die: collection blocks, in one open block a die, of
/// which each page is a mapping unit that no later program hurts; nothing moves data for another reason than room; no
/// erase unit is bad or becomes so (`fails`); ftl.gc_low is 1.
bool may_keep_log_apart(const FtlConfig& config, const NandGeometry& geometry, bool fails);

/// Erase units of the metadata log at most.
std::uint64_t most_log_blocks(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units);

/// Units of live data that a die holds which has that many erase units for them, one of them to spare.
std::uint64_t most_units_of_die(const NandGeometry& geometry, std::uint64_t blocks);

/// Logical units that fit beside a log of `log_blocks` apart; 0: some die is too small.
std::uint64_t most_units_beside(const NandGeometry& geometry, std::uint64_t log_blocks);

/// Erase units of the device that are the log's alone; 0: the logical units leave each die as many as reserved_blocks()
/// says and a share of the log, which takes what is free.
std::uint32_t log_blocks_apart(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units,
                               bool fails);

}  // namespace flashloom
