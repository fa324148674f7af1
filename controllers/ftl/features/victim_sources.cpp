#include "controllers/ftl/features/victim_sources.hpp"

#include <memory>

#include "controllers/ftl/features/fdp/moved_units.hpp"
#include "controllers/ftl/features/program_failures/failed_blocks.hpp"
#include "controllers/ftl/features/scrub/scrubber.hpp"
#include "controllers/ftl/features/slc_cache/slc_victims.hpp"
#include "controllers/ftl/features/wear/wear_leveler.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

void add_victim_sources(const FtlContext& context, Programmer& programmer, Collector& collector) {
  VictimStart& start = collector.start();
  VictimSources& sources = collector.sources();
  BlockTable& blocks = start.blocks();
  EccEngine* const ecc = context.hardware.flash().ecc();
  if (ecc != nullptr && context.config.scrubs()) sources.add(std::make_unique<Scrubber>(start, *ecc));
  if (context.geometry.any_slc()) sources.add(std::make_unique<SlcFolder>(start));
  if (programmer.failure_handler() != nullptr)
    sources.add(std::make_unique<FailedBlocks>(start, programmer.redundancy() != nullptr));
  if (blocks.slc().lends()) sources.add_for_space(std::make_unique<SlcGiveBack>(start));
  if (blocks.policies().leveling(0).moves()) sources.add_after(std::make_unique<WearLeveler>(start));
  if (context.config.fdp.on()) collector.relocator().set_filter(std::make_unique<MovedUnits>(start));
}

}  // namespace flashloom
