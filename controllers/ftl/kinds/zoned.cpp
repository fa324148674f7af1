// ftl.kind "zoned": zones (NVMe ZNS) and their settings in the device file. Source: NVM Express Zoned Namespace Command
// Set Specification 1.1; zones over erase units of all dies, and small ones over some, as in drives: Tehrany,
// Doekemeijer, Trivedi, ConfZNS++ (SYSTOR 2024); Bjorling et al., ZNS: Avoiding the Block Interface Tax for Flash-based
// SSDs (USENIX ATC 2021).
#include <memory>

#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "controllers/ftl/zones/zoned_ftl.hpp"
#include "policies/registry.hpp"

namespace flashloom::ftl::zoned {
namespace {

FtlShape shape() {
  FtlShape shape;
  shape.check = [](const FtlConfig& config, const NandGeometry& geometry, std::uint64_t, bool wears) {
    ZoneLayout(config, geometry, wears).check(config, geometry);
  };
  shape.map_bytes = [](const FtlConfig& config, const NandGeometry& geometry, std::uint64_t) {
    return ZoneLayout(config, geometry).map_bytes();
  };
  shape.logical_units = [](const FtlConfig& config, const NandGeometry& geometry) {
    const ZoneLayout layout(config, geometry);
    return std::uint64_t{layout.zones} * layout.zone_units;
  };
  shape.zoned = true;
  return shape;
}

ParameterSpec bytes(const char* name, const char* help) {
  return {.name = name,
          .default_value = std::int64_t{0},
          .dimension = Dimension::Bytes,
          .minimum = 0,
          .maximum = 0x1p40,
          .choices = {},
          .help = help};
}

ParameterSpec count(const char* name, std::int64_t value, double minimum, double maximum, const char* help) {
  return {.name = name, .default_value = value, .minimum = minimum, .maximum = maximum, .choices = {}, .help = help};
}

ParameterSpec choice(const char* name, const char* value, std::vector<std::string> choices, const char* help) {
  return {.name = name, .default_value = std::string(value), .choices = std::move(choices), .help = help};
}

const FtlRules rules("zoned", shape());

const Registration<Ftl> registration{
    {.name = "zoned",
     .summary = "zones that the host writes in order and resets (NVMe ZNS)",
     .source = "NVM Express Zoned Namespace Command Set Specification 1.1, 2021",
     .parameters =
         {bytes("zone_size", "from the start of a zone to that of the next; 0 B: zone_capacity"),
          bytes(
              "zone_capacity",
              "that can be written of a zone; 0 B: as zone_size has room for, else one erase unit on each of its dies"),
          count("dies", 0, 0, 4096,
                "dies over which a zone lies: sets (ftl.zone_dies), which zones take in turn; 0: all"),
          count("max_open", 14, 1, 100'000, "zones that are open at most"),
          count("max_active", 14, 1, 100'000, "zones that are open or closed at most"),
          bytes("random_write_area",
                "of a zone that is opened with one (ZRWA): written in any order, and again; 0 B: there are none"),
          bytes("random_write_granularity",
                "of which multiples of a random write area are committed (ZRWAFG): program units; 0 B: one"),
          count("max_random_write_areas", 0, 0, 100'000,
                "zones that have a random write area at a time (NUMZRWA); 0: max_active, if there are any"),
          choice("reset", "now", {"now", "later"},
                 "when erase units are erased: while the reset lasts, or when the zone is written next"),
          choice(
              "finish", "pad", {"pad", "pad_behind", "leave"},
              "the rest of a zone that is finished: is programmed at once; is programmed where a die has one program "
              "unit to program at most, or has programmed eight since; is left as it is")}},
    [](const FtlContext& context, const ParameterValues&) { return std::make_unique<ZonedFtl>(context); }};

}  // namespace
}  // namespace flashloom::ftl::zoned
