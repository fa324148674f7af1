// What an FTL asks of a device's shape, checked before anything is built. An FTL whose file registers no rules is held
// to those of page mapping (sc_main/config/validate.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

/// What is asked of a kind of FTL; `config.kind` has all its parameters. Null: as of page mapping.
struct FtlShape {
  /// Throws ConfigProblem for a setting that the FTL cannot work with. `wears`: blocks wear out.
  void (*check)(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units,
                bool wears) = nullptr;
  /// Of its map, in the memory that holds it.
  std::uint64_t (*map_bytes)(const FtlConfig& config, const NandGeometry& geometry,
                             std::uint64_t logical_units) = nullptr;
  /// Words of 8 bytes that it keeps in NVRAM whatever `map_location` says. Null: none.
  std::uint64_t (*nvram_words)(const FtlConfig& config, const NandGeometry& geometry) = nullptr;
  /// Mapping units of translation pages; an FTL that has them maps pages.
  std::uint64_t (*map_units)(const NandGeometry& geometry, std::uint64_t logical_units) = nullptr;
  /// Mapping units that the device offers. Null: as logical_units() says.
  std::uint64_t (*logical_units)(const FtlConfig& config, const NandGeometry& geometry) = nullptr;
  /// The host writes zones.
  bool zoned = false;
  /// It pages its map in, and can use a host memory buffer.
  bool pages_map = false;
};

/// Number of mapping units that the device offers: (raw - logical) / logical = over-provisioning, or logical_size.
std::uint64_t logical_units(const FtlConfig& config, const NandGeometry& geometry);

/// The FTL that the configuration names maps pages, and no blocks.
bool maps_pages(const FtlConfig& config);
/// It has zones.
bool is_zoned(const FtlConfig& config);

/// Of L2P, a mapping unit: its place, and of compressed data where in the page it begins and how long it is.
inline std::uint32_t map_entry_bytes(const NandGeometry& geometry) { return geometry.compresses() ? 8 : 4; }

/// Of the FTL that the configuration names: of its map; that of all mapping units if it says nothing.
std::uint64_t ftl_map_bytes(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units);
/// The same; 0: it has none.
std::uint64_t ftl_nvram_words(const FtlConfig& config, const NandGeometry& geometry);
std::uint64_t ftl_map_units(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units);

/// A namespace-scope object of this type, beside the FTL's Registration, registers its rules.
class FtlRules {
 public:
  FtlRules(const char* ftl, const FtlShape& shape);
  /// Null: none are registered.
  static const FtlShape* find(const std::string& ftl);
};

}  // namespace flashloom
