// The device of the tests of DFTL.
#pragma once

#include <cstdint>

#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// Units of 512 B: 2048 of the host's, 128 entries a translation page, 16 pages. Write-through: each write comes to the
/// FTL, and each read.
inline DeviceConfig small_dftl(std::int64_t cmt_entries, bool batch = true) {
  DeviceConfig config;
  config.verify = true;
  config.nand.channels = 2;
  config.nand.ways = 1;
  config.nand.blocks = 64;
  config.nand.pages = 32;
  config.nand.page_size = 512;
  config.ftl.mapping_unit = 512;
  config.ftl.logical_size = 2048 * 512;
  config.ftl.kind = {"dftl", ParameterValues({{"cmt_size", cmt_entries * 8}, {"batch_update", batch}})};
  config.buffer.mode = "write_through";
  config.buffer.size = 0;
  return config;
}

}  // namespace flashloom
