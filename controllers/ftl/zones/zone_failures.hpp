// What a zoned FTL does about failing blocks. An erase unit of a zone is replaced by another one, to which its good data
// are copied: after a program failure, or after a torn program, behind which nothing may be programmed. When lost erase
// units leave too few good ones, zones are taken away: empty ones go offline first, then the zone in which a program
// failed becomes read-only.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/zones/final_state_log.hpp"
#include "controllers/ftl/zones/zone_blocks.hpp"

namespace flashloom {

class ZoneFailures : private ZonePart {
 public:
  ZoneFailures(const ZonePart& ftl, ZoneBlocks& zone_blocks, FinalStateLog& final_states);

  void attach(ZoneListener& listener) { listener_ = &listener; }
  /// A mount does not report to the listener.
  void set_mounting(bool mounting) { mounting_ = mounting; }

  /// Prepares the slot's erase unit for its next program unit; false if the device is worn out.
  Task<bool> prepare(std::uint32_t zone, std::uint32_t slot);
  /// prepare() for optional padding; false if it is skipped.
  Task<bool> prepare_padding(std::uint32_t zone, std::uint32_t slot);
  /// Copies the good data of a slot's erase unit to another one, where programming continues; false if there is none.
  Task<bool> replace(std::uint32_t zone, std::uint32_t slot, Origin origin);
  /// Releases the replaced erase units of zones once no failure in them remains to be tried.
  void release_replaced();

  /// After blocks were lost: while the reserve is used up, takes an empty zone of the set offline, or else makes this
  /// one read-only.
  Task<void> face_losses(std::uint32_t zone);
  /// Whether lost blocks leave too few good ones on some bank of the set for all its zones.
  bool lacks_blocks(std::uint32_t set) const;
  Task<void> take_offline(std::uint32_t zone);

 private:
  bool copy_rows(std::uint32_t zone, std::uint32_t slot, BlockNumber target, Origin origin);
  void put_back(std::uint32_t zone, std::uint32_t slot, std::uint32_t rows);
  std::uint32_t blocks_wanted(std::uint32_t set, std::uint32_t member) const;
  std::uint32_t emptiest(std::uint32_t zone) const;
  Task<void> make_read_only(std::uint32_t zone);

  struct Replaced {
    BlockNumber block;
    std::uint32_t zone;
    Origin origin;
  };
  ZoneBlocks& zone_blocks_;
  FinalStateLog& final_states_;
  std::vector<Replaced> replaced_;
  ZoneListener* listener_ = nullptr;
  bool mounting_ = false;
};

}  // namespace flashloom
