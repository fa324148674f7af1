// Writes zones: units wait until their program unit is complete, finished or committed, and go to their place with it.
#pragma once

#include <cstdint>

#include "controllers/ftl/zones/block_replacement.hpp"
#include "controllers/ftl/zones/spill_log.hpp"
#include "controllers/ftl/zones/zone_padding.hpp"
#include "controllers/ftl/zones/zone_retirement.hpp"

namespace flashloom {

class ZoneWriter : private ZonePart {
 public:
  struct Parts {
    ZonePrograms& programs;
    ZoneBlocks& zone_blocks;
    BlockReplacement& replacement;
    ZonePadding& padding;
    ZoneRetirement& retirement;
    SpillLog& spill;
  };
  ZoneWriter(const ZonedTables& tables, const Parts& parts);

  /// As Ftl::write(), waiting_units().
  Task<void> write(WriteUnit& unit);
  std::uint32_t waiting_units() const;
  /// As of Zones.
  Task<void> finish(std::uint32_t zone);
  void give_area(std::uint32_t zone) { zones_[zone].area = zones_[zone].gaps = true; }
  Task<void> commit(std::uint32_t zone, std::uint32_t end);

 private:
  static constexpr std::uint32_t kNoEnd = ~std::uint32_t{0};
  /// Programs the zone's next program unit at its place. From offset `data_end` on, units without data are padding of a
  /// finish.
  Task<void> program_next(std::uint32_t zone, std::uint32_t data_end = kNoEnd);
  void refuse_last(FlashZone& zone);

  Parts parts_;
};

}  // namespace flashloom
