#include "controllers/ftl/recovery/no_versions.hpp"

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

// Parity stores numbers in the version bits, and the size of a unit lies above its number.
void keep_no_versions(NandMedia& media, const FtlConfig& config) {
  const NandGeometry& geometry = media.geometry();
  if (RecoveryMethods::needs_versions(config.kind.name) || config.rain != 0 || geometry.sizes_vary()) return;
  const std::uint64_t host = logical_units(config, geometry);
  media.keep_low_bits(OobLayout(host + ftl_map_units(config, geometry, host)).low_bits());
}

}  // namespace flashloom
