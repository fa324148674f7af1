// What the parts of a zoned FTL share: its tables, where each zone lies on flash, and words in spare areas.
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

/// Final states of a zone, which power cuts do not change.
enum class FinalState : std::uint8_t { None, ReadOnly, Offline };

/// Base of the parts. The FTL makes one of its own tables, and every part copies it.
class ZonePart : protected MappedPart {
 public:
  ZonePart(const MappedPart& mapped, const ZoneLayout& shape, ZoneTable& table, ZoneCosts& costs,
           std::vector<FlashZone>& zones, bool& read_only, bool& out_of_room)
      : MappedPart(mapped),
        shape_(shape),
        table_(table),
        costs_(costs),
        zones_(zones),
        read_only_(read_only),
        out_of_room_(out_of_room) {}

 protected:
  std::uint32_t first_unit(std::uint32_t zone) const { return zone * shape_.zone_units; }
  std::uint32_t offset_of(std::uint32_t unit) const { return unit % shape_.zone_units; }
  /// Offset of the zone's first unit that has not been programmed at its place.
  std::uint32_t pending_from(const FlashZone& zone) const { return zone.programmed * units_per_program_; }
  /// Whether spilled units may have several versions: only with random write areas.
  bool spills_versions() const { return shape_.random_units != 0; }

  // --- Words in the spare areas that are not those of data: parity numbers that nothing else uses.
  /// Padding of a finish in a slot of a zone: after a reset, leftover padding is not mistaken for that of another zone.
  OobWord finish_word(std::uint32_t zone, std::uint32_t slot) const {
    return layout_.parity(zone * shape_.blocks_per_zone() + slot + 1);
  }
  /// The numbers of these words are 1 to this one.
  std::uint32_t finish_words() const { return shape_.zones * shape_.blocks_per_zone(); }
  /// Padding beside spilled units of random write areas, and beside records of resets.
  OobWord area_word() const { return layout_.parity(finish_words() + 1); }
  OobWord reset_word() const { return layout_.parity(finish_words() + 2); }
  /// Padding that records the final state of a zone.
  OobWord final_word(std::uint32_t zone, FinalState state) const {
    return layout_.parity(finish_words() + 2 + static_cast<std::uint32_t>(state) + 2 * zone);
  }

  const ZoneLayout& shape_;
  ZoneTable& table_;
  ZoneCosts& costs_;
  std::vector<FlashZone>& zones_;
  bool& read_only_;
  bool& out_of_room_;
};

}  // namespace flashloom
