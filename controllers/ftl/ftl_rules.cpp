#include "controllers/ftl/ftl_rules.hpp"

#include <cmath>
#include <map>

namespace flashloom {
namespace {

std::map<std::string, FtlShape>& rules() {
  static std::map<std::string, FtlShape> all;
  return all;
}

}  // namespace

FtlRules::FtlRules(const char* ftl, const FtlShape& shape) { rules().emplace(ftl, shape); }

std::uint64_t logical_units(const FtlConfig& config, const NandGeometry& geometry) {
  if (const FtlShape* const shape = FtlRules::find(config.kind.name);
      shape != nullptr && shape->logical_units != nullptr)
    return shape->logical_units(config, geometry);
  if (config.logical_size != 0) return config.logical_size / geometry.unit_bytes;
  return static_cast<std::uint64_t>(
      std::floor(static_cast<double>(geometry.total_units()) / (1.0 + config.over_provisioning)));
}

bool maps_pages(const FtlConfig& config) {
  const FtlShape* const shape = FtlRules::find(config.kind.name);
  return shape == nullptr || shape->map_units != nullptr;
}

bool is_zoned(const FtlConfig& config) {
  const FtlShape* const shape = FtlRules::find(config.kind.name);
  return shape != nullptr && shape->zoned;
}

std::uint64_t ftl_map_bytes(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units) {
  const FtlShape* const shape = FtlRules::find(config.kind.name);
  return shape == nullptr || shape->map_bytes == nullptr ? logical_units * map_entry_bytes(geometry)
                                                         : shape->map_bytes(config, geometry, logical_units);
}

std::uint64_t ftl_nvram_words(const FtlConfig& config, const NandGeometry& geometry) {
  const FtlShape* const shape = FtlRules::find(config.kind.name);
  return shape == nullptr || shape->nvram_words == nullptr ? 0 : shape->nvram_words(config, geometry);
}

std::uint64_t ftl_map_units(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units) {
  const FtlShape* const shape = FtlRules::find(config.kind.name);
  return shape == nullptr || shape->map_units == nullptr ? 0 : shape->map_units(geometry, logical_units);
}

const FtlShape* FtlRules::find(const std::string& ftl) {
  const auto found = rules().find(ftl);
  return found == rules().end() ? nullptr : &found->second;
}

}  // namespace flashloom
