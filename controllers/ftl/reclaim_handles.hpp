// Reclaim unit handles of flexible data placement (NVMe TP4146) as streams of host data: handle h of reclaim group g is
// stream g * handles + h. So it has open blocks of its own, its reclaim unit, and GC keeps what it holds apart. A
// placement identifier is the group in its upper bits, as many as groups need, and the handle in the others; placement
// handles of namespaces are the handles themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controllers/ftl/fdp_config.hpp"
#include "models/block/placement_id.hpp"
#include "policies/placement/placement.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

struct FtlConfig;
class NandGeometry;

/// Mapping units that a superblock of a reclaim group, and a reclaim unit of it, has room for when none of its blocks is
/// bad.
std::uint64_t reclaim_superblock_units(const FtlConfig& config, const NandGeometry& geometry);
std::uint64_t reclaim_unit_units(const FtlConfig& config, const NandGeometry& geometry);

/// Bits of a placement identifier that say the reclaim group (RGIF).
std::uint32_t reclaim_group_bits(const FdpConfig& config);

/// The stream of a placement identifier; nothing: it names no handle of a group.
std::optional<std::uint32_t> reclaim_stream(const FdpConfig& config, std::uint16_t identifier);

/// The stream of a write that names no handle: the drive chooses the group, by the address.
std::uint32_t default_reclaim_stream(const FdpConfig& config, std::uint32_t unit);

/// The placement identifier of a stream.
std::uint16_t placement_identifier(const FdpConfig& config, std::uint32_t stream);

/// Its reclaim group, and its handle in it.
std::uint32_t reclaim_group(const FdpConfig& config, std::uint32_t stream);
std::uint32_t reclaim_handle(const FdpConfig& config, std::uint32_t stream);

/// Those of all handles of all groups, by stream; none without flexible data placement.
std::vector<std::uint16_t> placement_identifiers(const FdpConfig& config);

/// The stream into whose reclaim units GC copies data of a stream of host data: that itself of a persistently isolated
/// handle; the same for all that are initially isolated of a group.
std::uint32_t copies_stream(const FdpConfig& config, std::uint32_t stream);

/// Streams that copies_stream() tells apart.
std::uint32_t copies_streams(const FdpConfig& config);

/// Which writes share blocks: by [fdp], or ftl.streams.
std::unique_ptr<StreamPolicy> make_streams(const FtlConfig& config, const StreamContext& context);

/// Data of a handle go to the dies of its group, in the order in which `name` stripes over them; what they have no room
/// for, to others; other streams to all. One group: a placement as without reclaim groups.
std::unique_ptr<PlacementPolicy> make_placement(const FtlConfig& config, const PlacementContext& context);

}  // namespace flashloom
