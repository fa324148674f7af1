// Get and Set Features (sections 5.14, 5.21): values, and what may be done with them. Effects are the controller's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "controllers/nvme/nvme_types.hpp"
#include "policies/state_archive.hpp"

namespace flashloom::nvme {

enum Feature : std::uint8_t {
  kArbitration = 0x01,
  kPowerManagement = 0x02,
  kTemperatureThreshold = 0x04,
  kErrorRecovery = 0x05,
  kVolatileWriteCache = 0x06,
  kNumberOfQueues = 0x07,
  kInterruptCoalescing = 0x08,
  kVectorConfiguration = 0x09,
  kWriteAtomicity = 0x0a,
  kEventConfiguration = 0x0b,
  kHostMemoryBuffer = 0x0d,
  kTimestamp = 0x0e,
  kKeepAliveTimer = 0x0f,
  kCommandSetProfile = 0x19,
  kFlexibleDataPlacement = 0x1d,
  kFdpEventsFeature = 0x1e,
  kSoftwareProgress = 0x80,
};

/// Each value by feature and what it is of: a namespace, an interrupt vector, a sensor and its threshold; 0 where there
/// is only one. Saved values are non-volatile.
class Features {
 public:
  struct Traits {
    bool saveable = false;
    bool changeable = true;
    bool of_namespace = false;
  };

  /// The feature exists, with this value at first.
  void declare(Feature feature, Traits traits, std::uint32_t first, std::uint32_t of = 0);
  bool knows(std::uint8_t feature, std::uint32_t of = 0) const { return find(feature, of) != nullptr; }
  bool knows_any(std::uint8_t feature) const;
  const Traits& traits(std::uint8_t feature) const;

  std::uint32_t current(std::uint8_t feature, std::uint32_t of = 0) const { return find(feature, of)->current; }
  /// SEL of Get Features: 0 current, 1 default, 2 saved, 3 what it can.
  std::uint32_t selected(std::uint8_t feature, std::uint32_t of, std::uint32_t select) const;
  /// The answer to SEL 3.
  std::uint32_t capabilities(std::uint8_t feature) const;
  void set(std::uint8_t feature, std::uint32_t of, std::uint32_t value, bool save);
  /// The controller was reset: saved values hold, or first ones.
  void reset();

  void state(StateArchive& archive);

 private:
  struct Value {
    Traits traits;
    std::uint32_t first = 0;
    std::uint32_t current = 0;
    std::optional<std::uint32_t> saved;
  };
  using Key = std::uint64_t;
  static Key key(std::uint8_t feature, std::uint32_t of) { return Key{feature} << 32U | of; }
  const Value* find(std::uint8_t feature, std::uint32_t of) const;

  std::map<Key, Value> values_;
};

}  // namespace flashloom::nvme
