// Resets of zones: they unmap the zone's data and release its erase units, so that no power cut brings back the data
// once the reset must be safe.
#pragma once

#include <cstdint>

#include "controllers/ftl/zones/final_state_log.hpp"
#include "controllers/ftl/zones/spill_log.hpp"
#include "controllers/ftl/zones/zone_retirement.hpp"

namespace flashloom {

class ZoneResets : private ZonePart {
 public:
  struct Parts {
    ZoneBlocks& zone_blocks;
    FinalStateLog& final_states;
    ZoneRetirement& retirement;
    SpillLog& spill;
  };
  ZoneResets(const ZonedTables& tables, const Parts& parts);

  /// Acknowledged data survive power cuts from now on, so resets must, too.
  void be_safe_at_once() { safe_at_once_ = true; }
  Task<void> reset(std::uint32_t zone, std::uint64_t version);
  /// As Ftl::persist_trims().
  Task<void> persist();
  /// Before units of random write areas are spilled: resets survive power cuts, and old data are erased.
  Task<void> before_areas();
  /// As Zones::settled().
  Task<void> settled(std::uint32_t zone);

 private:
  void unmap(std::uint32_t unit);

  Parts parts_;
  bool safe_at_once_ = false;
};

}  // namespace flashloom
