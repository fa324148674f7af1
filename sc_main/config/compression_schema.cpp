// The keys of [compression], and its requirements on the device.
#include <fmt/format.h>

#include "controllers/ftl/ftl_rules.hpp"
#include "models/nand/nand_geometry.hpp"
#include "sc_main/config/device_geometry.hpp"
#include "sc_main/config/requirements.hpp"
#include "sc_main/config/table_builder.hpp"
#include "sc_main/config/validate.hpp"

namespace flashloom {

void describe_compression(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "compression")
      .key("granule", FLASHLOOM_MEMBER(compression.granule), Quantity::Bytes, {0, 1 << 19},
           "the size of a compressed mapping unit is rounded up to it; 0 B: data are not compressed")
      .count("density", FLASHLOOM_MEMBER(compression.density), 2, 16,
             "times as many mapping units in a page at most as it has room for uncompressed ones")
      .key("saved", FLASHLOOM_MEMBER(compression.saved), Quantity::Ratio, {0, 1},
           "share of the data that compression saves, where no job says it (buffer_compress_percentage of fio)")
      .key("spread", FLASHLOOM_MEMBER(compression.spread), Quantity::Ratio, {0, 1},
           "compressed sizes lie evenly within this share around their mean")
      .key("rate", FLASHLOOM_MEMBER(compression.rate), Quantity::ByteRate, {0, kMaxRate},
           "uncompressed data through the engine, each way; 0 B/s: any")
      .time("latency", FLASHLOOM_MEMBER(compression.latency), 0, "of the engine beyond that; occupies nothing", 1e12)
      .key("energy", FLASHLOOM_MEMBER(compression.energy), Quantity::EnergyPerByte, {0, 1e-6},
           "each uncompressed byte, each way; no figure for a drive is known");
}

void check_compression(const DeviceConfig& config) {
  const CompressionConfig& compression = config.compression;
  if (!compression.on()) return;
  const FtlConfig& ftl = config.ftl;
  check_config(compression, ftl.mapping_unit);
  require(
      maps_pages(ftl), "compression.granule",
      fmt::format("packs units of any size, and ftl.kind \"{}\" places a unit by its number in a block; valid: 0 B, "
                  "or an FTL that maps pages",
                  ftl.kind.name));
  require(!config.nand.copyback, "nand.copyback",
          "copies whole pages inside a die, and compressed units are packed anew; valid with compression.granule: "
          "false");
  const NandGeometry geometry = geometry_of(config);
  const std::uint64_t places = std::uint64_t{geometry.dies} * geometry.blocks * geometry.units_per_block();
  constexpr std::uint64_t kMost = 0xfffffffe;
  require(places <= kMost, "compression.density",
          fmt::format("{} makes {} places for mapping units, and the FTL numbers them with 32 bits; valid: at most {}",
                      compression.density, places, kMost / (places / compression.density)));
}

}  // namespace flashloom
