#include "sc_main/assembly/config/validate_zones.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "controllers/ftl/ftl_rules.hpp"
#include "models/common/config_problem.hpp"

namespace flashloom {

void check_zones(const DeviceConfig& config) {
  if (!is_zoned(config.ftl)) return;
  const auto plain = [](bool valid, const char* key, const std::string& why) {
    require(valid, key, why + " (ftl.kind \"zoned\")");
  };
  plain(config.host_interface.sector_size == config.ftl.mapping_unit, "host_interface.sector_size",
        fmt::format("{} B is not ftl.mapping_unit, {} B: of a zone whole units are written alone; valid: {} B",
                    config.host_interface.sector_size, config.ftl.mapping_unit, config.ftl.mapping_unit));
  plain(config.host_interface.kind.name == "nvme", "host_interface.kind", "zones are of NVMe; valid: nvme");
  plain(config.host_interface.namespaces.empty(), "host_interface.namespaces",
        "the zones are one namespace; valid: []");
  plain(config.host.cache.size == 0, "host.cache.size", "a page cache writes pages in any order; valid: 0 B");
  plain(!config.heap.present(), "heap.nvram.kind", "a heap swaps pages to any place; valid: none");
  plain(config.hdd.capacity == 0, "hdd.capacity", "a tier writes segments to any place; valid: 0 B");
  plain(!config.array.present(), "array.level", "an array writes chunks to any place; valid: none");
  const FaultConfig& faults = config.faults;
  for (const auto& [key, value] :
       {std::pair{"faults.flush_ignored", faults.flush_ignored}, std::pair{"faults.fua_ignored", faults.fua_ignored},
        std::pair{"faults.torn_writes", faults.torn_writes}, std::pair{"faults.lost_writes", faults.lost_writes},
        std::pair{"faults.misdirected_writes", faults.misdirected_writes}})
    plain(value == 0, key, "drives that lie would break the order in zones; valid: 0");
  const BufferConfig& buffer = config.buffer;
  plain(buffer.location == "dram", "buffer.location",
        "programs of a zone end in any order, and NVRAM forgets each unit with its program: a power cut that tears one "
        "would leave a gap before units that were acknowledged; valid: dram, with power.plp where a flush is to cost "
        "nothing");
  plain(buffer.evict == "pages", "buffer.evict",
        "the units of a zone leave in the order in which they came; valid: pages");
  plain(
      buffer.replacement.name == "fifo", "buffer.replacement",
      fmt::format("\"{}\" lets units leave in another order than that in which they came, and zones are programmed in "
                  "it; valid: fifo",
                  buffer.replacement.name));
  plain(buffer.correlation.name == "none", "buffer.correlation",
        "the units of a zone leave in the order in which they came; valid: none");
  plain(buffer.split == 1, "buffer.split", "the units of a zone leave in the order in which they came; valid: 1");
  plain(!buffer.coalesce, "buffer.coalesce", "the units of a zone leave in the order in which they came; valid: false");
  plain(!config.compression.on(), "compression.granule", "a unit of a zone has a place of its own; valid: 0 B");
  plain(!config.nand.any_slc(), config.nand.slc_blocks != 0 ? "nand.slc_blocks" : "nand.slc_dynamic",
        "zones are programmed at their places, past any write cache; valid: 0");
  plain(!config.nand.paired_pages, "nand.paired_pages",
        "what a flush confirms would need padding behind it, of which zones have none; valid: false");
  plain(config.nand.program_passes == 1, "nand.program_passes",
        "what a flush confirms would need padding behind it, of which zones have none; valid: 1");
  const bool fails = config.nand.program_failure_rate != 0 && config.nand.program_failure_at == "program";
  plain(!fails || !config.power.holds_buffer_up() || buffer.mode != "write_back", "nand.program_failure_rate",
        "each program that fails takes an erase unit for the others of its own, and how many do while capacitors bring "
        "a full buffer to flash nobody knows; valid: 0, nand.program_failure_at = \"cycle\", or power.plp_flush = "
        "\"flash\"");
  plain(config.nand.die_failure_at == 0, "nand.die_failure_at",
        "each zone has erase units on all dies of its set, and those of a dead one cannot be replaced there; valid: 0");
  plain(!config.precondition.steady, "precondition.steady",
        "random overwrites are not for zones; valid: false, with precondition.fill");
}

}  // namespace flashloom
