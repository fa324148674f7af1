// Media and the context of an FTL on the instant clock, to test parts of an FTL in isolation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/flash/instant_flash.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"
#include "models/nand/nand_config.hpp"

namespace flashloom {

/// Dies of one plane, each on a channel of its own, whose pages hold one unit.
inline NandConfig small_dies(std::uint32_t dies, std::uint32_t blocks, std::uint32_t pages) {
  NandConfig config;
  config.channels = dies;
  config.ways = config.planes = 1;
  config.blocks = blocks;
  config.pages = pages;
  config.page_size = 4096;
  return config;
}

/// Nothing else writes the media. Units of 4 KiB; the host sees eight.
struct MediaBench {
  /// `times`: NandMedia::block_times().
  explicit MediaBench(const NandConfig& dies, const FtlConfig& ftl = {}, bool in_order = false,
                      std::vector<Picoseconds> times = {})
      : nand(dies), config(ftl), media(geometry, in_order, 0, {}, std::move(times)) {}

  NandConfig nand;
  FtlConfig config;
  NandGeometry geometry{nand, 4096};
  NandTiming timing{nand, geometry};
  NandMedia media;
  InstantFlash flash{media, timing};
  Hardware hardware{flash};
  FtlContext context{.config = config,
                     .geometry = geometry,
                     .media = media,
                     .hardware = hardware,
                     .logical_units = 8,
                     .host_units = 8,
                     .sectors_per_unit = 8,
                     .verify = false,
                     .seed = 1};
};

}  // namespace flashloom
