// The log of FDP events (NVM Express Base Specification 2.1, section 5.1.12.1.31): the last host events and the last
// controller events, each with the fields of the log page. Only events that the host has enabled for their reclaim unit
// handle are recorded, but all are counted (FtlStatistics::Fdp). The log survives power cuts, as the error counts of a
// drive do.
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/ftl/ftl_statistics.hpp"
#include "models/common/types.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

struct FdpConfig;
struct FtlContext;

constexpr bool is_host_event(FdpEventType type) { return static_cast<std::uint8_t>(type) < 0x80; }
/// "media_reallocated" and so on, as in result.json.
const char* to_string(FdpEventType type);

struct FdpEvent {
  static constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};

  FdpEventType type = FdpEventType::UnitNotFull;
  std::uint32_t stream = 0;       ///< handle and reclaim group, as a stream of host data
  bool located = true;            ///< the event is known to belong to this handle alone
  std::uint16_t identifier = 0;   ///< InvalidIdentifier: the identifier of the write
  std::uint32_t unit = kNoUnit;   ///< logical unit: first written (InvalidIdentifier), or lowest moved
                                  ///< (MediaReallocated)
  std::uint64_t units_moved = 0;  ///< MediaReallocated
  Picoseconds time = 0;           ///< simulated; 0 on the instant clock
  std::uint64_t timestamp = 0;    ///< host time (FdpEvents::HostClock)

  void state(StateArchive& archive) { archive(type, stream, located, identifier, unit, units_moved, time, timestamp); }
};

class FdpEvents {
 public:
  static constexpr std::uint32_t kMost = 63;  ///< of each kind: capacity of the 4 KiB log page

  /// Initially all event types are enabled.
  explicit FdpEvents(const FdpConfig& config);

  /// Records an event, unless disabled; drops the oldest of its kind if there are kMost.
  void record(FdpEvent event, Picoseconds now);
  /// Host events, or controller events, in the order of occurrence.
  const boost::circular_buffer<FdpEvent>& events(bool of_host) const { return of_host ? host_ : controller_; }
  /// The placement identifier to report: for InvalidIdentifier that of the write; else that of the event's handle, if
  /// known; none for ResetHandles, whose field is reserved.
  std::optional<std::uint16_t> identifier_of(const FdpEvent& event) const;
  /// Clears the log.
  void clear();

  /// The FDP Events feature: whether a type is enabled for a reclaim unit handle, in all groups.
  bool enabled(std::uint32_t handle, FdpEventType type) const { return (enabled_[handle] & bit(type)) != 0; }
  void enable(std::uint32_t handle, FdpEventType type, bool is);
  void disable_all();

  /// The Timestamp feature: milliseconds at simulated time `set`, from where they advance.
  struct HostClock {
    std::uint64_t milliseconds = 0;
    Picoseconds set = 0;
    bool of_host = false;  ///< set by the host

    /// The timestamp at a simulated time, in the format of the feature (figure 396).
    std::uint64_t timestamp(Picoseconds now) const;
  };
  void set_clock(const HostClock& clock) { clock_ = clock; }

  /// Saved states: the recorded events.
  void state(StateArchive& archive);
  /// Saved state of the enabled types, for a controller in front of the device.
  void state_of_feature(StateArchive& archive) { archive(enabled_); }

 private:
  static std::uint8_t bit(FdpEventType type);
  bool wanted(const FdpEvent& event) const;

  const FdpConfig& config_;
  boost::circular_buffer<FdpEvent> host_{kMost};
  boost::circular_buffer<FdpEvent> controller_{kMost};
  std::vector<std::uint8_t> enabled_;  // by handle, a bit per event type
  HostClock clock_;
};

/// Counts and records an event; all events go through here.
void note_fdp_event(const FtlContext& context, FtlStatistics& statistics, const FdpEvent& event);

}  // namespace flashloom
