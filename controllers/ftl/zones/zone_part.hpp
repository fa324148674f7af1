// What the parts of a zoned FTL share: its tables, and where each zone lies on flash.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/mapped_part.hpp"
#include "controllers/ftl/zones/zone_layout.hpp"
#include "controllers/ftl/zones/zones.hpp"

namespace flashloom {

/// A zone as it lies on flash.
struct FlashZone {
  std::vector<BlockNumber> blocks;    ///< by slot; kNoBlockNumber: not opened
  std::vector<BlockNumber> given_up;  ///< hold data from before a reset, to be erased later
  std::uint32_t programmed = 0;       ///< program units programmed at their places
  std::vector<WriteUnit*> waiting;    ///< next units, from the buffer; null: spilled or unwritten
  std::vector<PendingErase> erasing;  ///< erases begun since its last reset
  bool padding = false;               ///< finished; the rest is padded in the background
  bool reset_unsafe = false;          ///< a power cut would bring back the data in given_up
  bool may_return = false;            ///< after a reset, a power cut would bring back its spilled units
  bool area = false;                  ///< it has a random write area: units wait for a commit
  bool gaps = false;                  ///< it has had a random write area since its last reset
  std::uint64_t generation = 1;       ///< above all versions that it held before its last reset
};

/// The tables of a zoned FTL, beside those of every MappedFtl.
struct ZonedTables {
  MappedTables mapped;
  const ZoneLayout& shape;
  ZoneTable& table;
  ZoneCosts& costs;
  std::vector<FlashZone>& zones;
  bool& read_only;
  bool& out_of_room;
};

/// Base of the parts.
class ZonePart : protected MappedPart {
 protected:
  explicit ZonePart(const ZonedTables& tables)
      : MappedPart(tables.mapped),
        shape_(tables.shape),
        table_(tables.table),
        costs_(tables.costs),
        zones_(tables.zones),
        read_only_(tables.read_only),
        out_of_room_(tables.out_of_room) {}

  std::uint32_t first_unit(std::uint32_t zone) const { return zone * shape_.zone_units(); }
  std::uint32_t offset_of(std::uint32_t unit) const { return unit % shape_.zone_units(); }
  /// Offset of the zone's first unit that has not been programmed at its place.
  std::uint32_t pending_from(const FlashZone& zone) const { return zone.programmed * units_per_program_; }

  const ZoneLayout& shape_;
  ZoneTable& table_;
  ZoneCosts& costs_;
  std::vector<FlashZone>& zones_;
  bool& read_only_;
  bool& out_of_room_;
};

}  // namespace flashloom
