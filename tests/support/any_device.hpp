// A random small device for RapidCheck properties of the whole firmware on the instant clock.
#pragma once

#include <rapidcheck.h>

#include <string>

#include "controllers/ssd/device_config.hpp"

namespace flashloom {

inline DeviceConfig any_device() {
  DeviceConfig config;
  config.verify = true;
  config.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  config.nand.channels = *rc::gen::inRange(1, 4);
  config.nand.ways = *rc::gen::inRange(1, 3);
  config.nand.planes = *rc::gen::element(1, 2);
  config.nand.multi_plane_program = *rc::gen::arbitrary<bool>();
  config.nand.pages_per_program = *rc::gen::element(1, 3);
  config.nand.pages = 12 * *rc::gen::element(1, 2);
  config.nand.blocks = *rc::gen::inRange(16, 24);
  config.ftl.mapping_unit = *rc::gen::element(4096, 8192);
  config.nand.page_size = config.ftl.mapping_unit * *rc::gen::element(1, 2, 4);
  config.ftl.over_provisioning = *rc::gen::element(0.9, 1.5);
  config.ftl.gc_low = *rc::gen::inRange(1, 3);
  config.ftl.gc_high = config.ftl.gc_low + *rc::gen::inRange(1, 3);
  config.buffer.mode = *rc::gen::element(std::string("write_back"), std::string("write_through"));
  config.buffer.size = 0;  // the least that works
  return config;
}

}  // namespace flashloom
