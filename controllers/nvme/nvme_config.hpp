// What a device file says of the controller that a driver sees at register level: [nvme].
#pragma once

#include <cstdint>
#include <string>

namespace flashloom {

/// [nvme]: names, and sizes that no other table has.
struct NvmeConfig {
  std::string model;                       ///< model number, at most 40 characters of ASCII; empty: the device's name
  std::string serial = "FL00000001";       ///< serial number, at most 20 characters of ASCII
  std::uint64_t max_transfer = 512 << 10;  ///< MDTS, bytes: 4 KiB times a power of two
  std::uint32_t namespaces = 16;           ///< NN: most namespaces
  std::uint32_t doorbell_stride = 0;       ///< CAP.DSTRD: doorbells are 4 << this bytes apart
  std::uint32_t temperature = 313;         ///< K, which it reports where nothing models heat
};

/// Throws ConfigProblem for what no controller can say.
void check_config(const NvmeConfig& nvme);

}  // namespace flashloom
