#include "controllers/ftl/zones/zone_layout.hpp"

#include <algorithm>
#include <cmath>

#include "models/common/config_problem.hpp"
#include "policies/registry.hpp"
#include "policies/zone_dies/zone_dies.hpp"

namespace flashloom {
namespace {

std::int64_t number(const FtlConfig& config, const char* name) {
  return config.kind.parameters.get<std::int64_t>(name);
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
    : logical_size_(config.logical_size),
      dies_of_device_(geometry.dies),
      blocks_of_die_(geometry.blocks),
      units_of_block_(geometry.units_per_block()),
      unit_bytes_(geometry.unit_bytes),
      dies_(static_cast<std::uint32_t>(number(config, "dies"))),
      planes_(geometry.planes_apart()),
      units_per_program_(geometry.units_per_program()),
      programs_per_block_(geometry.pages / geometry.program_pages),
      zone_bytes_(static_cast<std::uint64_t>(number(config, "zone_size"))),
      capacity_bytes_(static_cast<std::uint64_t>(number(config, "zone_capacity"))),
      max_open_(static_cast<std::uint32_t>(number(config, "max_open"))),
      max_active_(static_cast<std::uint32_t>(number(config, "max_active"))),
      random_bytes_(static_cast<std::uint64_t>(number(config, "random_write_area"))),
      granule_bytes_(static_cast<std::uint64_t>(number(config, "random_write_granularity"))),
      random_units_(static_cast<std::uint32_t>(random_bytes_ / geometry.unit_bytes)),
      random_granule_(std::max(static_cast<std::uint32_t>(granule_bytes_ / geometry.unit_bytes), units_per_program_)),
      max_random_areas_(static_cast<std::uint32_t>(number(config, "max_random_write_areas"))),
      later_(config.kind.parameters.get<std::string>("reset") == "later"),
      pads_at_once_(config.kind.parameters.get<std::string>("finish") == "pad"),
      pads_behind_(config.kind.parameters.get<std::string>("finish") == "pad_behind") {
  if (dies_ == 0) dies_ = geometry.dies;
  members_ = dies_ * planes_;
  sets_ = std::max(geometry.dies / dies_, 1U);
  die_of_set_ = dies_of_sets(config, geometry, dies_);
  layer_units_ = members_ * geometry.units_per_block();
  const std::uint64_t layer = std::uint64_t{layer_units_} * geometry.unit_bytes;
  if (capacity_bytes_ == 0) capacity_bytes_ = std::max(zone_bytes_ / layer, std::uint64_t{1}) * layer;
  if (zone_bytes_ == 0) zone_bytes_ = capacity_bytes_;
  zone_units_ = static_cast<std::uint32_t>(zone_bytes_ / geometry.unit_bytes);
  capacity_units_ = static_cast<std::uint32_t>(capacity_bytes_ / geometry.unit_bytes);
  layers_ = std::max(capacity_units_ / layer_units_, 1U);
  // A spilled program unit has at least one unit of padding. A zone's spilled units are at most those of a program unit
  // and two random write areas. One block is being written, one is being emptied.
  if (random_units_ != 0 && max_random_areas_ == 0) max_random_areas_ = max_active_;
  const std::uint32_t payload = spill_payload();
  const std::uint64_t of_areas =
      std::uint64_t{max_random_areas_} * ((2 * std::uint64_t{random_units_} + payload - 1) / payload);
  const std::uint64_t programs =
      (std::uint64_t{max_active_} * ((units_per_program_ + payload - 1) / payload) + of_areas) * 2;
  const std::uint32_t rows = std::max(programs_per_block_ - (spill_has_header() ? 1 : 0), 1U);
  spill_blocks_ =
      units_per_program_ == 1 && random_units_ == 0 ? 0 : static_cast<std::uint32_t>((programs + rows - 1) / rows) + 2;
  const std::uint32_t banks = geometry.dies * planes_;
  const auto share = [banks](std::uint32_t blocks) { return (blocks + banks - 1) / banks; };
  reserve_ = kInHand + share(spill_blocks_ + (wears ? kNotes : 0));
  reserve_at_first_ = std::max(reserve_, kInHand + share(spill_blocks_) + (wears ? kSpares : 0));
  const std::uint32_t of_bank = geometry.blocks / planes_;
  most_zones_ = of_bank <= reserve_at_first_ ? 0 : (of_bank - reserve_at_first_) / layers_ * sets_;
  zones_ = config.logical_size != 0
               ? static_cast<std::uint32_t>(config.logical_size / zone_bytes_)
               : static_cast<std::uint32_t>(std::floor(static_cast<double>(geometry.total_units()) /
                                                       (1.0 + config.over_provisioning) / capacity_units_));
}

// Zones written at the same pace would all use the same bank at a time, so each starts at another one. The starts of
// any run of consecutive zones are spread evenly (van der Corput sequence: the bits of the number, reversed, as a
// fraction).
std::uint32_t ZoneLayout::first_member(std::uint32_t zone_of_set) const {
  std::uint32_t fraction = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) fraction |= ((zone_of_set >> bit) & 1) << (31 - bit);
  return static_cast<std::uint32_t>((std::uint64_t{fraction} * members_) >> 32);
}

// Commits are whole program units, so that everything below the write pointer is at its place.
void ZoneLayout::check_random_areas() const {
  const MessageBytes program{std::uint64_t{units_per_program_} * unit_bytes_};
  if (random_bytes_ == 0) {
    require(granule_bytes_ == 0, "ftl.kind.random_write_granularity", MessageBytes{granule_bytes_},
            " of what is committed of random write areas, of which there are none; valid: 0 B, or "
            "ftl.kind.random_write_area");
    require(max_random_areas_ == 0, "ftl.kind.max_random_write_areas", max_random_areas_,
            " zones with random write areas, of which there are none; valid: 0, or ftl.kind.random_write_area");
    return;
  }
  require(granule_bytes_ % program.value == 0, "ftl.kind.random_write_granularity", MessageBytes{granule_bytes_},
          " is no multiple of what is programmed together, ", program, " (", units_per_program_, " x ",
          MessageBytes{unit_bytes_}, "); valid: a multiple, or 0 B for one");
  const MessageBytes granule{std::uint64_t{random_granule_} * unit_bytes_};
  require(random_bytes_ % granule.value == 0, "ftl.kind.random_write_area", MessageBytes{random_bytes_},
          " is no multiple of ftl.kind.random_write_granularity, ", granule, "; valid: a multiple, or 0 B for none");
  require(random_bytes_ <= capacity_bytes_, "ftl.kind.random_write_area", MessageBytes{random_bytes_},
          " is more than a zone holds, ", MessageBytes{capacity_bytes_});
  require(max_random_areas_ <= max_active_, "ftl.kind.max_random_write_areas", max_random_areas_,
          " zones with random write areas are more than ftl.kind.max_active, ", max_active_);
  require(
      !spill_has_header() || programs_per_block_ > 1, "nand.pages",
      "an erase unit of one program unit of one mapping unit has no room to say what it keeps of random write areas");
}

void ZoneLayout::check() const {
  const MessageBytes layer{std::uint64_t{layer_units_} * unit_bytes_};
  require(dies_of_device_ % dies_ == 0, "ftl.kind.dies", dies_, " dies of a zone do not divide the ", dies_of_device_,
          " of the device; valid: a divisor, or 0 for all");
  require(capacity_units_ != 0 && capacity_bytes_ % layer.value == 0, "ftl.kind.zone_capacity",
          MessageBytes{capacity_bytes_}, " is no multiple of what one erase unit on each of its ", dies_,
          " dies holds, ", layer, " (", members_, " x ", MessageBytes{std::uint64_t{units_of_block_} * unit_bytes_},
          "); valid: a multiple");
  require(zone_bytes_ % unit_bytes_ == 0, "ftl.kind.zone_size", MessageBytes{zone_bytes_},
          " is no multiple of ftl.mapping_unit, ", MessageBytes{unit_bytes_});
  require(capacity_bytes_ <= zone_bytes_, "ftl.kind.zone_capacity", MessageBytes{capacity_bytes_},
          " is more than ftl.kind.zone_size, ", MessageBytes{zone_bytes_});
  require(max_open_ <= max_active_, "ftl.kind.max_open", max_open_, " open zones are more than ftl.kind.max_active, ",
          max_active_);
  check_random_areas();
  require(logical_size_ % zone_bytes_ == 0, "ftl.logical_size", MessageBytes{logical_size_},
          " is no multiple of ftl.kind.zone_size, ", MessageBytes{zone_bytes_});
  const char* const key = logical_size_ != 0 ? "ftl.logical_size" : "ftl.over_provisioning";
  require(zones_ != 0, key, "leaves no room for a zone of ", MessageBytes{capacity_bytes_});
  require(zones_ <= most_zones_, key, zones_, " zones of ", layers_, " erase units of each die or plane",
          sets_ == 1 ? "" : ", in sets of dies,", " do not fit: each of ", blocks_of_die_ / planes_, " must leave ",
          reserve_at_first_, " (", spill_blocks_,
          " of the device for program units that a flush finds unfilled); valid: at most ", most_zones_, " zones");
  const std::uint32_t of_set = (zones_ + sets_ - 1) / sets_;
  require(std::uint64_t{of_set} * layers_ + reserve_at_first_ <= blocks_of_die_ / planes_, key, zones_, " zones are ",
          of_set, " of a set of dies, which do not fit; valid: at most ", most_zones_, " zones");
}

}  // namespace flashloom
