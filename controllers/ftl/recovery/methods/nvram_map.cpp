// The map of blocks in NVRAM, so that a mount need not scan. Source: Park et al., Utilization of non-volatile RAM write
// buffer for FTL (Hanyang University), which expects it and does not measure it.
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"

namespace flashloom::recovery::nvram_map {
namespace {

class NvramMap final : public RecoveryMethod {
 public:
  bool in_nvram() const override { return true; }
};

const Registration<RecoveryMethod> registration{
    {.name = "nvram_map",
     .summary = "the map of blocks is kept in NVRAM; a mount reads it, and the spare areas of blocks being written",
     .source = "Park et al., NVRAM write buffers for an FTL (docs/power_cuts.md)",
     .parameters = {}},
    [](const RecoveryContext&, const ParameterValues&) { return std::make_unique<NvramMap>(); }};

}  // namespace
}  // namespace flashloom::recovery::nvram_map
