#include "controllers/ftl/zones/zone_layout.hpp"

#include <algorithm>
#include <cmath>

#include "models/common/config_problem.hpp"
#include "policies/registry.hpp"
#include "policies/zone_dies/zone_dies.hpp"

namespace flashloom {
namespace {

std::uint64_t bytes(const FtlConfig& config, const char* name) {
  return static_cast<std::uint64_t>(config.kind.parameters.get<std::int64_t>(name));
}
std::uint32_t count(const FtlConfig& config, const char* name) {
  return static_cast<std::uint32_t>(bytes(config, name));
}

// Empty if the number of dies is invalid, which check() reports.
std::vector<std::uint32_t> dies_of_sets(const FtlConfig& config, const NandGeometry& geometry, std::uint32_t of_set) {
  if (geometry.dies % of_set != 0) return {};
  const ZoneDiesContext context{.channels = geometry.channels, .dies = geometry.dies, .dies_of_set = of_set};
  const auto policy = Family<ZoneDiesPolicy>::make(config.zone_dies, context);
  std::vector<std::uint32_t> dies;
  for (std::uint32_t set = 0; set < context.sets(); ++set)
    for (std::uint32_t member = 0; member < of_set; ++member) dies.push_back(policy->die(set, member));
  return dies;
}

// Erase units of a bank in use beside those of zones: one being copied after a power cut; and those reserved for block
// failures.
constexpr std::uint32_t kInHand = 1;
constexpr std::uint32_t kSpares = 2;
// Erase units of the device that record zone states: one being written, one being copied to.
constexpr std::uint32_t kNotes = 2;

}  // namespace

ZoneLayout::ZoneLayout(const FtlConfig& config, const NandGeometry& geometry, bool wears)
    : max_open(count(config, "max_open")),
      max_active(count(config, "max_active")),
      max_random_areas(count(config, "max_random_write_areas")),
      erases_later(config.kind.parameters.get<std::string>("reset") == "later"),
      pads_at_once(config.kind.parameters.get<std::string>("finish") == "pad"),
      pads_behind(config.kind.parameters.get<std::string>("finish") == "pad_behind"),
      units_per_program(geometry.units_per_program()),
      programs_per_block(geometry.pages / geometry.program_pages),
      dies_(count(config, "dies")),
      planes_(geometry.planes_apart()),
      zone_bytes_(bytes(config, "zone_size")),
      capacity_bytes_(bytes(config, "zone_capacity")),
      random_bytes_(bytes(config, "random_write_area")),
      granule_bytes_(bytes(config, "random_write_granularity")) {
  if (dies_ == 0) dies_ = geometry.dies;
  members = dies_ * planes_;
  sets = std::max(geometry.dies / dies_, 1U);
  die_of_set_ = dies_of_sets(config, geometry, dies_);
  const std::uint32_t layer_units = members * geometry.units_per_block();
  const std::uint64_t layer = std::uint64_t{layer_units} * geometry.unit_bytes;
  if (capacity_bytes_ == 0) capacity_bytes_ = std::max(zone_bytes_ / layer, std::uint64_t{1}) * layer;
  if (zone_bytes_ == 0) zone_bytes_ = capacity_bytes_;
  zone_units = static_cast<std::uint32_t>(zone_bytes_ / geometry.unit_bytes);
  capacity_units = static_cast<std::uint32_t>(capacity_bytes_ / geometry.unit_bytes);
  layers = std::max(capacity_units / layer_units, 1U);
  random_units = static_cast<std::uint32_t>(random_bytes_ / geometry.unit_bytes);
  random_granule = std::max(static_cast<std::uint32_t>(granule_bytes_ / geometry.unit_bytes), units_per_program);
  // A spilled program unit has at least one unit of padding. A zone's spilled units are at most those of a program unit
  // and two random write areas. One block is being written, one is being emptied.
  if (random_units != 0 && max_random_areas == 0) max_random_areas = max_active;
  const std::uint32_t payload = spill_payload();
  const std::uint64_t of_areas =
      std::uint64_t{max_random_areas} * ((2 * std::uint64_t{random_units} + payload - 1) / payload);
  const std::uint64_t programs =
      (std::uint64_t{max_active} * ((units_per_program + payload - 1) / payload) + of_areas) * 2;
  const std::uint32_t rows = std::max(programs_per_block - (spill_has_header() ? 1 : 0), 1U);
  spill_blocks =
      units_per_program == 1 && random_units == 0 ? 0 : static_cast<std::uint32_t>((programs + rows - 1) / rows) + 2;
  const std::uint32_t banks = geometry.dies * planes_;
  const auto share = [banks](std::uint32_t blocks) { return (blocks + banks - 1) / banks; };
  reserve = kInHand + share(spill_blocks + (wears ? kNotes : 0));
  reserve_at_first_ = std::max(reserve, kInHand + share(spill_blocks) + (wears ? kSpares : 0));
  const std::uint32_t of_bank = geometry.blocks / planes_;
  most_zones_ = of_bank <= reserve_at_first_ ? 0 : (of_bank - reserve_at_first_) / layers * sets;
  zones = config.logical_size != 0
              ? static_cast<std::uint32_t>(config.logical_size / zone_bytes_)
              : static_cast<std::uint32_t>(std::floor(static_cast<double>(geometry.total_units()) /
                                                      (1.0 + config.over_provisioning) / capacity_units));
}

// Zones written at the same pace would all use the same bank at a time, so each starts at another one. The starts of
// any run of consecutive zones are spread evenly (van der Corput sequence: the bits of the number, reversed, as a
// fraction).
std::uint32_t ZoneLayout::first_member(std::uint32_t zone_of_set) const {
  std::uint32_t fraction = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) fraction |= ((zone_of_set >> bit) & 1) << (31 - bit);
  return static_cast<std::uint32_t>((std::uint64_t{fraction} * members) >> 32);
}

