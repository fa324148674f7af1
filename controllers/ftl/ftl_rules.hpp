// Requirements of an FTL on the shape of a device, checked before anything is built. An FTL without registered rules is
// held to those of page mapping (sc_main/assembly/config/validate.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

/// Requirements of a kind of FTL; `config.kind` has all its parameters. Null functions: as for page mapping.
struct FtlShape {
  /// Throws ConfigProblem for a setting that the FTL cannot work with. `wears`: blocks wear out.
  void (*check)(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units,
                bool wears) = nullptr;
  /// Bytes of its map, in the memory that holds it.
  std::uint64_t (*map_bytes)(const FtlConfig& config, const NandGeometry& geometry,
                             std::uint64_t logical_units) = nullptr;
  /// 8-byte words that it keeps in NVRAM regardless of `map_location`. Null: none.
  std::uint64_t (*nvram_words)(const FtlConfig& config, const NandGeometry& geometry) = nullptr;
  /// Mapping units of translation pages; FTLs that have them are page-mapped.
  std::uint64_t (*map_units)(const NandGeometry& geometry, std::uint64_t logical_units) = nullptr;
  /// Mapping units that the device offers. Null: as logical_units() says.
  std::uint64_t (*logical_units)(const FtlConfig& config, const NandGeometry& geometry) = nullptr;
  /// The host writes zones.
  bool zoned = false;
  /// The map is demand-paged, and can use a host memory buffer.
  bool pages_map = false;
};

/// Mapping units that the device offers: (raw - logical) / logical = over-provisioning, or logical_size.
std::uint64_t logical_units(const FtlConfig& config, const NandGeometry& geometry);

/// Whether the configured FTL is page-mapped, not block-mapped.
bool maps_pages(const FtlConfig& config);
/// Whether the configured FTL has zones.
bool is_zoned(const FtlConfig& config);

/// Bytes of an L2P entry: the place of a mapping unit; where units differ in size also its offset in the page and its length.
inline std::uint32_t map_entry_bytes(const NandGeometry& geometry) { return geometry.sizes_vary() ? 8 : 4; }

/// Map bytes of the configured FTL; if its rules do not tell, of a map of all mapping units.
std::uint64_t ftl_map_bytes(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units);
/// NVRAM words, and map units, of the configured FTL; 0: none.
std::uint64_t ftl_nvram_words(const FtlConfig& config, const NandGeometry& geometry);
std::uint64_t ftl_map_units(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units);

/// Registers the rules of an FTL: to be defined at namespace scope beside the FTL's Registration.
class FtlRules {
 public:
  FtlRules(const char* ftl, const FtlShape& shape);
  /// Null if none are registered.
  static const FtlShape* find(const std::string& ftl);
};

}  // namespace flashloom
