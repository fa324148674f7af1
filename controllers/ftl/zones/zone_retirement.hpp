// Takes zones away when lost erase units leave too few good ones: empty zones go offline first, then the zone in which a
// program failed becomes read-only.
#pragma once

#include <cstdint>

#include "controllers/ftl/zones/final_state_log.hpp"
#include "controllers/ftl/zones/zone_blocks.hpp"

namespace flashloom {

class ZoneRetirement : private ZonePart {
 public:
  ZoneRetirement(const ZonedTables& tables, ZoneBlocks& zone_blocks, FinalStateLog& final_states);

  void attach(ZoneListener& listener) { listener_ = &listener; }
  /// A mount does not report to the listener.
  void set_mounting(bool mounting) { mounting_ = mounting; }

  /// After blocks were lost: while the reserve is used up, takes an empty zone of the set offline, or else makes this
  /// one read-only.
  Task<void> face_losses(std::uint32_t zone);
  /// Whether lost blocks leave too few good ones on some bank of the set for all its zones.
  bool lacks_blocks(std::uint32_t set) const;
  Task<void> take_offline(std::uint32_t zone);

 private:
  std::uint32_t blocks_wanted(std::uint32_t set, std::uint32_t member) const;
  std::uint32_t emptiest(std::uint32_t zone) const;
  Task<void> make_read_only(std::uint32_t zone);

  ZoneBlocks& zone_blocks_;
  FinalStateLog& final_states_;
  ZoneListener* listener_ = nullptr;
  bool mounting_ = false;
};

}  // namespace flashloom
