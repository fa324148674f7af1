// Replaces an erase unit of a zone by another one, to which its good data are copied: after a program failure, or after
// a torn program, behind which nothing may be programmed.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/zones/zone_blocks.hpp"
#include "controllers/ftl/zones/zone_programs.hpp"

namespace flashloom {

class BlockReplacement : private ZonePart {
 public:
  BlockReplacement(const ZonedTables& tables, ZonePrograms& programs, ZoneBlocks& zone_blocks);

  /// Prepares the slot's erase unit for its next program unit; false if the device is worn out.
  Task<bool> prepare(std::uint32_t zone, std::uint32_t slot);
  /// prepare() for optional padding; false if it is skipped.
  Task<bool> prepare_padding(std::uint32_t zone, std::uint32_t slot);
  /// Copies the good data of a slot's erase unit to another one, where programming continues; false if there is none.
  Task<bool> replace(std::uint32_t zone, std::uint32_t slot, Origin origin);
  /// Releases the replaced erase units of zones once no failure in them remains to be tried.
  void release_replaced();

 private:
  bool copy_rows(std::uint32_t zone, std::uint32_t slot, BlockNumber target, Origin origin);
  void put_back(std::uint32_t zone, std::uint32_t slot, std::uint32_t rows);

  ZonePrograms& programs_;
  ZoneBlocks& zone_blocks_;
  struct Replaced {
    BlockNumber block;
    std::uint32_t zone;
    Origin origin;
  };
  std::vector<Replaced> replaced_;
};

}  // namespace flashloom