// Commits are whole program units, so that everything below the write pointer is at its place.
void ZoneLayout::check_random_areas(std::uint32_t unit_bytes) const {
  const MessageBytes program{std::uint64_t{units_per_program} * unit_bytes};
  if (random_bytes_ == 0) {
    require(granule_bytes_ == 0, "ftl.kind.random_write_granularity", MessageBytes{granule_bytes_},
            " of what is committed of random write areas, of which there are none; valid: 0 B, or "
            "ftl.kind.random_write_area");
    require(max_random_areas == 0, "ftl.kind.max_random_write_areas", max_random_areas,
            " zones with random write areas, of which there are none; valid: 0, or ftl.kind.random_write_area");
    return;
  }
  require(granule_bytes_ % program.value == 0, "ftl.kind.random_write_granularity", MessageBytes{granule_bytes_},
          " is no multiple of what is programmed together, ", program, " (", units_per_program, " x ",
          MessageBytes{unit_bytes}, "); valid: a multiple, or 0 B for one");
  const MessageBytes granule{std::uint64_t{random_granule} * unit_bytes};
  require(random_bytes_ % granule.value == 0, "ftl.kind.random_write_area", MessageBytes{random_bytes_},
          " is no multiple of ftl.kind.random_write_granularity, ", granule, "; valid: a multiple, or 0 B for none");
  require(random_bytes_ <= capacity_bytes_, "ftl.kind.random_write_area", MessageBytes{random_bytes_},
          " is more than a zone holds, ", MessageBytes{capacity_bytes_});
  require(max_random_areas <= max_active, "ftl.kind.max_random_write_areas", max_random_areas,
          " zones with random write areas are more than ftl.kind.max_active, ", max_active);
  require(
      !spill_has_header() || programs_per_block > 1, "nand.pages",
      "an erase unit of one program unit of one mapping unit has no room to say what it keeps of random write areas");
}

void ZoneLayout::check(const FtlConfig& config, const NandGeometry& geometry) const {
  const MessageBytes layer{std::uint64_t{members} * geometry.units_per_block() * geometry.unit_bytes};
  require(geometry.dies % dies_ == 0, "ftl.kind.dies", dies_, " dies of a zone do not divide the ", geometry.dies,
          " of the device; valid: a divisor, or 0 for all");
  require(capacity_units != 0 && capacity_bytes_ % layer.value == 0, "ftl.kind.zone_capacity",
          MessageBytes{capacity_bytes_}, " is no multiple of what one erase unit on each of its ", dies_,
          " dies holds, ", layer, " (", members, " x ",
          MessageBytes{std::uint64_t{geometry.units_per_block()} * geometry.unit_bytes}, "); valid: a multiple");
  require(zone_bytes_ % geometry.unit_bytes == 0, "ftl.kind.zone_size", MessageBytes{zone_bytes_},
          " is no multiple of ftl.mapping_unit, ", MessageBytes{geometry.unit_bytes});
  require(capacity_bytes_ <= zone_bytes_, "ftl.kind.zone_capacity", MessageBytes{capacity_bytes_},
          " is more than ftl.kind.zone_size, ", MessageBytes{zone_bytes_});
  require(max_open <= max_active, "ftl.kind.max_open", max_open, " open zones are more than ftl.kind.max_active, ",
          max_active);
  check_random_areas(geometry.unit_bytes);
  require(config.logical_size % zone_bytes_ == 0, "ftl.logical_size", MessageBytes{config.logical_size},
          " is no multiple of ftl.kind.zone_size, ", MessageBytes{zone_bytes_});
  const char* const key = config.logical_size != 0 ? "ftl.logical_size" : "ftl.over_provisioning";
  require(zones != 0, key, "leaves no room for a zone of ", MessageBytes{capacity_bytes_});
  require(zones <= most_zones_, key, zones, " zones of ", layers, " erase units of each die or plane",
          sets == 1 ? "" : ", in sets of dies,", " do not fit: each of ", geometry.blocks / planes_, " must leave ",
          reserve_at_first_, " (", spill_blocks,
          " of the device for program units that a flush finds unfilled); valid: at most ", most_zones_, " zones");
  const std::uint32_t of_set = (zones + sets - 1) / sets;
  require(std::uint64_t{of_set} * layers + reserve_at_first_ <= geometry.blocks / planes_, key, zones, " zones are ",
          of_set, " of a set of dies, which do not fit; valid: at most ", most_zones_, " zones");
}

}  // namespace flashloom
