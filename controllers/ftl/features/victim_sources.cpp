// The sources of victims that a device's features bring.
#include <memory>

#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/features/fdp/moved_units.hpp"
#include "controllers/ftl/features/program_failures/failed_blocks.hpp"
#include "controllers/ftl/features/scrub/scrubber.hpp"
#include "controllers/ftl/features/slc_cache/slc_cache.hpp"
#include "controllers/ftl/features/wear/wear_leveler.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

void add_victim_sources(const FtlContext& context, BlockTable& blocks, Programmer& programmer, Collector& collector) {
  VictimSources& sources = collector.sources();
  EccEngine* const ecc = context.hardware.flash().ecc();
  if (ecc != nullptr && context.config.scrubs()) sources.add(std::make_unique<Scrubber>(collector, *ecc));
  if (context.geometry.any_slc()) sources.add(std::make_unique<SlcCache>(collector, sources));
  if (programmer.failure_handler() != nullptr)
    sources.add(std::make_unique<FailedBlocks>(collector, programmer.redundancy() != nullptr));
  if (blocks.policies().leveling(0).moves()) sources.add_after(std::make_unique<WearLeveler>(collector));
  if (context.config.fdp.on()) collector.relocator().set_filter(std::make_unique<MovedUnits>(collector));
}

}  // namespace flashloom
