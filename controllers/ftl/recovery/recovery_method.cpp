#include "controllers/ftl/recovery/recovery_method.hpp"

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/oob.hpp"
#include "models/nand/nand_media.hpp"
#include "policies/registry.hpp"

namespace flashloom {

RecoveryMethod recovery_of(const FtlConfig& config) { return *Family<RecoveryMethod>::make(config.recovery, {}); }

// Parity stores numbers in the version bits, and the size of a unit lies above its number.
void keep_no_versions(NandMedia& media, const FtlConfig& config) {
  const NandGeometry& geometry = media.geometry();
  if (RecoveryMethods::needs_versions(config.kind.name) || config.rain != 0 || geometry.sizes_vary()) return;
  const std::uint64_t host = logical_units(config, geometry);
  media.keep_low_bits(OobLayout(host + ftl_map_units(config, geometry, host)).low_bits());
}

}  // namespace flashloom

namespace flashloom::recovery::recovery_method {
namespace {

std::vector<ParameterSpec> parameters() {
  return {{.name = "interval",
           .default_value = std::int64_t{0},
           .dimension = Dimension::Bytes,
           .minimum = 0,
           .maximum = 0x1p50,
           .choices = {},
           .help = "host data between checkpoints; 0 B: an eighth of the logical space"}};
}

Family<RecoveryMethod>::Factory fixed(const RecoveryMethod& method) {
  return [method](auto&, const ParameterValues&) { return std::make_unique<RecoveryMethod>(method); };
}

Family<RecoveryMethod>::Factory checkpoints(bool journals) {
  return [journals](auto&, const ParameterValues& values) {
    const auto interval = static_cast<std::uint64_t>(values.get<std::int64_t>("interval"));
    return std::make_unique<RecoveryMethod>(
        RecoveryMethod{.checkpoints = true, .journals = journals, .interval = interval});
  };
}

// The spare areas of all programmed pages are read (unit and version in the spare area: Ban; Gal and Toledo, section 3).
const Registration<RecoveryMethod> oob_scan{
    {.name = "oob_scan",
     .summary = "reads the spare area of every programmed page",
     .source = "A. Ban, US patent 5,404,485, 1995; Gal and Toledo, ACM Computing Surveys 37(2), 2005",
     .parameters = {}},
    fixed({})};

// Checkpoint and roll-forward of LFS (section 4).
const Registration<RecoveryMethod> checkpoint{
    {.name = "checkpoint",
     .summary = "the map is written to flash now and then; a mount reads it, and the spare areas of what is newer",
     .source = "Rosenblum and Ousterhout, ACM TOCS 10(1), 1992 (checkpoint and roll-forward)",
     .parameters = parameters()},
    checkpoints(false)};

// A journal of map changes between checkpoints (A Transactional Flash File System for Microcontrollers).
const Registration<RecoveryMethod> journal{
    {.name = "journal",
     .summary = "checkpoints, and a journal of what was programmed since; a mount scans only what the journal lacks",
     .source = "Gal and Toledo, USENIX ATC 2005 (TFFS: journal and checkpoints)",
     .parameters = parameters()},
    checkpoints(true)};

// Source: Park et al., Utilization of non-volatile RAM write buffer for FTL (Hanyang University), which expects it and
// does not measure it.
const Registration<RecoveryMethod> nvram_map{
    {.name = "nvram_map",
     .summary = "the map of blocks is kept in NVRAM; a mount reads it, and the spare areas of blocks being written",
     .source = "Park et al., NVRAM write buffers for an FTL (docs/reference/power_cuts.md)",
     .parameters = {}},
    fixed({.in_nvram = true})};

}  // namespace
}  // namespace flashloom::recovery::recovery_method
