// Padding of finished zones in the background of other programs. Each member of a zone (a plane of one of its dies)
// pads the rest of its erase units by itself, so that none waits for another one's die. A mount needs only the first
// padding of the finish, which is programmed earlier.
#pragma once

#include <cstdint>
#include <optional>

#include "controllers/ftl/zones/block_replacement.hpp"
#include "controllers/ftl/zones/zone_retirement.hpp"

namespace flashloom {

class ZonePadding : private ZonePart {
 public:
  ZonePadding(const ZonedTables& tables, ZonePrograms& programs, ZoneBlocks& zone_blocks, BlockReplacement& replacement,
              ZoneRetirement& retirement);

  /// Programs one optional program unit of padding; false if it is skipped.
  Task<bool> pad_program(std::uint32_t zone, std::uint32_t slot);
  /// As Zones::before_padding() and Zones::pad().
  Task<bool> before(std::uint32_t zone, std::uint32_t member);
  Task<void> pad(std::uint32_t zone, std::uint32_t member);

 private:
  /// Program completions on a die for which padding waits, if the die always has more than one program pending.
  static constexpr std::uint32_t kPatience = 8;
  std::optional<std::uint32_t> slot_to_pad(std::uint32_t zone, std::uint32_t member) const;
  /// What padding of that slot waits for while its die has more than one program pending; null if it has not.
  WaitList* before_room(std::uint32_t zone, std::uint32_t slot);

  ZonePrograms& programs_;
  ZoneBlocks& zone_blocks_;
  BlockReplacement& replacement_;
  ZoneRetirement& retirement_;
};

}  // namespace flashloom
