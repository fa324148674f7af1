// How much of the flash can hold live data.
#pragma once

#include <cstdint>

namespace flashloom {

struct FtlConfig;
class NandGeometry;

/// Free erase units of a die that host data leave to garbage collection as destinations of copies.
inline constexpr std::uint32_t kGcReserve = 1;

/// Additional reserve where blocks wear out: a victim that does not survive its erase returns no block for its copies.
/// If a die has fewer left after such a failure, collection stops, and these blocks take the data already accepted.
inline constexpr std::uint32_t kFailureReserve = 2;

/// Whether each plane programmed apart has its own open block for copies, which must stay in their plane for copyback.
bool copies_stay_in_plane(const NandGeometry& geometry);

/// Whether superblocks are collected instead of single erase units.
bool collects_superblocks(const FtlConfig& config);

/// Dies of a superblock.
std::uint32_t superblock_dies(const FtlConfig& config, const NandGeometry& geometry);

/// Number of host-data streams: those of ftl.streams, plus one for sets of correlated data if the placement separates
/// them, unless streams share blocks with copies.
std::uint32_t host_streams(const FtlConfig& config);

/// Open blocks of a die for host data (and those in pseudo-SLC mode), copies, moved data and translation pages.
std::uint32_t open_blocks(const FtlConfig& config, const NandGeometry& geometry);

/// Whether each die has a single open block, for host data and copies, and collects while the host waits (ftl.gc_mode =
/// "blocking"): then a victim's gain is room in that block, and one free block is enough.
bool one_open_block(const FtlConfig& config, const NandGeometry& geometry);

/// With two-pass programming: erase units (superblocks) of a die that hold padding. Before one is opened, all data that
/// its erase waits for get their second pass: that pads at most two program units in each open block of copies, which
/// victims must regain before a block becomes free.
std::uint32_t blocks_for_second_passes(const FtlConfig& config, const NandGeometry& geometry);

/// With parity over dies, where copies share superblocks with host data: erase units of a die that must not hold live
/// data, so that some victim always gains at least a stripe. Before the last free superblock is erased, the open stripe
/// is padded to make the copies in it safe; a smaller gain would be used up by that padding. `wears`: blocks wear out.
std::uint32_t blocks_for_open_stripes(const FtlConfig& config, const NandGeometry& geometry, bool wears);

/// Erase units of a die that must not hold live data: those that garbage collection keeps free; the open ones of each
/// stream (on each plane programmed apart) and of its copies; those of wear levelling, scrubbing and folding; one
/// block's worth of invalid units, without which no victim gains space; padding for second passes; and those in
/// pseudo-SLC mode. A superblock counts as one erase unit of the die on each plane programmed apart; open stripes may
/// raise the number. `wears`: blocks wear out.
std::uint32_t reserved_blocks(const FtlConfig& config, const NandGeometry& geometry, bool wears);

/// Units of a worn-down device's free space that one more failing block and the metadata log may take.
std::uint64_t margin_when_worn_out(const FtlConfig& config, const NandGeometry& geometry);

/// Units that a worn-out device can always still take, at least, if blocks, or a die (`die_fails`), may fail: the
/// failure reserve (kFailureReserve) less margin_when_worn_out().
std::uint64_t room_when_worn_out(const FtlConfig& config, const NandGeometry& geometry, bool die_fails);

}  // namespace flashloom
