// How much of the flash can hold live data.
#pragma once

#include <cstdint>

namespace flashloom {

struct FtlConfig;
class NandGeometry;

/// Free erase units of a die that host data leave to garbage collection, which needs somewhere to copy to.
inline constexpr std::uint32_t kGcReserve = 1;

/// More of them where blocks wear out: a victim that does not survive its erase gives nothing back for what its copies
/// took. When a die has fewer left after such a failure, nothing is collected any more, and what was accepted goes into
/// these blocks.
inline constexpr std::uint32_t kFailureReserve = 2;

/// Each plane that is programmed apart has an open block for copies: they stay in their plane, or copyback could not
/// carry them out.
bool copies_stay_in_plane(const NandGeometry& geometry);

/// Superblocks are collected, and not single erase units.
bool collects_superblocks(const FtlConfig& config);

/// Dies of a superblock.
std::uint32_t superblock_dies(const FtlConfig& config, const NandGeometry& geometry);

/// Streams of host data: those of ftl.streams, and one of sets of correlated data where the placement keeps them apart,
/// unless all share their blocks, copies too.
std::uint32_t host_streams(const FtlConfig& config);

/// Blocks that data of the host (in pseudo-SLC mode those that are borrowed), copies, and translation pages have open on
/// a die.
std::uint32_t open_blocks(const FtlConfig& config, const NandGeometry& geometry);

/// Each die has one open block for host data and copies, and collects while the host waits (ftl.gc_mode = "blocking"):
/// what a victim gives is room in that block, and one free block is enough.
bool one_open_block(const FtlConfig& config, const NandGeometry& geometry);

/// With programs in two passes: erase units (superblocks) of a die that hold padding. Before one is opened, whatever
/// its erase waits for gets its second pass: in each open block of copies that takes two program units at most, which
/// victims must give back before a block is gained.
std::uint32_t blocks_for_second_passes(const FtlConfig& config, const NandGeometry& geometry);

/// With parity over dies, where copies share the superblocks of host data: erase units of a die that must not hold live
/// data so that some victim always gives a stripe. Before the last free superblock is erased the open stripe is padded,
/// which makes the copies out of it safe, and takes all that a victim gives where that is less. `wears`: blocks wear out.
std::uint32_t blocks_for_open_stripes(const FtlConfig& config, const NandGeometry& geometry, bool wears);

/// Erase units of a die that must not hold live data: those that garbage collection keeps free, the open ones of each
/// stream (on each plane that is programmed apart) and of its copies, those of wear levelling, scrubbing and folding,
/// one block's worth of invalid units, without which no victim yields anything, what second passes take, and those in
/// pseudo-SLC mode. Of superblocks the same, each one erase unit of the die on each plane that is programmed apart, and
/// as many as open stripes take if that is more. `wears`: blocks wear out.
std::uint32_t reserved_blocks(const FtlConfig& config, const NandGeometry& geometry, bool wears);

/// Of what is free when a device is worn down: units that one more block that fails, and the metadata log, may take.
std::uint64_t margin_when_worn_out(const FtlConfig& config, const NandGeometry& geometry);

/// Units for which a worn-out device has room in any case, at least, where blocks, or a die (`die_fails`), may fail:
/// what is kept for that (kFailureReserve), but for a block that fails once more and what the metadata log may take.
std::uint64_t room_when_worn_out(const FtlConfig& config, const NandGeometry& geometry, bool die_fails);

}  // namespace flashloom
