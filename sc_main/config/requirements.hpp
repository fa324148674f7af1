// How the checks of a device file refuse it: with the place of a key, the key, and what would be valid.
#pragma once

#include <cstdint>
#include <string>

#include "sc_main/config/document.hpp"
#include "sc_main/config/quantity.hpp"
#include "sc_main/config/reader.hpp"

namespace flashloom {

/// `require(valid, path, message)`: throws ConfigError unless `valid`. The origins must outlive it.
class Requirements {
 public:
  explicit Requirements(const ConfigOrigins& origins) : origins_(origins) {}
  void operator()(bool valid, const std::string& path, const std::string& message) const {
    if (!valid) throw ConfigError(origins_.where(path), path, message);
  }

 private:
  const ConfigOrigins& origins_;
};

/// For messages.
inline std::string bytes(std::uint64_t value) { return format_exact(Quantity::Bytes, value); }

}  // namespace flashloom
