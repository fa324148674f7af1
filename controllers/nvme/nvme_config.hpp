// What a device file says of the controller that a driver sees at register level: [nvme].
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"

namespace flashloom {

/// [nvme]: names, and sizes that no other table has.
struct NvmeConfig {
  std::string model;                       ///< model number, at most 40 characters of ASCII; empty: the device's name
  std::string serial = "FL00000001";       ///< serial number, at most 20 characters of ASCII
  std::uint64_t max_transfer = 512 << 10;  ///< MDTS, bytes: 4 KiB times a power of two
  std::uint32_t namespaces = 16;           ///< NN: most namespaces
  std::uint32_t doorbell_stride = 0;       ///< CAP.DSTRD: doorbells are 4 << this bytes apart
  std::uint32_t temperature = 313;         ///< K, which it reports where nothing models heat

  /// The keys of [nvme].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .rare()
        .key("model", &NvmeConfig::model, "model number that a driver sees; \"\": the device's name")
        .samples({R"("A drive")"})
        .key("serial", &NvmeConfig::serial, "serial number that a driver sees")
        .samples({R"("S1")"})
        .key("max_transfer", &NvmeConfig::max_transfer, Quantity::Bytes, {4096, 16 << 20},
             "MDTS: data of one command of a driver at most, 4 KiB times a power of 2")
        .count("namespaces", &NvmeConfig::namespaces, 1, 1024, "NN: most namespaces that a driver can create")
        .count("doorbell_stride", &NvmeConfig::doorbell_stride, 0, 8,
               "CAP.DSTRD: doorbells are 4 bytes times 2 to this power apart")
        .count("temperature", &NvmeConfig::temperature, 200, 400,
               "kelvins that a driver reads while thermal.model is none");
  }
};

/// Throws ConfigProblem for what no controller can say.
void check_config(const NvmeConfig& nvme);

}  // namespace flashloom
