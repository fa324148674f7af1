// What firmware is made from.
#pragma once

#include <cstdint>

#include "controllers/buffer/buffer_config.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "models/block/namespaces.hpp"

namespace flashloom {

/// The parts of a device's configuration that its firmware needs. They outlive the firmware.
struct FirmwareConfig {
  const FtlConfig& ftl;
  const BufferConfig& buffer;
  const NamespaceSizes& namespaces;
  bool buffer_held_up;  ///< capacitors bring the data buffer to flash when the supply fails
  std::uint32_t sector_bytes;
  bool verify;
  std::uint64_t seed;
};

}  // namespace flashloom
