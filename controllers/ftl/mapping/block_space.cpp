#include "controllers/ftl/mapping/block_space.hpp"

#include <algorithm>
#include <string>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/mapping/block_image.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "models/common/config_problem.hpp"

namespace flashloom {

BlockSpace::BlockSpace(const NandGeometry& geometry, std::uint64_t logical_units, bool wears, bool checkpoints)
    : geometry_(geometry),
      logical_units_(logical_units),
      logical_blocks_((logical_units + geometry.units_per_block() - 1) / geometry.units_per_block()),
      reserve_(kReserve + (wears ? kFailureReserve : 0)),
      checkpoints_(checkpoints) {}

std::uint32_t BlockSpace::logical_blocks(std::uint32_t die) const {
  return static_cast<std::uint32_t>((logical_blocks_ + geometry_.dies - 1 - die) / geometry_.dies);
}

std::uint32_t BlockSpace::room(std::uint32_t die) const {
  const std::uint32_t taken = logical_blocks(die) + reserve_;
  return taken >= geometry_.blocks ? 0 : geometry_.blocks - taken;
}

std::uint32_t BlockSpace::log_blocks() const {
  const std::uint64_t most =
      checkpoints_ ? MapKeeper::most_blocks_of_image(geometry_, BlockImage::most_words(geometry_, logical_blocks_))
                   : MapKeeper::most_blocks(geometry_, logical_units_);
  return static_cast<std::uint32_t>((most + geometry_.dies - 1) / geometry_.dies);
}

std::uint32_t BlockSpace::may_lose(std::uint32_t die, std::uint32_t least) const {
  const std::uint32_t needed = least + log_blocks();
  return room(die) < needed ? 0 : room(die) - needed;
}

std::uint32_t BlockSpace::share(std::uint64_t total, std::uint32_t die) const {
  if (total == 0) return room(die);
  return static_cast<std::uint32_t>(total / geometry_.dies + (die < total % geometry_.dies ? 1 : 0));
}

std::uint64_t BlockSpace::map_bytes(std::uint64_t total) const {
  constexpr std::uint64_t kEntry = 4;
  std::uint64_t extra = total;
  for (std::uint32_t die = 0; total == 0 && die < geometry_.dies; ++die) extra += room(die);
  return logical_blocks_ * kEntry + logical_blocks_ * geometry_.units_per_block() / 8 +
         extra * geometry_.units_per_block() * kEntry;
}

void BlockSpace::check(const FtlConfig& config, std::uint64_t total, std::uint32_t least, const char* key,
                       const char* what) const {
  // Die 0 has the most logical blocks and the largest share, the last one the smallest.
  const std::uint32_t room_left = room(0);
  const std::uint32_t log = log_blocks();
  require(room_left >= least + log, config.logical_size != 0 ? "ftl.logical_size" : "ftl.over_provisioning",
          "leaves no room for block mapping: each die of ", geometry_.blocks, " erase units has up to ",
          logical_blocks(0), " logical blocks, and needs ", least, " ", what, ", ", reserve_, " for merges and ", log,
          checkpoints_ ? " for checkpoints and trims" : " for records of trims", "; valid: at most ",
          geometry_.blocks - std::min(geometry_.blocks, least + reserve_ + log), " logical blocks a die");
  const std::string parameter = std::string("ftl.kind.") + key;
  require(total == 0 || share(total, geometry_.dies - 1) >= least, parameter, total, " ", what, " are fewer than ",
          least, " for each of ", geometry_.dies, " dies; valid: at least ", std::uint64_t{least} * geometry_.dies,
          ", or 0 for all that there is room for");
  require(share(total, 0) <= room_left, parameter, total, " ", what, ": each die has room for ", room_left,
          " beside its data blocks and ", reserve_, " for merges; valid: at most ",
          std::uint64_t{room_left} * geometry_.dies);
}

ParameterSpec log_blocks_parameter(const std::string& also) {
  return {.name = "log_blocks",
          .default_value = std::int64_t{0},
          .minimum = 0,
          .maximum = 4'000'000,
          .choices = {},
          .help = "log blocks of the device, shared out over the dies; 0: all that over-provisioning leaves" + also};
}

ParameterSpec open_programs_parameter() {
  return {.name = "open_programs",
          .default_value = std::int64_t{4},
          .minimum = 1,
          .maximum = 4096,
          .choices = {},
          .help = "program units being filled at once; one more pads the one touched longest ago"};
}

}  // namespace flashloom
