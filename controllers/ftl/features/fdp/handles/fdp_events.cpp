#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"

#include <algorithm>

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kClockBits = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint64_t kClockOfHost = std::uint64_t{1} << 49U;  // Timestamp Origin 001b

}  // namespace

const char* to_string(FdpEventType type) {
  using enum FdpEventType;
  return type == UnitNotFull         ? "reclaim_unit_not_fully_written"
         : type == TimeLimit         ? "reclaim_unit_time_limit_exceeded"
         : type == ResetHandles      ? "reset_modified_handles"
         : type == InvalidIdentifier ? "invalid_placement_identifier"
         : type == MediaReallocated  ? "media_reallocated"
                                     : "implicitly_modified_handle";
}

FdpEvents::FdpEvents(const FdpConfig& config) : config_(config), enabled_(config.handles, 0xff) {}

std::uint8_t FdpEvents::bit(FdpEventType type) {
  const auto at = std::ranges::find(kFdpEventTypes, type) - kFdpEventTypes.begin();
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(at));
}

// If an event may belong to any initially isolated handle, it is recorded if one of them has it enabled.
bool FdpEvents::wanted(const FdpEvent& event) const {
  if (event.located) return enabled(reclaim_handle(config_, event.stream), event.type);
  for (std::uint32_t handle = 0; handle < config_.handles; ++handle)
    if (!config_.isolates(handle) && enabled(handle, event.type)) return true;
  return false;
}

void FdpEvents::record(FdpEvent event, Picoseconds now) {
  if (!wanted(event)) return;
  event.time = now;
  event.timestamp = clock_.timestamp(now);
  (is_host_event(event.type) ? host_ : controller_).push_back(event);
}

std::optional<std::uint16_t> FdpEvents::identifier_of(const FdpEvent& event) const {
  if (event.type == FdpEventType::InvalidIdentifier) return event.identifier;
  if (!event.located || event.type == FdpEventType::ResetHandles) return std::nullopt;
  return placement_identifier(config_, event.stream);
}

void FdpEvents::clear() {
  host_.clear();
  controller_.clear();
}

void FdpEvents::enable(std::uint32_t handle, FdpEventType type, bool is) {
  std::uint8_t& mask = enabled_[handle];
  mask = static_cast<std::uint8_t>(is ? mask | bit(type) : mask & ~bit(type));
}

void FdpEvents::disable_all() { std::ranges::fill(enabled_, std::uint8_t{0}); }

std::uint64_t FdpEvents::HostClock::timestamp(Picoseconds now) const {
  return ((milliseconds + (now - std::min(now, set)) / kMillisecond) & kClockBits) | (of_host ? kClockOfHost : 0);
}

void FdpEvents::state(StateArchive& archive) {
  for (boost::circular_buffer<FdpEvent>* const list : {&host_, &controller_}) {
    std::vector<FdpEvent> events(list->begin(), list->end());
    archive(events);
    if (archive.loading()) list->assign(kMost, events.begin(), events.end());
  }
}

void note_fdp_event(const FtlContext& context, FtlStatistics& statistics, const FdpEvent& event) {
  ++statistics.fdp.of(event.type);
  if (FdpEvents* const events = context.hardware.fdp_events()) events->record(event, context.hardware.now());
}

}  // namespace flashloom
