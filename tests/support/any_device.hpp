// A random small device for RapidCheck properties of the whole firmware on the instant clock.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "tests/support/plain_ftls.hpp"

namespace flashloom {

/// Draws one registered part of a family, with its default parameters.
inline PolicyChoice any_part(const char* family) {
  const std::vector<const PartInfo*> parts = PartCatalog::instance().parts(family);
  return {parts[*rc::gen::inRange<std::size_t>(0, parts.size())]->name, {}};
}

/// Draws the options of the data buffer other than write-back or write-through.
inline void any_buffer(DeviceConfig& config) {
  BufferConfig& buffer = config.buffer;
  buffer.size = std::uint64_t{1} << *rc::gen::inRange(17, 21);
  buffer.evict = *rc::gen::element(std::string("pages"), std::string("blocks"));
  buffer.replacement = any_part("replacement");
  buffer.write_buffer = any_part("write_buffer");
  buffer.correlation = any_part("correlation");
  buffer.read_cache = *rc::gen::element(0.0, 0.3, 1.0);
  if (buffer.read_cache != 0) buffer.read_ahead = *rc::gen::element(0, 8, 64) * std::uint64_t{config.ftl.mapping_unit};
  buffer.high_watermark = *rc::gen::element(1.0, 0.6, 0.1);
  buffer.low_watermark = *rc::gen::element(1.0, 0.3, 0.0);
  buffer.split = *rc::gen::element(1U, 1U, 2U);
  buffer.coalesce = buffer.evict == "pages" && *rc::gen::arbitrary<bool>();
}

inline DeviceConfig any_device() {
  DeviceConfig config;
  config.verify = true;
  config.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  config.nand.channels = *rc::gen::inRange(1, 4);
  config.nand.ways = *rc::gen::inRange(1, 3);
  config.nand.planes = *rc::gen::element(1, 2);
  config.nand.multi_plane_program = *rc::gen::arbitrary<bool>();
  config.nand.pages_per_program = *rc::gen::element(1, 3);
  config.nand.unit_layout = *rc::gen::element(std::string("plane_first"), std::string("page_first"));
  config.nand.multi_plane_read = config.nand.planes > 1 && *rc::gen::arbitrary<bool>();
  config.nand.ecc.frame = *rc::gen::element(512U, 2048U, 4096U);
  config.nand.pages = 12 * *rc::gen::element(1, 2);
  config.nand.blocks = *rc::gen::inRange(24, 32);
  config.ftl.mapping_unit = *rc::gen::element(4096, 8192);
  const std::vector<const PartInfo*> ftls = plain_ftls();
  config.ftl.kind = {ftls[*rc::gen::inRange<std::size_t>(0, ftls.size())]->name, {}};
  // A cached map does something only if the whole map does not fit.
  if (config.ftl.kind.name == "dftl") {
    config.ftl.kind.parameters = ParameterValues({{"cmt_size", std::int64_t{400}}});
    config.hmb.size = config.ftl.mapping_unit * *rc::gen::element(0U, 1U, 3U);
    config.hmb.map_update = *rc::gen::element(std::string("write_through"), std::string("write_back"));
  }
  config.ftl.recovery.name = *rc::gen::elementOf(RecoveryMethods::of(config.ftl.kind.name));
  if (config.ftl.recovery.name == "checkpoint" || config.ftl.recovery.name == "journal")
    config.ftl.recovery.parameters = ParameterValues({{"interval", std::int64_t{*rc::gen::element(1 << 18, 1 << 21)}}});
  config.nand.in_order_program = *rc::gen::arbitrary<bool>();
  // Multi-bit cells: programming a later page may damage an earlier one.
  config.nand.program_time.resize(*rc::gen::element(1, 2, 3), config.nand.program_time.front());
  if (config.nand.pages_per_program > 1 && config.nand.in_order_program && maps_pages(config.ftl))
    config.nand.program_passes = *rc::gen::element(1, 2);
  config.nand.paired_pages =
      config.nand.program_passes == 1 && config.nand.in_order_program && *rc::gen::arbitrary<bool>();
  config.ftl.placement = any_part("placement");
  config.ftl.streams = any_part("streams");
  if (config.ftl.streams.name == "host") config.ftl.streams.parameters = ParameterValues({{"count", std::int64_t{2}}});
  config.nand.page_size = config.ftl.mapping_unit * *rc::gen::element(1, 2, 4);
  config.ftl.over_provisioning = *rc::gen::element(0.9, 1.5);
  config.ftl.gc_low = *rc::gen::inRange(1, 3);
  config.ftl.gc_high = config.ftl.gc_low + *rc::gen::inRange(1, 3);
  if (config.ftl.kind.name == "page_map" || config.ftl.kind.name == "dftl")
    config.ftl.gc_unit = *rc::gen::element(std::string("block"), std::string("superblock"));
  if (config.ftl.gc_unit == "superblock" && config.nand.ways % 2 == 0)
    config.ftl.superblock_dies = *rc::gen::element(0U, 1U, 2U);
  if (config.ftl.gc_unit == "superblock" && !config.nand.paired_pages && config.nand.program_passes == 1 &&
      superblock_dies(config.ftl, NandGeometry(config.nand, config.ftl.mapping_unit)) > 2) {
    config.ftl.rain = *rc::gen::element(0U, 1U);
    if (config.ftl.rain != 0) config.ftl.over_provisioning = 3.5;
  }
  if (*rc::gen::arbitrary<bool>()) {
    config.nand.variation.program = {.die = 0.05, .block = 0.1, .layer = 0.05};
    config.nand.variation.erase.block = 0.2;
    config.nand.variation.read.layer = 0.1;
    if (config.ftl.gc_unit == "superblock")
      config.ftl.superblock_by = *rc::gen::element(std::string("position"), std::string("speed"));
  }
  config.buffer.mode = *rc::gen::element(std::string("write_back"), std::string("write_through"));
  config.buffer.location = *rc::gen::element(std::string("dram"), std::string("nvram"));
  config.buffer.size = 0;  // the smallest buffer that works
  if (*rc::gen::arbitrary<bool>()) any_buffer(config);
  RC_LOG() << config.ftl.kind.name << ", " << config.ftl.recovery.name << ", " << config.ftl.gc_unit << " by "
           << config.ftl.superblock_by << ", " << config.ftl.placement.name << ", " << config.ftl.streams.name
           << (config.nand.in_order_program ? "" : ", pages in any order")
           << (config.nand.paired_pages ? ", paired pages" : "")
           << (config.nand.program_passes == 2 ? ", two passes" : "") << "; buffer " << config.buffer.mode << ", "
           << config.buffer.location << ", " << config.buffer.size << " B, " << config.buffer.evict << ", "
           << config.buffer.replacement.name << ", " << config.buffer.write_buffer.name << ", "
           << config.buffer.correlation.name << std::endl;
  return config;
}

}  // namespace flashloom
