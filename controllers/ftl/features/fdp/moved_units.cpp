#include "controllers/ftl/features/fdp/moved_units.hpp"

#include <algorithm>
#include <utility>

#include "controllers/ftl/fdp_events.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/reclaim_handles.hpp"

namespace flashloom {

MovedUnits::MovedUnits(Collector& collector)
    : FtlPart(collector),
      collector_(collector),
      handles_(context_.config.fdp.groups * context_.config.fdp.handles),
      victims_(collector.victims().groups()) {}

void MovedUnits::moved(std::uint32_t group, std::uint32_t unit) {
  if (next_ != nullptr) next_->moved(group, unit);
  const std::uint32_t stream = collector_.victims().stream_of(group);
  if (stream < handles_) ++statistics_.streams[stream].units_moved;
  if (unit >= context_.host_units) return;
  Moved& victim = victims_[group];
  ++victim.units;
  victim.lowest = std::min(victim.lowest, unit);
}

// The event names the handle that owns the reclaim unit, unless the unit may hold copies of several handles.
void MovedUnits::collected(std::uint32_t group) {
  if (next_ != nullptr) next_->collected(group);
  const Moved moved = std::exchange(victims_[group], {});
  if (moved.units == 0) return;
  const FdpConfig& fdp = context_.config.fdp;
  const std::uint32_t stream = collector_.victims().stream_of(group);
  if (stream >= handles_ || fdp.isolates(reclaim_handle(fdp, stream))) return;
  const bool alone = copies_stream(fdp, stream) != stream || fdp.persistent.size() + 1 == fdp.handles;
  note_fdp_event(context_, statistics_,
                 {.type = FdpEventType::MediaReallocated,
                  .stream = stream,
                  .located = alone,
                  .unit = moved.lowest,
                  .units_moved = moved.units});
}

}  // namespace flashloom
