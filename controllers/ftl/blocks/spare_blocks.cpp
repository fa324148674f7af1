#include "controllers/ftl/blocks/spare_blocks.hpp"

#include <algorithm>

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "models/nand/nand_geometry.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kOfMoves = 2;  // the block being filled, and the next
// Program units padded in an open block before an erase: the partly filled one, and another for its second pass.
constexpr std::uint32_t kPaddedForAnErase = 2;

// Open blocks of translation pages, which have a stream of their own.
std::uint32_t open_for_map(const FtlConfig& config, const NandGeometry& geometry) {
  const FtlShape* const shape = FtlRules::find(config.kind.name);
  if (shape == nullptr || shape->map_units == nullptr) return 0;
  return geometry.planes_apart() + (collects_superblocks(config) ? geometry.planes_apart() : 1);
}

// Host-data streams whose copies have separate blocks.
std::uint32_t copied_apart(const FtlConfig& config) {
  return config.fdp.on() ? copies_streams(config.fdp) : host_streams(config);
}

bool moves_data(const FtlConfig& config, const NandGeometry& geometry) {
  return Family<WearLevelingPolicy>::make(config.wear_leveling, {.blocks = 1})->moves() || config.scrubs() ||
         geometry.any_slc();
}

}  // namespace

bool copies_stay_in_plane(const NandGeometry& geometry) { return geometry.copyback && geometry.planes_apart() > 1; }

bool collects_superblocks(const FtlConfig& config) { return config.gc_unit == "superblock"; }

std::uint32_t superblock_dies(const FtlConfig& config, const NandGeometry& geometry) {
  return config.superblock_dies == 0 ? geometry.dies : config.superblock_dies;
}

std::uint32_t host_streams(const FtlConfig& config) {
  const auto streams = make_streams(config, {});
  const bool sets_apart = streams->gc_apart() && Family<PlacementPolicy>::make(config.placement, {})->sets_apart();
  return streams->count() + (sets_apart ? 1 : 0);
}

std::uint32_t open_blocks(const FtlConfig& config, const NandGeometry& geometry) {
  const std::uint32_t streams = host_streams(config);
  const bool gc_apart = make_streams(config, {})->gc_apart();
  const bool moves = moves_data(config, geometry);
  const std::uint32_t of_copies = !gc_apart ? 0 : copies_stay_in_plane(geometry) ? geometry.planes_apart() : 1;
  const std::uint32_t of_map = open_for_map(config, geometry);
  if (collects_superblocks(config))
    return of_map +
           geometry.planes_apart() * (streams + (gc_apart ? copied_apart(config) : 0) + (moves ? kOfMoves : 0));
  // SLC blocks are open beside normal ones; free pages of either are no use to the other.
  const std::uint32_t of_hosts = streams * geometry.planes_apart() * (geometry.slc_dynamic != 0 ? 2 : 1);
  return of_map + of_hosts + copied_apart(config) * of_copies + (moves ? kOfMoves : 0);
}

bool one_open_block(const FtlConfig& config, const NandGeometry& geometry) {
  return config.blocks_host() && geometry.planes_apart() == 1 && open_for_map(config, geometry) == 0 &&
         host_streams(config) == 1 && !make_streams(config, {})->gc_apart();
}

std::uint32_t blocks_for_second_passes(const FtlConfig& config, const NandGeometry& geometry) {
  if (!geometry.two_passes) return 0;
  const std::uint32_t units = geometry.pages / geometry.program_pages;
  const std::uint32_t places = copies_stay_in_plane(geometry) ? geometry.planes_apart() : 1;
  const std::uint32_t of_map = open_for_map(config, geometry) != 0 ? 1 : 0;
  const std::uint32_t copies = (copied_apart(config) + of_map) * places + (moves_data(config, geometry) ? kOfMoves : 0);
  return (kPaddedForAnErase * copies + units - 1) / units;
}

// Let N superblocks have S units each, with D units in a stripe. One is open, and collection keeps some free. Of the
// others, at least one holds S - D units or fewer if together they hold fewer than S - D + 1 each.
std::uint32_t blocks_for_open_stripes(const FtlConfig& config, const NandGeometry& geometry, bool wears) {
  if (config.rain == 0 || make_streams(config, {})->gc_apart()) return 0;
  const std::uint32_t planes = geometry.planes_apart();
  const std::uint64_t blocks = geometry.blocks / planes;
  const std::uint64_t stripe =
      std::uint64_t{superblock_dies(config, geometry) - config.rain} * planes * geometry.whole_units_per_program();
  const std::uint64_t held = stripe * (geometry.pages / geometry.program_pages);
  const std::uint64_t others = blocks - std::min<std::uint64_t>(blocks, 1 + kGcReserve + (wears ? kFailureReserve : 0));
  const std::uint64_t live = others * (held - stripe + 1);
  return planes * static_cast<std::uint32_t>(blocks - (live == 0 ? 0 : live - 1) / held);
}

std::uint32_t reserved_blocks(const FtlConfig& config, const NandGeometry& geometry, bool wears) {
  const std::uint32_t failing = wears ? kFailureReserve : 0;
  const std::uint32_t of_a_unit = collects_superblocks(config) ? geometry.planes_apart() : 1;
  const std::uint32_t free =
      one_open_block(config, geometry)
          ? std::max(config.gc_low, kGcReserve) + failing
          : of_a_unit * (config.gc_high + failing + 1 + blocks_for_second_passes(config, geometry));
  return std::max(free + open_blocks(config, geometry), blocks_for_open_stripes(config, geometry, wears)) +
         geometry.slc_blocks;
}

std::uint64_t margin_when_worn_out(const FtlConfig& config, const NandGeometry& geometry) {
  const std::uint32_t of_log =
      collects_superblocks(config) ? (superblock_dies(config, geometry) - config.rain) * geometry.planes_apart() : 1;
  return std::uint64_t{1 + of_log} * geometry.whole_units_per_block();
}

std::uint64_t room_when_worn_out(const FtlConfig& config, const NandGeometry& geometry, bool die_fails) {
  std::uint64_t blocks = geometry.dies - (die_fails ? 1 : 0);
  if (collects_superblocks(config)) {
    const std::uint64_t dies = superblock_dies(config, geometry) - config.rain;
    blocks = geometry.dies / superblock_dies(config, geometry) * geometry.planes_apart() *
             (dies > die_fails ? dies - die_fails : 0);
  }
  const std::uint64_t room = blocks * kFailureReserve * geometry.whole_units_per_block();
  return room - std::min(room, margin_when_worn_out(config, geometry));
}

}  // namespace flashloom
