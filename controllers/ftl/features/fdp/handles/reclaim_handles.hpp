// Reclaim unit handles of flexible data placement (NVMe TP4146) as streams of host data: handle h of reclaim group g is
// stream g * handles + h. Thus it has its own open blocks, its reclaim unit, and GC keeps its data apart. A placement
// identifier holds the group in its upper bits, as many as the groups need, and the handle in the others; placement
// handles of namespaces are the handles themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controllers/ftl/ftl_config.hpp"
#include "models/block/placement_id.hpp"
#include "policies/placement/placement.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

class NandGeometry;

/// Mapping units that fit into a superblock of a reclaim group, and into a reclaim unit, without bad blocks.
std::uint64_t reclaim_superblock_units(const FtlConfig& config, const NandGeometry& geometry);
std::uint64_t reclaim_unit_units(const FtlConfig& config, const NandGeometry& geometry);

/// Bits of a placement identifier that hold the reclaim group (RGIF).
std::uint32_t reclaim_group_bits(const FdpConfig& config);

/// The stream of a placement identifier; none if it names no handle of a group.
std::optional<std::uint32_t> reclaim_stream(const FdpConfig& config, std::uint16_t identifier);

/// The stream of a write that names no handle: the drive chooses the group by the address.
std::uint32_t default_reclaim_stream(const FdpConfig& config, std::uint32_t unit);

/// The placement identifier of a stream.
std::uint16_t placement_identifier(const FdpConfig& config, std::uint32_t stream);

/// Reclaim group of a stream, and handle in that group.
std::uint32_t reclaim_group(const FdpConfig& config, std::uint32_t stream);
std::uint32_t reclaim_handle(const FdpConfig& config, std::uint32_t stream);

/// Placement identifiers of all handles of all groups, by stream; empty without flexible data placement.
std::vector<std::uint16_t> placement_identifiers(const FdpConfig& config);

/// The stream whose reclaim units take GC copies of a host-data stream: the stream itself for persistently isolated
/// handles; a common one for all initially isolated handles of a group.
std::uint32_t copies_stream(const FdpConfig& config, std::uint32_t stream);

/// Number of different values of copies_stream().
std::uint32_t copies_streams(const FdpConfig& config);

/// The stream policy, which decides which writes share blocks: by [fdp], or ftl.streams.
std::unique_ptr<StreamPolicy> make_streams(const FtlConfig& config, const StreamContext& context);

/// The placement policy. Data of a handle go to the dies of its group, in the striping order of ftl.placement, or to
/// other dies if the group is full; other streams use all dies. With one group: the plain policy.
std::unique_ptr<PlacementPolicy> make_placement(const FtlConfig& config, const PlacementContext& context);

}  // namespace flashloom
