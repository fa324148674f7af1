// What an FTL asks of a device's shape, checked before anything is built. An FTL whose file registers no rules is held
// to those of page mapping (sc_main/config/validate.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "controllers/ssd/device_config.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

/// A setting that the FTL cannot work with.
struct FtlProblem {
  std::string key;  ///< of the device file; empty: the one that says how much the host gets
  std::string message;
};

/// `config.kind` has all its parameters.
using FtlCheck = std::optional<FtlProblem> (*)(const FtlConfig& config, const NandGeometry& geometry,
                                               std::uint64_t logical_units);

/// A namespace-scope object of this type, beside the FTL's Registration, registers its rules.
class FtlRules {
 public:
  FtlRules(const char* ftl, FtlCheck check);
  /// Null: none are registered.
  static FtlCheck find(const std::string& ftl);
};

}  // namespace flashloom
