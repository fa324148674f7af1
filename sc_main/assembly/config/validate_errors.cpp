#include "sc_main/assembly/config/validate_errors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "models/nand/block_endurance.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/assembly/config/requirements.hpp"

namespace flashloom {
namespace {

class ErrorValidator {
 public:
  explicit ErrorValidator(const DeviceConfig& config) : config_(config) {}

  void run() const {
    const bool by_pages = maps_pages(config_.ftl);
    require(config_.nand.factory_bad_blocks == 0 || by_pages, "nand.factory_bad_blocks",
            fmt::format("is for FTLs that map pages, and ftl.kind is \"{}\"; valid: 0", config_.ftl.kind.name));
    check_failures(by_pages);
    for (const auto& [path, on] : {std::pair{"ftl.scrub_reads", config_.ftl.scrub_reads != 0},
                                   std::pair{"ftl.scrub_level", config_.ftl.scrub_level != 0}}) {
      require(!on || by_pages, path,
              fmt::format("is for FTLs that map pages, and ftl.kind is \"{}\"; valid: 0", config_.ftl.kind.name));
      require(!on || config_.nand.errors.on(), path,
              "needs a nand.errors.model; without bit errors there is nothing to "
              "scrub; valid: 0");
    }
    if (config_.nand.errors.on()) check_errors();
  }

 private:
  // An FTL that maps each unit to its offset in a block cannot replace a failed program unit: it would have to copy the
  // block before the next unit, which only the zoned FTL does.
  void check_failures(bool maps_pages) const {
    const NandConfig& nand = config_.nand;
    const bool replaces = maps_pages || is_zoned(config_.ftl);
    require(replaces || nand.program_failure_rate == 0 || nand.program_failure_at == "cycle", "nand.program_failure_at",
            fmt::format("in the midst of a block is for FTLs that map pages or zones, and ftl.kind is \"{}\", where a "
                        "unit has its place in the block; valid: \"cycle\"",
                        config_.ftl.kind.name));
    require(
        replaces || nand.failed_program == 0, "nand.failed_program",
        fmt::format("is for FTLs that map pages or zones, and ftl.kind is \"{}\"; valid: 0", config_.ftl.kind.name));
    require(maps_pages || nand.die_failure_at == 0, "nand.die_failure_at",
            fmt::format("is for FTLs that map pages, and ftl.kind is \"{}\"; valid: 0", config_.ftl.kind.name));
    require(
        nand.program_passes == 1 || !nand.programs_fail(), "nand.program_passes",
        "a program of two passes that fails would leave the unit before it half-programmed, whose data are not kept "
        "for that; valid with programs that fail in the midst of a block, or a die that does: 1");
    if (nand.die_failure_at == 0) return;
    const std::uint32_t dies = nand.channels * nand.ways * nand.dies;
    require(nand.failed_die < dies, "nand.failed_die",
            fmt::format("{} is none of the {} dies; valid: 0 to {}", nand.failed_die, dies, dies - 1));
    require(dies > 1, "nand.die_failure_at", "a device of one die has nothing left when that fails; valid: 0");
    require(nand.errors.on(), "nand.die_failure_at",
            "needs a nand.errors.model: that data cannot be read is what the error correction says; valid: 0");
  }

  void check_errors() const {
    const NandConfig& nand = config_.nand;
    const EccConfig& ecc = nand.ecc;
    const BitErrorConfig& errors = nand.errors;
    const Picoseconds page = config_.controller.read_page_latency;
    require(
        page == 0, "controller.read_page_latency",
        fmt::format("{} is what a page takes behind its data cycles, and with nand.errors.model \"{}\" that is "
                    "nand.ecc.decode_time, {}; valid: 0 s, with nand.ecc.decode_time the whole",
                    format_exact(Quantity::Time, page), errors.model, format_exact(Quantity::Time, ecc.decode_time)));
    require(
        config_.ftl.mapping_unit % ecc.codeword == 0, "nand.ecc.codeword",
        fmt::format("{} does not divide ftl.mapping_unit, {}", bytes(ecc.codeword), bytes(config_.ftl.mapping_unit)));
    const std::size_t steps = errors.retry_rates.size() + (ecc.soft_reads != 0 ? 1 : 0);
    require(
        config_.ftl.scrub_level <= steps, "ftl.scrub_level",
        fmt::format("{} is above the {} levels of nand.errors.retry_rates and soft decoding: it would never be needed",
                    config_.ftl.scrub_level, steps));
  }

  const DeviceConfig& config_;
};

}  // namespace

void check_flash_errors(const DeviceConfig& config) { ErrorValidator(config).run(); }

std::uint64_t usable_blocks(const DeviceConfig& config, const NandGeometry& geometry, std::uint64_t reserve) {
  const BlockEndurance endurance(config.nand, config.seed);
  if (!endurance.has_factory_bad()) return reserve >= geometry.blocks ? 0 : geometry.dies * (geometry.blocks - reserve);
  std::uint64_t usable = 0;
  for (std::uint32_t die = 0; die < geometry.dies; ++die) {
    std::uint64_t lost = reserve;
    for (std::uint32_t block = geometry.slc_blocks; block < geometry.blocks; ++block)
      lost += endurance.bad_from_factory(die * geometry.blocks + block) ? 1 : 0;
    usable += lost < geometry.blocks ? geometry.blocks - lost : 0;
  }
  return usable;
}

}  // namespace flashloom
