// Requirements of [compression] on the device.
#include <fmt/format.h>

#include "controllers/ftl/ftl_rules.hpp"
#include "models/nand/nand_geometry.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/requirements.hpp"
#include "sc_main/assembly/config/validate.hpp"

namespace flashloom {

void check_compression(const DeviceConfig& config) {
  const CompressionConfig& compression = config.compression;
  if (!compression.on()) return;
  const FtlConfig& ftl = config.ftl;
  check_config(compression, ftl.mapping_unit);
  require(
      maps_pages(ftl), "compression.granule",
      fmt::format("packs units of any size, and ftl.kind \"{}\" places a unit by its number in a block; valid: 0 B, "
                  "or an FTL that maps pages",
                  ftl.kind.name));
  require(!config.nand.copyback, "nand.copyback",
          "copies whole pages inside a die, and compressed units are packed anew; valid with compression.granule: "
          "false");
  const NandGeometry geometry = geometry_of(config);
  const std::uint64_t places = std::uint64_t{geometry.dies} * geometry.blocks * geometry.units_per_block();
  constexpr std::uint64_t kMost = 0xfffffffe;
  require(places <= kMost, "compression.density",
          fmt::format("{} makes {} places for mapping units, and the FTL numbers them with 32 bits; valid: at most {}",
                      compression.density, places, kMost / (places / compression.density)));
}

}  // namespace flashloom
