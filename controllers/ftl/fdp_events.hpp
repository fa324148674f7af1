// The log of FDP events (NVM Express Base Specification 2.1, section 5.1.12.1.31): the last host events and the last
// controller events, each with what the log page says of it. Only what the host has enabled for its reclaim unit handle
// is recorded; all of it is counted (FtlStatistics::Fdp). The log outlives the firmware, as the error counts of a drive
// do: power cuts keep it.
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
/// "media_reallocated" and the like, as result.json has it.
const char* to_string(FdpEventType type);

struct FdpEvent {
  static constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};

  FdpEventType type = FdpEventType::UnitNotFull;
  std::uint32_t stream = 0;       ///< its handle in its reclaim group, as a stream of host data
  bool located = true;            ///< it is known that it is of this handle alone
  std::uint16_t identifier = 0;   ///< InvalidIdentifier: what the write named
  std::uint32_t unit = kNoUnit;   ///< logical unit: InvalidIdentifier, the first written; MediaReallocated, the lowest
                                  ///< of those that moved
  std::uint64_t units_moved = 0;  ///< MediaReallocated
  Picoseconds time = 0;           ///< simulated; 0 on the instant clock
  std::uint64_t timestamp = 0;    ///< the host's: FdpEvents::HostClock

  void state(StateArchive& archive) {
    archive(type, stream, located, identifier, unit, units_moved, time, timestamp);
  }
};

class FdpEvents {
 public:
  static constexpr std::uint32_t kMost = 63;  ///< of each kind: what the log page of 4 KiB has room for

  /// Everything is enabled.
  explicit FdpEvents(const FdpConfig& config);

  /// Records an event, unless it is disabled; the oldest of its kind is dropped when there are kMost.
  void record(FdpEvent event, Picoseconds now);
  /// In the order in which they occurred: host events, or controller events.
  const boost::circular_buffer<FdpEvent>& events(bool of_host) const { return of_host ? host_ : controller_; }
  /// The placement identifier that an event says: of a wrong one what the write named, else that of its handle, as far
  /// as it is known; of ResetHandles the field is reserved.
  std::optional<std::uint16_t> identifier_of(const FdpEvent& event) const;
  /// Forgets all that is recorded.
  void clear();

  /// The feature FDP Events: of a reclaim unit handle, in all groups.
  bool enabled(std::uint32_t handle, FdpEventType type) const { return (enabled_[handle] & bit(type)) != 0; }
  void enable(std::uint32_t handle, FdpEventType type, bool is);
  void disable_all();

  /// What the feature Timestamp says: ms, which go on from `set` (simulated time).
  struct HostClock {
    std::uint64_t milliseconds = 0;
    Picoseconds set = 0;
    bool of_host = false;  ///< the host has set it

    /// At a time, in the format of the feature (figure 396).
    std::uint64_t timestamp(Picoseconds now) const;
  };
  void set_clock(const HostClock& clock) { clock_ = clock; }

  /// Saved states: what is recorded.
  void state(StateArchive& archive);
  /// Of a controller in front of the device: what is enabled.
  void state_of_feature(StateArchive& archive) { archive(enabled_); }

 private:
  static std::uint8_t bit(FdpEventType type);
  bool wanted(const FdpEvent& event) const;

  const FdpConfig& config_;
  boost::circular_buffer<FdpEvent> host_{kMost};
  boost::circular_buffer<FdpEvent> controller_{kMost};
  std::vector<std::uint8_t> enabled_;  // by handle, a bit an event type
  HostClock clock_;
};

/// Counts an event, and records it. The one place that does.
void note_fdp_event(const FtlContext& context, FtlStatistics& statistics, const FdpEvent& event);

}  // namespace flashloom
