// What firmware is made from.
#pragma once

#include <cstdint>

#include "controllers/buffer/buffer_config.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "models/block/namespaces.hpp"

namespace flashloom {

/// Of a device's configuration what its firmware is made from; what it refers to outlives the firmware.
struct FirmwareConfig {
  const FtlConfig& ftl;
  const BufferConfig& buffer;
  const NamespaceSizes& namespaces;
  std::uint32_t sector_bytes;
  bool verify;
  std::uint64_t seed;
};

}  // namespace flashloom
