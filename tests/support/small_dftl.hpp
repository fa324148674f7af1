// The device of the DFTL tests.
#pragma once

#include <cstdint>

#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Units of 512 B: the host sees 2048; a translation page has 128 entries, so there are 16. Write-through: every write
/// and every read reaches the FTL.
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
