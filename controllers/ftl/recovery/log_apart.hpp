// Over-provisioning of one erase unit per die, as in firmware without concurrency (GreedyFTL 1.4.0 of the Cosmos
// OpenSSD: FREE_BLOCK_SIZE, METADATA_BLOCK_SIZE). That leaves no erase unit of a die for the metadata log, which then
// has its own.
//
// On a die with n erase units of p pages (a page is a mapping unit) for data, one is free when the open one is full. If
// at most (n - 1) p - 1 pages of the die are valid, the n - 1 others hold an invalid page. So there is a victim whose
// copies fit into the free erase unit and leave room in it, and whose erase gives the next free one. Logical units need
// not be spread evenly: placement skips a die without such a page (PlacementView::full), and if there are no more
// logical units than the dies hold together, it does not skip all. The log needs whole erase units, which such dies
// could not be made to free, so its erase units hold nothing else.
#pragma once

#include <cstdint>

namespace flashloom {

struct FtlConfig;
class NandGeometry;

/// Whether with a separate log the device could work with one spare erase unit per die: blocking collection in one open
/// block per die, whose pages are mapping units that no later program can corrupt; no data moves except for free space;
/// no erase unit is bad or can become so (`fails`); ftl.gc_low is 1.
bool may_keep_log_apart(const FtlConfig& config, const NandGeometry& geometry, bool fails);

/// Most erase units of the metadata log.
std::uint64_t most_log_blocks(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units);

/// Units of live data that a die with `blocks` erase units for them holds; one of them is spare.
std::uint64_t most_units_of_die(const NandGeometry& geometry, std::uint64_t blocks);

/// Logical units that fit beside a separate log of `log_blocks` erase units; 0: some die is too small.
std::uint64_t most_units_beside(const NandGeometry& geometry, std::uint64_t log_blocks);

/// Erase units of the device reserved for the log; 0: each die has enough spare blocks for reserved_blocks() and a
/// share of the log, which then takes free blocks.
std::uint32_t log_blocks_apart(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units,
                               bool fails);

}  // namespace flashloom
