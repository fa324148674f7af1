// Words in the spare areas of zones that are not those of data: parity numbers that nothing else uses.
#pragma once

#include <cstdint>

#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/zones/zone_layout.hpp"

namespace flashloom {

/// Final states of a zone, which power cuts do not change.
enum class FinalState : std::uint8_t { None, ReadOnly, Offline };

class ZoneWords {
 public:
  ZoneWords(const OobLayout& layout, const ZoneLayout& shape) : layout_(layout), shape_(shape) {}

  /// Padding word of a finish in a slot of a zone: after a reset, leftover padding is not mistaken for that of another
  /// zone.
  OobWord finish(std::uint32_t zone, std::uint32_t slot) const {
    return layout_.parity(zone * shape_.blocks_per_zone() + slot + 1);
  }
  /// The numbers of these words are 1 to this one.
  std::uint32_t finishes() const { return shape_.zones() * shape_.blocks_per_zone(); }
  /// Padding words beside spilled units of random write areas, and beside records of resets.
  OobWord area() const { return layout_.parity(finishes() + 1); }
  OobWord reset() const { return layout_.parity(finishes() + 2); }
  /// Padding word that records the final state of a zone.
  OobWord final_state(std::uint32_t zone, FinalState state) const {
    return layout_.parity(finishes() + 2 + static_cast<std::uint32_t>(state) + 2 * zone);
  }

 private:
  const OobLayout& layout_;
  const ZoneLayout& shape_;
};

}  // namespace flashloom
